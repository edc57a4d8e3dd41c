// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The local queues that are in use. */
final class LocalQueues {

  /** Requests with one key ask for the same thing, so that one attempt can stand for them. */
  record Key(String name, Duration leaseTime) {}

  private final LockRuntime runtime;
  private final Map<Key, LocalQueue> queues = new ConcurrentHashMap<>();

  LocalQueues(LockRuntime runtime) {
    this.runtime = runtime;
  }

  void join(Request request) {
    Key key = new Key(request.terms().name(), request.terms().leaseTime());
    while (!queues.computeIfAbsent(key, k -> new LocalQueue(this, runtime, k)).join(request)) {
      // A queue that was just retired is being taken out of the map.
      Thread.onSpinWait();
    }
  }

  void remove(Key key, LocalQueue queue) {
    queues.remove(key, queue);
  }

  int size() {
    return queues.size();
  }
}
