// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.spi.Moment;
import io.holdfast.spi.TimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the files of locks that nobody has used for a while, so that they do not pile up. Those
 * that fall due together cost one sync: before the first of them goes, the floor of the tokens is
 * raised to the greatest of theirs.
 */
final class IdleFiles {
  private static final Logger log = LoggerFactory.getLogger(IdleFiles.class);
  private static final Duration IDLE_TIME = Duration.ofSeconds(10);

  private final TimeSource time;
  private final Executor executor;
  private final LockFiles files;
  private final FileTokens tokens;
  private final Map<String, Moment> idleSince = new ConcurrentHashMap<>();
  private final AtomicBoolean sweeping = new AtomicBoolean();

  IdleFiles(TimeSource time, Executor executor, LockFiles files, FileTokens tokens) {
    this.time = time;
    this.executor = executor;
    this.files = files;
    this.tokens = tokens;
  }

  /** Nobody holds this lock or waits for it just now. */
  void add(String file, Moment now) {
    idleSince.put(file, now);
    if (sweeping.compareAndSet(false, true)) {
      sweepLater();
    }
  }

  private void sweepLater() {
    time.after(IDLE_TIME, () -> executor.execute(this::sweep));
  }

  private void sweep() {
    try {
      remove(takeDue(time.now()));
    } catch (Throwable failed) {
      // They are looked at again when they are next used, or when the next process comes.
      log.debug("could not remove the files of unused locks: {}", failed.toString());
    }
    sweeping.set(false);
    if (!idleSince.isEmpty() && sweeping.compareAndSet(false, true)) {
      sweepLater();
    }
  }

  private List<String> takeDue(Moment now) {
    List<String> due = new ArrayList<>();
    idleSince.forEach(
        (file, since) -> {
          if (now.since(since).compareTo(IDLE_TIME) >= 0 && idleSince.remove(file, since)) {
            due.add(file);
          }
        });
    return due;
  }

  private void remove(List<String> due) throws IOException {
    long floor = 0;
    List<String> readable = new ArrayList<>();
    for (String file : due) {
      try {
        StateRecord record = files.peek(file);
        floor = Math.max(floor, record == null ? 0 : record.lastToken());
        readable.add(file);
      } catch (UnfitException damaged) {
        log.warn("left where it is: {}", damaged.getMessage());
      }
    }
    if (floor > 0) {
      tokens.raiseFloor(floor);
    }
    for (String file : readable) {
      files.removeIfUnused(file, floor);
    }
  }
}
