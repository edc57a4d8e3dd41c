// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The locks of one store on the heap, for any number of {@link MemoryBackend}s. */
final class MemoryStore {
  private static final Map<String, MemoryStore> SHARED = new ConcurrentHashMap<>();

  final ConcurrentHashMap<String, LockTable> tables = new ConcurrentHashMap<>();

  /** Whom to tell of a hand-over: the clients by the process id in their holders. */
  final Map<String, MemoryBackend> clients = new ConcurrentHashMap<>();

  /** One counter for all names: a name that nobody uses leaves nothing behind. */
  private final AtomicLong lastToken = new AtomicLong();

  /** The store of this name in this JVM; a store of its own for the empty name. */
  static MemoryStore named(String name) {
    return name.isEmpty()
        ? new MemoryStore()
        : SHARED.computeIfAbsent(name, unused -> new MemoryStore());
  }

  long nextTokens(int count) {
    return lastToken.getAndAdd(count) + 1;
  }
}
