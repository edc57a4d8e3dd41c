// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.Holder;
import io.holdfast.LockListener;
import io.holdfast.LockListener.Subject;
import io.holdfast.LossCause;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;
import org.slf4j.spi.NOPLoggingEventBuilder;

/**
 * What happened, told to the log and to the listeners. Contention is normal and no more than a
 * debug line; what an operator should know of is a warning.
 */
final class Events {
  private static final Logger log = LoggerFactory.getLogger("io.holdfast.locks");

  private final Settings settings;
  private final SerialExecutor inOrder;
  private final Set<LockListener> failing = Collections.newSetFromMap(new IdentityHashMap<>());

  Events(Settings settings) {
    this.settings = settings;
    this.inOrder = new SerialExecutor(settings.callbacks());
  }

  /** What the caller's logging context says, kept for what happens later on other threads. */
  @Nullable String correlationId() {
    return MDC.get(settings.correlationKey());
  }

  void acquired(RenewingLease lease, Duration waited, boolean contended) {
    line(Level.DEBUG, lease)
        .addKeyValue("waited", waited)
        .log(contended ? "acquired after waiting" : "acquired");
    tell(
        listener ->
            listener.acquired(
                new LockListener.Acquired(subject(lease), lease.token(), waited, contended)));
  }

  void renewed(RenewingLease lease) {
    line(Level.TRACE, lease).log("renewed");
    tell(listener -> listener.renewed(new LockListener.Renewed(subject(lease), lease.token())));
  }

  void released(RenewingLease lease) {
    Duration held = lease.heldFor();
    line(Level.DEBUG, lease).addKeyValue("held", held).log("released");
    tell(
        listener ->
            listener.released(new LockListener.Released(subject(lease), lease.token(), held)));
  }

  void lost(RenewingLease lease, LossCause cause) {
    Duration held = lease.heldFor();
    boolean expected = cause == LossCause.EXPIRED || cause == LossCause.CLOSED;
    line(expected ? Level.INFO : Level.WARN, lease)
        .addKeyValue("held", held)
        .addKeyValue("cause", cause)
        .log("lost");
    tell(
        listener ->
            listener.lost(new LockListener.Lost(subject(lease), lease.token(), held, cause)));
  }

  void rejected(Request request, LockListener.Reason reason) {
    Duration waited = request.waited();
    Terms terms = request.terms();
    line(Level.DEBUG, terms.name(), null, terms.leaseTime(), request.correlationId())
        .addKeyValue("waited", waited)
        .addKeyValue("reason", reason)
        .log("not granted");
    tell(
        listener ->
            listener.rejected(
                new LockListener.Rejected(
                    terms.name(), terms.mode(), waited, reason, request.correlationId())));
  }

  void ranOutBeforeClose(RenewingLease lease) {
    line(Level.WARN, lease)
        .addKeyValue("held", lease.heldFor())
        .log(
            "the lease had run out before it was closed: the lease time is too short for this work");
  }

  void releaseFailed(RenewingLease lease, Throwable problem) {
    line(Level.WARN, lease)
        .setCause(problem)
        .log("the store did not confirm the release; trying on");
  }

  void renewalsFail(int leases, @Nullable Throwable problem) {
    log.atWarn()
        .addKeyValue("leases", leases)
        .log(
            "the store does not renew leases; trying again until they run out: {}",
            problem == null ? "it did not confirm them" : FailureReasons.of(problem));
    log.atDebug().setCause(problem).log("why the store does not renew leases");
  }

  void renewalsSucceed(Duration troubled) {
    log.atInfo().addKeyValue("after", troubled).log("leases are renewed again, after {}", troubled);
  }

  void forced(String name, long token, String reason, boolean done) {
    log.atWarn()
        .addKeyValue("lock", name)
        .addKeyValue("token", token)
        .addKeyValue("reason", reason)
        .log(done ? "released by force" : "not released by force: no such hold");
  }

  void shuttingDown(int leases, Duration grace) {
    if (leases > 0) {
      log.atInfo()
          .addKeyValue("leases", leases)
          .addKeyValue("grace", grace)
          .log("the JVM shuts down; keeping the leases until they are released");
    }
    tell(listener -> listener.shuttingDown(new LockListener.ShuttingDown(leases, grace)));
  }

  void graceOver(int leases) {
    log.atWarn()
        .addKeyValue("leases", leases)
        .log("the grace at shutdown is over; releasing leases whose holders may still work");
  }

  void closed(int leases, long unconfirmed) {
    if (leases > 0) {
      log.atInfo()
          .addKeyValue("leases", leases)
          .addKeyValue("unconfirmed", unconfirmed)
          .log("closed; released the leases that were still held");
    }
  }

  private static LoggingEventBuilder line(Level level, RenewingLease lease) {
    return line(level, lease.name(), lease.holder(), lease.leaseTime(), lease.correlationId())
        .addKeyValue("token", lease.token());
  }

  private static LoggingEventBuilder line(
      Level level,
      String name,
      @Nullable Holder holder,
      Duration leaseTime,
      @Nullable String correlationId) {
    if (!log.isEnabledForLevel(level)) {
      return NOPLoggingEventBuilder.singleton();
    }
    LoggingEventBuilder line =
        log.atLevel(level).addKeyValue("lock", name).addKeyValue("leaseTime", leaseTime);
    if (holder != null) {
      line = line.addKeyValue("holder", holder.abbreviated());
    }
    return correlationId == null ? line : line.addKeyValue("correlationId", correlationId);
  }

  private static Subject subject(RenewingLease lease) {
    return new Subject(
        lease.name(), lease.mode(), lease.holder(), lease.leaseTime(), lease.correlationId());
  }

  private void tell(Consumer<LockListener> event) {
    for (LockListener listener : settings.listeners()) {
      inOrder.execute(() -> tell(listener, event));
    }
  }

  /** One event at a time. A listener that goes on failing is logged once. */
  private void tell(LockListener listener, Consumer<LockListener> event) {
    try {
      event.accept(listener);
      failing.remove(listener);
    } catch (Throwable thrown) {
      if (failing.add(listener)) {
        log.atWarn().setCause(thrown).log("a listener failed: {}", listener);
      }
    }
  }
}
