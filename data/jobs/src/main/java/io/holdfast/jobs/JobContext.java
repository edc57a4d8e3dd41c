// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import io.holdfast.FencingToken;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/** A job while it runs: what it is, and whether it is still this worker's. */
public interface JobContext {

  /** The job's number: the same in every attempt. */
  long id();

  /** Its queue. */
  String queue();

  /** What it was enqueued with, as PostgreSQL writes that JSON. */
  String payload();

  /** Which attempt this is, the first being 1. */
  int attempt();

  /** After how many attempts it becomes a dead letter. */
  int maxAttempts();

  /**
   * Of a {@link RecurringJob} the time for which it was enqueued, in every attempt; empty for other
   * jobs.
   */
  Optional<Instant> due();

  /**
   * The token of this claim: greater than those of all claims before it, of this job and of others.
   * Show it to a {@link io.holdfast.jdbc.FencingGuard} whose resource is what the job changes: then
   * an earlier run that was paused can change nothing any more.
   */
  FencingToken token();

  /**
   * Whether the claim is this worker's, as far as it knows: no round trip. False once the worker
   * could not tell the database in time that it lives, or once the job was cancelled.
   */
  boolean isHeld();

  /**
   * Goes on only if {@link #isHeld()}.
   *
   * @throws ClaimLostException if it is not
   */
  void requireHeld();

  /**
   * Completes the job in the caller's transaction: what that does and the end of the job happen
   * together or not at all, so that the effect happens exactly once. Make it the first statement:
   * from there on nobody else can have the job until the transaction ends.
   *
   * @throws ClaimLostException if the claim is not this worker's any more; roll back
   * @throws IllegalStateException if the connection commits each statement on its own
   */
  void complete(Connection connection) throws SQLException;
}
