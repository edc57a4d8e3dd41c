// SPDX-License-Identifier: Apache-2.0
package io.holdfast.simulation;

import io.holdfast.LossCause;
import java.util.Map;
import java.util.TreeMap;

/** The store as its clients meet it: behind a network, and telling them what has changed. */
final class Store {
  private final World world;
  private final Network network;
  private final Watch watch;
  private final Mutant mutant;
  private final ReferenceStore table;
  private final Map<String, SimulatedBackend> clients = new TreeMap<>();

  Store(World world, Network network, Watch watch, Mutant mutant) {
    this.world = world;
    this.network = network;
    this.watch = watch;
    this.mutant = mutant;
    this.table = new ReferenceStore(world, mutant, this::handedOver);
  }

  World world() {
    return world;
  }

  Network network() {
    return network;
  }

  Conditions conditions() {
    return network.conditions();
  }

  Watch watch() {
    return watch;
  }

  Mutant mutant() {
    return mutant;
  }

  ReferenceStore table() {
    return table;
  }

  void register(String process, SimulatedBackend client) {
    clients.put(process, client);
  }

  private void handedOver(String name, ReferenceStore.Row row) {
    SimulatedBackend client = clients.get(row.holder.process());
    if (client != null) {
      client.granted(row);
    }
    if (conditions().sweeps()) {
      world.after(row.lease + 1, () -> table.sweep(name));
    }
    if (world.chance(0.1)) {
      clients.values().forEach(each -> each.retry(name));
    }
  }

  boolean forceRelease(String name, long token) {
    ReferenceStore.Row row = table.forceRelease(name, token);
    if (row == null) {
      return false;
    }
    watch.forced(row);
    SimulatedBackend client = clients.get(row.holder.process());
    if (client != null) {
      client.lost(row.holder, LossCause.FORCED);
    }
    return true;
  }
}
