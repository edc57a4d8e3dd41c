// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.BackendException;
import io.holdfast.spi.BackendContext;
import io.lettuce.core.RedisCommandTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the primary is, as the sentinels say: one connection to each, on which it tells of
 * fail-overs. Messages can be missed, so a sentinel is also asked whenever it is connected, and one
 * of them, in turn, every second. Which view counts is said in {@link SentinelViews}.
 *
 * <p>While no sentinel can be reached the primary is where it was last said to be.
 */
final class Sentinels implements Locator {
  private static final Logger LOG = LoggerFactory.getLogger(RedisBackend.class);
  private static final Duration PACE = Duration.ofSeconds(1);

  private final String service;
  private final BackendContext context;
  private final List<Link<SentinelLine>> links = new ArrayList<>();
  private final SentinelViews views;
  private volatile Runnable moved = () -> {};
  private volatile boolean closed;
  private int turn;

  Sentinels(Connector connector, RedisSettings settings, BackendContext context) {
    String named = settings.service();
    this.service = named == null ? "" : named;
    this.context = context;
    this.views = new SentinelViews(settings.hosts().size());
    for (HostAndPort place : settings.hosts()) {
      int sentinel = links.size();
      links.add(
          new Link<>(
              "the sentinel at " + place,
              context,
              broken ->
                  connector
                      .connectSentinel(place, broken)
                      .thenCompose(
                          connection ->
                              SentinelLine.ready(
                                  connection, place, service, line -> askAgain(sentinel, line))),
              line -> askAgain(sentinel, line)));
    }
  }

  @Override
  public void watch(Runnable moved) {
    this.moved = moved;
    context.after(PACE, this::poll);
  }

  private void poll() {
    if (closed) {
      return;
    }
    int sentinel = turn++ % links.size();
    links.get(sentinel).peek().ifPresent(line -> askAgain(sentinel, line));
    context.after(PACE, this::poll);
  }

  /**
   * Asks all sentinels, and completes when most have answered, so that at least one of those knows
   * of the last fail-over; or when no more can answer.
   */
  @Override
  public CompletionStage<HostAndPort> primary() {
    Poll poll = new Poll();
    for (int i = 0; i < links.size(); i++) {
      int sentinel = i;
      Answers.handle(
          links.get(i).line().thenCompose(line -> ask(sentinel, line)),
          (view, failure) -> poll.answered(failure));
    }
    return poll.primary;
  }

  /** One question to all sentinels. */
  private final class Poll {
    final CompletableFuture<HostAndPort> primary = new CompletableFuture<>();
    private int answers;
    private int failures;
    private @Nullable Throwable gravest;

    void answered(@Nullable Throwable failure) {
      synchronized (this) {
        if (failure == null) {
          answers++;
        } else {
          failures++;
          gravest = Failures.graver(gravest, failure);
        }
        if (2 * answers <= links.size() && answers + failures < links.size()) {
          return;
        }
      }
      views
          .believed()
          .ifPresentOrElse(
              view -> primary.complete(view.primary()),
              () ->
                  primary.completeExceptionally(
                      Failures.ofConnection(
                          "no sentinel says where '" + service + "' is", gravest)));
    }
  }

  private void askAgain(int sentinel, SentinelLine line) {
    Answers.ignore(ask(sentinel, line));
  }

  private CompletableFuture<SentinelViews.View> ask(int sentinel, SentinelLine line) {
    CompletableFuture<SentinelViews.View> asked =
        line.ask()
            .thenApply(
                view -> {
                  views.hear(sentinel, view).ifPresent(this::left);
                  return view;
                });
    Answers.handle(
        asked,
        (view, failure) -> {
          if (failure != null && Failures.root(failure) instanceof RedisCommandTimeoutException) {
            links.get(sentinel).drop(line);
          }
        });
    return asked;
  }

  private void left(HostAndPort old) {
    if (!closed) {
      HostAndPort now = views.believed().map(SentinelViews.View::primary).orElse(old);
      LOG.atInfo()
          .addKeyValue("service", service)
          .addKeyValue("primary", now)
          .log("The primary of '{}' moved from {} to {}", service, old, now);
      moved.run();
    }
  }

  @Override
  public boolean isPrimary(HostAndPort place) {
    return views.isPrimary(place);
  }

  @Override
  public void close() {
    closed = true;
    BackendException reason =
        BackendException.refused("the client of '" + service + "' was closed", null);
    links.forEach(link -> link.close(reason));
  }
}
