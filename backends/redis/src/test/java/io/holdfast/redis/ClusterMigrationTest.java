// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.BackendException;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Holds in a slot that migrates, key by key, to a server that has never run a script. */
@Tag("redis")
class ClusterMigrationTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static RedisCluster cluster;

  private final Clients clients = new Clients();

  @BeforeAll
  static void start() {
    cluster = new RedisCluster();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @AfterEach
  void close() {
    clients.close();
  }

  @ParameterizedTest
  @CsvSource({"exclusive, 0", "shared, 0", "permits, 0", "exclusive, 1", "shared, 1", "permits, 1"})
  void holds_whose_keys_have_moved_are_renewed_and_released(String mode, int replicas)
      throws Exception {
    String name = "moved/" + mode + replicas;
    DistributedLock lock = lock(name, mode, replicas);
    Lease lease = lock.acquire(LONG);
    SlotMigration migration = migrationOf(name);
    migration.begin();
    migration.moveAll();
    cluster.primaries().forEach(server -> server.call("SCRIPT", "FLUSH"));
    lease.renew();
    assertThat(lease.isHeld()).isTrue();
    assertThat(lease.release()).isTrue();
    migration.finish();
    assertThat(lock.acquire(LONG).release()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"shared, 0", "permits, 0", "shared, 1", "permits, 1"})
  void a_hold_whose_keys_are_at_two_servers_is_released_as_soon_as_they_are_together(
      String mode, int replicas) throws Exception {
    String name = "split/" + mode + replicas;
    DistributedLock lock = lock(name, mode, replicas);
    Lease first = lock.acquire(LONG);
    Lease second = lock.acquire(LONG);
    SlotMigration migration = migrationOf(name);
    migration.begin();
    migration.move(List.of("{lock:" + name + "}:holders"));
    CompletableFuture<Boolean> released =
        CompletableFuture.supplyAsync(() -> releaseInTheEnd(first));
    migration.moveAll();
    assertThat(released.get(60, TimeUnit.SECONDS)).isTrue();
    assertThat(releaseInTheEnd(second)).isTrue();
    assertThat(migration.target().call("CLUSTER", "COUNTKEYSINSLOT", slotOf(name)))
        .as("the fence alone is left")
        .isEqualTo(1L);
    migration.finish();
  }

  /** That it is not known yet is said by an exception, and never by false. */
  private static boolean releaseInTheEnd(Lease lease) {
    while (true) {
      try {
        return lease.release();
      } catch (BackendException notYet) {
        assertThat(notYet.isTransient()).isTrue();
      }
    }
  }

  private DistributedLock lock(String name, String mode, int replicas) {
    Holdfast client =
        clients.openAt(cluster.address() + "&replicas=" + replicas, Duration.ofMinutes(1));
    return switch (mode) {
      case "exclusive" -> client.lock(name);
      case "shared" -> client.lock(name).shared();
      default -> client.semaphore(name, 3);
    };
  }

  private static SlotMigration migrationOf(String name) {
    int slot = Slots.of("lock:" + name);
    RedisServer from = cluster.primaryOf(slot);
    return new SlotMigration(cluster.primaries(), slot, from);
  }

  private static String slotOf(String name) {
    return Integer.toString(Slots.of("lock:" + name));
  }
}
