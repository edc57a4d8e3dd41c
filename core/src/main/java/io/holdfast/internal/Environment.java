// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Defaults that operations set, so that tuning needs no new build. */
record Environment(Map<String, String> variables) {
  private static final Pattern TIME = Pattern.compile("(\\d+)\\s*(ms|s|m|h|d)");

  Optional<String> text(String variable) {
    return Optional.ofNullable(variables.get(variable)).filter(value -> !value.isBlank());
  }

  Optional<Duration> time(String variable) {
    return text(variable).map(reading(variable, Environment::duration));
  }

  Duration time(String variable, Duration otherwise) {
    return time(variable).orElse(otherwise);
  }

  int number(String variable, int otherwise) {
    return text(variable).map(reading(variable, Integer::valueOf)).orElse(otherwise);
  }

  boolean flag(String variable, boolean otherwise) {
    return text(variable).map(reading(variable, Environment::truth)).orElse(otherwise);
  }

  private static <T> Function<String, T> reading(String variable, Function<String, T> parse) {
    return value -> {
      try {
        return parse.apply(value.trim());
      } catch (IllegalArgumentException | DateTimeParseException nonsense) {
        throw new IllegalArgumentException(
            "the environment variable " + variable + " makes no sense: '" + value + "'", nonsense);
      }
    };
  }

  /** As people write it (500ms, 30s, 5m, 1h, 1d), or as ISO 8601 does (PT30S). */
  static Duration duration(String text) {
    Matcher matcher = TIME.matcher(text.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      return Duration.parse(text);
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      default -> Duration.ofDays(number);
    };
  }

  private static boolean truth(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true", "yes", "on", "1" -> true;
      case "false", "no", "off", "0" -> false;
      default -> throw new IllegalArgumentException("neither true nor false");
    };
  }
}
