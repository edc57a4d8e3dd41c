// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import io.holdfast.BackendException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * How long a store that cannot be used is tried again before a lock is held: as long as the caller
 * waits for the lock. A candidate for an election waits for ever, because a fleet whose candidates
 * have given up has no leader when the store is back. A store that is slow to answer, as on a busy
 * machine, has a little time in any case.
 */
final class StoreRetry {
  private static final Duration SLOWNESS = Duration.ofSeconds(10);
  private static final Duration PAUSE = Duration.ofMillis(300);

  private final long start = System.nanoTime();
  private final @Nullable Duration patience;
  private final boolean isForEver;
  private boolean wasSaid;

  StoreRetry(@Nullable Duration patience, boolean isElection) {
    this.patience = patience;
    this.isForEver = isElection && patience == null;
  }

  /** What is left of the time to wait for the lock; null: for ever. */
  @Nullable Duration remaining() {
    if (patience == null) {
      return null;
    }
    Duration left = patience.minus(elapsed());
    return left.isNegative() ? Duration.ZERO : left;
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /**
   * Returns when the store is to be tried again.
   *
   * @throws BackendException the failure, if that is no use or there is no more time
   * @throws CancellationException if the lock is not wanted any more
   */
  void pause(BackendException failure, CompletionStage<?> left, boolean isQuiet) {
    if (!failure.isTransient() || !isInTime(failure)) {
      throw failure;
    }
    if (!wasSaid && !isQuiet) {
      Message.WAITING.say("waiting: " + Reason.of(failure));
      wasSaid = true;
    }
    try {
      left.toCompletableFuture().get(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException wanted) {
      return;
    } catch (Exception interrupted) {
      throw new CancellationException();
    }
    throw new CancellationException();
  }

  private boolean isInTime(BackendException failure) {
    Duration longest = isSlow(failure) ? SLOWNESS : Duration.ZERO;
    longest = patience != null && patience.compareTo(longest) > 0 ? patience : longest;
    return isForEver || elapsed().compareTo(longest) < 0;
  }

  /** Not if it was refused: there is no server at this address. */
  private static boolean isSlow(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      boolean isTimeout = cause.getClass().getSimpleName().contains("Timeout");
      if (cause instanceof UnknownHostException
          || (cause instanceof ConnectException && !isTimeout)) {
        return false;
      }
    }
    return true;
  }
}
