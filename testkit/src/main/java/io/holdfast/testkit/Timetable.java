// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import io.holdfast.spi.Moment;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * For what must still be so while a lease time runs. Where the machine is too slow to look before
 * its end, a look shows nothing about the store: the scenario is played again.
 */
final class Timetable {
  private static final int PLAYS = 10;

  private final Passage passage;
  private final Duration leaseTime;
  private Moment begin;
  private boolean isMissed;

  private Timetable(Passage passage, Duration leaseTime) {
    this.passage = passage;
    this.leaseTime = leaseTime;
    this.begin = passage.now();
  }

  /** Plays it, each time with another timetable, until it failed or passed in time. */
  static void play(Passage passage, Duration leaseTime, Consumer<Timetable> scenario) {
    for (int play = 1; ; play++) {
      Timetable timetable = new Timetable(passage, leaseTime);
      try {
        scenario.accept(timetable);
        return;
      } catch (AssertionError | RuntimeException failed) {
        timetable.leaseBegins();
        if (!timetable.isMissed || play == PLAYS) {
          throw failed;
        }
      }
    }
  }

  /** Said before the request that begins a lease time is sent. */
  void leaseBegins() {
    Moment now = passage.now();
    isMissed |= now.since(begin).compareTo(leaseTime.multipliedBy(9).dividedBy(10)) > 0;
    begin = now;
  }
}
