// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.FencingToken;
import io.holdfast.Holdfast;
import io.holdfast.LockState;
import io.holdfast.LockState.Holding;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code force-release}: ends somebody else's hold, after asking, and with a record of it. */
@Command(
    name = "force-release",
    header = "End somebody else's hold of a lock.",
    footer = {
      "Examples:",
      "  holdfast inspect nightly                    shows the token",
      "  holdfast force-release nightly --token 17 --reason 'its host is gone'",
      ""
    },
    description = {
      "The holder is told, at once or at its next renewal; what it does until then overlaps with",
      "the next holder. Asks before it acts, and leaves a line in the audit file."
    },
    exitCodeListHeading = "%nExit code:%n",
    exitCodeList = {"0:released", "1:no hold has that token, or you said no"})
final class ForceReleaseCommand implements Callable<Integer> {
  @Parameters(paramLabel = "NAME", description = "The lock's name.")
  private String name = "";

  @Option(
      names = "--token",
      required = true,
      paramLabel = "T",
      description =
          "The token of the hold to end, as 'inspect' shows it. A newer one is left alone.")
  private long token;

  @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why.")
  private String reason = "";

  @Option(
      names = {"-y", "--yes"},
      description = "Do not ask.")
  private boolean yes;

  @Mixin private final Common common = new Common();

  @Override
  public Integer call() throws IOException {
    if (reason.isBlank()) {
      throw new IllegalArgumentException("a release by force has a reason");
    }
    FencingToken expected = new FencingToken(token);
    Audit audit = Audit.open();
    try (Holdfast holdfast = common.connect()) {
      warn(holdfast.inspect(name));
      if (!yes && !isConfirmed()) {
        Message.NOTE.say("nothing was released");
        return ExitCode.NO;
      }
      // Before and after: what happens in between is on record too.
      audit.write("force-release asked", common.place(), name, token, reason);
      boolean released = holdfast.forceRelease(name, expected, reason);
      audit.write(
          released ? "force-release done" : "force-release refused",
          common.place(),
          name,
          token,
          reason);
      report(released, audit);
      return released ? ExitCode.DONE : ExitCode.NO;
    }
  }

  /** Who is hurt, and for how long two are at work. */
  private void warn(LockState state) {
    if (common.json()) {
      return;
    }
    for (Holding holding : state.holders()) {
      tell(
          name
              + " is held by "
              + States.who(holding.origin(), holding.holder())
              + ", token "
              + holding.token().map(Object::toString).orElse("none")
              + holding.purpose().map(text -> " (" + text + ")").orElse(""));
      HolderProcess process = HolderProcess.of(holding.holder(), holding.origin());
      tell("  process " + process.state() + ": " + process.why());
      process.command().ifPresent(command -> tell("  it runs " + command));
      if (holding.token().filter(expected -> expected.value() == token).isPresent()) {
        tell(
            "  This work is ended or goes on without the lock. The holder learns of it at once, or");
        tell("  at its next renewal; what 'run' started then has its grace (5s unless it chose");
        tell(
            "  another). Until it has ended it overlaps with the next holder, "
                + next(state)
                + ".");
        tell(
            "  If nothing renews the lock, it is free in "
                + TimeText.of(holding.remaining())
                + ".");
      }
    }
  }

  private static String next(LockState state) {
    return state.waiters().isEmpty()
        ? "which is the first to ask"
        : States.who(state.waiters().get(0).origin(), state.waiters().get(0).holder())
            + ", which waits";
  }

  private static void tell(String text) {
    System.err.println(TerminalText.of(text));
  }

  private boolean isConfirmed() throws IOException {
    System.err.printf("release token %d of %s by force? [y/N] ", token, TerminalText.of(name));
    System.err.flush();
    String answer = new BufferedReader(new InputStreamReader(System.in, UTF_8)).readLine();
    return answer != null && answer.strip().toLowerCase(Locale.ROOT).matches("y|yes");
  }

  private void report(boolean released, Audit audit) {
    if (common.json()) {
      common
          .screen()
          .json(
              Json.object(
                  "name", name, "token", token, "released", released, "audit", audit.file()));
    } else if (released) {
      common.screen().line("released; recorded in " + audit.file());
    } else {
      Message.NOTE.say(
          "nobody holds '"
              + name
              + "' with token "
              + token
              + "; see 'holdfast inspect "
              + name
              + "'");
    }
  }
}
