// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.BackendException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks several nodes for their view of the cluster, at the same time. The first view is used at
 * once, and a newer one as soon as it comes: the node that answers first may be one that a
 * partition has kept from hearing of a fail-over.
 *
 * <p>A node may say the newest epoch before it knows which slots have changed hands in it: the two
 * travel apart. So among views of one epoch that of a node to which a redirection led counts, which
 * has a slot of its own to show for it.
 *
 * <p>A view that is older than the one in use may be that of a node which has left the cluster and
 * still grants locks. It is used only if all nodes that were asked have answered and none knows
 * more: then the cluster was set up anew.
 */
final class ClusterSurvey {
  /** So many nodes are asked; more only if none of them answers. */
  private static final int ASKED = 5;

  private final Function<HostAndPort, CompletableFuture<ClusterView>> read;
  private final long epochInUse;
  private final Set<HostAndPort> trusted;
  private final Consumer<ClusterView> newer;
  private @Nullable ClusterView newest;
  private boolean isNewestTrusted;
  private @Nullable Throwable gravest;

  /**
   * @param read asks one node
   * @param epochInUse that of the view in use; 0 if there is none
   * @param trusted nodes to which redirections led; they are asked in any case
   * @param newer told of the first view and of each better one
   */
  ClusterSurvey(
      Function<HostAndPort, CompletableFuture<ClusterView>> read,
      long epochInUse,
      Set<HostAndPort> trusted,
      Consumer<ClusterView> newer) {
    this.read = read;
    this.epochInUse = epochInUse;
    this.trusted = trusted;
    this.newer = newer;
  }

  /** Completes with the newest view when all that were asked have answered or failed. */
  CompletableFuture<ClusterView> ask(Collection<HostAndPort> others) {
    Set<HostAndPort> places = new LinkedHashSet<>(trusted);
    places.addAll(others);
    return askSome(List.copyOf(places));
  }

  private CompletableFuture<ClusterView> askSome(List<HostAndPort> places) {
    List<HostAndPort> some = places.subList(0, Math.min(ASKED, places.size()));
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (HostAndPort place : some) {
      asked.add(read.apply(place).handle((view, failure) -> answered(place, view, failure)));
    }
    return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
        .thenCompose(done -> conclude(places.subList(some.size(), places.size())));
  }

  private synchronized @Nullable ClusterView answered(
      HostAndPort place, @Nullable ClusterView view, @Nullable Throwable failure) {
    if (failure != null) {
      gravest = Failures.graver(gravest, failure);
    } else if (view != null && isBetter(view, trusted.contains(place))) {
      newest = view;
      isNewestTrusted = trusted.contains(place);
      if (!isOld(view)) {
        newer.accept(view);
      }
    }
    return view;
  }

  private boolean isBetter(ClusterView view, boolean isTrusted) {
    ClusterView known = newest;
    return known == null
        || view.epoch() > known.epoch()
        || (view.epoch() == known.epoch() && isTrusted && !isNewestTrusted);
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
      return askSome(others);
    }
    String reason = gravest == null ? "none is known" : String.valueOf(gravest.getMessage());
    return CompletableFuture.failedFuture(
        BackendException.notApplied("no node of the cluster answers: " + reason, gravest));
  }
}
