// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.lettuce.core.protocol.CommandArgs;

/** A script with its keys and arguments. */
final class Call implements ScriptCommand {
  private final Script script;
  private final String[] keys;
  private final String[] arguments;

  Call(Script script, String[] keys, String... arguments) {
    this.script = script;
    this.keys = keys;
    this.arguments = arguments;
  }

  @Override
  public Script script() {
    return script;
  }

  String[] keys() {
    return keys;
  }

  String[] arguments() {
    return arguments;
  }

  @Override
  public CommandArgs<String, String> byDigest() {
    return new ScriptArguments(script.digest(), keys, arguments);
  }

  @Override
  public CommandArgs<String, String> bySource() {
    return new ScriptArguments(script.source(), keys, arguments);
  }
}
