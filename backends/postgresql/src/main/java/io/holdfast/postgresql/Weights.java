// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.Mode;

/** Modes as the table keeps them: how much a hold takes of how much there is. */
final class Weights {
  /** Of a lock; no semaphore has so many permits. */
  static final long LOCK = 1L << 40;

  private Weights() {}

  static long weight(Mode mode) {
    if (mode instanceof Mode.Permits permits) {
      return permits.count();
    }
    return mode instanceof Mode.Shared ? 1 : LOCK;
  }

  static long capacity(Mode mode) {
    return mode instanceof Mode.Permits permits ? permits.limit() : LOCK;
  }

  static Mode mode(long weight, long capacity) {
    if (capacity == LOCK) {
      return weight == LOCK ? Mode.EXCLUSIVE : Mode.SHARED;
    }
    return Mode.permits((int) weight, (int) capacity);
  }

  static String kind(long capacity) {
    return capacity == LOCK ? "a lock" : "a semaphore of " + capacity + " permits";
  }
}
