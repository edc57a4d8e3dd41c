// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

/** How much of a lock a hold takes. */
public sealed interface Mode {

  /** All of it. */
  Mode EXCLUSIVE = new Exclusive();

  /** Together with any number of other shared holds, and with no exclusive one. */
  Mode SHARED = new Shared();

  /** Some permits of a semaphore. */
  static Mode permits(int count, int limit) {
    return new Permits(count, limit);
  }

  /** One holder at a time. */
  record Exclusive() implements Mode {
    @Override
    public String toString() {
      return "exclusive";
    }
  }

  /** Any number of holders at a time, but none beside an exclusive one. */
  record Shared() implements Mode {
    @Override
    public String toString() {
      return "shared";
    }
  }

  /**
   * So many of the permits of a semaphore.
   *
   * @param count how many this hold takes
   * @param limit how many there are
   */
  record Permits(int count, int limit) implements Mode {
    public Permits {
      if (count < 1 || limit < 1 || count > limit) {
        throw new IllegalArgumentException(
            "permits are at least 1 and at most the limit, not " + count + " of " + limit);
      }
    }

    @Override
    public String toString() {
      return count + " of " + limit + " permits";
    }
  }
}
