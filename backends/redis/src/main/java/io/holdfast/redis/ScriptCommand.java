// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.lettuce.core.protocol.CommandArgs;

/** A call of a script, as a connection sends it. */
interface ScriptCommand {

  /** Which one; known when it was written. */
  Script script();

  /** To be written for a server that knows the script. */
  CommandArgs<String, String> byDigest();

  /** To be written for a server that has forgotten it. */
  CommandArgs<String, String> bySource();
}
