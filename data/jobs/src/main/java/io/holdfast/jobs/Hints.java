// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * NOTIFY, as a hint that a queue has jobs. It only saves waiting for the next poll: one that is
 * lost costs nothing else. Rare on purpose, because commits that notify go one after the other.
 */
final class Hints implements AutoCloseable {
  /** Between two hints of one process to one queue. */
  static final Duration SHORTEST = Duration.ofMillis(100);

  private static final Logger log = LoggerFactory.getLogger(Hints.class);
  private static final int WAIT_MILLIS = 500;
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Database database;
  private final String channel;
  private final boolean enabled;
  private final WorkerTime time;
  private final Map<String, Long> given = new ConcurrentHashMap<>();
  private final List<Claimer> listening = new CopyOnWriteArrayList<>();
  private final Map<Claimer, String> queues = new ConcurrentHashMap<>();
  private @Nullable Thread thread;
  private volatile boolean closed;

  Hints(Database database, String channel, boolean enabled, WorkerTime time) {
    this.database = database;
    this.channel = channel;
    this.enabled = enabled;
    this.time = time;
  }

  /** The queues whose workers are to be told of these jobs. */
  List<String> of(List<NewJob> jobs) {
    if (!enabled) {
      return List.of();
    }
    long now = time.nanos();
    return jobs.stream()
        .filter(job -> job.delay().isZero() && job.due() == null)
        .map(NewJob::queue)
        .distinct()
        .filter(queue -> isTime(queue, now))
        .toList();
  }

  private boolean isTime(String queue, long now) {
    Long last = given.get(queue);
    if (last != null && now - last < SHORTEST.toNanos()) {
      return false;
    }
    given.put(queue, now);
    return true;
  }

  synchronized void listen(String queue, Claimer claimer) {
    if (!enabled || closed) {
      return;
    }
    queues.put(claimer, queue);
    listening.add(claimer);
    if (thread == null) {
      thread = Threads.start("holdfast-jobs-hints", this::hear);
    }
  }

  void forget(Claimer claimer) {
    listening.remove(claimer);
    queues.remove(claimer);
  }

  private void hear() {
    try {
      while (!closed) {
        try (Connection connection = database.connection()) {
          PGConnection driver = connection.unwrap(PGConnection.class);
          connection.setAutoCommit(true);
          try (Statement statement = connection.createStatement()) {
            statement.execute("LISTEN " + channel);
            hear(driver);
            statement.execute("UNLISTEN " + channel);
          }
        } catch (LinkageError absent) {
          throw absent;
        } catch (SQLException | RuntimeException | Error broken) {
          log.atDebug().setCause(broken).log("no hints for now; workers poll");
          time.sleep(PAUSE.toNanos());
        }
      }
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    } catch (LinkageError absent) {
      log.atInfo().log("the PostgreSQL driver's classes are not there: no hints, workers poll");
    }
  }

  private void hear(PGConnection driver) throws SQLException {
    // What was enqueued while nobody listened.
    listening.forEach(Claimer::hint);
    while (!closed) {
      PGNotification[] messages = driver.getNotifications(WAIT_MILLIS);
      for (PGNotification message : messages == null ? new PGNotification[0] : messages) {
        for (Claimer claimer : listening) {
          if (message.getParameter().equals(queues.get(claimer))) {
            claimer.hint();
          }
        }
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    Thread listener;
    synchronized (this) {
      listener = thread;
    }
    Threads.join(listener);
  }
}
