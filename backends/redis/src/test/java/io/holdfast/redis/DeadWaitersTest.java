// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static io.holdfast.redis.ScriptBench.exclusive;
import static io.holdfast.redis.ScriptBench.permits;
import static io.holdfast.redis.ScriptBench.shared;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.redis.ScriptBench.Asker;
import io.holdfast.redis.ScriptBench.Reply;
import io.holdfast.testkit.servers.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Waiters that died leave the queue while the lock is held, a few at a time. */
@Tag("redis")
class DeadWaitersTest extends ScriptCases {
  private static final String QUEUE = "{lock:n}:queue";
  private static final String ALIVE = "{lock:n}:alive";

  static Stream<Arguments> holderDeadAndLive() {
    return Stream.of(
        Arguments.of(exclusive("holder"), exclusive("dead"), exclusive("live")),
        Arguments.of(exclusive("holder"), shared("dead"), shared("live")),
        Arguments.of(shared("holder"), exclusive("dead"), exclusive("live")),
        Arguments.of(permits("holder", 2, 2), permits("dead", 1, 2), permits("live", 1, 2)));
  }

  /** Stands in the queue, and has not asked for longer than a waiter may be silent. */
  private void die(Asker asker) {
    assertThat(bench.stand(asker).word()).isEqualTo("HELD");
    bench.wire.call("ZADD", ALIVE, "1", asker.entry());
  }

  private long queued() {
    return (Long) bench.wire.call("ZCARD", QUEUE);
  }

  private Reply poll(Asker asker, String ticket) {
    return bench.acquire(asker, ScriptBench.LATER, 10_000, ticket);
  }

  @ParameterizedTest
  @MethodSource("holderDeadAndLive")
  void a_poll_removes_dead_waiters_eight_at_a_time(Asker holder, Asker dead, Asker live) {
    bench.listen(live);
    bench.ask(holder);
    String ticket = Long.toString(bench.stand(live).number(3));
    for (int i = 1; i <= 20; i++) {
      bench.stand(new Asker("dead-" + i, dead.channel(), dead.lease(), 0, dead.mode()));
    }
    bench.waiting().stream()
        .filter(entry -> !entry.equals(live.entry()))
        .forEach(entry -> bench.wire.call("ZADD", ALIVE, "1", entry.toString()));
    for (long left : List.of(13L, 5L, 1L, 1L)) {
      Reply reply = poll(live, ticket);
      assertThat(reply.word()).isEqualTo("HELD");
      assertThat(reply.number(3)).isEqualTo(Long.parseLong(ticket));
      assertThat(queued()).isEqualTo(left);
      assertThat(bench.wire.call("ZCARD", ALIVE)).isEqualTo(left);
    }
    assertThat(bench.waiting()).containsExactly(live.entry());
  }

  @Test
  void a_newcomer_that_shares_removes_dead_waiters_behind_a_live_one() {
    bench.ask(exclusive("holder"));
    bench.stand(exclusive("live"));
    die(exclusive("dead"));
    bench.stand(shared("newcomer"));
    assertThat(bench.waiting())
        .containsExactly(exclusive("live").entry(), shared("newcomer").entry());
  }

  @ParameterizedTest
  @MethodSource("holderDeadAndLive")
  void a_waiter_whose_poll_was_only_late_keeps_its_place(Asker holder, Asker late, Asker other) {
    bench.listen(late);
    bench.ask(holder);
    String first = Long.toString(bench.stand(late).number(3));
    String second = Long.toString(bench.stand(other).number(3));
    bench.wire.call("ZADD", ALIVE, "1", late.entry());
    poll(other, second);
    assertThat(bench.waiting()).containsExactly(other.entry());
    bench.stand(exclusive("newcomer"));
    Reply reply = poll(late, first);
    assertThat(reply.number(3)).isEqualTo(Long.parseLong(first));
    assertThat(reply.number(4)).isZero();
    assertThat(bench.waiting()).first().isEqualTo(late.entry());
    bench.release(holder);
    assertThat(poll(late, first).word()).isEqualTo("GRANTED");
  }

  @Test
  void waiting_clients_remove_dead_ones_while_the_lock_is_held() throws Exception {
    try (Clients clients = new Clients()) {
      Duration lease = Duration.ofMinutes(10);
      Holdfast holder = clients.open(server.hostAndPort(), lease);
      holder.lock("n").acquire(lease);
      for (int i = 0; i < 10; i++) {
        die(exclusive("dead" + i));
      }
      Holdfast waiter = clients.open(server.hostAndPort(), lease);
      var unused = waiter.lock("n").async().tryAcquire(lease);
      Clients.awaitWaiters(holder, "n", 1);
      Eventually.until("only the live waiter is left", () -> queued() == 1);
    }
  }
}
