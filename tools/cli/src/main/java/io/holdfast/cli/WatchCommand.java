// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import io.holdfast.BackendException;
import io.holdfast.Guarantees;
import io.holdfast.Holdfast;
import io.holdfast.LockState;
import io.holdfast.LockState.Holding;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code watch}: a table that is kept up to date, or a line for each change. */
@Command(
    name = "watch",
    header = "Watch locks change.",
    footer = {
      "Examples:",
      "  holdfast watch                  a live table; Ctrl-C ends it",
      "  holdfast watch table: | tee log a line for each change",
      "  holdfast watch --json           a JSON value for each change",
      ""
    })
final class WatchCommand implements Callable<Integer> {
  private static final int LIMIT = 1000;
  private static final String CLEAR = "\u001b[H\u001b[2J";

  @Parameters(
      arity = "0..1",
      paramLabel = "PREFIX",
      description = "How the names begin. Default: all.")
  private String prefix = "";

  @Option(
      names = "--every",
      paramLabel = "DURATION",
      description = "How often to look. Default: 1s.")
  private Duration every = Duration.ofSeconds(1);

  @Option(names = "--times", paramLabel = "N", description = "Look so often, then end.")
  private int times = Integer.MAX_VALUE;

  @Mixin private final Common common = new Common();

  private Map<String, String> before = Map.of();

  @Override
  public Integer call() throws InterruptedException {
    if (every.isZero() || every.isNegative()) {
      throw new IllegalArgumentException("'--every' is longer than zero");
    }
    if (times < 1) {
      throw new IllegalArgumentException("'--times' is at least 1, not " + times);
    }
    try (Holdfast holdfast = common.connect()) {
      for (int i = 0; i < times; i++) {
        if (i > 0) {
          Thread.sleep(every.toMillis());
        }
        look(holdfast);
        if (common.screen().isUnread()) {
          // Nothing reads it any more, as when 'head' has seen enough.
          break;
        }
      }
    }
    return ExitCode.DONE;
  }

  private void look(Holdfast holdfast) {
    try {
      show(holdfast.list(prefix, LIMIT), holdfast.guarantees());
    } catch (BackendException unreachable) {
      // It may come back; whoever watches wants to see that.
      Message.UNAVAILABLE.say(Reason.of(unreachable) + "; looking again in " + TimeText.of(every));
    }
  }

  private void show(List<LockState> states, Guarantees store) {
    Screen screen = common.screen();
    if (screen.isTerminal() && !common.json()) {
      screen.raw(CLEAR);
      screen.line(
          common.place()
              + "   "
              + LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS));
      table(screen, States.rows(states, store));
    } else {
      changes(states, store);
    }
  }

  /** No more rows than the terminal shows: the head would scroll away. */
  private static void table(Screen screen, List<List<String>> rows) {
    int most = Math.max(1, TerminalSize.current().rows() - 4);
    screen.table(States.HEAD, rows.subList(0, Math.min(most, rows.size())));
    if (rows.size() > most) {
      screen.line("… and " + (rows.size() - most) + " more");
    }
  }

  /** Compared by what a person would call a change: not by the time that is left. */
  private void changes(List<LockState> states, Guarantees store) {
    Map<String, String> now = new LinkedHashMap<>();
    states.forEach(state -> now.put(state.name(), summary(state)));
    TreeSet<String> names = new TreeSet<>(before.keySet());
    names.addAll(now.keySet());
    for (String name : names) {
      String is = now.get(name);
      if (!Objects.equals(before.get(name), is)) {
        print(name, is, states, store);
      }
    }
    before = now;
  }

  private static String summary(LockState state) {
    StringBuilder summary = new StringBuilder();
    for (Holding holding : state.holders()) {
      summary
          .append(summary.isEmpty() ? "" : ", ")
          .append(States.who(holding.origin(), holding.holder()))
          .append(holding.token().map(token -> " token " + token).orElse(""))
          .append(holding.purpose().map(text -> " (" + text + ")").orElse(""));
    }
    int waiters = state.waiters().size();
    return (summary.isEmpty() ? "free" : "held by " + summary)
        + (waiters > 0 ? ", " + waiters + " waiting" : "");
  }

  private void print(String name, @Nullable String is, List<LockState> states, Guarantees store) {
    if (common.json()) {
      LockState state =
          states.stream()
              .filter(one -> one.name().equals(name))
              .findFirst()
              .orElse(LockState.free(name));
      common.screen().json(States.json(state, store));
    } else {
      LocalTime time = LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.MILLIS);
      common.screen().line(time + "  " + name + "  " + (is == null ? "free" : is));
    }
  }
}
