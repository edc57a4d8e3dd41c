// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.QuorumNode.Configuration;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The nodes that the address names, which of them are members, and what all requests share. */
final class Roster {
  private static final Logger LOG = LoggerFactory.getLogger(QuorumBackend.class);

  private final BackendContext context;
  private final QuorumSettings settings;
  private final QuorumListener listener;
  private final List<Node> nodes;
  private volatile Majority majority;

  Roster(
      BackendContext context, QuorumSettings settings, QuorumListener listener, List<Node> nodes) {
    this.context = context;
    this.settings = settings;
    this.listener = listener;
    this.nodes = List.copyOf(nodes);
    this.majority = new Majority(named(0));
  }

  BackendContext context() {
    return context;
  }

  QuorumSettings settings() {
    return settings;
  }

  /** All that the address names. */
  List<Node> nodes() {
    return nodes;
  }

  /** Those of them that are members. */
  List<Node> members() {
    return nodes.stream().filter(majority::includes).toList();
  }

  /** A configuration of all nodes that the address names. */
  Configuration named(long generation) {
    return new Configuration(generation, nodes.stream().map(Node::toString).toList(), List.of(), 0);
  }

  /** By the configuration that was seen last; by the address until one is seen. */
  Majority majority() {
    return majority;
  }

  Configuration configuration() {
    return majority.configuration();
  }

  /** From now on requests go by this configuration. */
  void configuration(Configuration seen) {
    majority = new Majority(seen);
  }

  /** Asks the members, until enough is known. */
  <T> CompletableFuture<Answers<T>> ask(
      Duration timeout, Function<Node, CompletionStage<T>> request, Predicate<Answers<T>> enough) {
    return Round.ask(this, members(), timeout, request, enough);
  }

  /** Asks the members, and waits for all that can be expected to answer. */
  <T> CompletableFuture<Answers<T>> ask(Function<Node, CompletionStage<T>> request) {
    return ask(settings.timeout(), request, answers -> false);
  }

  /** Asks all nodes that the address names. */
  <T> CompletableFuture<Answers<T>> askAll(Function<Node, CompletionStage<T>> request) {
    return Round.ask(this, nodes, settings.timeout(), request, answers -> false);
  }

  /** Takes back votes that were of no use, from those too that seemed to fail. */
  void withdraw(Hold hold, long ballot) {
    for (Node node : nodes) {
      Futures.ignore(() -> node.store().withdraw(hold, ballot));
    }
  }

  void tell(Consumer<QuorumListener> event) {
    try {
      event.accept(listener);
    } catch (RuntimeException thrown) {
      LOG.atWarn().setCause(thrown).log("a listener of the quorum failed");
    }
  }

  /** A node's standing has changed, perhaps. */
  void stands(Node node, Standing standing, String reason) {
    Standing before = node.standing(standing);
    if (before == standing) {
      return;
    }
    boolean takesPart = standing == Standing.TAKES_PART;
    if (takesPart) {
      LOG.info("quorum: node {} takes part (before: {})", node, before.words());
    } else {
      LOG.warn("quorum: node {} {}{}", node, standing.words(), reason);
    }
    tell(
        heard ->
            heard.changed(
                new QuorumListener.Changed(node.toString(), takesPart, standing.words() + reason)));
  }
}
