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
 *
 * <p>A view that is older than the one in use may be that of a node which has left the cluster and
 * still grants locks. It is used only if all nodes that were asked have answered and none knows
 * more: then the cluster was set up anew.
 */
final class ClusterSurvey {
  /** So many nodes are asked; more only if none of them answers. */
  private static final int ASKED = 5;

  private final Connector connector;
  private final long epochInUse;
  private final Consumer<ClusterView> newer;
  private @Nullable ClusterView newest;
  private @Nullable Throwable gravest;

  /**
   * @param epochInUse that of the view in use; 0 if there is none
   * @param newer told of the first view and of each newer one
   */
  ClusterSurvey(Connector connector, long epochInUse, Consumer<ClusterView> newer) {
    this.connector = connector;
    this.epochInUse = epochInUse;
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
      if (!isOld(view)) {
        newer.accept(view);
      }
    }
    return view;
  }

  private boolean isOld(ClusterView view) {
    return view.epoch() < epochInUse;
  }

  private CompletableFuture<ClusterView> concludeOld(ClusterView found) {
    if (gravest != null) {
      return CompletableFuture.failedFuture(
          BackendException.notApplied("no node of the cluster knows its newest epoch", gravest));
    }
    newer.accept(found);
    return CompletableFuture.completedFuture(found);
  }

  private synchronized CompletableFuture<ClusterView> conclude(List<HostAndPort> others) {
    ClusterView found = newest;
    if (found != null) {
      return isOld(found) ? concludeOld(found) : CompletableFuture.completedFuture(found);
    }
    if (!others.isEmpty()) {
      return ask(others);
    }
    String reason = gravest == null ? "none is known" : String.valueOf(gravest.getMessage());
    return CompletableFuture.failedFuture(
        BackendException.notApplied("no node of the cluster answers: " + reason, gravest));
  }
}
