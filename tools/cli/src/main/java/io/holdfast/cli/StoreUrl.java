// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Addresses of stores as other tools write them, in the form that Holdfast has. */
final class StoreUrl {
  private static final String JDBC = "jdbc:postgresql:";

  private StoreUrl() {}

  /** Takes {@code postgres://} as libpq does, and {@code jdbc:postgresql:} as Java does. */
  static String of(String url) {
    String lower = url.toLowerCase(Locale.ROOT);
    if (lower.startsWith("postgres:")) {
      return "postgresql:" + url.substring("postgres:".length());
    }
    if (lower.startsWith(JDBC)) {
      return jdbc(url.substring(JDBC.length()));
    }
    return url;
  }

  /** JDBC has the user and the password among the parameters, and may leave the host out. */
  private static String jdbc(String rest) {
    int question = rest.indexOf('?');
    String place = question < 0 ? rest : rest.substring(0, question);
    String user = "";
    String password = "";
    List<String> others = new ArrayList<>();
    String query = question < 0 ? "" : rest.substring(question + 1);
    for (String pair : query.split("&", -1)) {
      if (pair.startsWith("user=")) {
        user = pair.substring("user=".length());
      } else if (pair.startsWith("password=")) {
        password = ":" + pair.substring("password=".length());
      } else if (!pair.isEmpty()) {
        others.add(pair);
      }
    }
    String hostAndPath = place.startsWith("//") ? place.substring(2) : "localhost/" + place;
    String credentials = user.isEmpty() && password.isEmpty() ? "" : user + password + "@";
    String parameters = others.isEmpty() ? "" : "?" + String.join("&", others);
    return "postgresql://" + credentials + hostAndPath + parameters;
  }
}
