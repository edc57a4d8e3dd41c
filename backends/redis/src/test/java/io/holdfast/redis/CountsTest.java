// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What operations cost, in the server's own count of commands. */
@Tag("redis")
class CountsTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration LONG = Duration.ofMinutes(5);

  private RedisServer server;
  private Clients clients;

  @BeforeEach
  void start() {
    server = RedisServer.start();
    clients = new Clients();
  }

  @AfterEach
  void stop() {
    clients.close();
    server.close();
  }

  @Test
  void an_uncontended_acquire_and_release_is_two_commands_and_no_message() throws Exception {
    Holdfast holdfast = clients.open(server.hostAndPort(), LEASE);
    holdfast.lock("warm").acquire(LONG).release();
    long before = Clients.scripts(server);
    long published = Clients.published(server);
    for (int round = 0; round < 100; round++) {
      holdfast.lock("free").tryAcquire().orElseThrow().release();
      holdfast.lock("free").acquire(LONG).release();
    }
    assertThat(Clients.scripts(server) - before).isEqualTo(400);
    assertThat(Clients.published(server)).isEqualTo(published);
  }

  @Test
  void fifty_waiters_in_fifty_clients_drain_in_order_with_two_commands_each() throws Exception {
    Holdfast holder = clients.open(server.hostAndPort(), LEASE);
    Lease held = holder.lock("hot").acquire(LONG);
    List<CompletableFuture<Optional<Lease>>> waiters = new ArrayList<>();
    for (Holdfast client : clients.open(50, server, LEASE)) {
      int place = waiters.size();
      waiters.add(client.lock("hot").async().tryAcquire(LONG));
      Clients.awaitWaiters(holder, "hot", place + 1);
    }
    long scripts = Clients.scripts(server);
    long published = Clients.published(server);
    long began = System.nanoTime();
    held.release();
    long newest = held.token().value();
    for (int place = 0; place < waiters.size(); place++) {
      Lease lease = waiters.get(place).get(60, TimeUnit.SECONDS).orElseThrow();
      assertThat(lease.token().value()).isGreaterThan(newest);
      newest = lease.token().value();
      assertThat(waiters.subList(place + 1, waiters.size())).noneMatch(CompletableFuture::isDone);
      lease.release();
    }
    assertThat(Clients.published(server) - published).isEqualTo(50);
    // The releases, and a fallback poll of each in about three seconds.
    long spent = Clients.scripts(server) - scripts;
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
    assertThat(spent).isLessThanOrEqualTo(2 * 50 + 50 * (1 + seconds / 2));
  }

  @Test
  void a_dead_client_at_the_head_is_passed_over_by_the_same_release() throws Exception {
    Holdfast holder = clients.open(server.hostAndPort(), LEASE);
    Lease held = holder.lock("hot").acquire(LONG);
    try (ScriptBench dead = new ScriptBench(server, "hot")) {
      assertThat(dead.stand(ScriptBench.exclusive("dead")).word()).isEqualTo("HELD");
      var next = clients.open(server.hostAndPort(), LEASE).lock("hot").async().tryAcquire(LONG);
      Clients.awaitWaiters(holder, "hot", 2);
      long scripts = Clients.scripts(server);
      long published = Clients.published(server);
      long began = System.nanoTime();
      held.release();
      assertThat(next.get(60, TimeUnit.SECONDS).orElseThrow().isHeld()).isTrue();
      assertThat(Clients.published(server) - published).isEqualTo(1);
      // The release, and a poll if it was just due; on a slow machine one every few seconds.
      long spent = Clients.scripts(server) - scripts;
      long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
      assertThat(spent).isLessThanOrEqualTo(2 + seconds);
    }
  }

  @Test
  void idle_waiters_cost_less_than_a_command_per_second_each() throws Exception {
    Holdfast holder = clients.open(server.hostAndPort(), LEASE);
    holder.lock("hot").acquire(LONG);
    int count = 20;
    for (Holdfast client : clients.open(count, server, LEASE)) {
      var unused = client.lock("hot").async().tryAcquire(LONG);
    }
    Clients.awaitWaiters(holder, "hot", count);
    long began = System.nanoTime();
    long before = Clients.scripts(server);
    Eventually.until("they have asked again", () -> Clients.scripts(server) - before >= count);
    long asked = Clients.scripts(server) - before;
    // In the time that really passed: a slow machine gives them more of it.
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
    assertThat(asked).isLessThanOrEqualTo(count * (1 + seconds));
  }

  @Test
  void a_hundred_thousand_leases_renew_in_at_most_a_thousand_commands() throws Exception {
    int count = 100_000;
    AtomicLong renewals = new AtomicLong();
    Holdfast holdfast = clients.openCounted(server.hostAndPort(), LEASE, renewals);
    long memory = memory();
    List<CompletableFuture<Optional<Lease>>> asked = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      asked.add(holdfast.lock("many/" + i).async().tryAcquire(LONG));
      if (i % 200 == 199) {
        asked.get(i).get(60, TimeUnit.SECONDS);
      }
    }
    for (CompletableFuture<Optional<Lease>> each : asked) {
      assertThat(each.get(60, TimeUnit.SECONDS)).isPresent();
    }
    System.out.printf("memory per held lock: %d bytes%n", (memory() - memory) / count);
    long renewed = renewals.get();
    long scripts = Clients.scripts(server);
    // One pass is a third of the lease time.
    Eventually.until("all are renewed once", () -> renewals.get() - renewed >= count);
    long passes = (renewals.get() - renewed + count - 1) / count;
    assertThat(Clients.scripts(server) - scripts).isLessThanOrEqualTo(1000 * passes);
    for (CompletableFuture<Optional<Lease>> each : asked) {
      assertThat(each.get().orElseThrow().isHeld()).isTrue();
    }
  }

  private long memory() {
    return Long.parseLong(
        server.call("INFO", "memory").toString().replaceAll("(?s).*used_memory:(\\d+).*", "$1"));
  }

  @Test
  void renewal_costs_what_the_leases_held_now_cost_whatever_was_before() throws Exception {
    Duration lease = Duration.ofSeconds(12);
    Holdfast used = clients.open(server.hostAndPort(), lease);
    List<CompletableFuture<Boolean>> cycles = new ArrayList<>();
    for (int cycle = 0; cycle < 10_000; cycle++) {
      cycles.add(
          used.lock("cycle/" + cycle)
              .async()
              .tryAcquire()
              .thenCompose(
                  granted -> CompletableFuture.supplyAsync(granted.orElseThrow()::release)));
      if (cycle % 100 == 99) {
        assertThat(cycles.get(cycle).get(60, TimeUnit.SECONDS)).isTrue();
      }
    }
    for (CompletableFuture<Boolean> cycle : cycles) {
      assertThat(cycle.get(60, TimeUnit.SECONDS)).isTrue();
    }
    Holdfast fresh = clients.open(server.hostAndPort(), lease);
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      leases.add(used.lock("used/" + i).tryAcquire().orElseThrow());
      leases.add(fresh.lock("fresh/" + i).tryAcquire().orElseThrow());
    }
    long began = System.nanoTime();
    long before = Clients.scripts(server);
    Eventually.pass(lease);
    long spent = Clients.scripts(server) - before;
    long passed = System.nanoTime() - began;
    System.out.printf("renewals: %d of two clients, one after 10,000 cycles%n", spent);
    // Leases fall due together, sixty times in a lease time at most, however they were spread; in
    // the time that really passed, which a slow machine stretches.
    long most = 2 * (60 * passed / lease.toNanos() + 5);
    assertThat(spent).isPositive().isLessThanOrEqualTo(most);
    assertThat(leases).allMatch(Lease::isHeld);
  }
}
