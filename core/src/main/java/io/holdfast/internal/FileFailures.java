// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.BackendException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Failures of the file system as failures of a backend. Nothing that fails has been applied: until
 * the last byte of a slot is written, the slot does not count.
 */
final class FileFailures {
  private FileFailures() {}

  /** A request failed. Whether it is worth repeating depends on what is wrong. */
  static BackendException ofRequest(Path directory, IOException problem) {
    boolean needsMending =
        problem instanceof UnfitException
            || problem instanceof AccessDeniedException
            || problem instanceof NoSuchFileException
            || reason(problem).contains("Read-only");
    String message = message(directory, problem);
    return needsMending
        ? BackendException.refused(message, problem)
        : BackendException.notApplied(message, problem);
  }

  /** The store cannot be used. */
  static BackendException ofStart(Path directory, IOException problem) {
    return BackendException.refused(message(directory, problem), problem);
  }

  /** Nobody works for this backend any more. */
  static BackendException closed(Path directory) {
    return BackendException.refused("file store in " + directory + ": closed", null);
  }

  private static String message(Path directory, IOException problem) {
    String what =
        problem instanceof FileSystemException known && known.getFile() != null
            ? known.getFile()
            : directory.toString();
    return "file store in " + directory + ": " + what + ": " + reason(problem);
  }

  private static String reason(IOException problem) {
    if (problem instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (problem instanceof NoSuchFileException) {
      return "no such file or directory";
    }
    if (problem instanceof FileAlreadyExistsException) {
      return "a file is where a directory should be";
    }
    if (problem instanceof FileSystemException known) {
      // Its message has the file's name, which is said already.
      String reason = known.getReason();
      return reason == null ? "the file system gave no reason" : reason;
    }
    return FailureReasons.of(problem);
  }
}
