// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What the nodes have said to one request so far.
 *
 * @param all one for each node that was asked
 */
record Answers<T>(List<Answer<T>> all) {

  /**
   * What one node has said.
   *
   * @param value its answer; absent if it failed, or has not answered
   * @param failure why there is none; absent if it has not answered
   */
  record Answer<T>(Node node, Optional<T> value, Optional<BackendException> failure) {
    static <T> Answer<T> open(Node node) {
      return new Answer<>(node, Optional.empty(), Optional.empty());
    }

    boolean isOpen() {
      return value.isEmpty() && failure.isEmpty();
    }

    /** Nobody knows what became of the request. */
    boolean isUnknown() {
      return isOpen() || failure.filter(known -> known.outcome() == Outcome.UNKNOWN).isPresent();
    }

    String describe(Function<T, String> words) {
      return value
          .map(words)
          .or(() -> failure.map(problem -> String.valueOf(problem.getMessage())))
          .orElse("no answer");
    }
  }

  Stream<T> values() {
    return all.stream().flatMap(answer -> answer.value().stream());
  }

  int count(Predicate<T> isSo) {
    return (int) values().filter(isSo).count();
  }

  /** The nodes whose answer is so. */
  List<Node> nodes(Predicate<T> isSo) {
    return all.stream()
        .filter(answer -> answer.value().filter(isSo).isPresent())
        .map(Answer::node)
        .toList();
  }

  /** The nodes that have answered. */
  List<Node> nodes() {
    return nodes(value -> true);
  }

  int answered() {
    return count(value -> true);
  }

  /** Nodes that may answer yet. */
  int open() {
    return (int) all.stream().filter(Answer::isOpen).count();
  }

  /** Nodes that are expected to answer soon. */
  int expected() {
    return (int)
        all.stream().filter(answer -> answer.isOpen() && !answer.node().isSilent()).count();
  }

  /** Nodes of which nobody knows whether they did what they were asked to. */
  int unknown() {
    return (int) all.stream().filter(Answer::isUnknown).count();
  }

  /** By the names of the nodes, what became of the request there. */
  Map<String, String> describe(Function<T, String> words) {
    Map<String, String> described = new LinkedHashMap<>();
    all.forEach(answer -> described.put(answer.node().toString(), answer.describe(words)));
    return described;
  }

  /** For a message. */
  String sentence(Function<T, String> words) {
    return String.join(
        "; ",
        describe(words).entrySet().stream()
            .map(each -> each.getKey() + ": " + each.getValue())
            .toList());
  }
}
