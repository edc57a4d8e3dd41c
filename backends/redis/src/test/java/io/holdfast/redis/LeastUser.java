// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A user with the least privileges: what the scripts call, and what the client sends beside them.
 */
final class LeastUser {
  static final String NAME = "holdfast";
  static final String PASSWORD = "least-privileges";

  private static final Pattern CALL = Pattern.compile("redis\\.p?call\\('([A-Z]+)'");

  /** What the client sends itself, of which not all are in every setting. */
  private static final Set<String> CLIENT =
      Set.of(
          "evalsha",
          "eval",
          "script|load",
          "info",
          "time",
          "get",
          "set",
          "del",
          "zscore",
          "scan",
          "subscribe",
          "ssubscribe",
          "wait",
          "cluster|slots",
          "asking",
          "ping",
          "hello",
          "select");

  private static final String KEYS = "~lock:* ~{lock:*}:* ~{*}:*:lock:* ~hf:*";
  private static final String CHANNELS = "&hf:client:* &{*}:hf:client:*";

  private LeastUser() {}

  /** With which a server starts that knows this user. */
  static String[] options(int version) {
    return ("--user " + NAME + " >" + PASSWORD + " " + rule(version)).split(" ");
  }

  /** As {@code ACL SETUSER name} takes it, after the password. */
  static String rule(int version) {
    Set<String> commands = new TreeSet<>(CLIENT);
    for (Script script : Script.values()) {
      CALL.matcher(script.source())
          .results()
          .forEach(call -> commands.add(call.group(1).toLowerCase(Locale.ROOT)));
    }
    if (version < 700) {
      commands.remove("ssubscribe");
      commands.remove("spublish");
    }
    return "on resetkeys resetchannels "
        + KEYS
        + " "
        + CHANNELS
        + " -@all "
        + commands.stream().map(command -> "+" + command).collect(Collectors.joining(" "));
  }
}
