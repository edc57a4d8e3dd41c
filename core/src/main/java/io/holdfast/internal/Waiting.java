// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

/**
 * How callers' threads wait. Answers and grants learn separately whether spinning is worth it:
 * other processes may delay a grant for as long as they like.
 */
record Waiting(Vigil answers, Vigil grants) {
  /** Of all Holdfasts of this process that spin: their threads share the processors. */
  static final Waiting SPINNING = of(Vigil.ofProcess());

  /** Threads sleep until the answer is there. */
  static final Waiting SLEEPING = of(Vigil.asleep());

  private static Waiting of(Vigil answers) {
    return new Waiting(answers, answers.withItsOwnAccount());
  }
}
