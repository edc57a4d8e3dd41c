// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * The operating system's locks on files, of which two things must be known.
 *
 * <p>They belong to the process, and the first descriptor of a file that the process closes takes
 * all its locks on that file with it. So a file that carries a lock is opened once in a JVM, and
 * nothing else that opens files is done to it: setting its time, for example, opens and closes it.
 *
 * <p>To wait for one in the system fails with a deadlock that does not exist as soon as two
 * processes have two threads each that lock and wait. So we try, pause for a random time, and try
 * again.
 */
final class OsLocks {
  /** Shorter than core waits for an answer, so that it is told, and does not have to guess. */
  static final long PATIENCE_NANOS = Duration.ofSeconds(2).toNanos();

  private static final long SHORTEST_PAUSE_NANOS = Duration.ofNanos(20_000).toNanos();
  private static final long LONGEST_PAUSE_NANOS = Duration.ofMillis(2).toNanos();

  private OsLocks() {}

  /** Locks one byte of the file, and waits for it for a bounded time. */
  static FileLock lock(FileChannel channel, long position, Path path) throws IOException {
    long pause = SHORTEST_PAUSE_NANOS;
    long waited = 0;
    for (; ; ) {
      // An interrupt would close the channel, and every lock of this JVM on the file would go.
      Thread.interrupted();
      FileLock lock = channel.tryLock(position, 1, false);
      if (lock != null) {
        return lock;
      }
      if (waited > PATIENCE_NANOS) {
        throw new FileSystemException(
            path.toString(), null, "locked for seconds by another process, which may be stopped");
      }
      long nanos = ThreadLocalRandom.current().nextLong(pause / 2, pause);
      LockSupport.parkNanos(nanos);
      waited += nanos;
      pause = Math.min(LONGEST_PAUSE_NANOS, pause + pause / 2);
    }
  }

  /** Whether somebody else has an exclusive lock on the file at this moment. */
  static boolean isLocked(FileChannel channel) throws IOException {
    try (FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
      return lock == null;
    }
  }
}
