// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.util.Set;

/** One way to lock. */
public interface Contender {

  /** What it is called in tables. */
  String name();

  /** The key that stands in Redis while the lock of this name is held. */
  default String key(String name) {
    return name;
  }

  /** A client of its own, connected to the server at {@code host:port}. */
  Client connect(String hostAndPort) throws Exception;

  /**
   * The commands that its clients send, as {@code INFO commandstats} calls them. What scripts call
   * is counted there too, and is no request.
   */
  default Set<String> requests() {
    return Set.of("eval", "evalsha", "wait", "subscribe", "unsubscribe");
  }
}
