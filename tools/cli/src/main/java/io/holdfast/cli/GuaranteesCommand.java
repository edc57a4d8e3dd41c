// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import io.holdfast.Guarantees;
import io.holdfast.spi.LockBackend;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code guarantees}: what the store promises. */
@Command(
    name = "guarantees",
    header = "Show what the chosen store promises, and when it cannot.",
    footer = {
      "Examples:",
      "  holdfast guarantees",
      "  holdfast guarantees --url redis://host:6379",
      ""
    })
final class GuaranteesCommand implements Callable<Integer> {
  @Mixin private final Common common = new Common();

  @Override
  public Integer call() {
    try (LockBackend backend = common.backend()) {
      Guarantees promised = backend.guarantees();
      if (common.json()) {
        json(promised);
      } else {
        print(promised);
      }
      return ExitCode.DONE;
    }
  }

  private void json(Guarantees promised) {
    common
        .screen()
        .json(
            Json.object(
                "backend", promised.backend(),
                "exclusion", promised.exclusion(),
                "oneHolderIf", promised.oneHolderIf(),
                "twoHoldersWhen", promised.twoHoldersWhen(),
                "tokenNeverGoesBackIf", promised.tokenNeverGoesBackIf(),
                "survives", promised.survives(),
                "capabilities", capabilities(promised),
                "shortestLeaseMillis", promised.shortestLeaseTime().toMillis(),
                "longestLeaseMillis", promised.longestLeaseTime().toMillis()));
  }

  private static List<String> capabilities(Guarantees promised) {
    return promised.capabilities().stream().map(Enum::name).sorted().toList();
  }

  private void print(Guarantees promised) {
    line("backend", promised.backend());
    line("exclusion", promised.exclusion().name().toLowerCase(Locale.ROOT));
    line("one holder at a time if", promised.oneHolderIf());
    line("two holders possible when", promised.twoHoldersWhen());
    line("the token never goes back if", promised.tokenNeverGoesBackIf());
    line("survives", promised.survives());
    line(
        "offers",
        String.join(", ", capabilities(promised)).toLowerCase(Locale.ROOT).replace('_', ' '));
    line(
        "lease times",
        TimeText.of(promised.shortestLeaseTime())
            + " to "
            + TimeText.of(promised.longestLeaseTime()));
  }

  private void line(String label, String text) {
    Screen screen = common.screen();
    screen.line(screen.in(Screen.Tone.QUIET, "%-30s".formatted(label)), text);
  }
}
