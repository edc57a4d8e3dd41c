// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/**
 * A mark in a process's folder: what the process holds stays held when it dies, until the lease is
 * over. For a process whose work is done by another, which may outlive it: {@code holdfast run}.
 *
 * <p>The mark says for how long, and since which start of the machine, because nothing outlives
 * that. It ends when it has been seen without its process for so long, by which time every lease is
 * over.
 */
final class Lingering {
  private static final String MARK = "lingers";
  private static final String SEEN_DEAD = "seen-dead";
  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

  private Lingering() {}

  /** The process is to be marked before it holds anything. */
  static void mark(Path folder, Duration time) throws IOException {
    Files.writeString(markIn(folder), time.toMillis() + " " + boot());
  }

  /** Where the mark is, if there is one. */
  static Path markIn(Path folder) {
    return folder.resolve(MARK);
  }

  /** Whether what a dead process held is still to be respected. */
  static boolean isMarked(Path folder) {
    try {
      String[] words = Files.readString(markIn(folder)).split(" ", 2);
      return words.length == 2 && words[1].equals(boot());
    } catch (NoSuchFileException unmarked) {
      return false;
    } catch (IOException cannotTell) {
      return true;
    }
  }

  /**
   * Whether a process that is dead has been so for long enough. Seen for the first time, it has
   * not.
   */
  static boolean isOver(Path folder) throws IOException {
    if (!isMarked(folder)) {
      return true;
    }
    Path seen = folder.resolve(SEEN_DEAD);
    if (!Files.exists(seen)) {
      Files.writeString(seen, "");
      return false;
    }
    long millis = Long.parseLong(Files.readString(markIn(folder)).split(" ", 2)[0]);
    Instant end = Files.getLastModifiedTime(seen).toInstant().plusMillis(millis);
    return Files.getLastModifiedTime(touched(folder)).toInstant().isAfter(end);
  }

  /** A new file has the file system's own time, which may be another than the JVM's. */
  private static Path touched(Path folder) throws IOException {
    return Files.writeString(folder.resolve("now"), "");
  }

  private static String boot() throws IOException {
    return Files.exists(BOOT) ? Files.readString(BOOT).strip() : "";
  }
}
