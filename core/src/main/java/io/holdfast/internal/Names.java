// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.nio.charset.StandardCharsets;

/** What may be the name of a lock: something that every store can keep. */
final class Names {
  private static final int LONGEST_BYTES = 255;

  private Names() {}

  static String valid(String name) {
    if (name.isBlank()) {
      throw new IllegalArgumentException("the name of a lock is not blank: '" + name + "'");
    }
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > LONGEST_BYTES) {
      throw new IllegalArgumentException(
          "the name of a lock has at most "
              + LONGEST_BYTES
              + " bytes in UTF-8, and '"
              + name.substring(0, 20)
              + "…' has "
              + bytes);
    }
    requirePrintable(name);
    return name;
  }

  static String validPurpose(String purpose) {
    if (purpose.length() > LONGEST_BYTES) {
      throw new IllegalArgumentException(
          "a purpose has at most " + LONGEST_BYTES + " characters, not " + purpose.length());
    }
    requirePrintable(purpose);
    return purpose;
  }

  private static void requirePrintable(String text) {
    for (int at = 0; at < text.length(); at = text.offsetByCodePoints(at, 1)) {
      requirePrintable(text.codePointAt(at));
    }
  }

  private static void requirePrintable(int character) {
    boolean loneSurrogate =
        character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE;
    if (Character.isISOControl(character) || loneSurrogate) {
      throw new IllegalArgumentException(
          String.format(
              "the name or purpose of a lock has no control characters or lone surrogates: U+%04X",
              character));
    }
  }
}
