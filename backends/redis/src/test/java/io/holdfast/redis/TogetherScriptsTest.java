// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static io.holdfast.redis.ScriptBench.exclusive;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.ScriptBench.Asker;
import io.holdfast.testkit.servers.RedisWire;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The scripts for several locks: they do for each what those for one do, or leave it alone. */
@Tag("redis")
class TogetherScriptsTest extends ScriptCases {
  private static final Asker A = exclusive("a");

  private final Keys keys = new Keys("lock:");

  /** Asks for all of them at once; holders are named after their places. */
  private List<Object> acquireUntil(String refuseAfter, String... names) {
    List<String> touched = new ArrayList<>();
    List<String> arguments = new ArrayList<>(List.of(refuseAfter));
    for (int i = 0; i < names.length; i++) {
      touched.addAll(List.of(keys.of(names[i]).toAcquire()));
      arguments.addAll(List.of("h-" + i, "60000", "4", " for a test"));
    }
    return bench.eval(
        Script.ACQUIRE_TOGETHER, touched.toArray(String[]::new), arguments.toArray(String[]::new));
  }

  private List<Object> acquire(String... names) {
    return acquireUntil(ScriptBench.LATER, names);
  }

  private List<Object> release(String... names) {
    List<String> touched = new ArrayList<>();
    List<String> holders = new ArrayList<>();
    for (int i = 0; i < names.length; i++) {
      touched.addAll(List.of(keys.of(names[i]).toRelease()));
      holders.add("h-" + i);
    }
    return bench.eval(
        Script.RELEASE_TOGETHER, touched.toArray(String[]::new), holders.toArray(String[]::new));
  }

  private Object get(String key) {
    return bench.wire.call("GET", key);
  }

  @Test
  void free_locks_are_granted_each_with_its_lease_and_its_tokens() {
    List<Object> reply = acquire("n", "m");
    assertThat(reply).hasSize(1);
    long micros = Script.number(reply, 0);
    assertThat(get("lock:n")).isEqualTo("h-0");
    assertThat(get("lock:m")).isEqualTo("h-1");
    assertThat(get("{lock:m}:fence")).isEqualTo(micros + " " + (micros + 4) + " h-1 for a test");
    assertThat((Long) bench.wire.call("PTTL", "lock:n")).isBetween(1L, 60_000L);
    assertThat((Long) bench.wire.call("PTTL", "{lock:n}:fence"))
        .isBetween(86_400_000L, 86_460_000L);
  }

  @Test
  void a_lock_that_is_held_stays_as_it_is_and_the_others_are_granted() {
    long token = bench.ask(A).token();
    List<Object> reply = acquire("m", "n", "o");
    assertThat(reply).hasSize(3);
    assertThat(reply.get(1)).isEqualTo(0L);
    assertThat(reply.get(0)).isEqualTo(reply.get(2)).isNotEqualTo(0L);
    assertThat(bench.owner()).isEqualTo("a-1");
    assertThat(get("{lock:n}:fence").toString()).startsWith(token + " ");
  }

  @Test
  void a_lock_for_which_somebody_waits_is_not_taken_from_it() {
    bench.ask(A);
    bench.stand(exclusive("b"));
    bench.wire.call("DEL", "lock:n");
    assertThat(acquire("m", "n").get(1)).isEqualTo(0L);
    assertThat(bench.owner()).isEqualTo(RedisWire.NIL);
  }

  @Test
  void two_who_ask_for_one_lock_do_not_both_get_it() {
    List<Object> reply = acquire("n", "n");
    assertThat(reply.get(0)).isNotEqualTo(0L);
    assertThat(reply.get(1)).isEqualTo(0L);
    assertThat(bench.owner()).isEqualTo("h-0");
    assertThat(get("{lock:n}:fence").toString()).endsWith(" h-0 for a test");
  }

  @Test
  void tokens_that_are_ahead_of_the_clock_are_exceeded() {
    bench.wire.call("SET", "{lock:n}:fence", "8000000000000000 8000000000000007 x-1");
    List<Object> reply = acquire("n", "m");
    assertThat(reply.get(0))
        .asInstanceOf(InstanceOfAssertFactories.LIST)
        .containsExactly("GRANTED", reply.get(1), 8_000_000_000_000_008L, 8_000_000_000_000_012L);
    assertThat(get("{lock:n}:fence")).isEqualTo("8000000000000008 8000000000000012 h-0 for a test");
    assertThat((Long) bench.wire.call("PTTL", "{lock:n}:fence")).isGreaterThan(86_460_000L);
  }

  @Test
  void requests_whose_sender_has_given_up_have_no_effect() {
    assertThat(acquireUntil("1000", "n", "m")).containsExactly(0L, 0L);
    assertThat(bench.wire.call("DBSIZE")).isEqualTo(0L);
  }

  @Test
  void what_cannot_be_written_is_not_half_written_and_does_not_hurt_the_others() {
    bench.wire.call("LPUSH", "{lock:n}:fence", "no string");
    List<Object> reply = acquire("n", "m");
    assertThat(reply.get(0)).isEqualTo(0L);
    assertThat(bench.owner()).isEqualTo(RedisWire.NIL);
    assertThat(get("lock:m")).isEqualTo("h-1");
  }

  @Test
  void a_server_that_is_full_grants_nothing() {
    bench.wire.call("CONFIG", "SET", "maxmemory", "1");
    try {
      assertThat(acquire("n", "m")).containsExactly(0L, 0L);
      assertThat(bench.wire.call("DBSIZE")).isEqualTo(0L);
    } finally {
      bench.wire.call("CONFIG", "SET", "maxmemory", "0");
    }
  }

  @Test
  void holds_are_ended_if_nobody_waits() {
    acquire("n", "m");
    assertThat(release("n", "m")).containsExactly(1L);
    assertThat(bench.wire.call("EXISTS", "lock:n", "lock:m")).isEqualTo(0L);
    assertThat(release("n", "m")).containsExactly(0L, 0L);
  }

  @Test
  void the_hold_of_somebody_else_and_one_that_is_waited_for_stay() {
    acquire("m", "n", "o");
    bench.stand(exclusive("b"));
    bench.wire.call("SET", "lock:o", "other");
    assertThat(release("m", "n", "o")).containsExactly(1L, 0L, 0L);
    assertThat(bench.owner()).isEqualTo("h-1");
    assertThat(get("lock:o")).isEqualTo("other");
    assertThat(get("lock:m")).isEqualTo(RedisWire.NIL);
  }
}
