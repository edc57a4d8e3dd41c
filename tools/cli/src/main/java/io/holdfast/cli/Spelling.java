// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds what was probably meant by a word that does not exist. */
final class Spelling {
  private static final List<String> SCHEMES =
      List.of("file", "redis", "rediss", "redis-sentinel", "redis-cluster", "quorum", "postgresql");

  /** What {@code flock(1)} has and {@code run} has not, and what to write instead. */
  private static final Map<String, String> OF_FLOCK =
      Map.of(
          "-c", "write 'run NAME -- sh -c COMMAND'",
          "--command", "write 'run NAME -- sh -c COMMAND'",
          "-x", "a lock is exclusive unless '--shared' is given: leave it out",
          "-e", "a lock is exclusive unless '--shared' is given: leave it out",
          "--exclusive", "a lock is exclusive unless '--shared' is given: leave it out",
          "-u", "a lock is released when its command ends: leave it out",
          "--unlock", "a lock is released when its command ends: leave it out");

  private Spelling() {}

  /** Returns what to write instead of an option of {@code flock}. */
  static Optional<String> insteadOf(String flockOption) {
    return Optional.ofNullable(OF_FLOCK.get(flockOption));
  }

  /** Returns a sentence to add to a message, or nothing. */
  static String hint(String word, Collection<String> known) {
    return nearest(word, known).map(near -> "; did you mean '" + near + "'?").orElse("");
  }

  static String schemeHint(String scheme) {
    return SCHEMES.contains(scheme) ? "" : hint(scheme, SCHEMES);
  }

  /**
   * The nearest word, if no more than a third of its letters differ, or one continues the other.
   */
  static Optional<String> nearest(String word, Collection<String> known) {
    return known.stream()
        .filter(one -> isNear(word, one))
        .min(Comparator.<String>comparingInt(one -> distance(word, one)).thenComparing(one -> one));
  }

  private static boolean isNear(String word, String known) {
    int most = Math.max(1, Math.max(word.length(), known.length()) / 3);
    boolean continues = word.length() > 3 && known.startsWith(word);
    return continues || distance(word, known) <= most;
  }

  /** How many letters to insert, remove, replace or swap with their neighbour. */
  private static int distance(String a, String b) {
    int[][] cost = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        cost[i][j] = i == 0 || j == 0 ? i + j : cheapest(cost, a, b, i, j);
      }
    }
    return cost[a.length()][b.length()];
  }

  private static int cheapest(int[][] cost, String a, String b, int i, int j) {
    boolean isSame = a.charAt(i - 1) == b.charAt(j - 1);
    int least = Math.min(cost[i - 1][j], cost[i][j - 1]) + 1;
    least = Math.min(least, cost[i - 1][j - 1] + (isSame ? 0 : 1));
    boolean isSwapped =
        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
    return isSwapped ? Math.min(least, cost[i - 2][j - 2] + 1) : least;
  }
}
