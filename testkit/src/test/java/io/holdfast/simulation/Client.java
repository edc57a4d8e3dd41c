// SPDX-License-Identifier: Apache-2.0
package io.holdfast.simulation;

import io.holdfast.spi.Moment;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;

/**
 * A process: its two clocks, which are neither right nor equal, and the gate through which
 * everything in it runs. A process that is paused runs nothing, and then all of it; one that is
 * suspended has a monotonic clock that stands still meanwhile; a dead one runs nothing any more.
 */
final class Client implements TimeSource {
  private static final long MILLION = 1_000_000;

  /** The drift that core allows for is 1 %. */
  private static final long MOST_PPM = 8_000;

  private static final long LATEST_TIMER = World.millis(20);

  private final World world;
  private final String name;
  private final long monotonicPpm;
  private final long wallPpm;
  private final boolean suspends;
  private final Deque<Fibre> fibres = new ArrayDeque<>();
  private long basis;
  private long monotonicAtBasis;
  private long wallAtBasis;
  private boolean standsStill;
  private long frozenUntil;
  private long frozenNanos;
  private boolean dead;

  Client(World world, String name) {
    this.world = world;
    this.name = name;
    this.monotonicPpm = world.between(-MOST_PPM, MOST_PPM);
    this.wallPpm = world.between(-MOST_PPM, MOST_PPM);
    this.suspends = world.chance(0.5);
    this.monotonicAtBasis = world.between(-World.millis(1_000_000), World.millis(1_000_000));
    this.wallAtBasis = world.between(0, World.millis(1_000_000));
  }

  String name() {
    return name;
  }

  boolean isDead() {
    return dead;
  }

  boolean isFrozen() {
    return frozenUntil > world.now();
  }

  void note(String what) {
    world.note(name, what);
  }

  @Override
  public Moment now() {
    long elapsed = world.now() - basis;
    return new Moment(
        monotonicAtBasis + (standsStill ? 0 : scaled(elapsed, monotonicPpm)),
        wallAtBasis + scaled(elapsed, wallPpm));
  }

  private static long scaled(long nanos, long ppm) {
    return nanos + nanos / MILLION * ppm + nanos % MILLION * ppm / MILLION;
  }

  /** For how long it has run, by its monotonic clock. */
  long activeNanos() {
    return now().monotonicNanos() - frozenNanos;
  }

  @Override
  public void after(Duration delay, Runnable task) {
    long due = now().monotonicNanos() + delay.toNanos();
    long lateness = world.chance(0.2) ? world.about(1, LATEST_TIMER) : 0;
    world.after(trueNanos(delay.toNanos()) + lateness, () -> fire(due, task));
  }

  private void fire(long due, Runnable task) {
    long early = due - now().monotonicNanos();
    if (isFrozen()) {
      world.after(frozenUntil - world.now(), () -> fire(due, task));
    } else if (early > 0) {
      world.after(trueNanos(early), () -> fire(due, task));
    } else {
      run(task);
    }
  }

  private long trueNanos(long nanos) {
    return Math.max(1, nanos - scaled(nanos, monotonicPpm) + nanos);
  }

  /** Runs a task of this process after so much true time. */
  void post(long nanos, Runnable task) {
    world.after(nanos, () -> run(task));
  }

  /** Callbacks take their time, and overtake each other. */
  Executor callbacks() {
    return task -> post(world.chance(0.5) ? 0 : world.about(1_000, LATEST_TIMER), task);
  }

  private void run(Runnable task) {
    if (dead) {
      return;
    }
    if (isFrozen()) {
      world.after(frozenUntil - world.now(), () -> run(task));
      return;
    }
    task.run();
    settle();
  }

  private void settle() {
    while (!fibres.isEmpty() && fibres.element().settle()) {
      fibres.remove();
    }
  }

  /** Makes a call that may block: after this task, and after the calls before it. */
  Fibre block(Runnable call) {
    Fibre fibre = new Fibre(world, call);
    fibres.add(fibre);
    return fibre;
  }

  /** Whether it may be called by somebody else's task. */
  boolean isReady() {
    return !dead && !isFrozen() && fibres.isEmpty();
  }

  /** Ends the call that a dead process never finished, so that it keeps no thread. */
  void bury(Runnable end) {
    Fibre last = fibres.peek();
    fibres.clear();
    if (last != null) {
      last.settle();
      end.run();
      last.interrupt();
      if (!last.settle()) {
        throw new AssertionError("a call of " + name + " does not end");
      }
    }
  }

  /** Stops it for a while: a collection of garbage, a debugger, or a suspended machine. */
  void freeze(long nanos) {
    if (isFrozen() || dead) {
      return;
    }
    rebase();
    frozenUntil = world.now() + nanos;
    if (suspends && world.chance(0.7)) {
      note("is suspended for " + nanos / MILLION + " ms");
      standsStill = true;
      world.after(nanos, this::resume);
    } else {
      note("pauses for " + nanos / MILLION + " ms");
      frozenNanos += scaled(nanos, monotonicPpm);
    }
  }

  private void resume() {
    rebase();
    standsStill = false;
  }

  /** Sets the wall clock. Never back in a process whose other clock is not to be trusted. */
  void setWall(long nanos) {
    long jump = suspends ? Math.abs(nanos) : nanos;
    note("has its wall clock set by " + jump / MILLION + " ms");
    rebase();
    wallAtBasis += jump;
  }

  private void rebase() {
    Moment now = now();
    basis = world.now();
    monotonicAtBasis = now.monotonicNanos();
    wallAtBasis = now.wallNanos();
  }

  void die() {
    note("dies");
    dead = true;
  }
}
