// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Whether systemd has given this service a {@code /tmp} that no other process sees. It mounts a
 * directory of the real one, by the name of {@code systemd-private-…}, or, with {@code
 * PrivateTmp=disconnected}, a new file system for which there is no such sign.
 */
final class PrivateTmp {
  private static final Path MOUNTS = Path.of("/proc/self/mountinfo");

  private PrivateTmp() {}

  static boolean isHere() {
    try {
      return isIn(Files.readAllLines(MOUNTS));
    } catch (IOException notLinux) {
      return false;
    }
  }

  /** The fourth field is what of the file system is mounted, the fifth where. */
  static boolean isIn(List<String> mounts) {
    return mounts.stream()
        .map(line -> line.split(" ", 6))
        .anyMatch(
            fields ->
                fields.length > 5
                    && fields[4].equals("/tmp")
                    && fields[3].contains("/systemd-private-"));
  }
}
