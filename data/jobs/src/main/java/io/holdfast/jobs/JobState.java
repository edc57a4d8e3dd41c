// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

/** Where a job is in its life. */
public enum JobState {
  /** It waits for its time: a scheduled one, or one that rests after a failure. */
  SCHEDULED(0),
  /** It waits for a worker. */
  READY(1),
  /** A worker has it. */
  RUNNING(2),
  /** It was done. Such rows are kept only if so set. */
  DONE(3),
  /** It failed in its last attempt. */
  DEAD(4),
  /** It was cancelled. */
  CANCELLED(5),
  /** It waits for other jobs of its group. */
  WAITING(6);

  /** In the line of its group already. */
  private static final int IN_LINE = 7;

  private final int number;

  JobState(int number) {
    this.number = number;
  }

  static JobState of(int number) {
    if (number == IN_LINE) {
      return WAITING;
    }
    for (JobState state : values()) {
      if (state.number == number) {
        return state;
      }
    }
    throw new IllegalArgumentException("no job is in the state " + number);
  }

  int number() {
    return number;
  }
}
