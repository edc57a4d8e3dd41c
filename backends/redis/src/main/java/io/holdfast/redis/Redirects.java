// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import org.jspecify.annotations.Nullable;

/**
 * Where a cluster's node sends us: {@code MOVED slot host:port} for good, {@code ASK slot
 * host:port} for this one command. Without a host, {@code :port}, it is the host of the node that
 * says so.
 */
record Redirects(boolean forGood, String host, int port) {

  /** The redirection in this failure, if it is one. */
  static @Nullable Redirects of(Throwable failure) {
    String code = Failures.codeOf(failure);
    if (code == null || !(code.equals("MOVED") || code.equals("ASK"))) {
      return null;
    }
    String[] words = String.valueOf(Failures.root(failure).getMessage()).split(" ", 4);
    if (words.length < 3) {
      return null;
    }
    int colon = words[2].lastIndexOf(':');
    String host = colon < 0 ? "" : words[2].substring(0, colon);
    String port = words[2].substring(colon + 1);
    return port.matches("\\d{1,5}")
        ? new Redirects(code.equals("MOVED"), host, Integer.parseInt(port))
        : null;
  }

  /**
   * @param said who said so
   */
  HostAndPort place(HostAndPort said) {
    return new HostAndPort(ClusterView.isUnknown(host) ? said.host() : host, port);
  }
}
