// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import io.holdfast.testkit.servers.RedisServer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * For how long the server did nothing but one script, by its {@code SLOWLOG}: wall time, in which
 * the server may have been off the processor. How often that happens to anybody is seen at the
 * plain commands that scripts call: each needs a microsecond, so that one that took longer than a
 * millisecond did not run for most of it.
 */
public final class ScriptTimes {
  /** How many scripts blocked the server for too long. */
  public static final String TOO_LONG = "scripts over 1 ms";

  /** What is faster is not recorded: the record itself would cost more than the script. */
  public static final int RECORDED_MICROS = 200;

  private static final int TOO_LONG_MICROS = 1000;
  private static final List<String> PLAIN = List.of("get", "set", "exists", "del", "pexpireat");

  private final RedisServer server;

  private ScriptTimes(RedisServer server) {
    this.server = server;
  }

  /** Begins the record anew. */
  public static ScriptTimes watch(RedisServer server) {
    server.call("CONFIG", "SET", "slowlog-max-len", "10000");
    server.call("CONFIG", "SET", "slowlog-log-slower-than", Integer.toString(RECORDED_MICROS));
    server.call("CONFIG", "RESETSTAT");
    server.call("SLOWLOG", "RESET");
    return new ScriptTimes(server);
  }

  /** Adds the longest script of each kind, and how many scripts and plain commands were longer. */
  public Metrics report(Metrics metrics) {
    Map<String, Long> longest = new TreeMap<>();
    long scripts = 0;
    for (Object entry : (List<?>) server.call("SLOWLOG", "GET", "-1")) {
      List<?> fields = (List<?>) entry;
      List<String> words = ((List<?>) fields.get(3)).stream().map(Object::toString).toList();
      if (words.get(0).toLowerCase(Locale.ROOT).startsWith("eval")) {
        long micros = Long.parseLong(fields.get(2).toString());
        longest.merge(kind(words), micros, Math::max);
        scripts += micros > TOO_LONG_MICROS ? 1 : 0;
      }
    }
    for (String kind : List.of("acquire", "release", "renew")) {
      metrics.with("longest " + kind + " µs", (double) longest.getOrDefault(kind, 0L));
    }
    return metrics.with(TOO_LONG, scripts).with("plain commands over 1 ms", plainOnes());
  }

  /** By the number of its keys and arguments, of which the record keeps the first few. */
  static String kind(List<String> words) {
    int keys = Integer.parseInt(words.get(2));
    String last = words.get(words.size() - 1);
    int left =
        last.startsWith("... (")
            ? Integer.parseInt(last.substring(5, last.indexOf(' ', 5))) - 1
            : 0;
    int arguments = words.size() + left - 3 - keys;
    boolean acquiresTogether = keys % 3 == 0 && arguments == keys / 3 * 4 + 1;
    if ((keys == 6 && arguments == 4) || acquiresTogether) {
      return "acquire";
    }
    boolean releasesTogether = keys == 2 * arguments;
    if ((keys == 6 && arguments == 2) || releasesTogether) {
      return "release";
    }
    boolean renews =
        arguments == keys + 1 || arguments == 2 * keys; // One lease time, or each its own.
    return renews ? "renew" : "other";
  }

  private long plainOnes() {
    long sum = 0;
    for (String command : PLAIN) {
      List<?> reply = (List<?>) server.call("LATENCY", "HISTOGRAM", command);
      if (reply.size() == 2) {
        sum += above((List<?>) reply.get(1));
      }
    }
    return sum;
  }

  /** Of a histogram: "calls", n, "histogram_usec", then pairs of a limit and how many are in it. */
  private static long above(List<?> histogram) {
    long calls = Long.parseLong(histogram.get(1).toString());
    List<?> buckets = (List<?>) histogram.get(3);
    long within = 0;
    for (int i = 0; i + 1 < buckets.size(); i += 2) {
      if (Long.parseLong(buckets.get(i).toString()) <= 1.1 * TOO_LONG_MICROS) {
        within = Long.parseLong(buckets.get(i + 1).toString());
      }
    }
    return calls - within;
  }
}
