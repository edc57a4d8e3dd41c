// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockException;
import io.holdfast.LockState;
import io.holdfast.LockState.Holding;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Says what a wait for a lock is for: whoever sits before a silent program wonders. */
record Waiting(Common common, Holdfast holdfast, String name) {
  /** As long as nobody wonders. */
  private static final Duration MOMENT = Duration.ofMillis(1200);

  /**
   * For nodes that are new, with the longest lease time that they have by default, and a little.
   */
  private static final Duration READINESS = Duration.ofSeconds(90);

  /**
   * Acquires and releases a lock that nobody else has, so that a store which is not ready yet is
   * waited for here and not by somebody who measures it.
   *
   * @throws IllegalStateException if it does not become ready
   */
  void untilReady() {
    CompletableFuture<Optional<Lease>> asked = holdfast.lock(name).async().tryAcquire(READINESS);
    watch(asked);
    answer(asked)
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "%s has granted nothing within %s; see 'holdfast doctor'"
                        .formatted(common.place(), TimeText.of(READINESS))))
        .release();
  }

  /** What was asked for, or what went wrong, as it would be without a future. */
  static Optional<Lease> answer(CompletableFuture<Optional<Lease>> asked) {
    try {
      return asked.join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof RuntimeException problem) {
        throw problem;
      }
      throw failed;
    }
  }

  /** Says why, once, if there is no answer within a moment. */
  void watch(CompletableFuture<?> asked) {
    Thread thread =
        new Thread(
            () -> {
              if (lastsLongerThanAMoment(asked)) {
                explain().filter(text -> !asked.isDone()).ifPresent(Message.WAITING::say);
              }
            },
            "holdfast-waiting");
    thread.setDaemon(true);
    thread.start();
  }

  private static boolean lastsLongerThanAMoment(CompletableFuture<?> asked) {
    try {
      asked.get(MOMENT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException lasts) {
      return true;
    } catch (ExecutionException | InterruptedException | RuntimeException answered) {
      return false;
    }
    return false;
  }

  /**
   * That somebody holds it is what locks are for: news for a person, and noise in the mail of cron.
   */
  private Optional<String> explain() {
    Optional<String> holder = holder();
    return holder.isPresent()
        ? holder
            .filter(text -> common.isForPeople() || common.json())
            .map(text -> "waiting: " + text)
        : unready().map(text -> "waiting: " + text);
  }

  /** Why the lock was not granted, with the next step. */
  String refusal() {
    return holder()
        .orElse(
            "lock '" + name + "' is held by somebody else; see 'holdfast inspect " + name + "'");
  }

  private Optional<String> holder() {
    try {
      LockState state = holdfast.inspect(name);
      return state.holders().stream().findFirst().map(holding -> text(holding, state));
    } catch (LockException unknown) {
      return Optional.empty();
    }
  }

  private String text(Holding holding, LockState state) {
    int others = state.holders().size() - 1;
    return "lock '%s' is held by %s%s%s%s; see 'holdfast inspect %s'"
        .formatted(
            name,
            States.who(holding.origin(), holding.holder()),
            holding.purpose().map(text -> " (" + text + ")").orElse(""),
            holding.held().map(time -> ", for " + TimeText.of(time)).orElse(""),
            others > 0 ? ", and " + others + " more" : "",
            name);
  }

  /** A quorum is the one store that has nothing against us and grants nothing. */
  private Optional<String> unready() {
    return common.scheme().equals("quorum")
        ? Optional.of(
            "nobody holds lock '"
                + name
                + "', but the quorum grants nothing yet: nodes that are new, or were restarted, rest"
                + " for the longest lease time (60s by default) before they vote; see"
                + " docs/backends/quorum.md")
        : Optional.empty();
  }
}
