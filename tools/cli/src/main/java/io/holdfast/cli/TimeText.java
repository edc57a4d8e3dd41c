// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Times as people write them: 500ms, 1.5s, 5m, 5min, 2h, 1h30m, 1d; a bare number is seconds; or
 * ISO 8601.
 */
final class TimeText implements ITypeConverter<Duration> {
  private static final String NUMBER = "(\\d{1,9}(?:\\.\\d{1,9})?)";
  private static final Pattern BARE = Pattern.compile(NUMBER);
  private static final Pattern PART = Pattern.compile(NUMBER + " ?([a-z]+) ?");

  @Override
  public Duration convert(String text) {
    String lower = text.strip().toLowerCase(Locale.ROOT);
    if (BARE.matcher(lower).matches()) {
      return time(lower, 1_000_000_000L);
    }
    Duration sum = Duration.ZERO;
    Matcher part = PART.matcher(lower);
    int end = 0;
    long before = Long.MAX_VALUE;
    while (end < lower.length()) {
      long unitNanos = part.find(end) && part.start() == end ? unitNanos(part.group(2)) : 0;
      // From large to small, each once: 30m1h is more likely a mistake than a time.
      if (unitNanos == 0 || unitNanos >= before) {
        return iso(text);
      }
      sum = sum.plus(time(part.group(1), unitNanos));
      before = unitNanos;
      end = part.end();
    }
    return end == 0 ? iso(text) : sum;
  }

  /** Zero: there is no such unit. */
  private static long unitNanos(String unit) {
    return switch (unit) {
      case "ms", "msec", "millis" -> 1_000_000L;
      case "s", "sec", "secs", "second", "seconds" -> 1_000_000_000L;
      case "m", "min", "mins", "minute", "minutes" -> 60_000_000_000L;
      case "h", "hr", "hour", "hours" -> 3_600_000_000_000L;
      case "d", "day", "days" -> 86_400_000_000_000L;
      default -> 0;
    };
  }

  private static Duration time(String number, long unitNanos) {
    BigDecimal nanos = new BigDecimal(number).multiply(BigDecimal.valueOf(unitNanos));
    BigDecimal[] parts = nanos.divideAndRemainder(BigDecimal.valueOf(1_000_000_000));
    return Duration.ofSeconds(parts[0].longValue(), parts[1].longValue());
  }

  private static Duration iso(String text) {
    try {
      return Duration.parse(text);
    } catch (DateTimeParseException nonsense) {
      throw new TypeConversionException(
          "'" + text + "' is not a time: write 500ms, 1.5s, 5m, 1h30m, 1d or PT30S");
    }
  }

  /** In the unit that people would use, with one digit where it helps. */
  static String of(Duration time) {
    long millis = time.toMillis();
    if (time.isNegative()) {
      return "-" + of(time.negated());
    }
    if (millis < 1_000) {
      return millis + "ms";
    }
    if (millis < 60_000) {
      return String.format(Locale.ROOT, "%.1fs", millis / 1000.0);
    }
    long minutes = time.toMinutes();
    if (minutes < 60) {
      return minutes + "m" + time.toSecondsPart() + "s";
    }
    return time.toHours() < 48
        ? time.toHours() + "h" + time.toMinutesPart() + "m"
        : time.toDays() + "d" + time.toHoursPart() + "h";
  }
}
