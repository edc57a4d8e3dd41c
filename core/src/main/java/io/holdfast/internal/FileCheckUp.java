// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.spi.Finding;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What an operator should know of a directory of locks. */
final class FileCheckUp {
  private static final long LITTLE_SPACE = 16L << 20;

  private FileCheckUp() {}

  static List<Finding> of(FilePlace place, boolean isTold) throws IOException {
    Path directory = place.directory();
    List<Finding> findings = new ArrayList<>();
    findings.add(permissions(directory));
    findings.add(fileSystem(place));
    findings.add(space(Files.getFileStore(directory)));
    findings.add(
        isTold
            ? Finding.good("signals", "waiters are told at once")
            : Finding.caution(
                "signals",
                "the system does not tell of changed files: waiters ask ten times a second",
                "raise fs.inotify.max_user_instances, or expect slower hand-overs"));
    return findings;
  }

  private static Finding permissions(Path directory) throws IOException {
    if (!directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      return Finding.good("permissions", directory + " can be written");
    }
    Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(directory);
    String seen =
        "%s is %s, %s"
            .formatted(
                directory, PosixFilePermissions.toString(permissions), Files.getOwner(directory));
    return permissions.contains(PosixFilePermission.OTHERS_WRITE)
        ? Finding.caution("permissions", seen, "anybody can free locks: chmod o-w " + directory)
        : Finding.good("permissions", seen);
  }

  private static Finding fileSystem(FilePlace place) throws IOException {
    String type = Files.getFileStore(place.directory()).type();
    return place.isNetwork()
        ? Finding.caution(
            "file system",
            type + ", a network file system",
            "exclusion is advisory here: use a local directory, or a server")
        : Finding.good("file system", type + ", local");
  }

  private static Finding space(FileStore store) throws IOException {
    long free = store.getUsableSpace();
    String seen = (free >> 20) + " MiB free";
    return free < LITTLE_SPACE
        ? Finding.bad("space", seen, "make room: new locks need a few kilobytes each")
        : Finding.good("space", seen);
  }
}
