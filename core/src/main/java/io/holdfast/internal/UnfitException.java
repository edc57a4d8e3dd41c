// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.io.Serial;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** A file or directory that is no use until somebody mends something. */
final class UnfitException extends FileSystemException {
  @Serial private static final long serialVersionUID = 1L;

  UnfitException(Path path, String reason) {
    super(path.toString(), null, reason);
  }
}
