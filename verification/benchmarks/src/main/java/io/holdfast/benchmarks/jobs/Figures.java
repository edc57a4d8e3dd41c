// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.jobs;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What was measured, as a table of medians and their ratios to ours. */
final class Figures {
  private final Map<String, Map<String, List<Double>>> rates = new LinkedHashMap<>();
  private final List<String> notes = new ArrayList<>();

  void add(String what, String queue, double rate) {
    rates
        .computeIfAbsent(what, key -> new LinkedHashMap<>())
        .computeIfAbsent(queue, key -> new ArrayList<>())
        .add(rate);
    System.err.printf("  %s, %s: %,.0f/s%n", what, queue, rate);
  }

  void note(String line) {
    notes.add(line);
  }

  void print() {
    System.out.printf("%n%-30s %10s %10s   %s%n", "jobs a second", "", "median", "Holdfast is");
    rates.forEach(
        (what, queues) -> {
          double ours = median(queues.getOrDefault("Holdfast", List.of()));
          queues.forEach(
              (queue, values) ->
                  System.out.printf(
                      "%-30s %-12s %,8.0f   %.2f x%n",
                      what, queue, median(values), ours / median(values)));
        });
    System.out.println();
    notes.forEach(System.out::println);
    System.out.println("\nWanted: at least 4 x db-scheduler and 0.5 x SQL by hand, batched.");
  }

  private static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    return sorted.isEmpty() ? Double.NaN : sorted.get(sorted.size() / 2);
  }
}
