// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

/**
 * One of Holdfast's figures beside the one to reach.
 *
 * @param what what is compared with what
 * @param value what was measured
 * @param wanted what is to be reached
 * @param atLeast whether it is to be at least that; otherwise at most
 */
public record Verdict(String what, double value, double wanted, boolean atLeast) {

  /** More is better. */
  public static Verdict atLeast(String what, double value, double wanted) {
    return new Verdict(what, value, wanted, true);
  }

  /** Less is better. */
  public static Verdict atMost(String what, double value, double wanted) {
    return new Verdict(what, value, wanted, false);
  }

  /** Whether it was reached. Nothing costs less than nothing: such a value was not measured. */
  public boolean isReached() {
    return atLeast ? value >= wanted : value >= 0 && value <= wanted;
  }
}
