// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import io.holdfast.internal.StateCodec.Versioned;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One lock's file: two slots of equal size, of which the one with the higher version counts.
 * Whoever changes it has the lock's mutex; anybody may read it at any time.
 *
 * <p><b>Why slots.</b> A change overwrites the older slot in place. A writer that is killed in the
 * middle leaves a slot that does not decode, and the other one, which says what was true before:
 * the change never happened, and nobody was told that it had. The usual way, a new file renamed
 * over the old one, gives no more than that, and ext4 then writes it to the disk at once: about
 * forty times the cost. Overwriting needs no space either, so that a lock can be released when the
 * disk is full. A new file, or one that has become too small, is written beside its place and
 * renamed into it.
 *
 * <p><b>Why no sync.</b> What a process wrote outlives the process without it. A machine that loses
 * its power loses all holders and waiters as well, so that whoever comes first afterwards throws
 * the files away, torn or not ({@link LockDirectory}). Only tokens must outlive that ({@link
 * FileTokens}).
 */
final class StateFile {
  /** One page: as cheap as one byte, and holds a dozen rows. */
  private static final int SMALLEST_SLOT = 4096;

  /** How often to read again when a reader without the mutex has met two writers in a row. */
  private static final int READS = 100;

  private final Path file;
  private final Path draft;
  private int slotBytes;
  private @Nullable Versioned current;

  /**
   * The file, which need not exist.
   *
   * @param draft where a new file is written before it is renamed
   */
  StateFile(Path file, Path draft) {
    this.file = file;
    this.draft = draft;
  }

  /** What the file says now, without the mutex; null if there is no file. */
  @Nullable StateRecord peek() throws IOException {
    for (int i = 1; ; i++) {
      try {
        return read();
      } catch (UnfitException torn) {
        if (i == READS) {
          throw torn;
        }
        Thread.onSpinWait();
      }
    }
  }

  /** What the file says; null if there is no file. The caller has the mutex. */
  @Nullable StateRecord read() throws IOException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file);
    } catch (NoSuchFileException absent) {
      current = null;
      return null;
    }
    slotBytes = bytes.length / 2;
    current = newer(slot(bytes, 0), slot(bytes, 1));
    if (current == null) {
      throw new UnfitException(file, "damaged; remove it when nobody holds this lock");
    }
    return current.record();
  }

  private @Nullable Versioned slot(byte[] bytes, int index) {
    return StateCodec.decode(bytes, index * slotBytes, (index + 1) * slotBytes);
  }

  private static @Nullable Versioned newer(@Nullable Versioned one, @Nullable Versioned other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.version() > other.version() ? one : other;
  }

  /** Replaces what {@link #read} found. The caller has the mutex. */
  void write(StateRecord next) throws IOException {
    long version = current == null ? 1 : current.version() + 1;
    byte[] bytes = StateCodec.encode(next, version);
    if (current == null || bytes.length > slotBytes) {
      create(bytes, version);
    } else {
      put(file, bytes, offset(version), WRITE);
    }
    current = new Versioned(next, version);
  }

  private void create(byte[] bytes, long version) throws IOException {
    slotBytes = SMALLEST_SLOT;
    while (slotBytes < bytes.length) {
      slotBytes = Math.multiplyExact(slotBytes, 2);
    }
    // All of both slots: a later change must not need space that the disk no longer has.
    byte[] slots = new byte[Math.multiplyExact(slotBytes, 2)];
    System.arraycopy(bytes, 0, slots, offset(version), bytes.length);
    // A draft that a killed writer left is simply overwritten: the mutex is ours.
    Folders.write(
        () -> {
          put(draft, slots, 0, WRITE, CREATE, TRUNCATE_EXISTING);
          Files.move(draft, file, ATOMIC_MOVE);
        },
        draft,
        file);
  }

  /** The slot follows from the version, so that the one before is never touched. */
  private int offset(long version) {
    return version % 2 == 0 ? 0 : slotBytes;
  }

  private static void put(Path target, byte[] bytes, long offset, OpenOption... options)
      throws IOException {
    try (FileChannel channel = FileChannel.open(target, options)) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      while (buffer.hasRemaining()) {
        channel.write(buffer, offset + buffer.position());
      }
    }
  }

  /** Removes the file and whatever a killed writer left beside it. The caller has the mutex. */
  void delete() throws IOException {
    Files.deleteIfExists(file);
    Files.deleteIfExists(draft);
    current = null;
  }
}
