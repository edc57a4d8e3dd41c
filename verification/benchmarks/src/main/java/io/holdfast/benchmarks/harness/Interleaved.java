// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Turns of several contenders, one after the other, round after round: what slows the machine down
 * for a while slows all of them down. Of each value the median of the rounds counts. Before the
 * first round each has turns that do not count, until its code is compiled.
 */
public final class Interleaved {
  /** What one contender does in its turn. */
  public interface Turn<T> {
    Metrics measure(T contender) throws Exception;
  }

  private Interleaved() {}

  /** The medians by the contenders' names. */
  public static <T> Map<String, Metrics> run(
      String workload, Plan plan, Map<String, T> contenders, Turn<T> turn) throws Exception {
    for (Map.Entry<String, T> contender : contenders.entrySet()) {
      for (int i = 0; i < plan.warmUps(); i++) {
        plan.progress().accept(workload + ", warm-up: " + contender.getKey());
        var unused = turn.measure(contender.getValue());
      }
    }
    Map<String, List<Metrics>> rounds = new LinkedHashMap<>();
    for (int round = 1; round <= plan.rounds(); round++) {
      for (Map.Entry<String, T> contender : contenders.entrySet()) {
        String name = contender.getKey();
        plan.progress().accept(workload + ", round " + round + ": " + name);
        rounds
            .computeIfAbsent(name, unused -> new ArrayList<>())
            .add(turn.measure(contender.getValue()));
      }
    }
    Map<String, Metrics> medians = new LinkedHashMap<>();
    rounds.forEach((name, each) -> medians.put(name, Metrics.medians(each)));
    return medians;
  }
}
