// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.util.BitSet;
import java.util.List;
import java.util.Locale;

/** One field of a cron expression: the numbers that it allows. */
record CronField(BitSet values, boolean hasStar) {

  /**
   * What a field may say.
   *
   * @param name for messages
   * @param names of the numbers, the first being that of {@code least}
   */
  record Kind(String name, int least, int most, List<String> names) {
    static final Kind MINUTE = new Kind("minute", 0, 59, List.of());
    static final Kind HOUR = new Kind("hour", 0, 23, List.of());
    static final Kind DAY = new Kind("day of month", 1, 31, List.of());
    static final Kind MONTH =
        new Kind(
            "month",
            1,
            12,
            List.of(
                "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV",
                "DEC"));

    /** Sunday is 0, and 7. */
    static final Kind WEEKDAY =
        new Kind("day of week", 0, 7, List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"));

    private boolean hasSundayTwice() {
      return most == 7;
    }

    private IllegalArgumentException refused(String text) {
      return new IllegalArgumentException(
          "the %s of a cron expression is *, numbers or names from %d to %d, lists, ranges and /steps: '%s'"
              .formatted(name, least, most, text));
    }
  }

  /** A field as {@code *}, {@code 5}, {@code MON-FRI}, {@code 0-30/10} or a list of such. */
  static CronField parse(String text, Kind kind) {
    BitSet values = new BitSet();
    for (String part : text.split(",", -1)) {
      add(values, part, kind);
    }
    return new CronField(values, text.startsWith("*"));
  }

  private static void add(BitSet values, String part, Kind kind) {
    String[] range = part.split("/", -1);
    if (range.length > 2) {
      throw kind.refused(part);
    }
    int step = range.length == 2 ? positive(range[1], kind) : 1;
    int first = kind.least;
    int last = kind.hasSundayTwice() ? 6 : kind.most;
    if (!range[0].equals("*")) {
      String[] ends = range[0].split("-", -1);
      first = number(ends[0], kind);
      // As 5/10 is understood elsewhere: from there on.
      last = ends.length == 2 ? number(ends[1], kind) : range.length == 2 ? last : first;
      if (ends.length > 2 || last < first) {
        throw kind.refused(part);
      }
    }
    for (int value = first; value <= last; value += step) {
      values.set(kind.hasSundayTwice() ? value % 7 : value);
    }
  }

  private static int positive(String text, Kind kind) {
    if (!text.matches("[0-9]{1,4}") || Integer.parseInt(text) == 0) {
      throw kind.refused("/" + text);
    }
    return Integer.parseInt(text);
  }

  private static int number(String text, Kind kind) {
    int name = kind.names.indexOf(text.toUpperCase(Locale.ROOT));
    if (name >= 0) {
      return kind.least + name;
    }
    if (!text.matches("[0-9]{1,4}")) {
      throw kind.refused(text);
    }
    int value = Integer.parseInt(text);
    if (value < kind.least || value > kind.most) {
      throw kind.refused(text);
    }
    return value;
  }

  boolean allows(int value) {
    return values.get(value);
  }
}
