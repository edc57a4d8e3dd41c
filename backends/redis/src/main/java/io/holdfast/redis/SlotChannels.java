// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.spi.BackendContext;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The channels of slots to which one connection to a server of a cluster is subscribed. A channel
 * that no waiter has used for a minute is given up.
 *
 * <p>A waiter is known to use its channel before it asks for the subscription, and commands are
 * sent in the order in which the state changes. So a waiter either keeps the subscription, or makes
 * a new one, which is acknowledged after the end of the old one.
 */
final class SlotChannels {
  private static final Duration IDLE = Duration.ofMinutes(1);

  private final BackendContext context;
  private final StatefulRedisPubSubConnection<String, String> connection;
  private final Server.Ear ear;
  private final Map<String, Subscription> subscriptions = new HashMap<>();

  /** Those of which the server has not yet said that it ended the subscription as asked. */
  private final Set<String> givenUp = new HashSet<>();

  private boolean isLookDue;

  private static final class Subscription {
    final CompletableFuture<Void> acknowledged = new CompletableFuture<>();
    long usedNanos;
  }

  SlotChannels(
      BackendContext context,
      StatefulRedisPubSubConnection<String, String> connection,
      Server.Ear ear) {
    this.context = context;
    this.connection = connection;
    this.ear = ear;
  }

  /**
   * Subscribes to a channel, once, and completes when the server has said so. The server ends the
   * subscription when the slot moves; then the next request subscribes where it is now.
   */
  CompletableFuture<Void> subscribe(String channel) {
    Subscription subscription;
    RedisFuture<Void> sent;
    synchronized (this) {
      Subscription known = subscriptions.get(channel);
      subscription = known == null ? new Subscription() : known;
      subscription.usedNanos = context.now().monotonicNanos();
      if (known != null) {
        return known.acknowledged;
      }
      subscriptions.put(channel, subscription);
      lookLater();
      sent = connection.async().ssubscribe(channel);
    }
    Answers.handle(
        sent,
        (done, failure) -> {
          if (failure == null) {
            subscription.acknowledged.complete(null);
          } else {
            forget(channel, subscription);
            subscription.acknowledged.completeExceptionally(failure);
          }
        });
    return subscription.acknowledged;
  }

  private synchronized void forget(String channel, Subscription failed) {
    subscriptions.remove(channel, failed);
  }

  private void lookLater() {
    if (!isLookDue && !subscriptions.isEmpty() && connection.isOpen()) {
      isLookDue = true;
      context.after(IDLE, this::giveUpIdle);
    }
  }

  private synchronized void giveUpIdle() {
    isLookDue = false;
    long nowNanos = context.now().monotonicNanos();
    Set<String> inUse = ear.channelsInUse();
    List<String> idle = new ArrayList<>();
    subscriptions.forEach(
        (channel, subscription) -> {
          boolean wasUsed = nowNanos - subscription.usedNanos < IDLE.toNanos();
          if (!wasUsed && !inUse.contains(channel)) {
            idle.add(channel);
          }
        });
    idle.forEach(this::giveUp);
    lookLater();
  }

  private void giveUp(String channel) {
    subscriptions.remove(channel);
    givenUp.add(channel);
    Answers.handle(
        connection.async().sunsubscribe(channel),
        (done, failure) -> {
          if (failure != null) {
            synchronized (this) {
              givenUp.remove(channel);
            }
          }
        });
  }

  /**
   * Takes note of the end of a subscription.
   *
   * @return whether the server ended it by itself, so that messages may be missed
   */
  synchronized boolean endedByServer(String channel) {
    if (givenUp.remove(channel)) {
      return false;
    }
    subscriptions.remove(channel);
    return true;
  }
}
