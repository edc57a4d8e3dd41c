// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code run}: the half of it that is Java. */
@Command(
    name = "run",
    header = "Run a command under a lock.",
    footer = {
      "Examples:",
      "  holdfast run nightly -- ./report.sh --all      waits for its turn",
      "  holdfast run nightly -n -- ./report.sh         not if another one is at it (exit code 1)",
      "  holdfast run nightly -w 10s -E 99 -- make      waits so long at most, then exit code 99",
      "  holdfast run db --shared -- ./backup.sh        together with other readers",
      "  holdfast run gpu --permits 2 -- ./train.sh     one of two at a time",
      ""
    },
    customSynopsis = "holdfast run NAME [OPTIONS] -- COMMAND…",
    description = {
      "",
      "Runs a command under a lock, as flock(1) does, between machines. The command finds its",
      "fencing token in HOLDFAST_TOKEN. If the lock is lost, the command and all that it started",
      "are ended before anybody else can have it.",
      ""
    },
    exitCodeListHeading = "%nExit code: the command's, or 128+signal; or%n",
    exitCodeList = {
      "1:not acquired (-E changes it)",
      "75:lost; the command was ended",
      "69:the store cannot be used",
      "64:wrong usage",
      "126:the command cannot be run",
      "127:there is no such command"
    })
final class RunCommand implements Callable<Integer> {
  @Parameters(paramLabel = "NAME", description = "The lock's name.")
  private String name = "";

  @Parameters(
      index = "1..*",
      paramLabel = "COMMAND",
      description = "After '--': the command and its arguments, run without a shell.")
  private String[] command = {};

  @Option(
      names = {"-E", "--conflict-exit-code"},
      paramLabel = "CODE",
      description = "The exit code if the lock is not acquired. Default: 1.")
  private int conflictExitCode = ExitCode.NO;

  @Mixin private final HoldOptions options = new HoldOptions();
  @Mixin private final Common common = new Common();

  @Override
  public Integer call() {
    if (conflictExitCode < 0 || conflictExitCode > 255) {
      throw new IllegalArgumentException(
          "an exit code is between 0 and 255, not " + conflictExitCode);
    }
    return Keeper.run(common, options, conflictExitCode, name, command);
  }
}
