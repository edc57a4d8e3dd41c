// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import javax.sql.DataSource;

/**
 * Queues of jobs in one PostgreSQL database. Make one for each database and application, and close
 * it at the end, after its workers; it is thread-safe.
 *
 * <pre>{@code
 * jobs.enqueue(connection, NewJob.of("mail", json)); // with the data, in one transaction
 * Worker worker = jobs.worker("mail", job -> send(job.payload())).start();
 * }</pre>
 *
 * <p><b>What it promises.</b> A job that was committed runs until it is done, at least once; at
 * most its {@linkplain NewJob#maxAttempts attempts}, then it is a dead letter. Two runs of one job
 * overlap only if the earlier one's worker could not tell the database that it lives. An effect in
 * the same database happens exactly once if it shares its transaction with {@link
 * JobContext#complete}. Time is the database's.
 *
 * <p><b>What breaks it.</b> A database that loses what it committed: a failover to a replica that
 * was behind.
 *
 * <p><b>What it costs.</b> One statement to enqueue, one to claim and one to complete, each for as
 * many jobs as there are at that time; one heartbeat for a worker, three times in a lease time.
 */
public final class Jobs implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final JobsSql sql;
  private final RecurringSql recurringSql;
  private final Database database;
  private final Events events;
  private final Housekeeping housekeeping;
  private final Hints hints;
  private final WorkerTime time;

  private Jobs(Builder builder, Database database) {
    this.sql = new JobsSql(builder.schema);
    this.recurringSql = new RecurringSql(sql);
    this.database = database;
    this.events = new Events(builder.listeners);
    this.housekeeping = new Housekeeping(sql, builder.keepFinished, builder.keepDead);
    this.hints = new Hints(database, builder.schema, builder.hints, builder.time);
    this.time = builder.time;
  }

  /**
   * Opens the queues in this database, and makes their schema if it is missing.
   *
   * @throws UnfitDatabaseException if the database cannot keep jobs
   */
  public static Jobs open(DataSource dataSource) throws SQLException {
    return builder(dataSource).open();
  }

  /** Begins to set up the use of queues in this database. */
  public static Builder builder(DataSource dataSource) {
    return new Builder(dataSource);
  }

  /** The script that makes the schema {@code holdfast_jobs}, with the privileges that it takes. */
  public static String schema() {
    return Schema.script(Schema.USUAL);
  }

  /** The same for a schema of another name. */
  public static String schema(String name) {
    return Schema.script(name);
  }

  /**
   * Enqueues a job in the caller's transaction: it exists if and when that is committed.
   *
   * @return its id; empty if an unfinished job of the queue has its unique key
   * @throws InvalidPayloadException if the payload is not JSON; roll back
   */
  public OptionalLong enqueue(Connection connection, NewJob job) throws SQLException {
    return enqueue(connection, List.of(job)).get(0);
  }

  /**
   * Enqueues jobs in the caller's transaction, with one statement.
   *
   * @return their ids, in their order; empty for those whose unique key an unfinished job has
   * @throws InvalidPayloadException if a payload is not JSON; roll back
   */
  public List<OptionalLong> enqueue(Connection connection, List<NewJob> jobs) throws SQLException {
    return jobs.isEmpty() ? List.of() : sql.enqueue(connection, jobs, hints.of(jobs));
  }

  /**
   * Enqueues a job in a transaction of its own.
   *
   * @throws SQLException as the database says; if the commit was not answered, nobody knows
   */
  public OptionalLong enqueue(NewJob job) throws SQLException {
    return database.call(connection -> enqueue(connection, job));
  }

  /** Enqueues jobs in one transaction of their own: all or none. */
  public List<OptionalLong> enqueue(List<NewJob> jobs) throws SQLException {
    return database.call(connection -> enqueue(connection, jobs));
  }

  /**
   * Sets a recurring job, or changes the one of that name: every process may call it when it
   * starts. Its times go on as before if its recurrence has not changed. The workers of its queue
   * enqueue it, and know of it within 10 seconds, or a poll interval if that is longer.
   *
   * @throws InvalidPayloadException if the payload is not JSON
   */
  public void schedule(RecurringJob recurring) throws SQLException {
    Instant now = database.call(sql::now);
    Instant first =
        recurring.recurrence() instanceof Cron cron
            ? cron.next(now).orElseThrow(() -> new IllegalArgumentException("never due: " + cron))
            : now;
    database.call(connection -> recurringSql.schedule(connection, recurring, first));
  }

  /**
   * Removes a recurring job. What it has enqueued stays.
   *
   * @return false if there is none of that name
   */
  public boolean unschedule(String name) throws SQLException {
    return database.call(connection -> recurringSql.unschedule(connection, name));
  }

  /** Begins to set up a worker. */
  public Worker.Builder worker(String queue, JobHandler handler) {
    return new Worker.Builder(this, queue, handler);
  }

  Worker start(WorkerSettings settings, JobHandler handler) {
    Database bounded = database.within(settings.leaseTime().dividedBy(2));
    Hand hand = new Hand(settings.concurrency(), settings.prefetch(), time);
    boolean keeps = !housekeeping.keepFinished().isZero();
    WorkerParts parts =
        new WorkerParts(sql, new ClaimsSql(sql), bounded, events, settings, hand, time, keeps);
    return new Worker(parts, handler, housekeeping, hints);
  }

  /**
   * Cancels a job that is not finished. One that runs is not the worker's any more from now on; its
   * handler is told with the worker's next heartbeat, and what it does until then is done.
   *
   * @return what the job was before; empty if there is no such job, or it is finished
   */
  public Optional<JobState> cancel(long id) throws SQLException {
    return database.call(connection -> sql.cancel(connection, id));
  }

  /**
   * Lets a job run now that is scheduled for later, or that rests after a failure or was snoozed.
   *
   * @return false if there is no such job, or it does not wait for its time
   */
  public boolean runNow(long id) throws SQLException {
    return database.call(connection -> sql.runNow(connection, id));
  }

  /** A queue, to pause it or to set its limits; it need not have jobs. */
  public JobQueue queue(String name) {
    return new JobQueue(sql, database, name);
  }

  /**
   * Lists jobs, finished ones too as far as they are kept. For an operator: only the id is a way to
   * find them quickly.
   *
   * @throws InvalidPayloadException if the filter's payload is not JSON
   */
  public List<JobInfo> list(JobFilter filter) throws SQLException {
    return database.call(connection -> SearchSql.list(connection, sql.schema(), filter));
  }

  /** The dead letters of a queue. */
  public DeadLetters deadLetters(String queue) {
    return new DeadLetters(sql, database, queue);
  }

  /** How the queues are. It counts all jobs: for an operator, or once in a while. */
  public JobsHealth health() throws SQLException {
    return database.call(connection -> HealthSql.read(connection, sql.schema()));
  }

  /**
   * Deletes finished rows that are old enough, as workers do once a minute.
   *
   * @return how many
   */
  public int cleanUp() throws SQLException {
    return housekeeping.run(database);
  }

  /** Stops to listen for hints. Workers are to be closed before. */
  @Override
  public void close() {
    hints.close();
  }

  /** Settings; each has a default. */
  public static final class Builder {
    private final DataSource dataSource;
    private final List<JobListener> listeners = new ArrayList<>();
    private String schema = Schema.USUAL;
    private boolean creates = true;
    private boolean hints = true;
    private WorkerTime time = new SystemWorkerTime();
    private Duration keepFinished = Duration.ZERO;
    private Duration keepDead = Duration.ofDays(30);

    private Builder(DataSource dataSource) {
      this.dataSource = dataSource;
    }

    /** The schema in the database. {@code holdfast_jobs}. */
    public Builder schema(String name) {
      schema = Names.schema(name);
      return this;
    }

    /** Whether a schema that is missing is made. True. */
    public Builder createSchema(boolean enabled) {
      creates = enabled;
      return this;
    }

    /**
     * Whether workers are woken by NOTIFY, rather than by their polls alone. True. It takes a
     * connection for itself when there are workers, and has no effect behind a transaction pooler.
     * Say false if jobs are enqueued in XA transactions: PostgreSQL does not prepare what notified.
     */
    public Builder hints(boolean enabled) {
      hints = enabled;
      return this;
    }

    /** How long jobs that are done or cancelled are kept. Not at all: done is deleted. */
    public Builder keepFinished(Duration time) {
      keepFinished = notNegative(time);
      return this;
    }

    /** How long dead letters are kept. 30 days. */
    public Builder keepDead(Duration time) {
      keepDead = notNegative(time);
      return this;
    }

    /** Adds a listener. */
    public Builder listener(JobListener listener) {
      listeners.add(listener);
      return this;
    }

    /** Where time comes from: for tests. */
    Builder time(WorkerTime source) {
      time = source;
      return this;
    }

    private static Duration notNegative(Duration time) {
      if (time.isNegative() || time.compareTo(Duration.ofDays(36_500)) > 0) {
        throw new IllegalArgumentException("rows are kept from zero to 100 years, not " + time);
      }
      return time;
    }

    /**
     * Looks whether the database is fit, and makes the schema if it is missing.
     *
     * @throws UnfitDatabaseException if the database cannot keep jobs
     */
    public Jobs open() throws SQLException {
      Database database = new Database(dataSource, TIMEOUT);
      Schema.require(database, schema, creates);
      return new Jobs(this, database);
    }
  }
}
