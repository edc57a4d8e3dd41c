// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Takes note of every vote and of every change of a node. */
final class Witness implements QuorumListener {
  private final AtomicInteger votes = new AtomicInteger();
  private final AtomicInteger grants = new AtomicInteger();
  private final AtomicInteger secondRounds = new AtomicInteger();
  private final Map<String, List<Changed>> changes = new ConcurrentHashMap<>();

  @Override
  public void voted(Voted event) {
    votes.incrementAndGet();
    if (event.granted()) {
      grants.incrementAndGet();
    }
    if (event.rounds() > 1) {
      secondRounds.incrementAndGet();
    }
  }

  @Override
  public void changed(Changed event) {
    changes.compute(
        event.node(),
        (node, known) -> {
          List<Changed> all = known == null ? new ArrayList<>() : new ArrayList<>(known);
          all.add(event);
          return all;
        });
  }

  int votes() {
    return votes.get();
  }

  int grants() {
    return grants.get();
  }

  int secondRounds() {
    return secondRounds.get();
  }

  List<Changed> changesOf(String node) {
    return changes.getOrDefault(node, List.of());
  }
}
