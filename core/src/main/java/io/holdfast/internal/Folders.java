// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The folders of a {@link LockDirectory}, which a cleaner of temporary files may remove while they
 * are empty. They are made again when they are needed: what excludes processes is the mutex, which
 * is one and the same file all the time, and every other file is found by its path.
 */
final class Folders {
  /** How often a cleaner may come in between. */
  private static final int ATTEMPTS = 5;

  private Folders() {}

  /** Something that writes below folders. */
  @FunctionalInterface
  interface Writing {
    void run() throws IOException;
  }

  /** Writes; makes the folders of the files and writes again if one of them is missing. */
  static void write(Writing writing, Path... files) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        writing.run();
        return;
      } catch (NoSuchFileException missing) {
        if (attempt == ATTEMPTS) {
          throw missing;
        }
        for (Path file : files) {
          make(file.toAbsolutePath().getParent());
        }
      }
    }
  }

  /**
   * Only the folder itself: the directory of all of them is not to be made anew under its users.
   */
  private static void make(@Nullable Path folder) throws IOException {
    if (folder == null || Files.isDirectory(folder)) {
      return;
    }
    try {
      Files.createDirectory(folder);
    } catch (FileAlreadyExistsException present) {
      // By another process, just now.
      return;
    }
  }
}
