// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import io.holdfast.FencingToken;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Hears of everything that happens to the jobs of one {@link Jobs}: the one hook for metrics, logs
 * and consoles. Called on the threads of the workers, several at a time, so it must be quick; what
 * it throws is logged and harms nothing.
 */
public interface JobListener {

  /** A worker asked for jobs, and got some. */
  default void claimed(Claimed event) {}

  /** A job is done, and the database knows it. */
  default void completed(Completed event) {}

  /** An attempt failed, and the job will be tried again. */
  default void failed(Failed event) {}

  /** A handler snoozed its job, and the database knows it. */
  default void snoozed(Snoozed event) {}

  /** A job has become a dead letter. */
  default void buried(Buried event) {}

  /** A claim was lost while its job ran: its handler was interrupted. */
  default void lost(Lost event) {}

  /** The database refused a result, because the claim was not the worker's any more. */
  default void stale(Stale event) {}

  /** A job was taken from a dead worker, and is ready again. */
  default void rescued(Rescued event) {}

  /** The database could not be asked, or a worker met an error; it tries again. */
  default void trouble(Trouble event) {}

  /**
   * The claim that an event is about.
   *
   * @param queue the queue
   * @param id the job
   * @param attempt which attempt it is, the first being 1
   * @param token the claim's token
   */
  record Subject(String queue, long id, int attempt, FencingToken token) {}

  /**
   * A worker got jobs.
   *
   * @param queue the queue
   * @param count how many it got
   * @param asked how many it asked for
   */
  record Claimed(String queue, int count, int asked) {}

  /**
   * A job is done.
   *
   * @param subject the claim
   * @param ran how long its handler ran
   */
  record Completed(Subject subject, Duration ran) {}

  /**
   * An attempt failed.
   *
   * @param subject the claim
   * @param ran how long its handler ran
   * @param error what the handler threw
   * @param rest how long the job rests
   */
  record Failed(Subject subject, Duration ran, Throwable error, Duration rest) {}

  /**
   * A job was snoozed.
   *
   * @param subject the claim
   * @param ran how long its handler ran
   * @param time how long the job is snoozed
   */
  record Snoozed(Subject subject, Duration ran, Duration time) {}

  /**
   * A job has become a dead letter.
   *
   * @param queue the queue
   * @param id the job
   * @param attempts how often it was tried
   * @param error what its last attempt ended with
   */
  record Buried(String queue, long id, int attempts, String error) {}

  /**
   * A claim was lost while its job ran.
   *
   * @param subject the claim
   * @param cause why
   */
  record Lost(Subject subject, LossOfClaim cause) {}

  /**
   * A result was refused, and has changed nothing.
   *
   * @param subject the claim
   * @param result what the worker had to say
   * @param isRepeat whether an earlier try to say it was not answered, and may have been accepted
   */
  record Stale(Subject subject, Result result, boolean isRepeat) {}

  /**
   * A job was taken from a dead worker.
   *
   * @param queue the queue
   * @param id the job
   * @param attempt which attempt ended with its worker
   */
  record Rescued(String queue, long id, int attempt) {}

  /**
   * The database could not be asked, or a worker met an error.
   *
   * @param queue the worker's queue
   * @param what what was to be done
   * @param problem what came back: a {@link SQLException}, unless something else is broken
   */
  record Trouble(String queue, String what, Throwable problem) {}

  /** Why a claim was lost. */
  enum LossOfClaim {
    /** The worker could not tell the database in time that it lives. */
    HEARTBEAT,
    /** Others took the worker for dead, and took its jobs. */
    RESCUED,
    /** The job was cancelled. */
    CANCELLED,
    /** Its handler ran for longer than the worker's time-out. */
    TIMED_OUT,
    /** The worker was closed, and the job did not end in time. */
    CLOSED
  }

  /** What a worker says of a job. */
  enum Result {
    /** It is done. */
    COMPLETED,
    /** It is to be tried again. */
    FAILED,
    /** It failed in its last attempt, or for good. */
    BURIED,
    /** It is to run later, and this was no attempt. */
    SNOOZED,
    /** It was not begun. */
    RELEASED
  }
}
