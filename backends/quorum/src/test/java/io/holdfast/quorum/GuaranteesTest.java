// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Guarantees;
import io.holdfast.spi.BackendProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The page and the code say the same. */
@Tag("quorum")
class GuaranteesTest {

  @Test
  void the_page_says_what_the_backend_says() throws IOException {
    Guarantees promised =
        BackendProvider.backendAt("quorum:redis://a,redis://b,redis://c").guarantees();
    String page = Files.readString(Path.of("..", "..", "docs", "guarantees.md"));
    int start = page.indexOf("\n## quorum\n");
    String section = page.substring(start, page.indexOf("\n## ", start + 1));
    String claims =
        promised.capabilities().stream()
            .sorted()
            .map(capability -> "`" + capability + "`")
            .collect(Collectors.joining(", "));
    assertThat(section)
        .contains("| exclusion | `" + promised.exclusion() + "` |")
        .contains("| one holder at a time if … | " + promised.oneHolderIf() + " |")
        .contains("| two holders are possible when … | " + promised.twoHoldersWhen() + " |")
        .contains("| the token never goes back if … | " + promised.tokenNeverGoesBackIf() + " |")
        .contains("| survives … | " + promised.survives() + " |")
        .contains("| claims | " + claims + " |");
  }
}
