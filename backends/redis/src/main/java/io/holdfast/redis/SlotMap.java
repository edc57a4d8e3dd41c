// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which server of a cluster has which slot, as far as it is known. A server that has slots which
 * another had is told so with the next view of the whole cluster: in a fail-over one redirection
 * tells of one slot, and the view of all others.
 */
final class SlotMap {
  private static final int SLOTS = 16_384;

  private final AtomicReferenceArray<@Nullable Server> bySlot = new AtomicReferenceArray<>(SLOTS);
  private final Map<Server, Set<Server>> takenOver = new HashMap<>();
  private Set<Server> known = Set.of();

  @Nullable Server serverOf(int slot) {
    return bySlot.get(slot);
  }

  /** Takes note of a redirection. */
  synchronized void put(int slot, Server server) {
    Server before = bySlot.getAndSet(slot, server);
    if (before != null && before != server) {
      takenOver.computeIfAbsent(server, unused -> new HashSet<>()).add(before);
    }
  }

  /** Takes note of what a node says of the cluster. */
  synchronized void put(ClusterView view, Function<HostAndPort, Server> servers) {
    for (ClusterView.Range range : view.ranges()) {
      Server server = servers.apply(range.primary());
      for (int slot = range.first(); slot <= range.last(); slot++) {
        put(slot, server);
      }
    }
    takenOver.forEach((server, before) -> server.takesOver(before, !known.contains(server)));
    takenOver.clear();
    known = current();
  }

  private Set<Server> current() {
    Set<Server> servers = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int slot = 0; slot < SLOTS; slot++) {
      Server server = bySlot.get(slot);
      if (server != null) {
        servers.add(server);
      }
    }
    return servers;
  }
}
