// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static java.util.Objects.requireNonNull;

import io.holdfast.BackendException;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.ForwardingBackend;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A store that answers as a test tells it to, keeps what it was asked, and has a test signal. */
final class ScriptedStore extends ForwardingBackend {
  final List<AcquireRequest> requests = new CopyOnWriteArrayList<>();
  final List<Hold> releases = new CopyOnWriteArrayList<>();
  private final Deque<CompletionStage<Acquisition>> answers = new ArrayDeque<>();
  private final List<CompletableFuture<?>> unanswered = new CopyOnWriteArrayList<>();
  private Renewal renewal = Renewal.RENEWED;
  private CompletionStage<Boolean> released = CompletableFuture.completedFuture(true);
  private @Nullable BackendContext core;

  ScriptedStore() {
    super(BackendProvider.backendAt("memory:"));
  }

  BackendContext core() {
    return requireNonNull(core);
  }

  /** The answer to the next acquire for which there is none yet; after the last one: held. */
  void next(Acquisition answer) {
    answers.add(CompletableFuture.completedFuture(answer));
  }

  /** The next acquire is answered when the test completes this. */
  CompletableFuture<Acquisition> nextLater() {
    CompletableFuture<Acquisition> answer = new CompletableFuture<>();
    answers.add(answer);
    unanswered.add(answer);
    return answer;
  }

  /** The answer to all renewals. */
  void renewal(Renewal answer) {
    renewal = answer;
  }

  /** Releases are answered when the test completes this. */
  CompletableFuture<Boolean> releasedLater() {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    released = answer;
    unanswered.add(answer);
    return answer;
  }

  /** Fails what the test has not answered: closing waits for it, also after a test that failed. */
  void heal() {
    unanswered.forEach(
        answer -> answer.completeExceptionally(BackendException.unknown("healed", null)));
  }

  /** A grant that is as old as this. */
  Acquisition.Granted grant(Duration age) {
    return new Acquisition.Granted(1, 0, core().now().plusNanos(-age.toNanos()));
  }

  @Override
  public void start(BackendContext context) {
    core = context;
    super.start(context);
  }

  @Override
  public CompletionStage<Acquisition> acquire(AcquireRequest request) {
    requests.add(request);
    CompletionStage<Acquisition> answer = answers.poll();
    return answer == null
        ? CompletableFuture.completedFuture(new Acquisition.Held(Duration.ofHours(1)))
        : answer;
  }

  @Override
  public CompletionStage<List<Renewal>> renew(List<Hold> holds) {
    return CompletableFuture.completedFuture(holds.stream().map(hold -> renewal).toList());
  }

  @Override
  public CompletionStage<Boolean> release(Hold hold) {
    releases.add(hold);
    return released;
  }
}
