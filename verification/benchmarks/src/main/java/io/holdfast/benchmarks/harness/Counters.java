// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.holdfast.testkit.servers.RedisServer;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** What a Redis server and this process have counted so far. */
public final class Counters {
  private final Map<String, Long> calls = new HashMap<>();
  private final long bytes;
  private final double serverSeconds;
  private final double clientSeconds;
  private final Map<Long, Long> allocated;

  private Counters(RedisServer server) {
    String commands = server.call("INFO", "commandstats").toString();
    commands
        .lines()
        .filter(line -> line.startsWith("cmdstat_"))
        .forEach(
            line -> {
              String name = line.substring("cmdstat_".length(), line.indexOf(':'));
              String count = line.substring(line.indexOf("calls=") + 6, line.indexOf(','));
              calls.put(name, Long.parseLong(count));
            });
    String stats = server.call("INFO", "stats").toString();
    bytes =
        (long) field(stats, "total_net_input_bytes:")
            + (long) field(stats, "total_net_output_bytes:");
    String cpu = server.call("INFO", "cpu").toString();
    serverSeconds = field(cpu, "used_cpu_user:") + field(cpu, "used_cpu_sys:");
    clientSeconds = clientCpuNanos() / 1e9;
    allocated = allocatedBytes();
  }

  /** Reads all of them now. */
  public static Counters of(RedisServer server) {
    return new Counters(server);
  }

  /** The CPU time of this process. */
  public static long clientCpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  /** By each thread that lives now. */
  private static Map<Long, Long> allocatedBytes() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    Map<Long, Long> bytes = new HashMap<>();
    long[] ids = threads.getAllThreadIds();
    long[] counts = threads.getThreadAllocatedBytes(ids);
    for (int i = 0; i < ids.length; i++) {
      bytes.put(ids[i], Math.max(0, counts[i]));
    }
    return bytes;
  }

  private double allocatedSince(Counters before) {
    double sum = 0;
    for (Map.Entry<Long, Long> thread : allocated.entrySet()) {
      sum += thread.getValue() - before.allocated.getOrDefault(thread.getKey(), 0L);
    }
    return sum;
  }

  /** The CPU time of this process since. */
  public double clientSecondsSince(Counters before) {
    return clientSeconds - before.clientSeconds;
  }

  /** The CPU time of the server since. */
  public double serverSecondsSince(Counters before) {
    return serverSeconds - before.serverSeconds;
  }

  /** How many requests clients have sent since. */
  public double requestsSince(Counters before, Set<String> names) {
    return (double) names.stream().mapToLong(name -> callsSince(before, name)).sum();
  }

  /** How often the server has carried out this command since. */
  public long callsSince(Counters before, String name) {
    return calls.getOrDefault(name, 0L) - before.calls.getOrDefault(name, 0L);
  }

  /** Adds what each of so many operations since has cost. */
  public Metrics costs(Metrics metrics, Counters before, Contender contender, long count) {
    double operations = (double) count;
    long all = 0;
    for (String name : calls.keySet()) {
      all += name.equals("info") ? 0 : callsSince(before, name);
    }
    return metrics
        .with(Metrics.REQUESTS, requestsSince(before, contender.requests()) / operations)
        .with(Metrics.SERVER_CALLS, all / operations)
        .with(Metrics.BYTES, (bytes - before.bytes) / operations)
        .with(Metrics.CLIENT_CPU, clientSecondsSince(before) * 1e6 / operations)
        .with(Metrics.SERVER_CPU, serverSecondsSince(before) * 1e6 / operations)
        .with(Metrics.GARBAGE, allocatedSince(before) / operations);
  }

  private static double field(String info, String name) {
    return info.lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length()).strip()))
        .findFirst()
        .orElse(0);
  }
}
