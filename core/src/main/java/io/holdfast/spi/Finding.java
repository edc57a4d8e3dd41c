// SPDX-License-Identifier: Apache-2.0
package io.holdfast.spi;

/**
 * What a check-up found out about a store, for whoever operates it.
 *
 * @param subject what was looked at, in a word or two: "eviction policy"
 * @param verdict what to make of it
 * @param seen what was seen
 * @param advice what to do; empty if nothing
 */
public record Finding(String subject, Verdict verdict, String seen, String advice) {

  /** What to make of a finding. */
  public enum Verdict {
    /** As it should be. */
    GOOD,
    /** Works, and has a risk or a cost that the operator should know of. */
    CAUTION,
    /** Locks do not work, or are not kept. */
    BAD
  }

  /** As it should be. */
  public static Finding good(String subject, String seen) {
    return new Finding(subject, Verdict.GOOD, seen, "");
  }

  /** Works, with a risk. */
  public static Finding caution(String subject, String seen, String advice) {
    return new Finding(subject, Verdict.CAUTION, seen, advice);
  }

  /** Does not work. */
  public static Finding bad(String subject, String seen, String advice) {
    return new Finding(subject, Verdict.BAD, seen, advice);
  }
}
