// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.Election;
import io.holdfast.Lease;
import io.holdfast.LockState;
import io.holdfast.spi.Moment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An election by an exclusive lock: whoever holds it leads. */
final class LockElection implements Election {
  private static final Logger log = LoggerFactory.getLogger(LockElection.class);

  /** Between leaders that fail. One that has led for so long before has not failed at once. */
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  private final LockRuntime runtime;
  private final LockView lock;

  LockElection(LockRuntime runtime, LockView lock) {
    this.runtime = runtime;
    this.lock = lock;
  }

  @Override
  public String name() {
    return lock.name();
  }

  @Override
  public Candidacy campaign(Leader leader) {
    Campaign campaign = new Campaign(leader);
    campaign.stand();
    return campaign;
  }

  @Override
  public Optional<LockState.Holding> leader() {
    return lock.inspect().holders().stream().findFirst();
  }

  /** Stands, leads, stands again; at any time it has either a request under way or a lease. */
  private final class Campaign implements Candidacy {
    private final Leader leader;
    private final BackOff backOff = new BackOff(runtime.pacing().shortest(), LONGEST_PAUSE);
    private @Nullable CompletableFuture<Lease> request;
    private @Nullable Lease leadership;
    private @Nullable Thread leading;
    private boolean closed;

    Campaign(Leader leader) {
      this.leader = leader;
    }

    /** Stands for election. It goes on until it is closed, whatever fails. */
    private void stand() {
      if (!isClosed()) {
        try {
          ask();
        } catch (Throwable failed) {
          standLater(failed);
        }
      }
    }

    /**
     * Asks, and has the answer seen to on an executor's thread: to lead takes as long as it takes.
     */
    private void ask() {
      CompletableFuture<Lease> asked = lock.async().acquire(Times.FOREVER);
      boolean inVain;
      synchronized (this) {
        request = asked;
        inVain = closed;
      }
      if (inVain) {
        asked.cancel(false);
      }
      Answers.handle(
          asked,
          (lease, failure) ->
              runtime.settings().callbacks().execute(() -> decided(lease, failure)));
    }

    private void decided(@Nullable Lease lease, @Nullable Throwable failure) {
      if (lease != null) {
        runtime.after(lead(lease), this::stand);
      } else if (failure != null) {
        standLater(failure);
      }
    }

    /** Leads, and returns how long to pause before it stands again. */
    private Duration lead(Lease lease) {
      Moment began = runtime.now();
      synchronized (this) {
        leadership = lease;
        leading = Thread.currentThread();
      }
      lease.loss().thenAccept(cause -> interrupt());
      Runnable told = this::interrupt;
      runtime.leaders().add(told);
      Duration pause = runtime.pacing().shortest();
      try (lease) {
        if (!isClosed() && runtime.isGranting()) {
          leader.lead(lease);
        }
        backOff.reset();
      } catch (InterruptedException ended) {
        log.atDebug().log("the leader of '{}' was interrupted", name());
      } catch (Throwable failed) {
        pause = failed(failed, began);
      } finally {
        runtime.leaders().remove(told);
        resign();
      }
      return pause;
    }

    private Duration failed(Throwable failure, Moment began) {
      Duration led = runtime.now().since(began);
      if (led.compareTo(LONGEST_PAUSE) >= 0) {
        backOff.reset();
      }
      Duration pause = backOff.failed();
      log.atWarn()
          .addKeyValue("led", led)
          .addKeyValue("pause", pause)
          .setCause(failure)
          .log("the leader of '{}' failed; it stands again in {}", name(), pause);
      return pause;
    }

    /** From here on no interrupt is for the leader any more, and this thread is somebody else's. */
    private synchronized void resign() {
      leadership = null;
      leading = null;
      Thread.interrupted();
    }

    private void standLater(Throwable failure) {
      if (!isClosed() && runtime.isGranting()) {
        Duration pause = backOff.failed();
        log.atWarn()
            .addKeyValue("pause", pause)
            .setCause(failure)
            .log("the election '{}' cannot be held now; trying again in {}", name(), pause);
        runtime.after(pause, this::stand);
      }
    }

    private synchronized void interrupt() {
      if (leading != null) {
        leading.interrupt();
      }
    }

    private synchronized boolean isClosed() {
      return closed;
    }

    @Override
    public synchronized boolean isLeader() {
      return leadership != null && leadership.isHeld();
    }

    @Override
    public void close() {
      CompletableFuture<Lease> pending;
      synchronized (this) {
        closed = true;
        pending = request;
      }
      if (pending != null) {
        pending.cancel(false);
      }
      interrupt();
    }
  }
}
