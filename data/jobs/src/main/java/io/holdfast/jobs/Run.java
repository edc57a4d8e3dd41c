// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import io.holdfast.FencingToken;
import io.holdfast.jobs.JobListener.LossOfClaim;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A claim, from when it was made until its end is told. */
final class Run implements JobContext {
  private final ClaimedJob job;
  private final String queue;
  private final FencingToken token;
  private final Registration registration;
  private final Completion completion;
  private volatile @Nullable String transaction;
  private volatile @Nullable LossOfClaim loss;
  private @Nullable Thread thread;
  private long begunNanos;

  /** Completes a claim in a transaction of the handler; empty if the claim is gone. */
  @FunctionalInterface
  interface Completion {
    Optional<String> on(Connection connection, Run run) throws SQLException;
  }

  Run(ClaimedJob job, String queue, Registration registration, Completion completion) {
    this.job = job;
    this.queue = queue;
    this.token = new FencingToken(job.token());
    this.registration = registration;
    this.completion = completion;
  }

  @Override
  public long id() {
    return job.id();
  }

  @Override
  public String queue() {
    return queue;
  }

  @Override
  public String payload() {
    return job.payload();
  }

  @Override
  public int attempt() {
    return job.attempt();
  }

  @Override
  public int maxAttempts() {
    return job.maxAttempts();
  }

  @Override
  public Optional<Instant> due() {
    return Optional.ofNullable(job.due());
  }

  @Override
  public FencingToken token() {
    return token;
  }

  Registration registration() {
    return registration;
  }

  @Override
  public boolean isHeld() {
    return loss == null && registration.isAlive();
  }

  @Override
  public void requireHeld() {
    if (!isHeld()) {
      throw new ClaimLostException(id(), token);
    }
  }

  @Override
  public void complete(Connection connection) throws SQLException {
    if (connection.getAutoCommit()) {
      throw new IllegalStateException(
          "job %d is completed in a transaction: setAutoCommit(false) first".formatted(id()));
    }
    transaction =
        completion.on(connection, this).orElseThrow(() -> new ClaimLostException(id(), token));
  }

  /** The transaction of the handler that completes the job, if it is committed; or none. */
  Optional<String> transaction() {
    return Optional.ofNullable(transaction);
  }

  /** The job's group; or none. */
  Optional<String> group() {
    return Optional.ofNullable(job.group());
  }

  /** Whether it may begin only when the database knows that it does. */
  boolean isPrefetched() {
    return job.isPrefetched();
  }

  /**
   * Whether nothing but its own beginning may count as an attempt: it failed before, or this is the
   * last attempt.
   */
  boolean countsExactly() {
    return job.attempt() > 1 || job.attempt() >= job.maxAttempts();
  }

  /** False if the claim was lost before the handler could begin. */
  synchronized boolean begin(long nanos) {
    if (!isHeld()) {
      return false;
    }
    thread = Thread.currentThread();
    begunNanos = nanos;
    return true;
  }

  /** For how long the handler has been running; none if it does not. */
  synchronized OptionalLong ranNanos(long now) {
    return thread == null ? OptionalLong.empty() : OptionalLong.of(now - begunNanos);
  }

  boolean isTimedOut() {
    return loss == LossOfClaim.TIMED_OUT;
  }

  /** After this nobody interrupts; and no interrupt is left for the thread's next job. */
  @SuppressWarnings("ThreadInterruptedResult") // Clearing it is the purpose.
  synchronized void end() {
    thread = null;
    Thread.interrupted();
  }

  /** True if its handler was running and has been interrupted now. */
  synchronized boolean lose(LossOfClaim cause) {
    if (loss != null) {
      return false;
    }
    loss = cause;
    if (thread == null) {
      return false;
    }
    thread.interrupt();
    return true;
  }

  JobListener.Subject subject() {
    return new JobListener.Subject(queue, id(), attempt(), token);
  }
}
