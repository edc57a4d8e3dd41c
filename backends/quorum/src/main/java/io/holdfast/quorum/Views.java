// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.BackendException;
import io.holdfast.FencingToken;
import io.holdfast.LockState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;

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
              return state(name, answers.values().toList(), notes(answers));
            });
  }

  CompletableFuture<List<LockState>> list(String prefix, int limit) {
    return roster
        .<List<LockState>>ask(node -> node.store().list(prefix, limit + SPARE))
        .thenApply(
            answers -> {
              requireMajority("list of '" + prefix + "'", answers);
              Map<String, List<LockState>> byName = new TreeMap<>();
              answers
                  .values()
                  .flatMap(List::stream)
                  .forEach(
                      state ->
                          byName.computeIfAbsent(state.name(), n -> new ArrayList<>()).add(state));
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

  private LockState state(String name, List<LockState> shown, List<String> notes) {
    Map<String, List<LockState.Holding>> holders =
        shown.stream()
            .flatMap(state -> state.holders().stream())
            .collect(Collectors.groupingBy(LockState.Holding::holder));
    List<LockState.Holding> agreed =
        holders.values().stream()
            .filter(each -> each.size() >= roster.majority())
            .map(Views::agreed)
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
    if (answers.answered() < roster.majority()) {
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
