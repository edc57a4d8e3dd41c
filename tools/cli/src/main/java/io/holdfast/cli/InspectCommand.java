// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.LockState;
import io.holdfast.LockState.Holding;
import io.holdfast.LockState.Waiting;
import io.holdfast.Origin;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code inspect}: all that is known of one lock. */
@Command(
    name = "inspect",
    aliases = "show",
    header = "Show who holds a lock, and who waits for it.",
    footer = {
      "Examples:",
      "  holdfast inspect nightly          who, where, since when, what for, and who waits",
      "  holdfast show nightly --json      for scripts",
      ""
    },
    exitCodeListHeading = "%nExit code:%n",
    exitCodeList = {"0:somebody holds it", "1:it is free"})
final class InspectCommand implements Callable<Integer> {
  @Parameters(paramLabel = "NAME", description = "The lock's name.")
  private String name = "";

  @Mixin private final Common common = new Common();

  @Override
  public Integer call() {
    try (Holdfast holdfast = common.connect()) {
      LockState state = holdfast.inspect(name);
      if (common.json()) {
        common.screen().json(States.jsonWithProcesses(state, holdfast.guarantees()));
      } else {
        print(state);
      }
      return state.isFree() ? ExitCode.NO : ExitCode.DONE;
    }
  }

  private void print(LockState state) {
    if (state.isFree()) {
      line("lock", state.name() + " is free");
    }
    for (Holding holding : state.holders()) {
      line("lock", state.name());
      line("held", holding.mode().toString());
      print(holding.holder(), holding.origin(), holding.purpose());
      line("since", holding.held().map(time -> TimeText.of(time) + " ago").orElse("unknown"));
      line("remaining", TimeText.of(holding.remaining()) + ", if it is not renewed");
      line("token", holding.token().map(Object::toString).orElse("none: not Holdfast's"));
      HolderProcess process = HolderProcess.of(holding.holder(), holding.origin());
      line("process", process.state() + ": " + process.why());
      process.command().ifPresent(command -> line("command", command.toString()));
      common.screen().line("");
    }
    int place = 0;
    for (Waiting waiting : state.waiters()) {
      place++;
      line("waits", place + ". " + waiting.mode());
      print(waiting.holder(), waiting.origin(), waiting.purpose());
    }
    state.notes().forEach(note -> line("note", note));
  }

  private void print(String holder, Optional<Origin> origin, Optional<String> purpose) {
    line("holder", holder);
    origin.ifPresent(
        known -> {
          line("host", known.host());
          line("pid", Long.toString(known.pid()));
          line("by", known.application());
        });
    purpose.ifPresent(text -> line("purpose", text));
  }

  private void line(String label, String text) {
    Screen screen = common.screen();
    screen.line(screen.in(Screen.Tone.QUIET, "%-11s".formatted(label)), text);
  }
}
