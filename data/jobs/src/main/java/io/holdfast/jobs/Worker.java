// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import io.holdfast.jobs.JobListener.LossOfClaim;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs the jobs of one queue, several at a time, until it is closed.
 *
 * <p>It claims jobs in batches and tells the database three times in a {@linkplain
 * Builder#leaseTime lease time} that it lives. If it cannot, it stops its own jobs, by interrupting
 * their handlers, before others may take them; if it is dead or paused, whichever worker notices
 * first takes its jobs when the lease time is over, and what it says of them later changes nothing.
 *
 * <p>For a statement at a time it borrows up to five connections from the data source, and up to
 * seven if it prefetches jobs and has a time-out.
 */
public final class Worker implements AutoCloseable {
  private static final Duration GRACE = Duration.ofSeconds(1);

  private final WorkerParts parts;
  private final JobHandler handler;
  private final Hints hints;
  private final Heart heart;
  private final Claimer claimer;
  private final Settler settler;
  private final Recurrences recurrences;
  private final Keeper keeper;
  private final Timeouts timeouts;
  private final List<Thread> threads = new ArrayList<>();
  private final Thread settling;
  private boolean closed;

  Worker(WorkerParts parts, JobHandler handler, Housekeeping housekeeping, Hints hints) {
    this.parts = parts;
    this.handler = handler;
    this.hints = hints;
    this.heart = new Heart(parts);
    this.claimer = new Claimer(parts, heart);
    this.recurrences = new Recurrences(parts, claimer::hint);
    this.settler = new Settler(parts, claimer::doubt, claimer::hint, recurrences::wake);
    this.keeper = new Keeper(parts, housekeeping);
    this.timeouts = new Timeouts(parts, heart, settler);
    this.settling = start("settler", settler);
    start("heart", heart::beat);
    start("watch", heart::watch);
    start("keeper", keeper);
    start("recurrences", recurrences);
    if (parts.settings().hasTimeout()) {
      start("timeouts", timeouts);
    }
    if (parts.settings().prefetch() > 0) {
      start("marker", new Marker(parts));
    }
    for (int i = 0; i < parts.settings().concurrency(); i++) {
      start("job-" + i, this::runJobs);
    }
    start("claimer", claimer);
    hints.listen(parts.queue(), claimer);
  }

  private Thread start(String what, Runnable task) {
    Thread thread = Threads.start("holdfast-jobs-" + parts.queue() + "-" + what, task);
    threads.add(thread);
    return thread;
  }

  private void runJobs() {
    new Loop(parts, "run jobs", parts.hand()::isOver, this::runNext).run();
  }

  private void runNext() throws InterruptedException {
    Run run = parts.hand().take();
    if (run == null) {
      return;
    }
    try {
      runJob(run);
    } catch (RuntimeException | Error failed) {
      // Its end will not be told: the database is to give it to somebody else.
      parts.hand().forget(List.of(run));
      claimer.doubt();
      throw failed;
    } finally {
      parts.hand().ended(run);
    }
  }

  private void runJob(Run run) {
    long begun = parts.time().nanos();
    if (!run.begin(begun)) {
      parts.hand().forget(List.of(run));
      return;
    }
    Throwable thrown = null;
    try {
      handler.run(run);
    } catch (Throwable failed) {
      thrown = failed;
    } finally {
      run.end();
    }
    Duration ran = Duration.ofNanos(parts.time().nanos() - begun);
    settler.add(ending(run, ran, thrown));
  }

  private Ending ending(Run run, Duration ran, @Nullable Throwable thrown) {
    if (run.isTimedOut()) {
      return Ending.timedOut(run, ran, thrown, parts.settings());
    }
    return thrown == null
        ? Ending.completed(run, ran)
        : Ending.thrown(run, ran, thrown, parts.settings().retries());
  }

  /** How many jobs run now. */
  public int running() {
    return parts.hand().running().size();
  }

  /**
   * Begins no more jobs, gives back those that it has not begun, and waits for those that run, for
   * the {@linkplain Builder#drainTime drain time} at most, while it goes on to say that it lives.
   * Then it interrupts what still runs. Handlers that do not end even then keep their jobs from
   * others until the lease time is over.
   */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    hints.forget(claimer);
    claimer.close();
    recurrences.close();
    parts.hand().close().forEach(run -> settler.add(Ending.released(run)));
    boolean idle = drain();
    settler.close();
    Threads.join(settling);
    heart.close();
    keeper.close();
    timeouts.close();
    threads.forEach(thread -> stop(thread, idle));
    if (idle) {
      leave();
    }
  }

  /** Whether nothing runs any more. */
  private boolean drain() {
    try {
      if (parts.hand().awaitIdle(parts.settings().drainTime().toNanos())) {
        return true;
      }
      parts.hand().running().forEach(run -> heart.lose(run, LossOfClaim.CLOSED));
      return parts.hand().awaitIdle(GRACE.toNanos());
    } catch (InterruptedException interrupted) {
      parts.hand().running().forEach(run -> heart.lose(run, LossOfClaim.CLOSED));
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static void stop(Thread thread, boolean idle) {
    thread.interrupt();
    if (idle) {
      Threads.join(thread);
    }
  }

  private void leave() {
    try {
      heart.leave();
    } catch (SQLException failed) {
      parts.trouble("let the worker go", failed);
    } catch (RuntimeException | Error failed) {
      parts.events().broken(parts.queue(), "leave", failed);
    }
  }

  @Override
  public String toString() {
    return "worker of '" + parts.queue() + "'";
  }

  /** Settings of a worker; each has a default. */
  public static final class Builder {
    private final Jobs jobs;
    private final String queue;
    private final JobHandler handler;
    private String name = "pid " + ProcessHandle.current().pid();
    private int concurrency = 10;
    private int prefetch;
    private Duration leaseTime = Duration.ofSeconds(10);
    private Duration pollInterval = Duration.ofSeconds(1);
    private Duration drainTime = Duration.ofSeconds(30);
    private Duration timeout = WorkerSettings.NO_TIMEOUT;
    private RetryPolicy retries = RetryPolicy.defaults();

    Builder(Jobs jobs, String queue, JobHandler handler) {
      this.jobs = jobs;
      this.queue = queue;
      this.handler = handler;
    }

    /** How many jobs run at once, each on a thread. 10. */
    public Builder concurrency(int value) {
      concurrency = value;
      return this;
    }

    /**
     * How many jobs are claimed beyond those that run, so that claims are larger and rarer. 0. Good
     * for jobs of milliseconds; a job of minutes would keep those behind it from other workers.
     */
    public Builder prefetch(int value) {
      prefetch = value;
      return this;
    }

    /** How long after its last heartbeat a worker counts as dead. 10 seconds. */
    public Builder leaseTime(Duration value) {
      leaseTime = value;
      return this;
    }

    /** How often an idle worker looks for jobs, and for scheduled ones that are due. A second. */
    public Builder pollInterval(Duration value) {
      pollInterval = value;
      return this;
    }

    /** For how long {@link Worker#close()} waits for jobs that run. 30 seconds. */
    public Builder drainTime(Duration value) {
      drainTime = value;
      return this;
    }

    /**
     * How long a handler may run. As long as it likes. When this time is over it is interrupted,
     * and the attempt has failed with a {@link JobTimeoutException}, even if the handler returns
     * then. If it has not ended a second later, the job is tried again all the same, possibly by
     * another worker, with a new token; the handler keeps its thread, one of {@link #concurrency},
     * until it ends.
     */
    public Builder timeout(Duration value) {
      timeout = value;
      return this;
    }

    /** How long jobs rest after a failure. */
    public Builder retries(RetryPolicy value) {
      retries = value;
      return this;
    }

    /** What the worker is called in the database. The process id, unless told otherwise. */
    public Builder name(String value) {
      name = value;
      return this;
    }

    /**
     * Starts it. It works as soon as the database answers.
     *
     * @throws IllegalArgumentException if a setting makes no sense
     */
    public Worker start() {
      return jobs.start(
          new WorkerSettings(
              queue,
              name,
              concurrency,
              prefetch,
              leaseTime,
              pollInterval,
              drainTime,
              timeout,
              retries),
          handler);
    }
  }
}
