// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.BackendException;
import io.holdfast.quorum.Answers.Answer;
import io.holdfast.spi.BackendContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One request to several nodes at the same time. It is over as soon as enough is known; or when all
 * nodes have answered that can be expected to, if those are a majority; or when the time is over.
 * Nodes that were silent lately are asked too, but are waited for only if nothing is possible
 * without them.
 */
final class Round<T> {
  private final List<Answer<T>> answers = new ArrayList<>();
  private final CompletableFuture<Answers<T>> result = new CompletableFuture<>();
  private final Majority majority;
  private final Predicate<Answers<T>> enough;

  private Round(List<Node> nodes, Majority majority, Predicate<Answers<T>> enough) {
    this.majority = majority;
    this.enough = enough;
    nodes.forEach(node -> answers.add(Answer.open(node)));
  }

  static <T> CompletableFuture<Answers<T>> ask(
      Roster roster,
      List<Node> nodes,
      Duration timeout,
      Function<Node, CompletionStage<T>> request,
      Predicate<Answers<T>> enough) {
    Round<T> round = new Round<>(nodes, roster.majority(), enough);
    round.send(roster.context(), timeout, request);
    return round.result;
  }

  private void send(
      BackendContext context, Duration timeout, Function<Node, CompletionStage<T>> request) {
    for (int index = 0; index < answers.size(); index++) {
      int place = index;
      Node node = answers.get(index).node();
      Futures.handle(
          Futures.begin(() -> request.apply(node)),
          (value, problem) -> answered(place, node, value, problem));
    }
    context.after(timeout, this::timeIsOver);
  }

  private void answered(int place, Node node, @Nullable T value, @Nullable Throwable problem) {
    if (problem == null) {
      node.heard();
    }
    Answer<T> answer =
        problem == null
            ? new Answer<>(node, Optional.ofNullable(value), Optional.empty())
            : new Answer<>(node, Optional.empty(), Optional.of(failure(problem)));
    synchronized (this) {
      answers.set(place, answer);
    }
    finishIf(false);
  }

  private static BackendException failure(Throwable problem) {
    Throwable root =
        problem instanceof CompletionException && problem.getCause() != null
            ? problem.getCause()
            : problem;
    return root instanceof BackendException known
        ? known
        : BackendException.unknown("the node failed in a way of its own: " + root, root);
  }

  private void timeIsOver() {
    Answers<T> now = snapshot();
    now.all().stream().filter(Answer::isOpen).forEach(answer -> answer.node().wasSilent());
    finishIf(true);
  }

  private void finishIf(boolean anyway) {
    if (result.isDone()) {
      return;
    }
    Answers<T> now = snapshot();
    boolean noMore = now.open() == 0 || (now.expected() == 0 && majority.of(now.nodes()));
    if (anyway || noMore || enough.test(now)) {
      result.complete(now);
    }
  }

  private synchronized Answers<T> snapshot() {
    return new Answers<>(List.copyOf(answers));
  }
}
