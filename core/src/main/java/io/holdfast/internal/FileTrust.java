// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;

/**
 * Whether other users could have made a directory, or could change what is in it: they could then
 * free locks, or send our writes elsewhere. Root may do that anyway, and is trusted.
 *
 * <p>Of what lies above the directory only links matter, and only those that were put where anybody
 * may write: {@code /tmp} itself is a link on some systems, and so is the current release of many
 * applications.
 */
final class FileTrust {
  private static final int ROOT = 0;
  private static final int STICKY = 01000;
  private static final int GROUP_WRITES = 0020;
  private static final int OTHERS_WRITE = 0002;
  private static final int MOST_LINKS = 40;

  private static final String ADVICE =
      "; choose a directory of your own, or accept this one with '?shared=allow'";

  private final int us;

  private FileTrust(int us) {
    this.us = us;
  }

  /** Fails unless no other user than root can have made the directory or can change its files. */
  static void require(Path directory) throws IOException {
    if (directory.getFileSystem().supportedFileAttributeViews().contains("unix")) {
      new FileTrust(userOf(directory)).check(directory);
    }
  }

  /** The user whom files belong to that this process makes. */
  private static int userOf(Path directory) throws IOException {
    Path probe = Files.createTempFile(directory, "owner", null);
    try {
      return number(probe, "uid");
    } finally {
      Files.delete(probe);
    }
  }

  private void check(Path directory) throws IOException {
    requireOurLinks(directory);
    Path real = directory.toRealPath();
    if (isForeign(real) && isInOpenPlace(real)) {
      throw new UnfitException(
          directory,
          "it is where others may write, so it must be owned by this user (%d) or root, not by %d"
                  .formatted(us, number(real, "uid"))
              + ADVICE);
    }
    requireClosed(directory, real);
  }

  private void requireClosed(Path directory, Path real) throws IOException {
    int mode = number(real, "mode");
    boolean isSticky = (mode & STICKY) != 0;
    boolean othersWrite = (mode & OTHERS_WRITE) != 0;
    boolean groupWrites = (mode & GROUP_WRITES) != 0 && !isPrivateGroup(real);
    if ((othersWrite || groupWrites) && !isSticky) {
      throw new UnfitException(
          directory,
          "no other user may write to it, and its mode is %o".formatted(mode & 07777) + ADVICE);
    }
    if (othersWrite || groupWrites) {
      requireOwnFiles(directory, real);
    }
  }

  /** Many systems give each user a group of the same name, and let it write what the user makes. */
  private boolean isPrivateGroup(Path directory) throws IOException {
    if (isForeign(directory)) {
      return false;
    }
    Map<String, Object> names = Files.readAttributes(directory, "posix:owner,group");
    return String.valueOf(names.get("owner")).equals(String.valueOf(names.get("group")));
  }

  /** With the sticky bit others cannot replace our files, but may have come before us. */
  private void requireOwnFiles(Path directory, Path real) throws IOException {
    for (String name : LockDirectory.ENTRIES) {
      Path entry = real.resolve(name);
      if (Files.exists(entry, LinkOption.NOFOLLOW_LINKS)
          && (isForeign(entry) || Files.isSymbolicLink(entry))) {
        throw new UnfitException(
            directory,
            "another user (%d) made '%s' in it".formatted(number(entry, "uid"), name) + ADVICE);
      }
    }
  }

  /** Goes the way that the system goes, link by link. */
  private void requireOurLinks(Path directory) throws IOException {
    Path at = directory.getRoot();
    Deque<Path> ahead = new ArrayDeque<>();
    directory.forEach(ahead::addLast);
    for (int links = 0; !ahead.isEmpty() && links <= MOST_LINKS; ) {
      Path next = at.resolve(ahead.removeFirst());
      if (Files.isSymbolicLink(next)) {
        links++;
        requireOurLink(directory, next);
        Path target = Files.readSymbolicLink(next);
        for (int i = target.getNameCount() - 1; i >= 0; i--) {
          ahead.addFirst(target.getName(i));
        }
        at = target.isAbsolute() ? target.getRoot() : at;
      } else {
        // The way so far has no links left in it, so that a step back is one in the text.
        at = next.normalize();
      }
    }
  }

  private void requireOurLink(Path directory, Path link) throws IOException {
    if (isForeign(link) && isInOpenPlace(link)) {
      throw new UnfitException(
          directory,
          "the link %s on the way to it is where others may write, and was made by another user (%d)"
                  .formatted(link, number(link, "uid"))
              + ADVICE);
    }
  }

  private boolean isForeign(Path path) throws IOException {
    int owner = number(path, "uid");
    return owner != us && owner != ROOT;
  }

  private static boolean isInOpenPlace(Path path) throws IOException {
    Path parent = path.getParent();
    return parent != null && (number(parent, "mode") & OTHERS_WRITE) != 0;
  }

  private static int number(Path path, String attribute) throws IOException {
    Object value = Files.getAttribute(path, "unix:" + attribute, LinkOption.NOFOLLOW_LINKS);
    return (Integer) value;
  }
}
