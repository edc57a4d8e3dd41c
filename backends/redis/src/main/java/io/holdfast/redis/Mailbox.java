// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.spi.BackendContext;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A connection on which one server sends us messages. */
final class Mailbox implements Link.Line {
  private final StatefulRedisPubSubConnection<String, String> connection;
  private final HostAndPort place;
  private volatile String run = "";
  private final SlotChannels slots;

  private Mailbox(
      StatefulRedisPubSubConnection<String, String> connection,
      HostAndPort place,
      SlotChannels slots,
      Server.Ear ear) {
    this.connection = connection;
    this.place = place;
    this.slots = slots;
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
            if (slots.endedByServer(channel)) {
              ear.listensAgain();
            }
          }
        });
  }

  /**
   * Subscribes to the client's own channel, and completes when the server has said so. Fails at a
   * server that is not fit: a replica carries messages, but the primary does not count who hears
   * them there.
   */
  static CompletionStage<Mailbox> ready(
      BackendContext context,
      StatefulRedisPubSubConnection<String, String> connection,
      HostAndPort place,
      boolean cluster,
      String channel,
      Server.Ear ear) {
    Mailbox mailbox =
        new Mailbox(connection, place, new SlotChannels(context, connection, ear), ear);
    return connection
        .async()
        .info()
        .thenCompose(
            text -> {
              ServerInfo info = ServerInfo.parse(text);
              info.requireFitness(place, cluster);
              mailbox.run = info.run();
              return connection.async().subscribe(channel);
            })
        .thenApply(acknowledged -> mailbox)
        .whenComplete(
            (unused, failure) -> {
              if (failure != null) {
                mailbox.close();
              }
            });
  }

  /** Subscribes to a channel of one slot, and completes when the server has said so. */
  CompletableFuture<Void> subscribe(String sharded) {
    return slots.subscribe(sharded);
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
