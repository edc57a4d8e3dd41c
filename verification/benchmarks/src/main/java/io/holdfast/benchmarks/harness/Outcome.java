// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.util.List;
import java.util.Map;

/**
 * What came out of a workload.
 *
 * @param contenders the values of each contender
 * @param verdicts Holdfast's figures beside those to reach
 */
public record Outcome(Map<String, Metrics> contenders, List<Verdict> verdicts) {

  /** How often two were inside one section, over all contenders. */
  public long violations() {
    return (long)
        contenders.values().stream()
            .mapToDouble(each -> each.get(Metrics.VIOLATIONS))
            .filter(each -> !Double.isNaN(each))
            .sum();
  }
}
