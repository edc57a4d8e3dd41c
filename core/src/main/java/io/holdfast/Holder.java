// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

/**
 * One acquisition: an id that is never used again. Two holders exclude each other even when they
 * belong to one process or one thread.
 *
 * @param process the random id of the {@link Holdfast} that asked
 * @param number which of its acquisitions this is: a count, and bits from the operating system that
 *     differ in every clone of the process
 */
public record Holder(String process, long number) {

  /** The id as stores keep it: no blanks, no control characters. */
  @Override
  public String toString() {
    return process + "-" + number;
  }

  /** The id, shortened for people: enough to tell holders apart in a log. */
  public String abbreviated() {
    return process.substring(0, Math.min(6, process.length()))
        + "-"
        + Long.toString(number, Character.MAX_RADIX);
  }
}
