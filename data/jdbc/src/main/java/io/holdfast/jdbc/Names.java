// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import java.util.regex.Pattern;

/** Names of tables and columns, which go into statements as they are. */
final class Names {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z_]\\w*(\\.[A-Za-z_]\\w*)?");

  private Names() {}

  static String checked(String name, String what) {
    if (!PLAIN.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "%s has a plain name of letters, digits and underscores, not '%s'".formatted(what, name));
    }
    return name;
  }
}
