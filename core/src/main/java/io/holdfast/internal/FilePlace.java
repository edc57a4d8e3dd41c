// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The directory that an address names: made if it is missing, and looked at before it is used.
 *
 * @param directory where the files are
 * @param isChosen whether the address named it; the default one is where anybody may write
 * @param allowsNetwork whether a network file system is accepted
 * @param allowsOthers whether a directory is accepted that other users made or may write to
 * @param linger for how long holds outlive a process that dies, at most; zero: not at all
 */
record FilePlace(
    Path directory,
    boolean isChosen,
    boolean allowsNetwork,
    boolean allowsOthers,
    Duration linger) {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");

  /**
   * File systems whose locks, or whose caches, are not those of one machine. Those of FUSE are
   * whatever their author made of them.
   */
  private static final Pattern NETWORK =
      Pattern.compile(
          "9p|afs|afpfs|beegfs|ceph|cifs|coda|davfs|gfs2|glusterfs|gpfs|lustre|ncpfs|nfs4?|ocfs2"
              + "|prl_fs|smb[23]?|smbfs|vboxsf|virtiofs|vmhgfs|webdav|fuse\\.(?!.*overlay).*");

  /**
   * The same for all processes of a user. So it follows neither the environment nor {@code
   * java.io.tmpdir}, which differ between a shell, a scheduler and a web server, nor the home,
   * which may be read-only, or on another machine; and there is no second choice, which one process
   * would take and another would not.
   */
  static Path defaultDirectory() {
    Path root = Path.of("/tmp");
    String user = FileNames.escape(System.getProperty("user.name", "nobody"));
    Path temporary =
        Files.isDirectory(root) ? root : Path.of(System.getProperty("java.io.tmpdir", "."));
    return temporary.resolve("holdfast-" + user);
  }

  /** Makes the directory, for its owner alone, and refuses one that cannot be trusted. */
  void prepare() throws IOException {
    if (!Files.isDirectory(directory)) {
      Files.createDirectories(directory, permissions());
    }
    if (isNetwork() && !allowsNetwork) {
      throw new UnfitException(
          directory,
          "a network file system ("
              + Files.getFileStore(directory).type()
              + "), whose locks and caches are not to be trusted: choose a local directory, or"
              + " accept weaker guarantees with '?network=allow'");
    }
    if (!isChosen) {
      requireOwn();
    } else if (!allowsOthers) {
      FileTrust.require(directory);
    }
  }

  private FileAttribute<?>[] permissions() {
    return isPosix()
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_ONLY)}
        : new FileAttribute<?>[0];
  }

  private boolean isPosix() {
    return directory.getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  /** Where anybody may write, somebody else may have made the directory before us. */
  private void requireOwn() throws IOException {
    Path probe = Files.createTempFile(directory, "owner", null);
    boolean own;
    try {
      own =
          Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
              && Files.getOwner(probe).equals(Files.getOwner(directory));
    } finally {
      Files.delete(probe);
    }
    if (!own || (isPosix() && !OWNER_ONLY.containsAll(Files.getPosixFilePermissions(directory)))) {
      throw new UnfitException(
          directory, "others own it or may write to it; choose a directory with 'file:/path'");
    }
  }

  /** Whether other machines may use the directory too. It must exist. */
  boolean isNetwork() throws IOException {
    return isNetwork(Files.getFileStore(directory).type())
        || directory.toRealPath().toString().startsWith("\\\\");
  }

  static boolean isNetwork(String fileSystem) {
    return NETWORK.matcher(fileSystem.toLowerCase(Locale.ROOT)).matches();
  }
}
