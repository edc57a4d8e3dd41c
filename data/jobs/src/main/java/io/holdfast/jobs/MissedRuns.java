// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

/**
 * What becomes of the times of a {@link Cron} at which no worker was there. A time counts as missed
 * when it is a minute old.
 *
 * @param most how many of them are made up for, the latest ones
 */
public record MissedRuns(int most) {
  private static final int MOST = 1000;

  public MissedRuns {
    if (most < 0 || most > MOST) {
      throw new IllegalArgumentException("0 to 1000 missed runs are made up for, not " + most);
    }
  }

  /** None is made up for. */
  public static MissedRuns skip() {
    return new MissedRuns(0);
  }

  /** One run makes up for all of them. */
  public static MissedRuns runOnce() {
    return new MissedRuns(1);
  }

  /** Each is made up for, but no more than the latest of them, so many. */
  public static MissedRuns runAll(int most) {
    return new MissedRuns(most);
  }
}
