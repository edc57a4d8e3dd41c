// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.BackendException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks several nodes for their view of the cluster, at the same time. The first view is used at
 * once, and a newer one as soon as it comes: the node that answers first may be one that a
 * partition has kept from hearing of a fail-over.
 */
final class ClusterSurvey {
  /** So many nodes are asked; more only if none of them answers. */
  private static final int ASKED = 5;

  private final Connector connector;
  private final Consumer<ClusterView> newer;
  private @Nullable ClusterView newest;
  private @Nullable Throwable gravest;

  /**
   * @param newer told of the first view and of each newer one
   */
  ClusterSurvey(Connector connector, Consumer<ClusterView> newer) {
    this.connector = connector;
    this.newer = newer;
  }

  /** Completes with the newest view when all that were asked have answered or failed. */
  CompletableFuture<ClusterView> ask(List<HostAndPort> places) {
    List<HostAndPort> some = places.subList(0, Math.min(ASKED, places.size()));
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (HostAndPort place : some) {
      asked.add(ClusterView.read(connector, place).handle(this::answered));
    }
    return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
        .thenCompose(done -> conclude(places.subList(some.size(), places.size())));
  }

  private synchronized @Nullable ClusterView answered(
      @Nullable ClusterView view, @Nullable Throwable failure) {
    if (failure != null) {
      gravest = Failures.graver(gravest, failure);
    } else if (view != null && (newest == null || view.epoch() > newest.epoch())) {
      newest = view;
      newer.accept(view);
    }
    return view;
  }

  private synchronized CompletableFuture<ClusterView> conclude(List<HostAndPort> others) {
    ClusterView found = newest;
    if (found != null) {
      return CompletableFuture.completedFuture(found);
    }
    if (!others.isEmpty()) {
      return ask(others);
    }
    String reason = gravest == null ? "none is known" : String.valueOf(gravest.getMessage());
    return CompletableFuture.failedFuture(
        BackendException.notApplied("no node of the cluster answers: " + reason, gravest));
  }
}
