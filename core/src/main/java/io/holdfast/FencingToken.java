// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

/**
 * A number that is greater with every grant of a lock. Send it along with every write under the
 * lock, and let the resource refuse a token that is older than the newest it has seen: then a
 * holder that was paused past its lease can do no damage, whatever the clocks did.
 *
 * <p>Tokens of one lock are unique, and greater than every token that was granted before the
 * acquire began. Tokens of different locks, and of shared holds or permits of one lock, say nothing
 * about each other.
 *
 * @param value the token, positive
 */
public record FencingToken(long value) implements Comparable<FencingToken> {

  public FencingToken {
    if (value <= 0) {
      throw new IllegalArgumentException("a fencing token is positive, not " + value);
    }
  }

  /** Whether this token was granted after the other one. */
  public boolean isNewerThan(FencingToken other) {
    return value > other.value;
  }

  @Override
  public int compareTo(FencingToken other) {
    return Long.compare(value, other.value);
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
