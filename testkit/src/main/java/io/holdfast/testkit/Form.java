// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.testkit.Passage.Work;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** The two forms of asking for a lock: what is true of the one is true of the other. */
enum Form {
  BLOCKING {
    @Override
    Asking tryAcquire(Passage passage, DistributedLock lock, Duration wait) {
      return on(passage, () -> lock.tryAcquire(wait));
    }

    @Override
    Asking acquire(Passage passage, DistributedLock lock, Duration wait) {
      return on(passage, () -> Optional.of(lock.acquire(wait)));
    }

    private Asking on(Passage passage, Callable<Optional<Lease>> call) {
      Work<Optional<Lease>> work = passage.start(call);
      return new Asking(passage, work.outcome(), work.thread()::interrupt);
    }
  },

  ASYNC {
    @Override
    Asking tryAcquire(Passage passage, DistributedLock lock, Duration wait) {
      CompletableFuture<Optional<Lease>> future = lock.async().tryAcquire(wait);
      return new Asking(passage, future, () -> future.cancel(true));
    }

    @Override
    Asking acquire(Passage passage, DistributedLock lock, Duration wait) {
      CompletableFuture<Lease> future = lock.async().acquire(wait);
      return new Asking(passage, future.thenApply(Optional::of), () -> future.cancel(true));
    }
  };

  abstract Asking tryAcquire(Passage passage, DistributedLock lock, Duration wait);

  abstract Asking acquire(Passage passage, DistributedLock lock, Duration wait);

  /** As the report shows it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
