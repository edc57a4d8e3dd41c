// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static io.holdfast.redis.ScriptBench.exclusive;
import static io.holdfast.redis.ScriptBench.permits;
import static io.holdfast.redis.ScriptBench.shared;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.redis.ScriptBench.Asker;
import io.holdfast.redis.ScriptBench.Reply;
import io.holdfast.testkit.servers.RedisWire;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each script on a real server, with nothing of our client around it. */
@Tag("redis")
class ScriptsTest extends ScriptCases {
  private final Asker a = exclusive("a");
  private final Asker b = exclusive("b");
  private final Asker c = exclusive("c");

  private long pttl(String key) {
    return (Long) bench.wire.call("PTTL", key);
  }

  @Nested
  class Acquire {

    @Test
    void a_free_lock_is_granted_as_the_plain_string_with_its_lease() {
      Reply reply = bench.ask(a);
      assertThat(reply.word()).isEqualTo("GRANTED");
      assertThat(reply.token()).isEqualTo(reply.number(1));
      assertThat(bench.owner()).isEqualTo("a-1");
      assertThat(pttl("lock:n")).isBetween(1L, (long) ScriptBench.LEASE);
    }

    @Test
    void a_repeat_has_the_same_tokens_and_a_fresh_lease() {
      Asker asker = new Asker("a-1", "x", 60_000, 4, "exclusive");
      Reply first = bench.ask(asker);
      bench.wire.call("PEXPIRE", "lock:n", "1000");
      Reply again = bench.ask(asker);
      assertThat(again.parts().subList(2, 4)).isEqualTo(first.parts().subList(2, 4));
      assertThat(again.number(3)).isEqualTo(again.number(2) + 4);
      assertThat(pttl("lock:n")).isGreaterThan(1000);
    }

    @Test
    void a_repeat_whose_fence_was_lost_mints_anew() {
      long token = bench.ask(a).token();
      bench.wire.call("DEL", "{lock:n}:fence");
      assertThat(bench.ask(a).token()).isGreaterThan(token);
      assertThat(bench.ask(a).token()).isEqualTo(bench.ask(a).token());
    }

    @Test
    void a_request_whose_sender_has_given_up_is_refused() {
      assertThat(bench.acquire(a, "1000", 0, "0").word()).isEqualTo("LATE");
      assertThat(bench.owner()).isEqualTo(RedisWire.NIL);
    }

    @Test
    void whoever_does_not_wait_leaves_nothing() {
      bench.ask(a);
      assertThat(bench.ask(b).parts().subList(3, 6)).isEqualTo(List.of("0", -1L, 0L));
      assertThat(bench.wire.call("EXISTS", "{lock:n}:queue", "{lock:n}:alive")).isEqualTo(0L);
    }

    @Test
    void five_polls_are_one_place() {
      bench.ask(a);
      long ticket = bench.stand(b).number(3);
      for (int poll = 0; poll < 5; poll++) {
        assertThat(bench.stand(b).number(3)).isEqualTo(ticket);
      }
      assertThat(bench.waiting()).hasSize(1);
    }

    @Test
    void a_holder_that_is_not_ours_is_told_apart() {
      bench.wire.call("SET", "lock:n", "somebody", "PX", "60000");
      assertThat(bench.stand(a).number(5)).isEqualTo(1);
      bench.wire.call("DEL", "lock:n");
      bench.ask(b);
      assertThat(bench.stand(c).word()).isEqualTo("HELD");
      assertThat(bench.ask(exclusive("d")).number(5)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void a_key_of_another_type_is_an_error_and_nothing_else_is_written(int lockOrFence) {
      bench.wire.call("LPUSH", new Keys("lock:").of("n").all()[lockOrFence], "x");
      assertThatThrownBy(() -> bench.stand(a)).hasMessageContaining("WRONGTYPE");
      assertThat(bench.wire.call("DBSIZE")).isEqualTo(1L);
    }
  }

  @Nested
  class HandOver {

    @Test
    void a_fence_of_another_type_is_an_error_of_the_release_and_the_hold_is_ended() {
      bench.listen(b);
      bench.ask(a);
      bench.stand(b);
      bench.wire.call("DEL", "{lock:n}:fence");
      bench.wire.call("LPUSH", "{lock:n}:fence", "x");
      assertThatThrownBy(() -> bench.release(a)).hasMessageContaining("WRONGTYPE");
      assertThat(bench.owner()).isEqualTo(RedisWire.NIL);
    }

    @Test
    void a_release_serves_the_first_waiter_and_tells_it() {
      RedisWire ears = bench.listen(b);
      long token = bench.ask(a).token();
      bench.stand(b);
      bench.stand(c);
      assertThat(bench.release(a)).isTrue();
      assertThat(bench.owner()).isEqualTo("b-1");
      String[] message = ScriptBench.message(ears).split(" ", 6);
      assertThat(message[0] + message[1]).isEqualTo("grantedb-1");
      assertThat(Long.parseLong(message[2])).isGreaterThan(token);
      assertThat(message[5]).isEqualTo("lock:n");
      assertThat(bench.stand(b).token()).isEqualTo(Long.parseLong(message[2]));
    }

    @Test
    void a_waiter_of_the_same_client_is_told_by_the_reply() {
      long token = bench.ask(a).token();
      Asker sibling = new Asker("a-2", Keys.CHANNEL + "a", ScriptBench.LEASE, 5, "exclusive");
      bench.stand(sibling);
      Reply reply = new Reply(bench.eval(Script.RELEASE, bench.keys.all(), a.holder(), a.entry()));
      assertThat(bench.owner()).isEqualTo("a-2");
      assertThat(reply.number(0)).isEqualTo(1);
      String[] message = reply.parts().get(3).toString().split(" ", 6);
      assertThat(message[0] + message[1]).isEqualTo("granteda-2");
      assertThat(Long.parseLong(message[2])).isGreaterThan(token);
      assertThat(Long.parseLong(message[3])).isEqualTo(Long.parseLong(message[2]) + 5);
      assertThat(message[4]).isEqualTo(reply.parts().get(1).toString());
      assertThat(message[5]).isEqualTo("lock:n");
    }

    @Test
    void a_client_whose_id_begins_like_ours_is_told_by_a_message() {
      Asker other = new Asker("a-b-1", Keys.CHANNEL + "a-b", ScriptBench.LEASE, 0, "exclusive");
      RedisWire ears = bench.listen(other);
      bench.ask(a);
      bench.stand(other);
      assertThat(bench.release(a)).isTrue();
      assertThat(ScriptBench.message(ears)).startsWith("granted a-b-1 ");
    }

    @Test
    void a_waiter_that_nobody_hears_for_is_passed_over_in_the_same_script() {
      bench.listen(c);
      bench.ask(a);
      bench.stand(b);
      bench.stand(c);
      bench.release(a);
      assertThat(bench.owner()).isEqualTo("c-1");
      assertThat(bench.waiting()).isEmpty();
    }

    @Test
    void a_pattern_subscription_of_an_operator_does_not_count() {
      try (RedisWire operator = server.connect()) {
        operator.call("PSUBSCRIBE", "*");
        bench.ask(a);
        bench.stand(b);
        bench.release(a);
        assertThat(bench.owner()).isEqualTo(RedisWire.NIL);
      }
    }

    @Test
    void a_waiter_that_stopped_asking_is_passed_over() {
      bench.listen(b);
      bench.listen(c);
      bench.ask(a);
      bench.stand(b);
      bench.stand(c);
      bench.wire.call("ZADD", "{lock:n}:alive", "1", b.entry());
      bench.release(a);
      assertThat(bench.owner()).isEqualTo("c-1");
    }

    @Test
    void a_waiter_that_was_passed_over_comes_back_with_its_ticket() {
      bench.listen(c);
      bench.ask(a);
      String ticket = Long.toString(bench.stand(b).number(3));
      bench.stand(c);
      bench.stand(exclusive("d"));
      bench.release(a);
      Reply poll = bench.acquire(b, ScriptBench.LATER, 10_000, ticket);
      assertThat(poll.number(4)).isZero();
    }

    @Test
    void a_lost_queue_regains_its_order_by_tickets() {
      bench.ask(a);
      String first = Long.toString(bench.stand(b).number(3));
      String second = Long.toString(bench.stand(c).number(3));
      bench.wire.call("DEL", "{lock:n}:queue", "{lock:n}:alive");
      bench.acquire(c, ScriptBench.LATER, 10_000, second);
      bench.acquire(b, ScriptBench.LATER, 10_000, first);
      assertThat(bench.waiting()).containsExactly(b.entry(), c.entry());
    }

    @Test
    void nobody_overtakes_when_the_key_has_run_out() {
      RedisWire ears = bench.listen(b);
      bench.ask(a);
      bench.stand(b);
      bench.wire.call("DEL", "lock:n");
      assertThat(bench.ask(c).word()).isEqualTo("HELD");
      assertThat(bench.owner()).isEqualTo("b-1");
      assertThat(ScriptBench.message(ears)).startsWith("granted b-1 ");
    }

    @Test
    void the_first_poll_after_a_bare_delete_serves_the_head() {
      bench.wire.call("SET", "lock:n", "plain", "PX", "60000");
      bench.stand(b);
      bench.wire.call("DEL", "lock:n");
      assertThat(bench.stand(b).word()).isEqualTo("GRANTED");
    }

    @Test
    void a_late_release_of_a_hold_that_ran_out_frees_nobody_else() {
      bench.ask(a);
      bench.wire.call("DEL", "lock:n");
      bench.ask(b);
      assertThat(bench.release(a)).isFalse();
      assertThat(bench.owner()).isEqualTo("b-1");
    }

    @Test
    void whoever_leaves_is_not_served() {
      bench.listen(b);
      bench.ask(a);
      bench.stand(b);
      assertThat(bench.release(b)).isFalse();
      bench.release(a);
      assertThat(bench.owner()).isEqualTo(RedisWire.NIL);
    }

    @Test
    void the_dead_are_worked_off_in_portions() {
      bench.ask(a);
      for (int dead = 0; dead < 150; dead++) {
        bench.stand(exclusive("dead" + dead));
      }
      bench.listen(b);
      bench.stand(b);
      bench.release(a);
      assertThat(bench.waiting()).hasSize(151 - 32);
      for (int portion = 0; portion < 3; portion++) {
        Reply held = bench.stand(b);
        assertThat(held.word()).isEqualTo("HELD");
        assertThat(held.number(2)).as("asks again at once").isZero();
      }
      assertThat(bench.stand(b).word()).isEqualTo("GRANTED");
    }

    @Test
    void what_nobody_polls_for_disappears() {
      bench.ask(a);
      bench.stand(b);
      assertThat(pttl("{lock:n}:queue")).isBetween(1L, 10_000L);
      assertThat(pttl("{lock:n}:alive")).isBetween(1L, 10_000L);
    }

    @Test
    void a_release_hands_over_when_memory_is_full() {
      bench.listen(b);
      bench.ask(a);
      bench.stand(b);
      bench.wire.call("CONFIG", "SET", "maxmemory", "1");
      try {
        assertThatThrownBy(() -> bench.stand(c)).hasMessageContaining("OOM");
        assertThat(bench.release(a)).isTrue();
        assertThat(bench.owner()).isEqualTo("b-1");
      } finally {
        bench.wire.call("CONFIG", "SET", "maxmemory", "0");
      }
    }
  }

  @Nested
  class Tokens {

    @Test
    void tokens_grow_though_the_fence_is_ahead_of_the_clock() {
      String ahead = "9000000000000000";
      bench.wire.call("SET", "{lock:n}:fence", ahead + " " + ahead + " z-1");
      assertThat(bench.ask(a).token()).isEqualTo(9000000000000001L);
      bench.release(a);
      assertThat(bench.ask(b).token()).isEqualTo(9000000000000002L);
      // A day after its token's time, not a day after now: the clock was ahead, and must not be
      // forgotten.
      assertThat(pttl("{lock:n}:fence")).isGreaterThan(1_000_000_000_000L);
    }

    @Test
    void tokens_that_are_handed_over_grow_though_the_fence_is_ahead_of_the_clock() {
      bench.ask(a);
      Asker next = new Asker("b-1", Keys.CHANNEL + "b", 60_000, 9, "exclusive");
      RedisWire hears = bench.listen(next);
      bench.stand(next);
      String ahead = "9000000000000000";
      bench.wire.call("SET", "{lock:n}:fence", ahead + " " + ahead + " a-1");
      bench.release(a);
      assertThat(ScriptBench.message(hears))
          .startsWith("granted b-1 9000000000000001 9000000000000010 ");
      assertThat(bench.acquire(next, ScriptBench.LATER, 0, "0").token())
          .isEqualTo(9000000000000001L);
      assertThat(pttl("{lock:n}:fence")).isGreaterThan(1_000_000_000_000L);
    }

    @Test
    void a_block_of_tokens_is_handed_over() {
      long token = bench.ask(a).token();
      Asker next = new Asker("b-1", Keys.CHANNEL + "b", 60_000, 9, "exclusive");
      RedisWire hears = bench.listen(next);
      bench.stand(next);
      bench.release(a);
      String[] words = ScriptBench.message(hears).split(" ", 6);
      assertThat(Long.parseLong(words[2])).isGreaterThan(token);
      assertThat(Long.parseLong(words[3]) - Long.parseLong(words[2])).isEqualTo(9);
      assertThat(bench.wire.call("GET", "{lock:n}:fence"))
          .hasToString(words[2] + " " + words[3] + " b-1 for a test");
    }

    @Test
    void tokens_grow_though_the_fence_is_lost() {
      long token = bench.ask(a).token();
      bench.wire.call("FLUSHALL");
      assertThat(bench.ask(b).token()).isGreaterThan(token);
    }

    @Test
    void a_fence_that_nobody_needs_goes_in_a_day() {
      bench.ask(a);
      bench.release(a);
      assertThat(pttl("{lock:n}:fence")).isBetween(86_000_000L, 86_400_000L + ScriptBench.LEASE);
    }

    @Test
    void the_next_grant_is_beyond_the_block() {
      Reply block = bench.ask(new Asker("a-1", "x", 60_000, 999, "exclusive"));
      assertThat(block.number(3) - block.number(2)).isEqualTo(999);
      bench.release(a);
      assertThat(bench.ask(b).token()).isGreaterThan(block.number(3));
    }
  }

  @Nested
  class Renew {

    @Test
    void only_the_holder_extends_and_nothing_is_re_created() {
      bench.ask(a);
      bench.wire.call("PEXPIRE", "lock:n", "1000");
      assertThat(bench.renew(b)).isEqualTo(-1);
      assertThat(bench.renew(a)).isEqualTo(1);
      assertThat(pttl("lock:n")).isGreaterThan(1000);
      bench.release(a);
      assertThat(bench.renew(a)).isZero();
      assertThat(bench.owner()).isEqualTo(RedisWire.NIL);
    }

    @Test
    void many_are_answered_in_their_order() {
      bench.wire.call("SET", "lock:1", "x-1");
      bench.wire.call("SET", "lock:3", "y-1");
      List<Object> reply =
          bench.eval(
              Script.RENEW, new String[] {"lock:1", "lock:2", "lock:3"}, "x-1", "x-2", "x-3", "9");
      assertThat(reply.subList(1, 4)).isEqualTo(List.of(1L, 0L, -1L));
    }

    @Test
    void each_may_have_a_lease_of_its_own() {
      List.of("1", "2", "3").forEach(lock -> bench.wire.call("SET", "lock:" + lock, "x-" + lock));
      String[] locks = {"lock:1", "lock:2", "lock:3"};
      bench.eval(Script.RENEW, locks, "x-1", "x-2", "x-3", "5000", "90000", "5000");
      assertThat(pttl("lock:1")).isBetween(1L, 9_000L);
      assertThat(pttl("lock:2")).isBetween(50_000L, 99_000L);
      assertThat(pttl("lock:3")).isBetween(1L, 9_000L);
    }

    @Test
    void one_lease_stands_for_all() {
      List.of("1", "2").forEach(lock -> bench.wire.call("SET", "lock:" + lock, "x-" + lock));
      bench.eval(Script.RENEW, new String[] {"lock:1", "lock:2"}, "x-1", "x-2", "90000");
      assertThat(pttl("lock:1")).isBetween(50_000L, 99_000L);
      assertThat(pttl("lock:2")).isBetween(50_000L, 99_000L);
    }
  }

  @Nested
  class Shared {
    private final Asker r = shared("r");
    private final Asker s = shared("s");

    @Test
    void a_plain_string_stands_while_anybody_reads() {
      bench.ask(r);
      bench.ask(s);
      assertThat(bench.wire.call("SET", "lock:n", "plain", "NX", "PX", "9"))
          .isEqualTo(RedisWire.NIL);
      bench.release(r);
      assertThat(bench.owner()).isEqualTo("holdfast:shared");
      bench.release(s);
      assertThat(bench.owner()).isEqualTo(RedisWire.NIL);
      assertThat(bench.wire.call("EXISTS", "{lock:n}:holders", "{lock:n}:weights")).isEqualTo(0L);
    }

    @Test
    void readers_come_in_together_and_a_writer_keeps_out_those_behind_it() {
      bench.listen(a);
      bench.listen(s);
      bench.ask(r);
      bench.stand(a);
      assertThat(bench.ask(s).word()).isEqualTo("HELD");
      bench.stand(s);
      bench.release(r);
      assertThat(bench.owner()).isEqualTo("a-1");
      bench.release(a);
      assertThat(bench.owner()).isEqualTo("holdfast:shared");
    }

    @Test
    void a_writer_that_leaves_lets_the_readers_behind_it_in() {
      bench.listen(a);
      RedisWire ears = bench.listen(s);
      bench.ask(r);
      bench.stand(a);
      bench.stand(s);
      bench.release(a);
      assertThat(ScriptBench.message(ears)).startsWith("granted s-1 ");
      assertThat(bench.inspect().list(5)).hasSize(2);
    }

    @Test
    void a_dead_writer_at_the_head_does_not_keep_readers_out() {
      bench.ask(r);
      bench.stand(a);
      assertThat(bench.ask(s).word()).isEqualTo("GRANTED");
    }

    @Test
    void all_keys_live_as_long_as_the_longest_hold() {
      bench.ask(new Asker("q-1", "x", 5_000, 0, "shared"));
      bench.ask(r);
      assertThat(pttl("lock:n")).isGreaterThan(5_000);
      bench.release(r);
      for (String key : List.of("lock:n", "{lock:n}:holders", "{lock:n}:weights")) {
        assertThat(pttl(key)).isBetween(1L, 5_000L);
      }
    }

    @Test
    void a_hold_that_ran_out_is_pruned_and_not_renewed() {
      bench.ask(r);
      bench.ask(s);
      bench.wire.call("ZADD", "{lock:n}:holders", "1", "r-1");
      assertThat(bench.renew(r)).isZero();
      assertThat(bench.renew(s)).isEqualTo(1);
      assertThat(bench.release(r)).isTrue();
      assertThat(bench.release(s)).isTrue();
      assertThat(bench.owner()).isEqualTo(RedisWire.NIL);
    }

    @Test
    void readers_lose_the_lock_when_somebody_deletes_the_plain_key() {
      bench.ask(r);
      bench.wire.call("DEL", "lock:n");
      assertThat(bench.renew(r)).isZero();
      bench.ask(s);
      assertThat(bench.renew(r)).isZero();
      assertThat(bench.inspect().list(5)).hasSize(1);
    }

    @Test
    void a_repeat_has_the_same_token_and_takes_no_more() {
      long token = bench.ask(permits("p", 2, 3)).token();
      assertThat(bench.ask(permits("p", 2, 3)).token()).isEqualTo(token);
      assertThat(bench.ask(permits("q", 1, 3)).word()).isEqualTo("GRANTED");
      assertThat(bench.ask(permits("s", 1, 3)).word()).isEqualTo("HELD");
      bench.release(permits("p", 2, 3));
      assertThat(bench.ask(permits("s", 2, 3)).word()).isEqualTo("GRANTED");
    }

    @Test
    void kinds_do_not_mix() {
      bench.ask(permits("p", 1, 3));
      assertThat(bench.stand(a).parts().get(2)).isEqualTo("a semaphore of 3 permits");
      assertThat(bench.stand(permits("q", 1, 4)).word()).isEqualTo("REFUSED");
      bench.release(permits("p", 1, 3));
      bench.ask(a);
      assertThat(bench.stand(permits("q", 1, 3)).parts().get(2)).isEqualTo("a lock");
      assertThat(bench.waiting()).isEmpty();
    }

    @Test
    void a_shared_release_hands_over_when_memory_is_full() {
      bench.listen(a);
      bench.ask(r);
      bench.stand(a);
      bench.wire.call("CONFIG", "SET", "maxmemory", "1");
      try {
        assertThat(bench.release(r)).isTrue();
        assertThat(bench.owner()).isEqualTo("a-1");
      } finally {
        bench.wire.call("CONFIG", "SET", "maxmemory", "0");
      }
    }
  }

  @Nested
  class ForceRelease {

    @Test
    void the_hold_with_this_token_ends_and_its_holder_is_told() {
      RedisWire ears = bench.listen(a);
      long token = bench.ask(a).token();
      assertThat(bench.forceRelease(token - 1).number(0)).isZero();
      assertThat(bench.forceRelease(token + 1).number(0)).isZero();
      assertThat(bench.forceRelease(token).number(0)).isEqualTo(1);
      assertThat(ScriptBench.message(ears)).isEqualTo("forced a-1 because");
      assertThat(bench.owner()).isEqualTo(RedisWire.NIL);
      assertThat(bench.wire.call("ZSCORE", "{lock:n}:forced", "a-1")).isNotEqualTo(RedisWire.NIL);
      assertThat(pttl("{lock:n}:forced")).isBetween(1L, (long) ScriptBench.LEASE);
    }

    @Test
    void the_token_is_raised_and_the_next_waiter_is_served() {
      bench.listen(b);
      long token = bench.ask(a).token();
      bench.stand(b);
      bench.forceRelease(token);
      assertThat(bench.stand(b).token()).isGreaterThan(token + 1);
    }

    @Test
    void one_of_several_readers_ends_and_the_others_stay() {
      bench.ask(shared("r"));
      long token = bench.ask(shared("s")).token();
      assertThat(bench.forceRelease(token).parts().get(2)).isEqualTo("s-1");
      assertThat(bench.renew(shared("r"))).isEqualTo(1);
      assertThat(bench.renew(shared("s"))).isZero();
    }

    @Test
    void a_holder_that_is_not_ours_is_left_alone() {
      bench.wire.call("SET", "lock:n", "plain", "PX", "60000");
      assertThat(bench.forceRelease(0).number(0)).isZero();
      assertThat(bench.owner()).isEqualTo("plain");
    }
  }
}
