// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.Lease;
import io.holdfast.Mode;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * Locks as {@code java.util.concurrent} knows them. Which thread holds which lock, and how often,
 * is kept here, so that two views of one lock are re-entrant with each other.
 */
final class JavaLocks {

  private record Key(String name, Mode mode, Thread thread) {}

  /** Used by its own thread only. */
  private static final class Entered {
    private final RenewingLease lease;
    private int times = 1;

    Entered(RenewingLease lease) {
      this.lease = lease;
    }
  }

  private final Map<Key, Entered> entered = new ConcurrentHashMap<>();

  Lock view(LockView lock) {
    return new ThreadBound(lock);
  }

  private final class ThreadBound implements Lock {
    private final LockView lock;

    ThreadBound(LockView lock) {
      this.lock = lock;
    }

    @Override
    public void lock() {
      boolean interrupted = false;
      try {
        while (true) {
          try {
            lockInterruptibly();
            return;
          } catch (InterruptedException again) {
            interrupted = true;
          }
        }
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
      requireNotInterrupted();
      Entered mine = entered.get(key());
      if (mine == null) {
        enter(Optional.of(lock.acquire(Times.FOREVER)));
      } else if (!reenter(mine)) {
        throw mine.lease.lostException();
      }
    }

    @Override
    public boolean tryLock() {
      Entered mine = entered.get(key());
      return mine == null ? enter(lock.tryAcquire()) : reenter(mine);
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
      requireNotInterrupted();
      Duration wait = Duration.ofNanos(Math.max(0, unit.toNanos(time)));
      Entered mine = entered.get(key());
      return mine == null ? enter(lock.tryAcquire(wait)) : reenter(mine);
    }

    @Override
    public void unlock() {
      Entered mine = entered.get(key());
      if (mine == null) {
        throw new IllegalMonitorStateException(
            "thread '" + Thread.currentThread().getName() + "' does not hold " + lock);
      }
      if (--mine.times == 0) {
        entered.remove(key());
        mine.lease.close();
      }
    }

    @Override
    public Condition newCondition() {
      throw new UnsupportedOperationException("a distributed lock has no conditions");
    }

    /** False if the lease was lost: another holder may be at work, and waiting does not help. */
    private static boolean reenter(Entered mine) {
      boolean held = mine.lease.isHeld();
      if (held) {
        mine.times++;
      }
      return held;
    }

    private static void requireNotInterrupted() throws InterruptedException {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }

    private boolean enter(Optional<Lease> granted) {
      granted.ifPresent(lease -> entered.put(key(), new Entered((RenewingLease) lease)));
      return granted.isPresent();
    }

    private Key key() {
      return new Key(lock.name(), lock.mode(), Thread.currentThread());
    }

    @Override
    public String toString() {
      return lock + " as a java.util.concurrent lock";
    }
  }
}
