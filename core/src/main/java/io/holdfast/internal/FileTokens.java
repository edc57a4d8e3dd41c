// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

/**
 * Makes tokens that never go back. A token is a hybrid logical clock: one more than the lock's
 * last, or the wall clock in microseconds if that is more. The last one is in the lock's file; two
 * numbers for the whole directory, in a file that is synced with every change, cover what that file
 * does not.
 *
 * <p><b>The limit.</b> No token is granted above it. It is raised by seconds at a time, so that one
 * sync pays for all tokens of these seconds; and it is on the disk before the first of them is
 * granted. After a loss of power, tokens go on above it, whatever the clock and the other files
 * say.
 *
 * <p><b>The floor.</b> No removed file had a greater token. A lock without a file goes on above it,
 * so that the files of locks that nobody uses can be removed.
 */
final class FileTokens {
  /** How far the limit is raised: tokens may run ahead of the clock by this after a crash. */
  private static final long AHEAD = TimeUnit.MICROSECONDS.convert(Duration.ofSeconds(10));

  private final Path file;
  private final Path draft;
  private final FileMutex mutex;

  /**
   * As last seen. Never above what the file says: the limit is lowered only by {@link #settle}, and
   * not while anybody lives.
   */
  private volatile long limit;

  private record Marks(long floor, long limit) {}

  FileTokens(Path file, Path draft, FileMutex mutex) {
    this.file = file;
    this.draft = draft;
    this.mutex = mutex;
  }

  /** The greatest token that a lock without a file may have had. */
  long floor() throws IOException {
    return read().floor;
  }

  /** So many tokens in a row, above the last; returns the first. */
  long next(long last, int count, long wallNanos) throws IOException {
    long first = Math.max(last + 1, TimeUnit.NANOSECONDS.toMicros(wallNanos));
    long greatest = first + count - 1;
    if (greatest > limit) {
      limit =
          change(marks -> marks.limit < greatest ? new Marks(marks.floor, greatest + AHEAD) : marks)
              .limit;
    }
    return first;
  }

  /** Lets files be removed whose last tokens are not above this one. */
  void raiseFloor(long floor) throws IOException {
    change(marks -> marks.floor < floor ? new Marks(floor, marks.limit) : marks);
  }

  /**
   * Nobody lives, and no file is left: whatever was granted is not above the limit, nor above the
   * last token if that is known.
   */
  void settle(long last) throws IOException {
    limit =
        change(
                marks -> {
                  long floor = Math.max(marks.floor, Math.min(marks.limit, last));
                  return new Marks(floor, floor);
                })
            .limit;
  }

  /** Takes note of the limit as it is. */
  void refresh() throws IOException {
    limit = change(marks -> marks).limit;
  }

  @FunctionalInterface
  private interface Change {
    Marks apply(Marks marks);
  }

  private Marks change(Change change) throws IOException {
    return mutex.in(
        FileMutex.TOKENS,
        () -> {
          Marks before = read();
          Marks after = change.apply(before);
          if (!after.equals(before)) {
            write(after);
          }
          // Also if it is as it was: whoever wrote it may have been killed before it did this.
          syncFolder();
          return after;
        });
  }

  private Marks read() throws IOException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file);
    } catch (NoSuchFileException fresh) {
      return new Marks(0, 0);
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    if (bytes.length != 3 * Long.BYTES || buffer.getLong(2 * Long.BYTES) != checksum(bytes)) {
      throw new UnfitException(file, "damaged; remove it if the clock has not been set back");
    }
    return new Marks(buffer.getLong(), buffer.getLong());
  }

  private void write(Marks marks) throws IOException {
    ByteBuffer buffer =
        ByteBuffer.allocate(3 * Long.BYTES).putLong(marks.floor).putLong(marks.limit);
    buffer.putLong(checksum(buffer.array())).flip();
    Folders.write(
        () -> {
          put(buffer.duplicate());
          Files.move(draft, file, ATOMIC_MOVE);
        },
        draft);
  }

  private void put(ByteBuffer buffer) throws IOException {
    try (FileChannel channel = FileChannel.open(draft, CREATE, WRITE, TRUNCATE_EXISTING)) {
      channel.write(buffer);
      channel.force(true);
    }
  }

  private static long checksum(byte[] bytes) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, 0, 2 * Long.BYTES);
    return checksum.getValue();
  }

  /** So that the new name is on the disk as well. Some systems neither need nor allow it. */
  private void syncFolder() throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (folder != null && folder.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      try (FileChannel channel = FileChannel.open(folder, READ)) {
        channel.force(true);
      }
    }
  }
}
