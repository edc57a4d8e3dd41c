// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import org.jspecify.annotations.Nullable;

/**
 * Where a cluster's node sends us: {@code MOVED slot host:port} for good, {@code ASK slot
 * host:port} for this one command.
 */
record Redirects(boolean forGood, HostAndPort place) {

  /** The redirection in this failure, if it is one. */
  static @Nullable Redirects of(Throwable failure) {
    String code = Failures.codeOf(failure);
    if (code == null || !(code.equals("MOVED") || code.equals("ASK"))) {
      return null;
    }
    String[] words = String.valueOf(Failures.root(failure).getMessage()).split(" ", 4);
    return new Redirects(code.equals("MOVED"), HostAndPort.parse(words[2], 6379).get(0));
  }
}
