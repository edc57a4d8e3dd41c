// SPDX-License-Identifier: Apache-2.0
package io.holdfast.simulation;

/**
 * What lies between the clients and the store: messages are late, overtake each other, get lost.
 */
final class Network {
  private final World world;
  private Conditions conditions;
  private boolean calm;
  private long downUntil;

  Network(World world, Conditions conditions) {
    this.world = world;
    this.conditions = conditions;
  }

  Conditions conditions() {
    return conditions;
  }

  void calmDown() {
    conditions = conditions.calm();
    downUntil = 0;
    calm = true;
  }

  boolean isCalm() {
    return calm;
  }

  /** The store cannot be reached by anybody for a while. */
  void fail(long nanos) {
    world.note("network", "is down for " + nanos / 1_000_000 + " ms");
    downUntil = world.now() + nanos;
  }

  /** Carries a message, unless it is lost. While the network is down it is lost, or kept. */
  void carry(double lost, Runnable delivery) {
    if (world.chance(lost)) {
      return;
    }
    world.after(delay(), () -> arrive(delivery));
  }

  private void arrive(Runnable delivery) {
    if (downUntil <= world.now()) {
      delivery.run();
    } else if (world.chance(0.5)) {
      world.after(downUntil - world.now() + delay(), () -> arrive(delivery));
    }
  }

  private long delay() {
    return world.chance(conditions.slow())
        ? world.about(World.millis(10), World.millis(1_000))
        : world.between(conditions.delay() / 10, conditions.delay());
  }
}
