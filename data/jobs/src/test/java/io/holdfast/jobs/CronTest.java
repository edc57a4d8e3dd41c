// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The times of cron expressions, beside a walk through every minute. */
class CronTest {
  private static final ZoneId UTC = ZoneId.of("UTC");
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

  private static Instant next(String expression, ZoneId zone, String after) {
    return Recurrence.cron(expression, zone).next(Instant.parse(after)).orElseThrow();
  }

  @ParameterizedTest(name = "{0} after {1} is {2}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          * * * * *         | 2026-03-01T10:00:00Z | 2026-03-01T10:01:00Z
          * * * * *         | 2026-03-01T10:00:59Z | 2026-03-01T10:01:00Z
          */15 * * * *      | 2026-03-01T10:46:00Z | 2026-03-01T11:00:00Z
          5/20 * * * *      | 2026-03-01T10:06:00Z | 2026-03-01T10:25:00Z
          0 3 * * *         | 2026-03-01T03:00:00Z | 2026-03-02T03:00:00Z
          30 9 * * MON-FRI  | 2026-03-06T09:30:00Z | 2026-03-09T09:30:00Z
          0 0 1,15 * *      | 2026-02-15T00:00:00Z | 2026-03-01T00:00:00Z
          0 0 31 * *        | 2026-01-31T00:00:00Z | 2026-03-31T00:00:00Z
          0 12 * jan,jul *  | 2026-01-31T12:00:00Z | 2026-07-01T12:00:00Z
          0 0 * * 7         | 2026-03-01T00:00:00Z | 2026-03-08T00:00:00Z
          0 0 * * 0         | 2026-03-01T00:00:00Z | 2026-03-08T00:00:00Z
          0 0 * * 5-7       | 2026-03-06T00:00:00Z | 2026-03-07T00:00:00Z
          0 0 13 * FRI      | 2026-03-13T00:00:00Z | 2026-03-20T00:00:00Z
          0 0 13 * FRI      | 2026-04-10T00:00:00Z | 2026-04-13T00:00:00Z
          0 0 29 2 *        | 2097-01-01T00:00:00Z | 2104-02-29T00:00:00Z
          59 23 31 12 *     | 2026-12-31T23:59:00Z | 2027-12-31T23:59:00Z
          """)
  void the_next_time_is_the_first_that_all_fields_allow(
      String expression, String after, String expected) {
    assertThat(next(expression, UTC, after)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "* * * *",
        "* * * * * *",
        "60 * * * *",
        "-1 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * 32 * *",
        "* * * 13 *",
        "* * * * 8",
        "5-1 * * * *",
        "1-2-3 * * * *",
        "*/0 * * * *",
        "*/x * * * *",
        "1//2 * * * *",
        "1, * * * *",
        "* * * * MONDAY",
        "99999999999 * * * *",
        "0 0 30 2 *",
        "0 0 31 4,6,9,11 *",
        "@daily"
      })
  void what_makes_no_sense_is_refused(String expression) {
    assertThatThrownBy(() -> Recurrence.cron(expression, UTC))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void times_of_a_day_come_once_when_clocks_are_changed() {
    // On 29 March there is no time from 2 to 3; on 25 October it comes twice.
    assertThat(next("30 2 * * *", BERLIN, "2026-03-28T12:00:00Z"))
        .isEqualTo("2026-03-29T01:00:00Z");
    assertThat(next("30 2 * * *", BERLIN, "2026-03-29T01:00:00Z"))
        .isEqualTo("2026-03-30T00:30:00Z");
    assertThat(next("30 2 * * *", BERLIN, "2026-10-24T12:00:00Z"))
        .isEqualTo("2026-10-25T00:30:00Z");
    assertThat(next("30 2 * * *", BERLIN, "2026-10-25T00:30:00Z"))
        .isEqualTo("2026-10-26T01:30:00Z");
  }

  @Test
  void an_interval_keeps_its_pace_when_clocks_are_changed() {
    assertThat(next("*/30 * * * *", BERLIN, "2026-03-29T00:30:00Z"))
        .isEqualTo("2026-03-29T01:00:00Z");
    assertThat(next("*/30 * * * *", BERLIN, "2026-10-25T00:30:00Z"))
        .isEqualTo("2026-10-25T01:00:00Z");
    assertThat(next("*/30 * * * *", BERLIN, "2026-10-25T01:00:00Z"))
        .isEqualTo("2026-10-25T01:30:00Z");
  }

  /** Zones that skip and repeat hours, half hours, midnights and, in Apia, a whole day. */
  @ParameterizedTest
  @CsvSource({
    "UTC, 2026-02-20",
    "Europe/Berlin, 2026-03-25",
    "Europe/Berlin, 2026-10-20",
    "America/New_York, 2026-03-05",
    "America/New_York, 2026-10-28",
    "America/St_Johns, 2009-10-29",
    "America/St_Johns, 2009-03-05",
    "Australia/Lord_Howe, 2026-04-01",
    "Australia/Lord_Howe, 2026-10-01",
    "Asia/Kathmandu, 2026-02-25",
    "America/Sao_Paulo, 2018-02-14",
    "America/Sao_Paulo, 2018-11-01",
    "Pacific/Apia, 2011-12-27"
  })
  void random_expressions_have_the_times_that_a_walk_through_every_minute_finds(
      String zone, String from) {
    ZoneId place = ZoneId.of(zone);
    Instant begin = Instant.parse(from + "T00:00:00Z");
    Instant end = begin.plus(Duration.ofDays(8));
    Random random = new Random(zone.hashCode() + from.hashCode());
    for (int i = 0; i < 60; i++) {
      Expression expression = Expression.random(random);
      Cron cron = Recurrence.cron(expression.text(), place);
      List<Instant> expected = expression.walk(place, begin, end);
      assertThat(cron.latest(begin, end, Integer.MAX_VALUE)).as(cron.text()).isEqualTo(expected);
      for (int j = 0; j < 20 && !expected.isEmpty(); j++) {
        int which = random.nextInt(expected.size());
        Instant before = which == 0 ? begin : expected.get(which - 1);
        assertThat(cron.next(before)).as(cron.text()).contains(expected.get(which));
        assertThat(cron.next(expected.get(which).minusMillis(1)))
            .as(cron.text())
            .contains(expected.get(which));
      }
      int most = 1 + random.nextInt(50);
      assertThat(cron.latest(begin, end, most))
          .as(cron.text())
          .isEqualTo(expected.subList(Math.max(0, expected.size() - most), expected.size()));
    }
  }

  /** An expression whose numbers are known without a parser. */
  private record Expression(Numbers minute, Numbers hour, Numbers day, Numbers weekday) {
    record Numbers(String text, TreeSet<Integer> values) {
      boolean hasStar() {
        return text.startsWith("*");
      }

      static Numbers random(Random random, int least, int most, int oneIn) {
        TreeSet<Integer> values = new TreeSet<>();
        if (random.nextInt(oneIn) > 0) {
          for (int i = least; i <= most; i++) {
            values.add(i);
          }
          return new Numbers("*", values);
        }
        switch (random.nextInt(3)) {
          case 0 -> {
            int step = 2 + random.nextInt(most / 2);
            for (int i = least; i <= most; i += step) {
              values.add(i);
            }
            return new Numbers("*/" + step, values);
          }
          case 1 -> {
            int first = least + random.nextInt(most - least);
            int last = first + random.nextInt(most - first + 1);
            for (int i = first; i <= last; i++) {
              values.add(i);
            }
            return new Numbers(first + "-" + last, values);
          }
          default -> {
            for (int i = 0; i < 3; i++) {
              values.add(least + random.nextInt(most - least + 1));
            }
            return new Numbers(values.toString().replaceAll("[\\[\\] ]", ""), values);
          }
        }
      }
    }

    static Expression random(Random random) {
      return new Expression(
          Numbers.random(random, 0, 59, 2),
          Numbers.random(random, 0, 23, 2),
          Numbers.random(random, 1, 31, 6),
          Numbers.random(random, 0, 6, 6));
    }

    String text() {
      return "%s %s %s * %s".formatted(minute.text, hour.text, day.text, weekday.text);
    }

    private boolean matches(LocalDateTime local) {
      boolean isDay = day.values.contains(local.getDayOfMonth());
      boolean isWeekday = weekday.values.contains(local.getDayOfWeek().getValue() % 7);
      return minute.values.contains(local.getMinute())
          && hour.values.contains(local.getHour())
          && ((isDay && isWeekday)
              || ((isDay || isWeekday) && !day.hasStar() && !weekday.hasStar()));
    }

    List<Instant> walk(ZoneId zone, Instant begin, Instant end) {
      TreeSet<Instant> times = new TreeSet<>();
      boolean keepsPace = minute.hasStar() || hour.hasStar();
      for (Instant at = begin.minus(3, ChronoUnit.DAYS);
          at.isBefore(end.plus(3, ChronoUnit.DAYS));
          at = at.plus(1, ChronoUnit.MINUTES)) {
        LocalDateTime local =
            keepsPace ? LocalDateTime.ofInstant(at, zone) : LocalDateTime.ofInstant(at, UTC);
        if (matches(local)) {
          times.add(keepsPace ? at : once(local, zone));
        }
      }
      times.removeIf(time -> !time.isAfter(begin) || time.isAfter(end));
      return List.copyOf(times);
    }

    /** The first instant with this local time, or the end of the gap in which it would be. */
    private static Instant once(LocalDateTime local, ZoneId zone) {
      ZonedDateTime time = local.atZone(zone).withEarlierOffsetAtOverlap();
      return time.toLocalDateTime().equals(local)
          ? time.toInstant()
          : zone.getRules().nextTransition(time.toInstant().minus(1, ChronoUnit.DAYS)).getInstant();
    }
  }

  @Test
  void a_recurrence_is_read_as_it_was_written() {
    for (Recurrence each :
        List.of(
            Recurrence.cron(" 0  3 * * MON ", BERLIN), Recurrence.delay(Duration.ofMillis(90)))) {
      assertThat(Recurrence.parse(each.text())).isEqualTo(each);
    }
    assertThatThrownBy(() -> Recurrence.parse("lunar 3"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Recurrence.delay(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
