// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import io.holdfast.BackendException;
import io.holdfast.Guarantees;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockException;
import io.holdfast.spi.Finding;
import io.holdfast.spi.Finding.Verdict;
import io.holdfast.spi.LockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code doctor}: whether the store is fit to keep locks, and what to do if not. */
@Command(
    name = "doctor",
    header = "Check whether a store is fit to keep locks.",
    footer = {
      "Examples:",
      "  holdfast doctor",
      "  holdfast doctor --url redis://host:6379 --json",
      ""
    },
    exitCodeListHeading = "%nExit code:%n",
    exitCodeList = {"0:fit, perhaps with a caution", "1:something is bad", "69:cannot be reached"})
final class DoctorCommand implements Callable<Integer> {
  private static final int TRIES = 20;
  private static final Duration SLOW = Duration.ofMillis(100);

  @Mixin private final Common common = new Common();

  private final List<Finding> findings = new ArrayList<>();

  @Override
  public Integer call() {
    boolean reached = examine();
    if (common.json()) {
      common.screen().json(findings.stream().map(DoctorCommand::json).toList());
    } else {
      print();
    }
    boolean isBad = findings.stream().anyMatch(one -> one.verdict() == Verdict.BAD);
    return !reached ? ExitCode.UNAVAILABLE : isBad ? ExitCode.NO : ExitCode.DONE;
  }

  private boolean examine() {
    LockBackend backend = common.backend();
    long start = System.nanoTime();
    try (Holdfast holdfast = Common.builder(backend).build()) {
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      findings.add(
          Finding.good("reachability", common.place() + ", connected in " + TimeText.of(took)));
      tryOut(holdfast);
      findings.addAll(checkUp(backend));
      exclusion(holdfast.guarantees());
      return true;
    } catch (BackendException unfit) {
      findings.add(
          unfit.isTransient()
              ? Finding.bad(
                  "reachability",
                  Reason.of(unfit),
                  "check the address, that the server runs, the network and the password")
              : Finding.bad(
                  "fitness",
                  Reason.of(unfit),
                  "it was reached, and may not be used as it is: change what it says"));
      return !unfit.isTransient();
    }
  }

  private void tryOut(Holdfast holdfast) {
    String name = "holdfast-doctor-" + UUID.randomUUID();
    List<Duration> times = new ArrayList<>();
    try {
      for (int i = 0; i < TRIES; i++) {
        long start = System.nanoTime();
        Lease lease = holdfast.lock(name).tryAcquire().orElseThrow();
        lease.release();
        times.add(Duration.ofNanos(System.nanoTime() - start));
      }
    } catch (LockException failed) {
      findings.add(
          Finding.bad(
              "locking",
              Reason.of(failed),
              failed instanceof BackendException problem && problem.isTransient()
                  ? "it may pass: look again in a minute"
                  : "grant the rights that 'holdfast schema' prints"));
      return;
    }
    times.sort(null);
    Duration median = times.get(TRIES / 2);
    String seen =
        "acquire and release: median %s, slowest %s"
            .formatted(micros(median), micros(times.get(TRIES - 1)));
    findings.add(
        median.compareTo(SLOW) > 0
            ? Finding.caution("latency", seen, "choose a store that is nearer")
            : Finding.good("latency", seen));
  }

  private static String micros(Duration time) {
    return String.format(Locale.ROOT, "%.2f ms", time.toNanos() / 1e6);
  }

  private static List<Finding> checkUp(LockBackend backend) {
    try {
      return backend.checkUp().toCompletableFuture().join();
    } catch (CompletionException failed) {
      Throwable cause = failed.getCause() == null ? failed : failed.getCause();
      return List.of(
          Finding.caution(
              "check-up",
              Reason.of(cause),
              "grant the rights that 'holdfast schema' prints, to see more"));
    }
  }

  private void exclusion(Guarantees promised) {
    String seen = promised.exclusion().name().toLowerCase(Locale.ROOT);
    findings.add(
        promised.exclusion() == Guarantees.Exclusion.ADVISORY
            ? Finding.caution(
                "exclusion",
                seen + ": two holders possible when " + promised.twoHoldersWhen(),
                "use the token, and let the resource refuse an older one")
            : Finding.good("exclusion", seen + ", if " + promised.oneHolderIf()));
  }

  private static Object json(Finding finding) {
    return Json.object(
        "subject", finding.subject(),
        "verdict", finding.verdict(),
        "seen", finding.seen(),
        "advice", finding.advice());
  }

  private void print() {
    Screen screen = common.screen();
    for (Finding finding : findings) {
      String mark =
          switch (finding.verdict()) {
            case GOOD -> screen.in(Screen.Tone.GOOD, "good   ");
            case CAUTION -> screen.in(Screen.Tone.CAUTION, "caution");
            case BAD -> screen.in(Screen.Tone.BAD, "bad    ");
          };
      screen.line(mark, "  %-16s %s".formatted(finding.subject(), finding.seen()));
      if (!finding.advice().isEmpty()) {
        screen.line(" ".repeat(26) + "→ " + finding.advice());
      }
    }
  }
}
