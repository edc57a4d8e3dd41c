// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.Election;
import io.holdfast.Lease;
import io.holdfast.LockState;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An election by an exclusive lock: whoever holds it leads. */
final class LockElection implements Election {
  private static final Logger log = LoggerFactory.getLogger(LockElection.class);

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
    private @Nullable CompletableFuture<Lease> request;
    private @Nullable Lease leadership;
    private @Nullable Thread leading;
    private boolean closed;

    Campaign(Leader leader) {
      this.leader = leader;
    }

    /**
     * Asks, and has the answer seen to on an executor's thread: to lead takes as long as it takes.
     */
    private void stand() {
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
        lead(lease);
      } else if (failure != null) {
        standLater(failure);
      }
    }

    private void lead(Lease lease) {
      synchronized (this) {
        leadership = lease;
        leading = Thread.currentThread();
      }
      lease.loss().thenAccept(cause -> interrupt());
      Runnable told = this::interrupt;
      runtime.leaders().add(told);
      try (lease) {
        if (!isClosed() && runtime.isGranting()) {
          leader.lead(lease);
        }
      } catch (InterruptedException ended) {
        log.atDebug().log("the leader of '{}' was interrupted", name());
      } catch (Exception failed) {
        log.atWarn().setCause(failed).log("the leader of '{}' failed", name());
      } finally {
        runtime.leaders().remove(told);
        resign();
      }
      runtime.after(runtime.pacing().shortest(), this::stand);
    }

    /** From here on no interrupt is for the leader any more, and this thread is somebody else's. */
    private synchronized void resign() {
      leadership = null;
      leading = null;
      Thread.interrupted();
    }

    private void standLater(Throwable failure) {
      if (!isClosed() && runtime.isGranting()) {
        log.atWarn().setCause(failure).log("the election '{}' cannot be held now", name());
        runtime.after(runtime.pacing().longest(), this::stand);
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
