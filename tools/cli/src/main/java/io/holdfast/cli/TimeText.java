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

/** Times as people write them: 500ms, 1.5s, 5m, 2h, 1d; a bare number is seconds; or ISO 8601. */
final class TimeText implements ITypeConverter<Duration> {
  private static final Pattern TIME = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ms|s|m|h|d|)");

  @Override
  public Duration convert(String text) {
    Matcher matcher = TIME.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      return iso(text);
    }
    long unitNanos =
        switch (matcher.group(2)) {
          case "ms" -> 1_000_000L;
          case "m" -> 60_000_000_000L;
          case "h" -> 3_600_000_000_000L;
          case "d" -> 86_400_000_000_000L;
          default -> 1_000_000_000L;
        };
    BigDecimal nanos = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unitNanos));
    BigDecimal billion = BigDecimal.valueOf(1_000_000_000);
    BigDecimal[] parts = nanos.divideAndRemainder(billion);
    return Duration.ofSeconds(parts[0].longValue(), parts[1].longValue());
  }

  private static Duration iso(String text) {
    try {
      return Duration.parse(text);
    } catch (DateTimeParseException nonsense) {
      throw new TypeConversionException(
          "'" + text + "' is not a time: write 500ms, 1.5s, 5m, 2h, 1d or PT30S");
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
