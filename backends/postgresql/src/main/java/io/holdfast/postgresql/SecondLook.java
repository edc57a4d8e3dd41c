// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.BackendException;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.Moment;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * A verb of lease mode whose requests share a statement. If another transaction keeps one of their
 * locks, the statement fails for all of them after a short time. Then it is sent once more, in a
 * form that leaves out what is busy; and that is looked at again a little later, apart from the
 * others, until it is given up.
 */
final class SecondLook<Q, A> implements Line.Verb<Q, A> {
  /** As long as a request waited for its lock before. */
  private static final Duration LONGEST = Duration.ofSeconds(1);

  private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
  private static final int MOST_REMEMBERED = 1000;

  /** What is sent. */
  interface Request<Q, A> {
    /** Answers the tasks, or fails for all of them. */
    void send(Connection connection, List<Line.Task<Q, A>> tasks) throws SQLException;

    /** Answers all tasks but those that are busy. */
    void sendOrBusy(Connection connection, List<Line.Task<Q, A>> tasks) throws SQLException;
  }

  /** Where busy locks are looked at again, and within which time-out. */
  record Looks(Line line, BackendContext context, Duration timeout) {}

  /** A task that was busy; since when it is looked at, and how long the next pause is. */
  private record Look<Q, A>(Line.Task<Q, A> task, Moment since, Duration pause) {}

  private final Line line;
  private final BackendContext context;
  private final Duration longest;
  private final boolean repeatable;
  private final Function<Q, String> name;
  private final Request<Q, A> request;
  private final Line.Verb<Look<Q, A>, A> again = this::lookAgain;

  /** Locks that were busy when they were last asked for: these are asked for apart. */
  private final Set<String> busy = ConcurrentHashMap.newKeySet();

  SecondLook(Looks looks, boolean repeatable, Function<Q, String> name, Request<Q, A> request) {
    Duration timeout = looks.timeout;
    this.line = looks.line;
    this.context = looks.context;
    this.longest = timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST;
    this.repeatable = repeatable;
    this.name = name;
    this.request = request;
  }

  @Override
  public boolean isRepeatable() {
    return repeatable;
  }

  @Override
  public void carryOut(Connection connection, List<Line.Task<Q, A>> tasks) throws SQLException {
    List<Line.Task<Q, A>> apart = new ArrayList<>();
    List<Line.Task<Q, A>> together = new ArrayList<>();
    tasks.forEach(task -> (isBusy(task) ? apart : together).add(task));
    if (!together.isEmpty()) {
      try {
        request.send(connection, together);
      } catch (SQLException failed) {
        if (!Failures.isBusy(failed)) {
          throw failed;
        }
        apart.addAll(together);
      }
    }
    sendApart(connection, apart);
    for (Line.Task<Q, A> task : unanswered(apart)) {
      later(new Look<>(task, context.now(), FIRST_PAUSE));
    }
  }

  private void lookAgain(Connection connection, List<Line.Task<Look<Q, A>, A>> looks)
      throws SQLException {
    sendApart(connection, looks.stream().map(look -> look.request().task).toList());
    for (Line.Task<Look<Q, A>, A> each : looks) {
      Look<Q, A> look = each.request();
      Line.Task<Q, A> task = look.task;
      if (task.answer().isDone()) {
        continue;
      }
      if (context.now().since(look.since).compareTo(longest) < 0) {
        later(new Look<>(task, look.since, look.pause.multipliedBy(2)));
      } else {
        task.answer()
            .completeExceptionally(
                BackendException.notApplied(
                    task.what()
                        + ": another transaction keeps this lock or a row of it locked: look for an"
                        + " open transaction",
                    null));
      }
    }
  }

  private void sendApart(Connection connection, List<Line.Task<Q, A>> tasks) throws SQLException {
    if (tasks.isEmpty()) {
      return;
    }
    request.sendOrBusy(connection, tasks);
    for (Line.Task<Q, A> task : tasks) {
      if (task.answer().isDone()) {
        busy.remove(name.apply(task.request()));
      } else {
        remember(name.apply(task.request()));
      }
    }
  }

  private boolean isBusy(Line.Task<Q, A> task) {
    return busy.contains(name.apply(task.request()));
  }

  private void remember(String busyName) {
    if (busy.size() >= MOST_REMEMBERED) {
      busy.clear();
    }
    busy.add(busyName);
  }

  private List<Line.Task<Q, A>> unanswered(List<Line.Task<Q, A>> tasks) {
    return tasks.stream().filter(task -> !task.answer().isDone()).toList();
  }

  private void later(Look<Q, A> look) {
    context.after(look.pause, () -> ask(look));
  }

  /** What fails the look fails the task; what answers it has answered the task. */
  private void ask(Look<Q, A> look) {
    var unused =
        line.ask(again, look.task.what(), look)
            .whenComplete(
                (nothing, failure) -> {
                  if (failure != null) {
                    look.task.answer().completeExceptionally(failure);
                  }
                });
  }
}
