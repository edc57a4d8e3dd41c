// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.Mode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads that crowd into one room under one lock. Whoever is there although there is no place is
 * seen; and those that have the room to themselves add to one number, so that an overlap loses an
 * addition.
 */
final class Contention {
  private static final int THREADS = 3;
  private static final int ROUNDS = 8;

  private final Passage passage;
  private final int places;
  private final AtomicInteger taken = new AtomicInteger();
  private final List<String> offences = Collections.synchronizedList(new ArrayList<>());
  private volatile int total;
  private volatile long newestToken;

  /**
   * @param places how many shared holds or permits there is room for; an exclusive hold takes all
   */
  Contention(Passage passage, int places) {
    this.passage = passage;
    this.places = places;
  }

  /** Some threads for each of these; they may be views of one lock in several processes. */
  void run(List<DistributedLock> locks) {
    List<Passage.Work<Integer>> threads = new ArrayList<>();
    for (DistributedLock lock : locks) {
      for (int thread = 0; thread < THREADS; thread++) {
        threads.add(passage.start(() -> enterRepeatedly(lock)));
      }
    }
    int added = 0;
    for (Passage.Work<Integer> thread : threads) {
      passage.until("each thread had its turns", () -> thread.outcome().isDone());
      added += Passage.outcome(thread.outcome());
    }
    assertThat(offences).isEmpty();
    assertThat(total).isEqualTo(added);
  }

  /** Returns how often it has added. */
  private int enterRepeatedly(DistributedLock lock) throws InterruptedException {
    int added = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Lease lease = lock.acquire(Peer.LONG_WAIT);
      int needed = lock.mode() instanceof Mode.Exclusive ? places : 1;
      if (taken.addAndGet(needed) > places) {
        offences.add(lease.mode() + " with token " + lease.token() + " had no place");
      }
      if (needed == places) {
        add(lease.token().value());
        added++;
      }
      taken.addAndGet(-needed);
      lease.release();
    }
    return added;
  }

  /** Not atomic, on purpose: the lock is what makes it so. */
  private void add(long token) {
    if (token <= newestToken) {
      offences.add("token " + token + " after token " + newestToken);
    }
    newestToken = token;
    int before = total;
    Thread.onSpinWait();
    total = before + 1;
  }
}
