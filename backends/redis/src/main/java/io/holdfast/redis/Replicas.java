// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

/**
 * How many replicas must acknowledge a grant or a renewal.
 *
 * @param least so many
 * @param all and as many as are connected when it is asked
 */
record Replicas(int least, boolean all) {
  static final Replicas NONE = new Replicas(0, false);

  /** Without any there is nobody to acknowledge: then nothing is granted. */
  static final Replicas ALL = new Replicas(1, true);

  Replicas {
    if (least < 0) {
      throw new IllegalArgumentException("the number of replicas is 0 or more, not " + least);
    }
  }

  static Replicas of(int least) {
    return new Replicas(least, false);
  }

  static Replicas parse(String text) {
    if (text.equals("all")) {
      return ALL;
    }
    if (!text.matches("\\d{1,9}")) {
      throw new IllegalArgumentException("'replicas' of a Redis address is a number, or 'all'");
    }
    return of(Integer.parseInt(text));
  }

  boolean isNone() {
    return least == 0 && !all;
  }

  /** How many it takes while so many are connected. */
  int required(int connected) {
    return all ? Math.max(least, connected) : least;
  }
}
