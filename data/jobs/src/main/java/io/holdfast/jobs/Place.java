// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

/**
 * A place in the order of a queue. Claims begin behind the last one, because a scan from the front
 * has to step over every job that was claimed and whose row is not yet vacuumed; which it cannot be
 * while some transaction is older.
 *
 * @param rank the priority with its sign changed
 * @param runAt a time as PostgreSQL writes it: it goes back there with every digit
 * @param id the job
 */
record Place(int rank, String runAt, long id) {
  /** Before all jobs. */
  static final Place FRONT = new Place(Short.MIN_VALUE, "-infinity", 0);

  boolean isFront() {
    return equals(FRONT);
  }
}
