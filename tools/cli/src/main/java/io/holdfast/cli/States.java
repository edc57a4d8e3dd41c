// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import io.holdfast.LockState;
import io.holdfast.LockState.Holding;
import io.holdfast.LockState.Waiting;
import io.holdfast.Origin;
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
  static List<List<String>> rows(List<LockState> states) {
    List<List<String>> rows = new ArrayList<>();
    for (LockState state : states) {
      String waiters = Integer.toString(state.waiters().size());
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

  static Map<String, @Nullable Object> json(LockState state) {
    return Json.object(
        "name", state.name(),
        "holders", state.holders().stream().map(States::json).toList(),
        "waiters", state.waiters().stream().map(States::json).toList(),
        "notes", state.notes());
  }

  private static Map<String, @Nullable Object> json(Holding holding) {
    Map<String, @Nullable Object> json =
        Json.object(
            "holder", holding.holder(),
            "mode", holding.mode().toString(),
            "token", holding.token().map(token -> token.value()),
            "remainingMillis", holding.remaining().toMillis(),
            "heldMillis", holding.held().map(time -> time.toMillis()),
            "purpose", holding.purpose());
    addOrigin(json, holding.origin());
    return json;
  }

  private static Map<String, @Nullable Object> json(Waiting waiting) {
    Map<String, @Nullable Object> json =
        Json.object(
            "holder", waiting.holder(),
            "mode", waiting.mode().toString(),
            "purpose", waiting.purpose());
    addOrigin(json, waiting.origin());
    return json;
  }

  private static void addOrigin(Map<String, @Nullable Object> json, Optional<Origin> origin) {
    json.put("host", origin.map(Origin::host));
    json.put("pid", origin.map(Origin::pid));
    json.put("application", origin.map(Origin::application));
  }
}
