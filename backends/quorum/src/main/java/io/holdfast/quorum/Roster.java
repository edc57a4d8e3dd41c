// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.QuorumNode.Release;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The nodes, and what all that ask them share. */
record Roster(
    BackendContext context, QuorumSettings settings, QuorumListener listener, List<Node> nodes) {
  private static final Logger LOG = LoggerFactory.getLogger(QuorumBackend.class);

  int majority() {
    return nodes.size() / 2 + 1;
  }

  /** Asks all nodes, until enough is known. */
  <T> CompletableFuture<Answers<T>> ask(
      Duration timeout, Function<Node, CompletionStage<T>> request, Predicate<Answers<T>> enough) {
    return Round.ask(this, nodes, timeout, request, enough);
  }

  /** Asks all nodes, and waits for all that can be expected to answer. */
  <T> CompletableFuture<Answers<T>> ask(Function<Node, CompletionStage<T>> request) {
    return ask(settings.timeout(), request, answers -> false);
  }

  /** Takes back votes that were of no use, from those too that seemed to fail. */
  void withdraw(Hold hold) {
    for (Node node : nodes) {
      Futures.ignore(() -> node.store().release(hold, Release.SILENT));
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
