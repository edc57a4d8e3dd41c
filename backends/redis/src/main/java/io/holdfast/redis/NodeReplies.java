// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.spi.LockBackend.Renewal;
import io.holdfast.spi.QuorumNode.Abstention;
import io.holdfast.spi.QuorumNode.Configuration;
import io.holdfast.spi.QuorumNode.Knowledge;
import io.holdfast.spi.QuorumNode.State;
import io.holdfast.spi.QuorumNode.Vote;
import io.lettuce.core.KeyValue;
import java.time.Duration;
import java.util.List;

/** What the scripts of a node reply, in the words of the SPI: see the headers of their files. */
final class NodeReplies {
  /** What {@link #state} reads of the record. */
  static final String[] FIELDS = {
    "epoch", "run", "newest", "rest", "longest", "name", "generation", "configuration"
  };

  private NodeReplies() {}

  /** A configuration as it is kept in the record: its floor, and its two lists, a line each. */
  static String text(Configuration configuration) {
    return configuration.floor()
        + "\n"
        + String.join(" ", configuration.members())
        + "\n"
        + String.join(" ", configuration.next());
  }

  private static Configuration configuration(String generation, String text) {
    if (text.isEmpty()) {
      return Configuration.NONE;
    }
    String[] lines = text.split("\n", -1);
    return new Configuration(
        Long.parseLong(generation), names(lines[1]), names(lines[2]), Long.parseLong(lines[0]));
  }

  private static List<String> names(String line) {
    return line.isEmpty() ? List.of() : List.of(line.split(" "));
  }

  static Vote vote(List<Object> reply) {
    long clock = number(reply, 1);
    return switch (reply.get(0).toString()) {
      case "GRANTED" -> new Vote.Granted(number(reply, 2), number(reply, 3), clock);
      case "HELD" -> new Vote.Held(reply.get(3).toString(), remaining(number(reply, 2)), clock);
      case "RESTS" ->
          new Vote.Abstained(Abstention.RESTS, Duration.ofMillis(number(reply, 2)), clock);
      case "OTHER" -> new Vote.Abstained(Abstention.OTHER_MEMBERS, Duration.ZERO, clock);
      case "LOST" -> new Vote.Abstained(Abstention.LOST_ITS_DATA, Duration.ZERO, clock);
      default -> new Vote.Abstained(Abstention.CAME_TOO_LATE, Duration.ZERO, clock);
    };
  }

  /** A key without an end is nobody's of ours: it is worth asking now and then. */
  private static Duration remaining(long millis) {
    return millis < 0 ? Duration.ofDays(1) : Duration.ofMillis(millis);
  }

  static Renewal renewal(Object code) {
    return switch (Integer.parseInt(code.toString())) {
      case 1 -> Renewal.RENEWED;
      case 0 -> Renewal.GONE;
      case -1 -> Renewal.TAKEN;
      case -2 -> Renewal.FORCED;
      default -> Renewal.UNKNOWN;
    };
  }

  static State state(String run, List<KeyValue<String, String>> record, List<String> time) {
    long micros = Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    boolean knows = record.get(0).hasValue();
    boolean same = knows && record.get(1).getValueOrElse("").equals(run);
    long rest = Long.parseLong(record.get(3).getValueOrElse("0")) - micros / 1000;
    return new State(
        run,
        same ? Knowledge.MEMBER : knows ? Knowledge.DOUBTFUL : Knowledge.NONE,
        same ? Long.parseLong(record.get(0).getValue()) : 0,
        Long.parseLong(record.get(2).getValueOrElse("0")),
        Duration.ofMillis(Math.max(0, rest)),
        Duration.ofMillis(Long.parseLong(record.get(4).getValueOrElse("0"))),
        micros,
        record.get(5).getValueOrElse(""),
        configuration(record.get(6).getValueOrElse("0"), record.get(7).getValueOrElse("")));
  }

  static State raised(List<Object> reply) {
    return new State(
        "",
        Knowledge.valueOf(reply.get(0).toString()),
        number(reply, 2),
        number(reply, 3),
        Duration.ofMillis(number(reply, 4)),
        Duration.ofMillis(number(reply, 5)),
        number(reply, 1),
        reply.get(6).toString(),
        configuration(reply.get(7).toString(), reply.get(8).toString()));
  }

  /** The server's clock when it replied. */
  static long clockMicros(NodeScript script, List<Object> reply) {
    return number(reply, script == NodeScript.RENEW ? 0 : 1);
  }

  static long number(List<Object> reply, int index) {
    return Long.parseLong(reply.get(index).toString());
  }
}
