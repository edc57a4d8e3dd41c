// SPDX-License-Identifier: Apache-2.0
package io.holdfast.simulation;

import java.time.Duration;

/**
 * What a world is like: how good its network is, and what its clients are told to do.
 *
 * @param misfortunes how many clients are struck by something
 * @param delay the usual delay of a message, in nanoseconds
 * @param atOnce how often a request is answered in the call itself
 * @param slow how often a message takes up to a second
 * @param lost how often a request or a reply is lost
 * @param refused how often the store says that it did nothing
 * @param lostSignal how often a signal is lost
 * @param doubledSignal how often a signal comes twice
 * @param timeout when a backend gives a request up, in nanoseconds
 * @param knowsWhen whether the store says when to ask again
 * @param knowsGrant whether a signal says exactly when the grant was
 * @param sweeps whether the store notices by itself that a hold is over
 * @param forces whether some use force
 * @param longestPoll of the clients' pacing
 * @param passes how many local passes the clients make
 * @param passTime for how long they make them
 */
record Conditions(
    long misfortunes,
    long delay,
    double atOnce,
    double slow,
    double lost,
    double refused,
    double lostSignal,
    double doubledSignal,
    long timeout,
    boolean knowsWhen,
    boolean knowsGrant,
    boolean sweeps,
    boolean forces,
    Duration longestPoll,
    int passes,
    Duration passTime) {

  static Conditions drawn(World world) {
    boolean bad = world.chance(0.7);
    return new Conditions(
        world.chance(0.75) ? world.between(1, 8) : 0,
        world.about(10_000, World.millis(50)),
        world.chance(0.3) ? 0.5 : 0,
        bad ? 0.05 : 0,
        bad ? world.about(1, 20) / 100.0 : 0,
        bad && world.chance(0.5) ? 0.05 : 0,
        bad ? world.about(1, 50) / 100.0 : 0,
        bad ? 0.2 : 0,
        world.about(World.millis(100), World.millis(8_000)),
        world.chance(0.7),
        world.chance(0.5),
        world.chance(0.5),
        world.chance(0.2),
        Duration.ofNanos(world.about(World.millis(50), World.millis(3_000))),
        world.chance(0.3) ? 0 : (int) world.about(1, 32),
        Duration.ofNanos(world.about(World.millis(5), World.millis(2_000))));
  }

  /** Whether there is nothing that a lease which is renewed could be lost by. */
  boolean isGood() {
    return misfortunes == 0 && lost == 0 && !forces;
  }

  /** The same world with nothing going wrong any more. */
  Conditions calm() {
    return new Conditions(
        0,
        World.millis(1),
        0,
        0,
        0,
        0,
        0,
        0,
        timeout,
        knowsWhen,
        knowsGrant,
        sweeps,
        false,
        longestPoll,
        passes,
        passTime);
  }
}
