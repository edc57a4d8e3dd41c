// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks;

import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.Report;
import io.holdfast.benchmarks.harness.Text;
import io.holdfast.benchmarks.harness.Workload;
import io.holdfast.benchmarks.workloads.Workloads;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Measures Holdfast, its peers and the limit side by side, and prints what came out. */
public final class LockBenchmarks {
  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

  private LockBenchmarks() {}

  /**
   * Arguments: a directory for results; {@code --quick}, {@code --only PATTERN}, {@code --list},
   * {@code --page FILE} to have the tables written into that page.
   */
  public static void main(String[] arguments) throws Exception {
    List<String> words = List.of(arguments);
    Path directory = Path.of(words.get(0));
    List<Workload> chosen = chosen(value(words, "--only"));
    if (words.contains("--list") || chosen.isEmpty()) {
      Workloads.all().forEach(each -> OUT.println(each.id() + ": " + each.title()));
      System.exit(words.contains("--list") ? 0 : 2);
    }
    Report report = new Report(directory);
    Plan plan = Plan.of(words.contains("--quick"), step -> System.err.printf("\r\033[K%s ", step));
    Map<Workload, Outcome> outcomes = new LinkedHashMap<>();
    for (Workload workload : chosen) {
      outcomes.put(workload, workload.run(plan));
      System.err.print("\r\033[K");
      print(workload, outcomes.get(workload));
      report.write(outcomes);
    }
    OUT.println("## Holdfast beside the figures to reach\n");
    OUT.println(Text.verdicts(outcomes));
    OUT.println("All values, and pictures: " + directory);
    String page = value(words, "--page");
    if (!page.isEmpty()) {
      report.writeInto(Path.of(page));
    }
    System.exit(0); // Threads of some clients would keep the JVM alive.
  }

  private static List<Workload> chosen(String only) {
    Pattern pattern = Pattern.compile(only);
    return Workloads.all().stream().filter(each -> pattern.matcher(each.id()).find()).toList();
  }

  private static String value(List<String> words, String option) {
    int at = words.indexOf(option);
    return at < 0 || at + 1 >= words.size() ? "" : words.get(at + 1);
  }

  private static void print(Workload workload, Outcome outcome) {
    OUT.println("## " + workload.id() + ": " + workload.title() + "\n");
    OUT.println(Text.outcome(outcome));
    if (outcome.violations() > 0) {
      OUT.println("Two were inside one section: the figures of that contender do not count.\n");
    }
  }
}
