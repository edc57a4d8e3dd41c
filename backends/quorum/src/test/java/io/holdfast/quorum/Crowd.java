// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockException;
import io.holdfast.testkit.servers.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/** Clients that take a few locks in turn, hold them for a while, and note what they believe. */
final class Crowd implements AutoCloseable {
  private static final Duration STEP = Duration.ofMillis(5);

  private final Duration lease;
  private final List<String> locks;
  private final History history;
  private final List<Thread> threads = new ArrayList<>();
  private final List<Holdfast> clients = new ArrayList<>();
  private volatile boolean ends;

  Crowd(RedisNodes nodes, Duration lease, List<String> locks, History history, int count) {
    this(Stream.generate(() -> open(nodes, lease)).limit(count).toList(), lease, locks, history);
  }

  /** These clients, which are closed with it. */
  Crowd(List<Holdfast> clients, Duration lease, List<String> locks, History history) {
    this.lease = lease;
    this.locks = locks;
    this.history = history;
    this.clients.addAll(clients);
    for (int number = 0; number < clients.size(); number++) {
      Holdfast client = clients.get(number);
      Random random = new Random(number);
      Thread thread = new Thread(() -> use(client, random), "client-" + number);
      thread.setDaemon(true);
      threads.add(thread);
    }
    threads.forEach(Thread::start);
  }

  static Holdfast open(RedisNodes nodes, Duration longest) {
    return Holdfast.builder(
            QuorumBackend.builder(nodes.stores())
                .longestLease(longest)
                .timeout(Duration.ofMillis(500))
                .build())
        .leaseTime(longest)
        .time(new StoppedWallClock())
        .build();
  }

  private void use(Holdfast client, Random random) {
    while (!ends) {
      String name = locks.get(random.nextInt(locks.size()));
      long asked = System.nanoTime();
      try {
        Optional<Lease> granted = client.lock(name).tryAcquire(Duration.ofSeconds(1));
        granted.ifPresent(held -> hold(held, asked, random.nextInt(8)));
      } catch (LockException failed) {
        history.failed();
        Eventually.pass(STEP);
      } catch (InterruptedException interrupted) {
        return;
      }
    }
  }

  /** One in a while dawdles past its lease, and relies on renewal. */
  private void hold(Lease held, long asked, int steps) {
    int longer = steps == 7 ? 600 : steps;
    long from = System.nanoTime();
    long until = held.isHeld() ? from : -1;
    for (int step = 0; step < longer && until >= 0; step++) {
      Eventually.pass(STEP);
      // Before it is asked: what it says is true of a later moment.
      long now = System.nanoTime();
      if (!held.isHeld()) {
        break;
      }
      until = now;
    }
    if (until >= 0) {
      history.add(
          new History.Held(
              held.name(), held.holder().toString(), held.token().value(), asked, from, until));
    }
    held.close();
  }

  /** Waits until all have put down what they hold. */
  void end() {
    ends = true;
    for (Thread thread : threads) {
      Eventually.until(thread.getName() + " has ended", () -> !thread.isAlive());
    }
  }

  @Override
  public void close() {
    ends = true;
    clients.forEach(Holdfast::close);
  }

  @Override
  public String toString() {
    return threads.size() + " clients with a lease time of " + lease;
  }
}
