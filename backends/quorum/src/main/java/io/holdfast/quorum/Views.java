// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.BackendException;
import io.holdfast.FencingToken;
import io.holdfast.LockState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Who holds what: whoever a majority of the nodes says does. */
final class Views {
  /** What a minority of the nodes has is no lock; so more is asked for than is wanted. */
  private static final int SPARE = 100;

  private final Roster roster;

  Views(Roster roster) {
    this.roster = roster;
  }

  CompletableFuture<LockState> inspect(String name) {
    return roster
        .<LockState>ask(node -> node.store().inspect(name))
        .thenApply(
            answers -> {
              requireMajority("inspect of '" + name + "'", answers);
              return state(name, shown(answers, name), notes(answers));
            });
  }

  CompletableFuture<List<LockState>> list(String prefix, int limit) {
    return roster
        .<List<LockState>>ask(node -> node.store().list(prefix, limit + SPARE))
        .thenApply(
            answers -> {
              requireMajority("list of '" + prefix + "'", answers);
              Map<String, Map<Node, LockState>> byName = new TreeMap<>();
              for (Answers.Answer<List<LockState>> answer : answers.all()) {
                for (LockState state : answer.value().orElse(List.of())) {
                  byName
                      .computeIfAbsent(state.name(), unused -> new LinkedHashMap<>())
                      .put(answer.node(), state);
                }
              }
              List<String> notes = notes(answers);
              return byName.entrySet().stream()
                  .map(each -> state(each.getKey(), each.getValue(), notes))
                  .filter(state -> !state.isFree())
                  .limit(limit)
                  .toList();
            });
  }

  /** The holder that has this token, if a majority says so. */
  CompletableFuture<Optional<String>> holderOf(String name, long token) {
    return inspect(name)
        .thenApply(
            state ->
                state.holders().stream()
                    .filter(shown -> shown.token().equals(Optional.of(new FencingToken(token))))
                    .map(LockState.Holding::holder)
                    .findFirst());
  }

  private static Map<Node, LockState> shown(Answers<LockState> answers, String name) {
    Map<Node, LockState> shown = new LinkedHashMap<>();
    for (Answers.Answer<LockState> answer : answers.all()) {
      shown.put(answer.node(), answer.value().orElse(LockState.free(name)));
    }
    return shown;
  }

  private LockState state(String name, Map<Node, LockState> shown, List<String> notes) {
    Map<String, Map<Node, LockState.Holding>> holders = new LinkedHashMap<>();
    shown.forEach(
        (node, state) ->
            state
                .holders()
                .forEach(
                    holding ->
                        holders
                            .computeIfAbsent(holding.holder(), unused -> new LinkedHashMap<>())
                            .put(node, holding)));
    List<LockState.Holding> agreed =
        holders.values().stream()
            .filter(each -> roster.majority().of(each.keySet()))
            .map(each -> agreed(List.copyOf(each.values())))
            .toList();
    return new LockState(name, agreed, List.of(), notes);
  }

  /** With the token that most nodes show: one that did not hear of it shows a number of its own. */
  private static LockState.Holding agreed(List<LockState.Holding> shown) {
    Map<Optional<FencingToken>, Integer> counts = new HashMap<>();
    shown.forEach(each -> counts.merge(each.token(), 1, Integer::sum));
    Optional<FencingToken> token =
        counts.entrySet().stream().max(Map.Entry.comparingByValue()).flatMap(Map.Entry::getKey);
    LockState.Holding longest =
        shown.stream().max(Comparator.comparing(LockState.Holding::remaining)).orElseThrow();
    return new LockState.Holding(
        longest.holder(),
        longest.mode(),
        token,
        longest.remaining(),
        longest.held(),
        first(shown, LockState.Holding::origin),
        first(shown, LockState.Holding::purpose));
  }

  private static <T> Optional<T> first(
      List<LockState.Holding> shown, Function<LockState.Holding, Optional<T>> part) {
    return shown.stream().map(part).flatMap(Optional::stream).findFirst();
  }

  private <T> void requireMajority(String what, Answers<T> answers) {
    if (!roster.majority().of(answers.nodes())) {
      throw BackendException.notApplied(
          what
              + " was answered by only "
              + answers.answered()
              + " of "
              + answers.all().size()
              + " nodes. "
              + answers.sentence(value -> "answered"),
          null);
    }
  }

  private static <T> List<String> notes(Answers<T> answers) {
    List<String> notes = new ArrayList<>();
    for (Answers.Answer<T> answer : answers.all()) {
      Node node = answer.node();
      if (answer.value().isEmpty()) {
        notes.add("node " + node + ": " + answer.describe(value -> "answered"));
      } else if (node.standing() != Standing.TAKES_PART && node.standing() != Standing.SILENT) {
        notes.add("node " + node + " " + node.standing().words());
      }
    }
    return notes;
  }
}
