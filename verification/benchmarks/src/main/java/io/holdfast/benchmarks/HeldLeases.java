// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.BackendProvider;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Holds many leases at once and says what that costs: heap, threads, and the work of renewing them.
 *
 * <p>The heap of a lease is all that it adds to the JVM: the lease and its name, its place in the
 * timetable, and the lock's table in the memory store, which with any other backend lies elsewhere.
 */
public final class HeldLeases {

  /**
   * What was seen.
   *
   * @param leases how many were held
   * @param heapPerLease bytes, after a collection with all leases held, less those before the first
   * @param threadsBefore the threads of the JVM with one lease held, so that those which serve all
   *     leases are there already
   * @param threadsAfter the threads after all leases have been renewed
   * @param stillHeld how many leases were held at the end, by their own reckoning
   * @param renewals what went to the store meanwhile
   * @param elapsed how long the leases were held
   * @param cpu the CPU time of the whole process meanwhile
   */
  record Findings(
      int leases,
      long heapPerLease,
      int threadsBefore,
      int threadsAfter,
      long stillHeld,
      CountedRenewals.Count renewals,
      Duration elapsed,
      Duration cpu) {

    /** How often each lease was renewed, on average. */
    double rounds() {
      return (double) renewals.holds() / leases;
    }
  }

  private HeldLeases() {}

  public static void main(String[] arguments) throws InterruptedException {
    int leases = 100_000;
    Duration leaseTime = Duration.ofSeconds(10);
    int leaseTimes = arguments.length == 0 ? 3 : Integer.parseInt(arguments[0]);
    System.out.printf(
        Locale.ROOT,
        "%,d leases of %d s on memory:, held for %d s%n",
        leases,
        leaseTime.toSeconds(),
        leaseTimes * leaseTime.toSeconds());
    print(measure(leases, leaseTime, 3 * leaseTimes));
  }

  /** Holds the leases until each has been renewed so many times: a third of the lease time each. */
  static Findings measure(int count, Duration leaseTime, int rounds) throws InterruptedException {
    CountedRenewals renewals = new CountedRenewals(BackendProvider.backendAt("memory:"));
    try (Holdfast holdfast =
        Holdfast.builder(renewals).leaseTime(leaseTime).shutdownHook(false).build()) {
      List<Lease> leases = new ArrayList<>(count + 1);
      leases.add(holdfast.lock("first").tryAcquire().orElseThrow());
      int threadsBefore = threads();
      long heapBefore = usedHeap();
      for (int i = 0; i < count; i++) {
        leases.add(holdfast.lock("table:" + i).tryAcquire().orElseThrow());
      }
      long heapAfter = usedHeap();

      renewals.restart();
      long startNanos = System.nanoTime();
      long cpuNanos = processCpuNanos();
      long wanted = (long) rounds * leases.size();
      var unused = renewals.awaitHolds(wanted, leaseTime.multipliedBy(rounds));
      return new Findings(
          count,
          (heapAfter - heapBefore) / count,
          threadsBefore,
          threads(),
          leases.stream().skip(1).filter(Lease::isHeld).count(),
          renewals.count(),
          Duration.ofNanos(System.nanoTime() - startNanos),
          Duration.ofNanos(processCpuNanos() - cpuNanos));
    }
  }

  private static void print(Findings seen) {
    double renewed = seen.renewals.holds();
    row("heap of each lease", "%,d bytes", "under 1 KiB", seen.heapPerLease);
    row("threads before, after", "%d, %d", "the same", seen.threadsBefore, seen.threadsAfter);
    row("still held", "%,d of %,d", "all", seen.stillHeld, seen.leases);
    row("held for", "%.1f s", "", seconds(seen.elapsed));
    row("renewed, each lease", "%.1f times", "", seen.rounds());
    row("calls to renew them all", "%.1f", "", seen.renewals.calls() / seen.rounds());
    row("leases in a call, mean", "%,.0f", "", renewed / seen.renewals.calls());
    row("leases in a call, most", "%,d", "", seen.renewals.largest());
    row("CPU of the process", "%.1f %% of a core", "", 100 * share(seen.cpu, seen.elapsed));
    row("CPU to renew one lease", "%.2f µs", "", 1e6 * seconds(seen.cpu) / renewed);
  }

  private static void row(String what, String format, String wanted, Object... values) {
    String value = String.format(Locale.ROOT, format, values);
    System.out.printf(
        "  %-24s  %-20s  %s%n", what, value, wanted.isEmpty() ? "" : "(wanted: " + wanted + ")");
  }

  private static double share(Duration part, Duration whole) {
    return seconds(part) / seconds(whole);
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  private static int threads() {
    return ManagementFactory.getThreadMXBean().getThreadCount();
  }

  private static long processCpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  /** Twice, because what the first collection frees may have kept other things alive. */
  private static long usedHeap() {
    System.gc();
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
