// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.BackendException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Where the primary is now, as the sentinels say. They are asked before each connection, one after
 * the other until one answers, the last one that did first; so a fail-over is found by connecting
 * anew.
 */
final class Sentinels {
  private final Connector connector;
  private final List<HostAndPort> places;
  private final String service;
  private volatile int first;

  Sentinels(Connector connector, RedisSettings settings) {
    this.connector = connector;
    this.places = settings.hosts();
    String named = settings.service();
    this.service = named == null ? "" : named;
  }

  CompletionStage<HostAndPort> primary() {
    return ask(first, places.size(), null);
  }

  private CompletableFuture<HostAndPort> ask(int index, int left, @Nullable Throwable gravest) {
    if (left == 0) {
      return CompletableFuture.failedFuture(
          Failures.ofConnection("no sentinel of '" + service + "' answers", gravest));
    }
    int at = index % places.size();
    return askOne(places.get(at))
        .thenApply(
            place -> {
              first = at;
              return place;
            })
        .exceptionallyCompose(failure -> ask(at + 1, left - 1, Failures.graver(gravest, failure)));
  }

  private CompletableFuture<HostAndPort> askOne(HostAndPort sentinel) {
    return connector
        .connectSentinel(sentinel)
        .toCompletableFuture()
        .thenCompose(
            connection ->
                connection
                    .async()
                    .getMasterAddrByName(service)
                    .toCompletableFuture()
                    .thenApply(this::place)
                    .whenComplete((place, failure) -> Answers.ignore(connection.closeAsync())));
  }

  private HostAndPort place(@Nullable SocketAddress address) {
    if (address instanceof InetSocketAddress known) {
      return new HostAndPort(known.getHostString(), known.getPort());
    }
    throw BackendException.notApplied("the sentinel does not know '" + service + "'", null);
  }
}
