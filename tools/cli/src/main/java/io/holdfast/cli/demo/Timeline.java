// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli.demo;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Who did what when, in milliseconds since the scene began. */
public final class Timeline {

  /** What a replica does for a while. */
  public enum Activity {
    PAUSED('░', "#f9a825"),
    WAITS('·', "#9e9e9e"),
    HOLDS('█', "#2e7d32");

    private final char mark;
    private final String colour;

    Activity(char mark, String colour) {
      this.mark = mark;
      this.colour = colour;
    }

    public char mark() {
      return mark;
    }

    public String colour() {
      return colour;
    }
  }

  /**
   * A replica is at something.
   *
   * @param end later than its start
   */
  public record Span(String replica, Activity activity, long start, long end) {}

  /** Something happens to a replica. */
  public record Event(String replica, char mark, String what, long at) {}

  private final long startNanos = System.nanoTime();
  private final List<Span> spans = new ArrayList<>();
  private final List<Event> events = new ArrayList<>();

  long now() {
    return (System.nanoTime() - startNanos) / 1_000_000;
  }

  void span(ReplicaProcess replica, Activity activity, long start) {
    spans.add(new Span(replica.name(), activity, start, Math.max(start + 1, now())));
  }

  void event(ReplicaProcess replica, char mark, String what) {
    events.add(new Event(replica.name(), mark, what, now()));
  }

  /** What takes time; what is more important comes later, to be drawn over the rest. */
  public List<Span> spans() {
    return spans.stream().sorted(Comparator.comparing(Span::activity)).toList();
  }

  /** What takes none. */
  public List<Event> events() {
    return List.copyOf(events);
  }

  /** The last moment of which anything is known. */
  public long end() {
    long last = 1;
    for (Span span : spans) {
      last = Math.max(last, span.end());
    }
    for (Event event : events) {
      last = Math.max(last, event.at());
    }
    return last;
  }
}
