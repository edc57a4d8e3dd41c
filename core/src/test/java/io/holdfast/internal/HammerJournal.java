// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What those who hammered wrote down, and what must be true of it. */
final class HammerJournal {

  /**
   * One time that somebody was inside.
   *
   * @param read what it found in the counter; null if it was killed before it noted that
   * @param left whether it got to the end
   */
  record Visit(
      String who,
      long token,
      long waitedNanos,
      @Nullable Long read,
      boolean left,
      long enterNanos,
      long lastNanos) {}

  private record Event(String what, String who, long token, long detail, long nanos) {
    static Event parse(String line) {
      List<String> words = List.of(line.split(" ", -1));
      return new Event(
          words.get(0),
          words.get(1),
          Long.parseLong(words.get(2)),
          Long.parseLong(words.get(3)),
          Long.parseLong(words.get(4)));
    }
  }

  private final List<Visit> visits = new ArrayList<>();

  /** Reads the journal, and finds that nobody did anything while another one was inside. */
  HammerJournal(Path file) throws IOException {
    List<Event> events = Files.readAllLines(file).stream().map(Event::parse).toList();
    for (int i = 0; i < events.size(); ) {
      i = visit(events, i);
    }
  }

  private int visit(List<Event> events, int from) {
    Event enter = events.get(from);
    assertThat(enter.what).as("the first event after %s", last(events, from)).isEqualTo("enter");
    int next = from + 1;
    Long read = null;
    boolean left = false;
    if (follows(events, next, enter, "read")) {
      read = events.get(next).detail;
      next++;
      if (follows(events, next, enter, "leave")) {
        left = true;
        next++;
      }
    }
    visits.add(
        new Visit(
            enter.who,
            enter.token,
            enter.detail,
            read,
            left,
            enter.nanos,
            events.get(next - 1).nanos));
    return next;
  }

  private static @Nullable Event last(List<Event> events, int from) {
    return from == 0 ? null : events.get(from - 1);
  }

  private static boolean follows(List<Event> events, int index, Event enter, String what) {
    return index < events.size()
        && events.get(index).what.equals(what)
        && events.get(index).who.equals(enter.who)
        && events.get(index).token == enter.token;
  }

  List<Visit> visits() {
    return visits;
  }

  /** Only who was killed did not get to the end; and after that it did nothing any more. */
  void assertThatOnlyTheKilledDidNotLeave(Set<String> killed) {
    Set<String> gone = new HashSet<>();
    for (Visit visit : visits) {
      assertThat(gone).as("those who had been killed inside").doesNotContain(visit.who);
      if (!visit.left) {
        assertThat(killed).contains(visit.who);
        gone.add(visit.who);
      }
    }
  }

  /** By the machine's monotonic clock, which all processes share. */
  void assertThatVisitsDoNotOverlap() {
    for (int i = 1; i < visits.size(); i++) {
      assertThat(visits.get(i).enterNanos)
          .as("the time of %s after %s", visits.get(i), visits.get(i - 1))
          .isGreaterThanOrEqualTo(visits.get(i - 1).lastNanos);
    }
  }

  void assertThatTokensGrow() {
    for (int i = 1; i < visits.size(); i++) {
      assertThat(visits.get(i).token)
          .as("the token of %s after %s", visits.get(i), visits.get(i - 1))
          .isGreaterThan(visits.get(i - 1).token);
    }
  }

  /**
   * Each one finds what those before it left: one more for each that got to the end. One that was
   * killed after it had read the counter may have written it or not, which the next one tells.
   */
  void assertThatNoUpdateIsLost(long counter) {
    long count = 0;
    boolean perhapsOneMore = false;
    for (Visit visit : visits) {
      if (visit.read == null) {
        continue;
      }
      count = settled(count, perhapsOneMore, visit.read, visit.toString());
      count += visit.left ? 1 : 0;
      perhapsOneMore = !visit.left;
    }
    settled(count, perhapsOneMore, counter, "the end");
  }

  private static long settled(long count, boolean perhapsOneMore, long found, String where) {
    assertThat(found)
        .as("the counter at %s", where)
        .isBetween(count, count + (perhapsOneMore ? 1 : 0));
    return found;
  }
}
