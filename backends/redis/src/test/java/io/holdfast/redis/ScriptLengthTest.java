// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static io.holdfast.redis.ScriptBench.exclusive;
import static io.holdfast.redis.ScriptBench.shared;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.ScriptBench.Asker;
import io.holdfast.redis.ScriptBench.Reply;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * No script keeps the server busy for long, however many hold a lock or wait for it: counted in the
 * commands that it calls, of which each takes a microsecond or two.
 */
@Tag("redis")
class ScriptLengthTest extends ScriptCases {
  private static final int SHORT = 210;
  private static final int MANY = 200;

  /** So many that Redis no longer keeps them in one piece, which it reads as a whole. */
  private static final int TOO_MANY = 600;

  private final Asker writer = exclusive("writer");

  /** How many commands it calls, with the one that calls it. */
  private static long commandsOf(Runnable script) {
    long before = commands();
    script.run();
    return commands() - before;
  }

  /** Of commandstats, because what scripts call is counted there only. */
  private static long commands() {
    return server
        .call("INFO", "commandstats")
        .toString()
        .lines()
        .filter(line -> line.startsWith("cmdstat_") && !line.startsWith("cmdstat_info"))
        .mapToLong(
            line -> Long.parseLong(line.substring(line.indexOf("calls=") + 6, line.indexOf(','))))
        .sum();
  }

  private void readers(int count) {
    for (int i = 0; i < count; i++) {
      bench.ask(shared("reader" + i));
    }
  }

  @Test
  void a_hand_over_and_a_place_in_the_queue() {
    bench.ask(writer);
    Asker first = exclusive("first");
    Asker second = exclusive("second");
    bench.listen(first);
    assertThat(commandsOf(() -> bench.stand(first))).as("a place behind the holder").isEqualTo(12);
    assertThat(commandsOf(() -> bench.stand(second))).as("behind others").isLessThanOrEqualTo(10);
    assertThat(commandsOf(() -> bench.release(writer))).as("a hand-over").isEqualTo(10);
    assertThat(bench.owner()).isEqualTo(first.holder());
    assertThat(bench.waiting()).hasSize(1);
  }

  @Test
  void a_release_in_front_of_many_dead_waiters() {
    bench.ask(writer);
    for (int i = 0; i < MANY; i++) {
      bench.stand(exclusive("dead" + i));
    }
    assertThat(commandsOf(() -> bench.release(writer))).isLessThan(SHORT);
  }

  @Test
  void a_release_that_lets_many_readers_in_leaves_some_to_the_next_script() {
    bench.ask(writer);
    Asker first = shared("reader");
    bench.listen(first);
    for (int i = 1; i <= 20; i++) {
      bench.stand(new Asker("reader-" + i, first.channel(), ScriptBench.LEASE, 0, "shared"));
    }
    List<Long> more = new ArrayList<>();
    for (int script = 0; script < 3; script++) {
      String holder = script == 0 ? writer.holder() : "-";
      long commands =
          commandsOf(
              () ->
                  more.add(
                      new Reply(bench.eval(Script.RELEASE, bench.keys.all(), holder, ""))
                          .number(2)));
      assertThat(commands).isLessThan(SHORT);
    }
    assertThat(more).containsExactly(1L, 1L, 0L);
    assertThat(bench.inspect().list(5)).hasSize(20);
    assertThat(bench.waiting()).isEmpty();
  }

  @Test
  void an_acquire_that_finds_many_holds_run_out() {
    readers(MANY);
    for (int i = 0; i < MANY; i++) {
      bench.wire.call("ZADD", "{lock:n}:holders", "1", "reader" + i + "-1");
    }
    assertThat(commandsOf(() -> bench.ask(shared("last")))).isLessThan(SHORT);
  }

  @Test
  void a_look_at_many_holders_and_waiters() {
    readers(MANY);
    for (int i = 0; i < MANY; i++) {
      bench.stand(exclusive("waiter" + i));
    }
    assertThat(commandsOf(bench::inspect)).isLessThan(SHORT);
  }

  @Test
  void a_release_by_force_looks_at_some_of_many_holders_at_a_time() {
    readers(TOO_MANY);
    long token = bench.ask(shared("wanted")).token();
    String cursor = "0";
    int scripts = 0;
    Reply reply;
    do {
      String from = cursor;
      String[] keys = bench.keys.allAndForced();
      reply =
          new Reply(
              bench.eval(Script.FORCE_RELEASE, keys, token + "", Keys.CHANNEL, "because", from));
      cursor = reply.parts().get(2).toString();
      scripts++;
    } while (reply.number(0) == 0 && !cursor.equals("0"));
    assertThat(reply.parts()).first().isEqualTo(1L);
    assertThat(cursor).isEqualTo("wanted-1");
    assertThat(scripts).isBetween(1, TOO_MANY / 50);
  }

  @Test
  void calls_that_as_many_share_as_may() {
    Keys keys = new Keys("lock:");
    List<String> locks = new ArrayList<>();
    List<String> asked = new ArrayList<>(List.of(ScriptBench.LATER));
    List<String> queues = new ArrayList<>();
    List<String> holders = new ArrayList<>();
    for (int i = 0; i < SharedCall.MOST; i++) {
      locks.addAll(List.of(keys.of("n" + i).toAcquire()));
      asked.addAll(List.of("h-" + i, "60000", "0", ""));
      queues.addAll(List.of(keys.of("n" + i).toRelease()));
      holders.add("h-" + i);
    }
    assertThat(commandsOf(() -> eval(Script.ACQUIRE_TOGETHER, locks, asked)))
        .isEqualTo(2 * SharedCall.MOST + 3);
    assertThat(commandsOf(() -> eval(Script.RELEASE_TOGETHER, queues, holders))).isEqualTo(4);
  }

  private void eval(Script script, List<String> keys, List<String> arguments) {
    bench.eval(script, keys.toArray(String[]::new), arguments.toArray(String[]::new));
  }
}
