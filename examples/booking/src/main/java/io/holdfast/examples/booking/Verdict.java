// SPDX-License-Identifier: Apache-2.0
package io.holdfast.examples.booking;

/**
 * How a scene ended.
 *
 * @param scene what was tried
 * @param expected what should have been seen
 * @param seen what was seen
 * @param held whether that is what was expected
 */
record Verdict(String scene, String expected, String seen, boolean held) {

  @Override
  public String toString() {
    return """

        %s
          expected  %s
          seen      %s
          verdict   %s"""
        .formatted(scene, expected, seen, held ? "as expected" : "NOT AS EXPECTED");
  }
}
