// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import io.holdfast.Guarantees;
import io.holdfast.Guarantees.Capability;
import io.holdfast.LockState;
import io.holdfast.LockState.Holding;
import io.holdfast.LockState.Waiting;
import io.holdfast.Mode;
import io.holdfast.Mode.Permits;
import io.holdfast.Origin;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Locks as rows and as JSON. */
final class States {
  static final List<String> HEAD =
      List.of("NAME", "HOLDER", "MODE", "TOKEN", "SINCE", "REMAINING", "WAITERS", "PURPOSE");

  private States() {}

  /** A row for each hold; a lock that nobody holds has one too, if somebody waits for it. */
  static List<List<String>> rows(List<LockState> states, Guarantees store) {
    List<List<String>> rows = new ArrayList<>();
    for (LockState state : states) {
      String waiters = showsWaiters(store) ? Integer.toString(state.waiters().size()) : "?";
      if (state.isFree()) {
        rows.add(List.of(state.name(), "-", "-", "-", "-", "-", waiters, ""));
      }
      for (Holding holding : state.holders()) {
        rows.add(
            List.of(
                state.name(),
                who(holding.origin(), holding.holder()),
                holding.mode().toString(),
                holding.token().map(Object::toString).orElse("-"),
                holding.held().map(time -> TimeText.of(time) + " ago").orElse("-"),
                TimeText.of(holding.remaining()),
                waiters,
                holding.purpose().orElse("")));
      }
    }
    return rows;
  }

  /** Where the process is, or whatever is known of it. */
  static String who(Optional<Origin> origin, String holder) {
    return origin
        .map(known -> known.application() + "@" + known.host() + ":" + known.pid())
        .orElse(holder);
  }

  /** With what this machine knows of the processes that hold it. */
  static Map<String, @Nullable Object> jsonWithProcesses(LockState state, Guarantees store) {
    Map<String, @Nullable Object> json = json(state, store);
    List<Object> holders = new ArrayList<>();
    for (Holding holding : state.holders()) {
      Map<String, @Nullable Object> one = json(holding);
      HolderProcess process = HolderProcess.of(holding.holder(), holding.origin());
      one.put("process", process.state());
      one.put("command", process.command().map(States::json));
      holders.add(one);
    }
    json.put("holders", holders);
    return json;
  }

  private static Map<String, @Nullable Object> json(HolderProcess.Running command) {
    return Json.object(
        "pid", command.pid(),
        "line", command.line(),
        "user", command.user(),
        "start", command.start());
  }

  /** A store that does not show its waiters may have any number of them. */
  private static boolean showsWaiters(Guarantees store) {
    return store.claims(Capability.WAITERS_VISIBLE);
  }

  static Map<String, @Nullable Object> json(LockState state, Guarantees store) {
    return Json.object(
        "name", state.name(),
        "holders", state.holders().stream().map(States::json).toList(),
        "waiters", showsWaiters(store) ? state.waiters().stream().map(States::json).toList() : null,
        "notes", state.notes());
  }

  private static Map<String, @Nullable Object> json(Holding holding) {
    Map<String, @Nullable Object> json =
        Json.object(
            "holder", holding.holder(),
            "mode", kind(holding.mode()),
            "permits", permits(holding.mode()).map(Permits::count),
            "permitLimit", permits(holding.mode()).map(Permits::limit),
            "token", holding.token().map(token -> token.value()),
            "remainingMillis", holding.remaining().toMillis(),
            "heldMillis", holding.held().map(time -> time.toMillis()),
            "since", holding.held().map(States::ago),
            "until", ago(holding.remaining().negated()),
            "purpose", holding.purpose());
    addOrigin(json, holding.origin());
    return json;
  }

  private static Map<String, @Nullable Object> json(Waiting waiting) {
    Map<String, @Nullable Object> json =
        Json.object(
            "holder", waiting.holder(),
            "mode", kind(waiting.mode()),
            "permits", permits(waiting.mode()).map(Permits::count),
            "permitLimit", permits(waiting.mode()).map(Permits::limit),
            "purpose", waiting.purpose());
    addOrigin(json, waiting.origin());
    return json;
  }

  private static String kind(Mode mode) {
    return permits(mode).isPresent() ? "permits" : mode.toString();
  }

  private static Optional<Permits> permits(Mode mode) {
    return mode instanceof Permits permits ? Optional.of(permits) : Optional.empty();
  }

  /** By this machine's clock. The store tells durations, which no clock that is set can falsify. */
  private static Instant ago(Duration time) {
    return Instant.now().minus(time).truncatedTo(ChronoUnit.MILLIS);
  }

  private static void addOrigin(Map<String, @Nullable Object> json, Optional<Origin> origin) {
    json.put("host", origin.map(Origin::host));
    json.put("pid", origin.map(Origin::pid));
    json.put("application", origin.map(Origin::application));
  }
}
