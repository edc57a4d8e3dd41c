// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.BackendException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** The connection to one sentinel, on which it is asked and tells of fail-overs. */
final class SentinelLine implements Link.Line {
  private static final String SWITCHED = "+switch-master";

  private final StatefulRedisPubSubConnection<String, String> connection;
  private final HostAndPort place;
  private final String service;

  private SentinelLine(
      StatefulRedisPubSubConnection<String, String> connection, HostAndPort place, String service) {
    this.connection = connection;
    this.place = place;
    this.service = service;
  }

  /**
   * Subscribes, and completes when the sentinel has acknowledged it.
   *
   * @param switched told of a fail-over of this service; it is a hint to ask
   */
  static CompletionStage<SentinelLine> ready(
      StatefulRedisPubSubConnection<String, String> connection,
      HostAndPort place,
      String service,
      Consumer<SentinelLine> switched) {
    SentinelLine line = new SentinelLine(connection, place, service);
    connection.addListener(
        new RedisPubSubAdapter<>() {
          @Override
          public void message(String channel, String message) {
            if (message.startsWith(service + " ")) {
              switched.accept(line);
            }
          }
        });
    return connection
        .async()
        .subscribe(SWITCHED)
        .thenApply(acknowledged -> line)
        .whenComplete(
            (unused, failure) -> {
              if (failure != null) {
                line.close();
              }
            });
  }

  /**
   * Asks where the primary is. The epoch comes first: a fail-over between the two questions then
   * gives a view that does not count yet, and the next one does. {@code SENTINEL MASTER} alone does
   * not do, because the sentinel that leads a fail-over shows the old address there for a while.
   */
  CompletableFuture<SentinelViews.View> ask() {
    return ask("MASTER")
        .thenCombine(
            ask("GET-MASTER-ADDR-BY-NAME"),
            (fields, address) -> new SentinelViews.View(epoch(fields), primary(address)))
        .exceptionallyCompose(failure -> CompletableFuture.failedFuture(explained(failure)));
  }

  private Throwable explained(Throwable failure) {
    Throwable root = Failures.root(failure);
    return String.valueOf(root.getMessage()).contains("No such master") ? unknown() : root;
  }

  private CompletableFuture<List<Object>> ask(String question) {
    return connection
        .async()
        .dispatch(
            CommandType.SENTINEL,
            new NestedMultiOutput<>(StringCodec.UTF8),
            new CommandArgs<>(StringCodec.UTF8).add(question).add(service))
        .toCompletableFuture();
  }

  private long epoch(List<Object> fields) {
    int at = fields.indexOf("config-epoch");
    if (at < 0 || at + 1 == fields.size()) {
      throw unknown();
    }
    return Long.parseLong(fields.get(at + 1).toString());
  }

  private HostAndPort primary(List<Object> address) {
    if (address.size() != 2 || address.get(0) == null || address.get(1) == null) {
      throw unknown();
    }
    return new HostAndPort(address.get(0).toString(), Integer.parseInt(address.get(1).toString()));
  }

  private BackendException unknown() {
    return BackendException.notApplied(
        "the sentinel at " + place + " does not know a primary by the name '" + service + "'",
        null);
  }

  @Override
  public HostAndPort place() {
    return place;
  }

  @Override
  public void close() {
    if (connection.isOpen()) {
      Answers.ignore(connection.closeAsync());
    }
  }
}
