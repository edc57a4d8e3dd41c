// SPDX-License-Identifier: Apache-2.0
package io.holdfast.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Guarantees;
import io.holdfast.spi.BackendProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page of guarantees says of each backend what the backend says of itself. */
class GuaranteesPageTest {
  private static final Path PAGE = Path.of("..", "..", "docs", "guarantees.md");

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
        .contains("| claims | " + claims(promised) + " |");
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
