// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Stops a process that uses files, and not in the instant in which it changes them. */
public final class Stopping {
  private static final int LOOKS = 20;

  private Stopping() {}

  /**
   * A process that is stopped while it has the mutex of a directory of locks keeps all others out,
   * and a test of something else has nothing to see. The test itself must not use the directory.
   *
   * @param directory of the locks
   * @param stop stops the process
   * @param resume lets it go on
   */
  public static void outsideOfMutex(Path directory, Runnable stop, Runnable resume) {
    stop.run();
    while (!comesFree(directory.resolve("mutex"))) {
      resume.run();
      Eventually.pass(Duration.ofMillis(20));
      stop.run();
    }
  }

  /** Others than the process that was stopped have it for a moment only. */
  private static boolean comesFree(Path mutex) {
    for (int look = 0; look < LOOKS; look++) {
      if (isFree(mutex)) {
        return true;
      }
      Eventually.pass(Duration.ofMillis(10));
    }
    return false;
  }

  private static boolean isFree(Path mutex) {
    try (FileChannel channel = FileChannel.open(mutex, StandardOpenOption.WRITE)) {
      @Nullable FileLock lock = channel.tryLock();
      return lock != null;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
