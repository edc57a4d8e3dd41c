// SPDX-License-Identifier: Apache-2.0
package io.holdfast.simulation;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * True time, which nobody in the simulation can read but the store; what happens next; chance; and
 * a trace of what has happened. Everything in it follows from the seed.
 */
final class World {
  /** The end of the story is enough, save for whoever replays one. */
  private static final int TRACE_LINES =
      Long.getLong("holdfast.seed") == null ? 400 : Integer.MAX_VALUE;

  private record Event(long at, long number, Runnable task) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(number, other.number);
    }
  }

  /** After so long whoever waits for the world goes on: better not to replay than to hang. */
  private static final long LONGEST_HANDOVER = Duration.ofSeconds(2).toNanos();

  private final SplittableRandom random;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final Deque<String> trace = new ArrayDeque<>();
  private volatile Thread owner = Thread.currentThread();
  private long now;
  private long number;
  private long hash = 1;
  private @Nullable String failure;

  World(long seed) {
    this.random = new SplittableRandom(seed);
  }

  static long millis(long millis) {
    return Duration.ofMillis(millis).toNanos();
  }

  /** From now on only this thread can see or change anything. */
  void handTo(Thread thread) {
    owner = thread;
  }

  /** A call whose future was just completed waits here until the simulation waits for it. */
  private void awaitTurn() {
    Thread current = Thread.currentThread();
    long patience = LONGEST_HANDOVER;
    while (owner != current && patience > 0) {
      LockSupport.parkNanos(1_000);
      patience -= 50_000;
    }
  }

  long now() {
    awaitTurn();
    return now;
  }

  void after(long nanos, Runnable task) {
    awaitTurn();
    events.add(new Event(now + Math.max(0, nanos), number++, task));
  }

  /** Lets the next thing happen; false if there is none. */
  boolean step() {
    Event next = events.poll();
    if (next == null) {
      return false;
    }
    now = next.at;
    next.task.run();
    return true;
  }

  /** Lets time pass in which nothing happens. */
  void pass(long nanos) {
    now += nanos;
  }

  /** Randomness of its own for one part, so that the parts do not disturb each other. */
  SplittableRandom branch() {
    return random().split();
  }

  private SplittableRandom random() {
    awaitTurn();
    return random;
  }

  boolean chance(double probability) {
    return random().nextDouble() < probability;
  }

  /** Evenly between two bounds. */
  long between(long least, long most) {
    return least + random().nextLong(most - least + 1);
  }

  /** Any order of magnitude between two bounds is as likely as any other. */
  long about(long least, long most) {
    return (long) (least * Math.pow((double) most / least, random().nextDouble()));
  }

  <T> T pick(List<T> choices) {
    return choices.get(random().nextInt(choices.size()));
  }

  /** Notes what happens, for whoever has to read a failure. */
  void note(String who, String what) {
    awaitTurn();
    String line = String.valueOf(now / 1000) + " us " + who + ": " + what;
    hash = hash * 31 + line.hashCode();
    trace.add(line);
    if (trace.size() > TRACE_LINES) {
      trace.remove();
    }
  }

  /** A property does not hold. The first one counts: what follows is often its consequence. */
  void fail(String property) {
    if (failure == null) {
      note("FAILED", property);
      failure = property;
    }
  }

  @Nullable String failure() {
    return failure;
  }

  long hash() {
    return hash;
  }

  List<String> trace() {
    return List.copyOf(trace);
  }
}
