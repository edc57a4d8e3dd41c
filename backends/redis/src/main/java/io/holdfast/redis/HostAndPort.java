// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import java.util.ArrayList;
import java.util.List;

/** Where a server listens. An IPv6 address has no brackets here. */
record HostAndPort(String host, int port) {

  /** Reads one or several, with commas between them. */
  static List<HostAndPort> parse(String text, int defaultPort) {
    List<HostAndPort> all = new ArrayList<>();
    for (String one : text.split(",", -1)) {
      all.add(parseOne(one.strip(), defaultPort));
    }
    return List.copyOf(all);
  }

  private static HostAndPort parseOne(String text, int defaultPort) {
    int colon = text.lastIndexOf(':');
    boolean hasPort = colon > text.lastIndexOf(']');
    String host = hasPort ? text.substring(0, colon) : text;
    if (host.isBlank()) {
      throw new IllegalArgumentException(
          "the address of a Redis store names a host, as in 'redis://localhost:6379'");
    }
    String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    return new HostAndPort(bare, hasPort ? port(text.substring(colon + 1)) : defaultPort);
  }

  private static int port(String text) {
    if (text.matches("\\d{1,5}")) {
      int port = Integer.parseInt(text);
      if (port >= 1 && port <= 65_535) {
        return port;
      }
    }
    // Not quoted: with a misplaced '@' it may be part of a password.
    throw new IllegalArgumentException("a port is a number between 1 and 65535");
  }

  @Override
  public String toString() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
