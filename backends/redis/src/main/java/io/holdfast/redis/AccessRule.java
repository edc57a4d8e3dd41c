// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The least that a user needs: what the scripts call, and what the client sends beside them. */
final class AccessRule {
  private static final Pattern CALL = Pattern.compile("call\\('([A-Z]+)'");

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
          "sunsubscribe",
          "wait",
          "cluster|slots",
          "cluster|info",
          "asking",
          "ping",
          "hello",
          "select");

  private static final String CHANNELS = "&hf:client:* &{*}:hf:client:*";

  private AccessRule() {}

  /** As an administrator types it, once. */
  static String of(RedisSettings settings) {
    return typed(of(settings.prefix(), 700));
  }

  /** The same for a node of a quorum. */
  static String ofNode(RedisSettings settings) {
    Set<String> commands = new TreeSet<>(CLIENT);
    commands.add("hmget");
    for (NodeScript script : NodeScript.values()) {
      addCalls(script.source(), commands);
    }
    addCalls(Script.INSPECT.source(), commands);
    return typed(rule(settings.prefix(), 700, commands));
  }

  private static String typed(String rule) {
    return """
        # Choose a password. Before Redis 7 leave out +spublish, +ssubscribe and +sunsubscribe.
        ACL SETUSER holdfast >PASSWORD %s
        """
        .formatted(rule);
  }

  /** As {@code ACL SETUSER name} takes it, after the password. */
  static String of(String prefix, int version) {
    Set<String> commands = new TreeSet<>(CLIENT);
    for (Script script : Script.values()) {
      addCalls(script.source(), commands);
    }
    return rule(prefix, version, commands);
  }

  private static void addCalls(String source, Set<String> commands) {
    CALL.matcher(source)
        .results()
        .forEach(call -> commands.add(call.group(1).toLowerCase(Locale.ROOT)));
  }

  private static String rule(String prefix, int version, Set<String> commands) {
    if (version < 700) {
      commands.remove("ssubscribe");
      commands.remove("sunsubscribe");
      commands.remove("spublish");
    }
    return "on resetkeys resetchannels ~%1$s* ~{%1$s*}:* ~{*}:*:%1$s* ~hf:* ".formatted(prefix)
        + CHANNELS
        + " -@all "
        + commands.stream().map(command -> "+" + command).collect(Collectors.joining(" "));
  }
}
