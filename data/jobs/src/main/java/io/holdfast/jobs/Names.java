// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.util.regex.Pattern;

/** What queues, keys and schemas may be called. */
final class Names {
  private static final int LONGEST = 255;
  private static final Pattern PLAIN = Pattern.compile("[a-z_][a-z0-9_]{0,40}");

  private Names() {}

  static String queue(String name) {
    return checked(name, "a queue's name");
  }

  static String key(String key) {
    return checked(key, "a key");
  }

  /** It goes into statements as it is. */
  static String schema(String name) {
    if (!PLAIN.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "a schema has a plain name of small letters, digits and underscores, not '%s'"
              .formatted(name));
    }
    return name;
  }

  private static String checked(String name, String what) {
    if (name.isBlank() || name.length() > LONGEST || name.chars().anyMatch(c -> c < ' ')) {
      throw new IllegalArgumentException(
          "%s has 1 to %d characters, and no control characters".formatted(what, LONGEST));
    }
    return name;
  }
}
