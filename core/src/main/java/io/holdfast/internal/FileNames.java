// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The file name of a lock: readable where it can be, and never the same for two locks.
 *
 * <p>Lower-case letters, digits, {@code -} and {@code _} stand for themselves, and every other byte
 * is escaped; capitals too, because some file systems do not tell them from small letters. A name
 * that would be too long is hashed: {@code ~}, which no escaped name contains, tells the two apart.
 */
final class FileNames {
  private static final String SUFFIX = ".lock";

  /** File systems allow 255 bytes; the suffix and some room are left. */
  private static final int LONGEST = 200;

  private static final HexFormat HEX = HexFormat.of();

  private FileNames() {}

  static String of(String lock) {
    String escaped = escape(lock);
    return (escaped.length() <= LONGEST ? escaped : "~" + digest(lock)) + SUFFIX;
  }

  static boolean isOne(String file) {
    return file.endsWith(SUFFIX);
  }

  /** What stands for itself stays, all else becomes {@code %} and the hexadecimal digits. */
  static String escape(String text) {
    StringBuilder escaped = new StringBuilder(text.length() + 16);
    // Each char by itself: UTF-8 proper would make '?' of half a surrogate pair, and two names one.
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (isPlain(c)) {
        escaped.append(c);
      } else if (c < 0x100) {
        HEX.toHexDigits(escaped.append('%'), (byte) c);
      } else {
        escaped.append("%u").append(HEX.toHexDigits(c));
      }
    }
    return escaped.toString();
  }

  private static boolean isPlain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  }

  private static String digest(String lock) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      return HEX.formatHex(sha.digest(escape(lock).getBytes(StandardCharsets.US_ASCII)));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java platform has SHA-256", impossible);
    }
  }
}
