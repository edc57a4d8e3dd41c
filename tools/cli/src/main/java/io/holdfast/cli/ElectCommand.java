// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code elect}: the half of it that is Java, which is one term; the shell stands again. */
@Command(
    name = "elect",
    header = "Run a command while this process leads; stand again when the lead is lost.",
    footer = {
      "Examples:",
      "  holdfast elect scheduler -- ./scheduler      on each machine: one of them runs it",
      ""
    },
    customSynopsis = "holdfast elect NAME [OPTIONS] -- COMMAND…",
    description = {
      "",
      "Waits until it is elected, then runs the command. If the lead is lost, the command is ended",
      "before another leader can begin, and runs again after the next election that is won. If the",
      "command ends by itself, the lead is given up and its exit code passed on.",
      ""
    })
final class ElectCommand implements Callable<Integer> {
  @Parameters(paramLabel = "NAME", description = "The election's name: that of its lock.")
  private String name = "";

  @Parameters(
      index = "1..*",
      paramLabel = "COMMAND",
      description = "After '--': the command and its arguments, run without a shell.")
  private String[] command = {};

  @Mixin private final HoldOptions options = new HoldOptions();
  @Mixin private final Common common = new Common();

  @Override
  public Integer call() {
    return Keeper.elect(common, options, name, command);
  }
}
