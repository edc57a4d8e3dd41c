// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * Tells a file from another one that was put in its place. A lock of the system on a file that was
 * deleted excludes no process that came later: that process has locked another file.
 */
final class FileIdentity {
  private final Path path;
  private final @Nullable Object key;

  /** Takes note of the file that is there now. */
  FileIdentity(Path path) throws IOException {
    this.path = path;
    this.key = key(path);
  }

  /** Fails unless the file is still there. Where files have no key, they cannot be replaced. */
  void requireOriginal() throws IOException {
    if (key != null && !key.equals(key(path))) {
      throw new UnfitException(path, "deleted or replaced while it was in use; start again");
    }
  }

  private static @Nullable Object key(Path path) throws IOException {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    } catch (NoSuchFileException deleted) {
      return null;
    }
  }
}
