// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A guard for a file that several processes replace: the newest token is kept beside it, in {@code
 * NAME.fence}. Enter before the file is read, and write with {@link #replace}, which looks at the
 * token again. For processes of one machine, or a file system whose locks work between machines.
 */
public final class FileGuard implements Guard {
  private final Path file;
  private final Path fence;

  /** Guards this file, which need not be there yet. */
  public FileGuard(Path file) {
    this.file = file.toAbsolutePath();
    this.fence = this.file.resolveSibling(this.file.getFileName() + ".fence");
  }

  /**
   * {@inheritDoc}
   *
   * @throws UncheckedIOException if the token beside the file cannot be read or written
   */
  @Override
  public void raise(FencingToken token) {
    locked(token, () -> {});
  }

  /**
   * Replaces the whole file, or nothing: readers see the old content or the new.
   *
   * @throws StaleTokenException if a newer token was seen; the lease has been told, and the file is
   *     as it was
   * @throws LeaseLostException if the lease is known to be lost
   * @throws UncheckedIOException if the disk fails or is full; the file is as it was
   */
  public void replace(Lease lease, byte[] content) {
    Guard writing = token -> locked(token, () -> write(content));
    writing.enter(lease);
  }

  @FunctionalInterface
  private interface Step {
    void run() throws IOException;
  }

  /** One at a time, between threads and processes, with a token that is not stale. */
  private void locked(FencingToken token, Step step) {
    // Locks of files are held by the process: threads need one of their own.
    synchronized (FileGuard.class) {
      try (FileChannel channel =
          FileChannel.open(
              fence,
              StandardOpenOption.CREATE,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE)) {
        var unused = channel.lock(); // Until the channel is closed.
        check(channel, token);
        step.run();
      } catch (IOException failed) {
        throw new UncheckedIOException("the guard of " + file + " failed", failed);
      }
    }
  }

  private void check(FileChannel channel, FencingToken token) throws IOException {
    ByteBuffer number = ByteBuffer.allocate(Long.BYTES);
    long newest = channel.read(number, 0) == Long.BYTES ? number.getLong(0) : 0;
    if (newest > token.value()) {
      throw new StaleTokenException(file.toString(), token, new FencingToken(newest));
    }
    if (newest < token.value()) {
      channel.write(ByteBuffer.allocate(Long.BYTES).putLong(0, token.value()), 0);
      channel.force(false);
    }
  }

  private void write(byte[] content) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    try (FileChannel channel =
        FileChannel.open(
            fresh,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer rest = ByteBuffer.wrap(content);
      while (rest.hasRemaining()) {
        channel.write(rest);
      }
      channel.force(true);
    }
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public String toString() {
    return "guard of " + file;
  }
}
