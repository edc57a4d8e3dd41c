// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.Month;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The times of a cron expression in a time zone, to the minute.
 *
 * <p><b>Fields.</b> Minute, hour, day of month, month, day of week: {@code *}, numbers, names
 * ({@code JAN}, {@code MON}), lists, ranges and steps ({@code 0-30/10}). Sunday is 0 and 7. If both
 * days are restricted, one of them is enough, as in every cron.
 *
 * <p><b>When clocks are changed.</b> If the minute or the hour begins with {@code *}, the times go
 * on at their pace: an hour that is skipped has none, and an hour that comes twice has them twice.
 * Otherwise each day has its times once: one in the hour that is skipped comes when that hour would
 * have begun, and one in the hour that comes twice comes the first time.
 */
public final class Cron implements Recurrence {
  /** There is a 29 February on each day of the week in any 40 years. */
  private static final int LONGEST_SEARCH_DAYS = 41 * 366;

  private final String expression;
  private final ZoneId zone;
  private final CronField minutes;
  private final CronField hours;
  private final CronField days;
  private final CronField months;
  private final CronField weekdays;

  private Cron(String expression, ZoneId zone, String[] fields) {
    this.expression = expression;
    this.zone = zone;
    this.minutes = CronField.parse(fields[0], CronField.Kind.MINUTE);
    this.hours = CronField.parse(fields[1], CronField.Kind.HOUR);
    this.days = CronField.parse(fields[2], CronField.Kind.DAY);
    this.months = CronField.parse(fields[3], CronField.Kind.MONTH);
    this.weekdays = CronField.parse(fields[4], CronField.Kind.WEEKDAY);
  }

  static Cron parse(String expression, ZoneId zone) {
    String[] fields = expression.strip().split("\\s+");
    if (fields.length != 5) {
      throw new IllegalArgumentException(
          "a cron expression has five fields, minute hour day month weekday: '%s'"
              .formatted(expression));
    }
    Cron cron = new Cron(String.join(" ", fields), zone, fields);
    if (!cron.hasDays()) {
      throw new IllegalArgumentException("no month has such a day: '%s'".formatted(expression));
    }
    return cron;
  }

  private boolean hasDays() {
    boolean isRestrictedToDays = days.hasStar() || weekdays.hasStar();
    return !isRestrictedToDays
        || months.values().stream()
            .anyMatch(month -> days.values().nextSetBit(0) <= Month.of(month).maxLength());
  }

  /** The first time after this one; empty if there is none in the next 40 years. */
  public Optional<Instant> next(Instant after) {
    LocalDate first = dateOf(after).minusDays(1);
    for (int i = 0; i < LONGEST_SEARCH_DAYS; i++) {
      LocalDate date = first.plusDays(i);
      if (allows(date)) {
        // Where clocks are put back over midnight, days overlap.
        Optional<Instant> next =
            Stream.of(date, date.plusDays(1))
                .flatMap(day -> timesOn(day).stream())
                .filter(time -> time.isAfter(after))
                .min(Comparator.naturalOrder());
        if (next.isPresent()) {
          return next;
        }
      }
    }
    return Optional.empty();
  }

  /** The latest times that are after the one and not after the other, the first first. */
  List<Instant> latest(Instant after, Instant until, int most) {
    TreeSet<Instant> times = new TreeSet<>();
    LocalDate oldest = dateOf(after).minusDays(1);
    LocalDate date = dateOf(until).plusDays(1);
    while (!date.isBefore(oldest)) {
      boolean isEnough = times.size() >= most;
      timesOn(date).stream()
          .filter(time -> time.isAfter(after) && !time.isAfter(until))
          .forEach(times::add);
      if (isEnough) {
        break; // One day more than that, because days may overlap.
      }
      date = date.minusDays(1);
    }
    List<Instant> all = new ArrayList<>(times);
    return all.subList(Math.max(0, all.size() - most), all.size());
  }

  private LocalDate dateOf(Instant time) {
    return LocalDateTime.ofInstant(time, zone).toLocalDate();
  }

  private boolean allows(LocalDate date) {
    if (!months.allows(date.getMonthValue())) {
      return false;
    }
    boolean isDay = days.allows(date.getDayOfMonth());
    boolean isWeekday = weekdays.allows(date.getDayOfWeek().getValue() % 7);
    boolean areBothRestricted = !days.hasStar() && !weekdays.hasStar();
    return areBothRestricted ? isDay || isWeekday : isDay && isWeekday;
  }

  private List<Instant> timesOn(LocalDate date) {
    if (!allows(date)) {
      return List.of();
    }
    List<Instant> times = new ArrayList<>();
    hours.values().stream()
        .forEach(
            hour ->
                minutes.values().stream().forEach(minute -> add(times, date.atTime(hour, minute))));
    return times;
  }

  private void add(List<Instant> times, LocalDateTime local) {
    List<ZoneOffset> offsets = zone.getRules().getValidOffsets(local);
    if (minutes.hasStar() || hours.hasStar()) {
      offsets.forEach(offset -> times.add(local.toInstant(offset)));
      return;
    }
    if (!offsets.isEmpty()) {
      times.add(local.toInstant(offsets.get(0)));
      return;
    }
    ZoneOffsetTransition gap = zone.getRules().getTransition(local);
    times.add(gap.getInstant());
  }

  @Override
  public String text() {
    return "cron " + zone + " " + expression;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Cron cron && cron.text().equals(text());
  }

  @Override
  public int hashCode() {
    return text().hashCode();
  }

  @Override
  public String toString() {
    return text();
  }
}
