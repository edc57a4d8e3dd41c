// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holder;
import io.holdfast.Mode;
import io.holdfast.spi.LockBackend.AcquireRequest;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What one script renews, for how long each. */
@Tag("redis")
class RenewerTest {

  static Stream<Arguments> modesAndLeases() {
    return Stream.of(Mode.EXCLUSIVE, Mode.SHARED)
        .flatMap(
            mode ->
                Stream.of(List.of(20, 40, 60, 20), List.of(40, 40, 40, 40), List.of(20, 20, 60, 60))
                    .map(leases -> Arguments.of(mode, leases)));
  }

  @ParameterizedTest(name = "{0}, leases of {1} s")
  @MethodSource("modesAndLeases")
  void each_hold_is_kept_for_its_own_lease_time(Mode mode, List<Integer> leases) throws Exception {
    try (RedisServer server = RedisServer.start();
        BareClient client = new BareClient("redis://" + server.hostAndPort())) {
      List<Hold> holds =
          Stream.iterate(0, i -> i < leases.size(), i -> i + 1)
              .map(i -> hold(client, i, mode, Duration.ofSeconds(leases.get(i))))
              .toList();
      for (Hold hold : holds) {
        AcquireRequest request = new AcquireRequest(hold, Duration.ZERO, 0, client.now(), null);
        client.backend().acquire(request).toCompletableFuture().get(30, TimeUnit.SECONDS);
        server.call("PEXPIRE", "lock:" + hold.name(), "9000");
      }
      assertThat(client.backend().renew(holds).toCompletableFuture().get(30, TimeUnit.SECONDS))
          .containsOnly(Renewal.RENEWED);
      for (Hold hold : holds) {
        long millis = Long.parseLong(server.call("PTTL", "lock:" + hold.name()).toString());
        long lease = hold.leaseTime().toMillis();
        assertThat(millis).isBetween(lease - 15_000, lease + 1);
      }
    }
  }

  private static Hold hold(BareClient client, int number, Mode mode, Duration lease) {
    return new Hold("n" + number, new Holder(client.origin().process(), number + 1), mode, lease);
  }
}
