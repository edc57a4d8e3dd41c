// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** A connection on which one server sends us messages. */
final class Mailbox implements Link.Line {
  private final StatefulRedisPubSubConnection<String, String> connection;
  private final HostAndPort place;
  private volatile String run = "";
  private final Map<String, CompletableFuture<Void>> shards = new ConcurrentHashMap<>();

  private Mailbox(
      StatefulRedisPubSubConnection<String, String> connection, HostAndPort place, Server.Ear ear) {
    this.connection = connection;
    this.place = place;
    connection.addListener(
        new RedisPubSubAdapter<>() {
          @Override
          public void message(String unused, String message) {
            ear.message(message);
          }

          @Override
          public void smessage(String unused, String message) {
            ear.message(message);
          }

          @Override
          public void sunsubscribed(String channel, long count) {
            shards.remove(channel);
            ear.listensAgain();
          }
        });
  }

  /** Subscribes to the client's own channel, and completes when the server has said so. */
  static CompletionStage<Mailbox> ready(
      StatefulRedisPubSubConnection<String, String> connection,
      HostAndPort place,
      String channel,
      Server.Ear ear) {
    Mailbox mailbox = new Mailbox(connection, place, ear);
    return connection
        .async()
        .info("server")
        .thenAccept(info -> mailbox.run = ServerInfo.parse(info).run())
        .thenCombine(connection.async().subscribe(channel), (known, acknowledged) -> mailbox)
        .whenComplete(
            (unused, failure) -> {
              if (failure != null) {
                mailbox.close();
              }
            });
  }

  /**
   * Subscribes to a channel of one slot, once, and completes when the server has said so. The
   * server ends the subscription when the slot moves; then the next request subscribes where it is
   * now.
   */
  CompletableFuture<Void> subscribe(String sharded) {
    CompletableFuture<Void> acknowledged = new CompletableFuture<>();
    CompletableFuture<Void> known = shards.putIfAbsent(sharded, acknowledged);
    if (known != null) {
      return known;
    }
    Answers.handle(
        connection.async().ssubscribe(sharded),
        (done, failure) -> {
          if (failure == null) {
            acknowledged.complete(null);
          } else {
            shards.remove(sharded, acknowledged);
            acknowledged.completeExceptionally(failure);
          }
        });
    return acknowledged;
  }

  @Override
  public HostAndPort place() {
    return place;
  }

  @Override
  public String run() {
    return run;
  }

  @Override
  public void close() {
    if (connection.isOpen()) {
      Answers.ignore(connection.closeAsync());
    }
  }
}
