// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the listeners, and the log what an operator should see. */
final class Events {
  private static final Logger log = LoggerFactory.getLogger("io.holdfast.jobs");

  private final List<JobListener> listeners;

  Events(List<JobListener> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  void tell(Consumer<JobListener> event) {
    for (JobListener listener : listeners) {
      try {
        event.accept(listener);
      } catch (Throwable thrown) {
        log.atWarn().setCause(thrown).log("a listener of jobs failed");
      }
    }
  }

  void trouble(String queue, String what, SQLException problem) {
    log.atWarn()
        .addKeyValue("queue", queue)
        .addKeyValue("state", problem.getSQLState())
        .log("the database did not {}; it is asked again", what);
    tell(listener -> listener.trouble(new JobListener.Trouble(queue, what, problem)));
  }

  /** Something was thrown that is no failure of the database. */
  void broken(String queue, String what, Throwable problem) {
    log.atError()
        .addKeyValue("queue", queue)
        .setCause(problem)
        .log("a worker could not {}; it tries again", what);
    tell(listener -> listener.trouble(new JobListener.Trouble(queue, what, problem)));
  }

  void lost(Run run, JobListener.LossOfClaim cause) {
    log.atWarn()
        .addKeyValue("queue", run.queue())
        .addKeyValue("job", run.id())
        .addKeyValue("token", run.token())
        .log("a claim was lost while its job ran: {}", cause);
    tell(listener -> listener.lost(new JobListener.Lost(run.subject(), cause)));
  }

  void stale(Ending ending, boolean isRepeat) {
    Run run = ending.run();
    log.atWarn()
        .addKeyValue("queue", run.queue())
        .addKeyValue("job", run.id())
        .addKeyValue("token", run.token())
        .log("the database refused that a job is {}: the claim is gone", ending.result());
    tell(
        listener ->
            listener.stale(new JobListener.Stale(run.subject(), ending.result(), isRepeat)));
  }

  void settled(Ending ending) {
    Run run = ending.run();
    switch (ending.result()) {
      case COMPLETED ->
          tell(l -> l.completed(new JobListener.Completed(run.subject(), ending.ran())));
      case FAILED -> failed(ending);
      case BURIED -> buried(run.queue(), run.id(), run.attempt(), ending.errorText());
      case SNOOZED ->
          tell(l -> l.snoozed(new JobListener.Snoozed(run.subject(), ending.ran(), ending.rest())));
      case RELEASED -> {}
    }
  }

  private void failed(Ending ending) {
    Throwable error = ending.error();
    if (error != null) {
      tell(
          listener ->
              listener.failed(
                  new JobListener.Failed(
                      ending.run().subject(), ending.ran(), error, ending.rest())));
    }
  }

  void buried(String queue, long id, int attempts, String error) {
    log.atWarn()
        .addKeyValue("queue", queue)
        .addKeyValue("job", id)
        .log("a job has become a dead letter after {} attempts", attempts);
    tell(listener -> listener.buried(new JobListener.Buried(queue, id, attempts, error)));
  }
}
