// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.Holder;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Who of this backend waits for what: whom to tell when a file says that it was granted. */
final class FileWaits {
  private final Map<String, Set<Holder>> byName = new ConcurrentHashMap<>();

  void add(String name, Holder holder) {
    byName.compute(
        name,
        (unused, known) -> {
          Set<Holder> holders = known == null ? new HashSet<>() : known;
          holders.add(holder);
          return holders;
        });
  }

  /** True if it was waiting. */
  boolean remove(String name, Holder holder) {
    boolean[] waited = new boolean[1];
    byName.computeIfPresent(
        name,
        (unused, holders) -> {
          waited[0] = holders.remove(holder);
          return holders.isEmpty() ? null : holders;
        });
    return waited[0];
  }

  Set<String> names() {
    return byName.keySet();
  }

  boolean isEmpty() {
    return byName.isEmpty();
  }
}
