// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * Short critical sections between all processes that use a directory: one byte of one file for each
 * of a number of places, so that no files pile up and one descriptor is enough.
 *
 * <p>The system's locks do not exclude the threads of one process, so a place also has a lock on
 * the heap, which comes first. Every lock has a place by its hash; two that share one merely wait
 * for each other. A thread has one place of a lock at a time; the two special places have their
 * order: entry, then any lock's, then the tokens'.
 */
final class FileMutex implements AutoCloseable {
  private static final int LOCK_PLACES = 256;

  /** For the file of tokens. */
  static final int TOKENS = LOCK_PLACES;

  /** For those who come and go. */
  static final int ENTRY = LOCK_PLACES + 1;

  private final Path path;
  private final FileChannel channel;
  private final FileIdentity identity;
  private final ReentrantLock[] local =
      Stream.generate(ReentrantLock::new).limit(ENTRY + 1).toArray(ReentrantLock[]::new);

  FileMutex(Path path) throws IOException {
    this.path = path;
    this.channel = FileChannel.open(path, CREATE, WRITE);
    this.identity = new FileIdentity(path);
  }

  /** What is done while nobody else does anything in the same place. */
  @FunctionalInterface
  interface Section<T> {
    T run() throws IOException;
  }

  /** The place of a lock, by the name of its file; the same in every process. */
  static int placeOf(String file) {
    return Math.floorMod(file.hashCode(), LOCK_PLACES);
  }

  /** Runs the section, or fails without having begun it. */
  <T> T in(int place, Section<T> section) throws IOException {
    lockLocally(local[place]);
    try {
      return inLocal(place, section);
    } finally {
      local[place].unlock();
    }
  }

  private <T> T inLocal(int place, Section<T> section) throws IOException {
    FileLock lock = OsLocks.lock(channel, place, path);
    try {
      // A mutex that was deleted is ours alone.
      identity.requireOriginal();
      return section.run();
    } finally {
      lock.release();
    }
  }

  private void lockLocally(ReentrantLock lock) throws IOException {
    // Left by a callback that ran on this thread: nobody interrupts it while it is here.
    Thread.interrupted();
    try {
      if (!lock.tryLock(OsLocks.PATIENCE_NANOS, TimeUnit.NANOSECONDS)) {
        throw new FileSystemException(path.toString(), null, "busy for seconds in this process");
      }
    } catch (InterruptedException interrupted) {
      throw new FileSystemException(path.toString(), null, "interrupted");
    }
  }

  /** Makes the file look used, to those who delete what nobody has used for days. */
  void touch() throws IOException {
    channel.write(ByteBuffer.allocate(1), 0);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
