// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Guarantees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** A page of documentation with a section for each backend: what it promises, in a table. */
public final class GuaranteesPage {
  private final String text;

  /** Reads the page. */
  public GuaranteesPage(Path file) throws IOException {
    this.text = Files.readString(file);
  }

  /**
   * Compares the backend's section with what the backend says of itself.
   *
   * @throws AssertionError if they differ
   */
  public void assertSays(Guarantees promised) {
    assertThat(section(promised.backend()))
        .contains("| exclusion | `" + promised.exclusion() + "` |")
        .contains("| one holder at a time if … | " + promised.oneHolderIf() + " |")
        .contains("| two holders are possible when … | " + promised.twoHoldersWhen() + " |")
        .contains("| the token never goes back if … | " + promised.tokenNeverGoesBackIf() + " |")
        .contains("| survives … | " + promised.survives() + " |")
        .contains("| claims | " + claims(promised) + " |");
  }

  private String section(String backend) {
    int start = text.indexOf("\n## " + backend + "\n");
    assertThat(start).as("a section for " + backend).isNotNegative();
    int end = text.indexOf("\n## ", start + 1);
    return text.substring(start, end < 0 ? text.length() : end);
  }

  private static String claims(Guarantees promised) {
    return promised.capabilities().stream()
        .sorted()
        .map(capability -> "`" + capability + "`")
        .collect(Collectors.joining(", "));
  }
}
