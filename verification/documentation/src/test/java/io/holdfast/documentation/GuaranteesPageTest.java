// SPDX-License-Identifier: Apache-2.0
package io.holdfast.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Guarantees;
import io.holdfast.spi.BackendProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page of guarantees says of each backend what the backend says of itself. */
class GuaranteesPageTest {
  private static final Path PAGE = Path.of("..", "..", "docs", "guarantees.md");
  private static final Path CORE =
      Path.of("..", "..", "core", "src", "main", "java", "io", "holdfast", "internal");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "memory:",
        "file:",
        "redis://host",
        "redis-sentinel://host/m",
        "redis-cluster://host",
        "quorum:redis://a,redis://b,redis://c",
        "postgresql://host/db?mode=lease",
        "postgresql://host/db?mode=advisory"
      })
  void the_page_says_what_the_backend_says(String address) throws IOException {
    Guarantees promised = BackendProvider.backendAt(address).guarantees();
    assertThat(section(promised.backend()))
        .contains("| exclusion | `" + promised.exclusion() + "` |")
        .contains("| one holder at a time if … | " + promised.oneHolderIf() + " |")
        .contains("| two holders are possible when … | " + promised.twoHoldersWhen() + " |")
        .contains("| the token never goes back if … | " + promised.tokenNeverGoesBackIf() + " |")
        .contains("| survives … | " + promised.survives() + " |")
        .contains("| claims | " + claims(promised) + " |")
        .contains("| lease time | " + words(promised.shortestLeaseTime()) + " to ")
        .containsPattern(
            "\\| lease time \\| .*\\b" + Pattern.quote(words(promised.longestLeaseTime())) + "\\b");
  }

  private static String words(Duration time) {
    if (time.toDays() > 0) {
      return time.toDays() + " days";
    }
    return time.toSeconds() > 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
  }

  @Test
  void the_page_says_how_often_and_for_how_long_a_hold_is_passed_on() throws IOException {
    String count = inSource("HoldfastBuilder", "\"HOLDFAST_PASSES\", (\\d+)");
    String millis =
        inSource("HoldfastBuilder", "\"HOLDFAST_PASS_TIME\", Duration.ofMillis\\((\\d+)");
    assertThat(prose())
        .contains("at most " + count + " times and for at most " + millis + " ms by default");
  }

  @Test
  void the_page_says_how_much_clocks_may_drift() throws IOException {
    String part = inSource("LiveHold", "leaseNanos / (\\d+)");
    String millis = inSource("LiveHold", "LEAST_DRIFT_NANOS = Duration.ofMillis\\((\\d+)");
    assertThat(prose())
        .contains(
            "within "
                + 100 / Integer.parseInt(part)
                + " % (or "
                + millis
                + " ms, if that is more)");
  }

  /** What core's code says: its defaults are no part of the API. */
  private static String inSource(String type, String pattern) throws IOException {
    String source = Files.readString(CORE.resolve(type + ".java"));
    Matcher found = Pattern.compile(pattern).matcher(source);
    assertThat(found.find()).as(type + " has " + pattern).isTrue();
    return found.group(1);
  }

  private static String prose() throws IOException {
    return Files.readString(PAGE).replaceAll("\\s+", " ");
  }

  private static String section(String backend) throws IOException {
    String page = Files.readString(PAGE);
    int start = page.indexOf("\n## " + backend + "\n");
    assertThat(start).as("a section for " + backend).isNotNegative();
    int end = page.indexOf("\n## ", start + 1);
    return page.substring(start, end < 0 ? page.length() : end);
  }

  private static String claims(Guarantees promised) {
    return promised.capabilities().stream()
        .sorted()
        .map(capability -> "`" + capability + "`")
        .collect(Collectors.joining(", "));
  }
}
