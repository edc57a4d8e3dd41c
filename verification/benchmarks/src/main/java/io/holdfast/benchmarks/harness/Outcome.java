// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What came out of a workload.
 *
 * @param contenders the values of each contender
 * @param verdicts Holdfast's figures beside those to reach
 * @param growth how the values grow with a size, if the workload has one
 */
public record Outcome(
    Map<String, Metrics> contenders, List<Verdict> verdicts, @Nullable Growth growth) {

  public Outcome(Map<String, Metrics> contenders, List<Verdict> verdicts) {
    this(contenders, verdicts, null);
  }

  /** Curves: each point is a row. */
  public Outcome(Growth growth, List<Verdict> verdicts) {
    this(growth.rows(), verdicts, growth);
  }

  /** How often two were inside one section, over all contenders. */
  public long violations() {
    return (long)
        contenders.values().stream()
            .mapToDouble(each -> each.get(Metrics.VIOLATIONS))
            .filter(each -> !Double.isNaN(each))
            .sum();
  }
}
