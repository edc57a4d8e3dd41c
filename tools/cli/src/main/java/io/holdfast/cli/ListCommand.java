// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import io.holdfast.Guarantees;
import io.holdfast.Holdfast;
import io.holdfast.LockState;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code list}: who holds what. */
@Command(
    name = "list",
    aliases = "ls",
    header = "List the locks that are held or waited for.",
    footer = {
      "Examples:",
      "  holdfast ls                     all of them",
      "  holdfast ls table:              those whose names begin so",
      "  holdfast ls --json | jq .       for scripts",
      ""
    })
final class ListCommand implements Callable<Integer> {
  @Parameters(
      arity = "0..1",
      paramLabel = "PREFIX",
      description = "How the names begin. Default: all.")
  private String prefix = "";

  @Option(names = "--limit", paramLabel = "N", description = "At most so many. Default: 1000.")
  private int limit = 1000;

  @Option(names = "--names", description = "Print names alone, a line each.")
  private boolean namesOnly;

  @Mixin private final Common common = new Common();

  @Override
  public Integer call() {
    try (Holdfast holdfast = common.connect()) {
      List<LockState> states = holdfast.list(prefix, limit);
      if (namesOnly && !common.json()) {
        states.forEach(state -> common.screen().line(state.name()));
      } else if (common.json()) {
        Guarantees store = holdfast.guarantees();
        common.screen().json(states.stream().map(state -> States.json(state, store)).toList());
      } else if (states.isEmpty()) {
        Message.NOTE.say(
            "nothing is held"
                + (prefix.isEmpty() ? "" : " whose name begins with '" + prefix + "'"));
      } else {
        common.screen().table(States.HEAD, States.rows(states, holdfast.guarantees()));
      }
      return ExitCode.DONE;
    }
  }
}
