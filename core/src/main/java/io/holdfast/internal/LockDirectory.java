// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of one directory, shared by all backends of this JVM that use it.
 *
 * <pre>
 * mutex              a byte for each place that is locked for a short time (FileMutex)
 * tokens             what keeps tokens from going back (FileTokens)
 * locks/NAME.lock    who holds and who waits (StateFile)
 * drafts/NAME.lock   a file that is being written
 * processes/ID/      one that lives: its alive lock (AliveLocks), and its inbox (Inbox)
 * </pre>
 *
 * <p><b>First in, last out.</b> No hold outlives its process, save for those that are to linger. So
 * whoever comes and finds nobody alive removes all files of locks, also those that a loss of power
 * left torn, and goes on above the limit of the tokens; whoever goes and leaves nobody behind
 * removes them too.
 *
 * <p><b>One copy.</b> Two copies of this class in one JVM, from two class loaders, would not know
 * of each other's open files, and would end each other's locks by closing their own. The second one
 * is refused.
 */
final class LockDirectory {
  private static final Logger log = LoggerFactory.getLogger(LockDirectory.class);
  private static final Map<Object, LockDirectory> OPEN = new HashMap<>();
  private static final ReentrantLock OPENING = new ReentrantLock();
  private static final String THIS_COPY = UUID.randomUUID().toString();

  /** What is in a directory of locks. */
  static final List<String> ENTRIES = List.of("mutex", "tokens", "locks", "drafts", "processes");

  private static final long UNKNOWN = Long.MAX_VALUE;

  private final Path path;
  private final Object key;
  private final FileMutex mutex;
  private final FileTokens tokens;
  private final AliveLocks aliveLocks;
  private int users;

  private LockDirectory(Path path, Object key) throws IOException {
    this.path = path;
    this.key = key;
    Files.createDirectories(locks());
    Files.createDirectories(drafts());
    Files.createDirectories(path.resolve("processes"));
    this.mutex = new FileMutex(path.resolve("mutex"));
    this.tokens = new FileTokens(path.resolve("tokens"), drafts().resolve("tokens"), mutex);
    this.aliveLocks = new AliveLocks(path.resolve("processes"));
  }

  /** Opens a directory that exists; the same one again for everybody in this JVM. */
  static LockDirectory open(Path directory) throws IOException {
    Path path = directory.toRealPath();
    Object identity = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    Object key = identity == null ? path : identity;
    OPENING.lock();
    try {
      LockDirectory known = OPEN.get(key);
      if (known == null) {
        known = onlyCopy(path, key);
        OPEN.put(key, known);
      }
      known.users++;
      return known;
    } finally {
      OPENING.unlock();
    }
  }

  private static LockDirectory onlyCopy(Path path, Object key) throws IOException {
    Object copy = System.getProperties().putIfAbsent(property(key), THIS_COPY);
    if (copy != null && !copy.equals(THIS_COPY)) {
      throw new UnfitException(
          path,
          "in use by another copy of Holdfast in this JVM, from another class loader;"
              + " let both share one copy, or close the other first");
    }
    try {
      return new LockDirectory(path, key);
    } catch (IOException failed) {
      System.getProperties().remove(property(key));
      throw failed;
    }
  }

  private static String property(Object key) {
    return "io.holdfast.file." + key;
  }

  /** The counterpart of {@link #open}. */
  void close() throws IOException {
    OPENING.lock();
    try {
      users--;
      if (users == 0) {
        OPEN.remove(key);
        mutex.close();
        System.getProperties().remove(property(key));
      }
    } finally {
      OPENING.unlock();
    }
  }

  Path path() {
    return path;
  }

  FileMutex mutex() {
    return mutex;
  }

  FileTokens tokens() {
    return tokens;
  }

  AliveLocks aliveLocks() {
    return aliveLocks;
  }

  /** The file of a lock, by its file name. */
  StateFile stateFile(String file) {
    return new StateFile(locks().resolve(file), drafts().resolve(file));
  }

  /** The names of all files of locks. */
  List<String> lockFiles() throws IOException {
    return children(locks()).stream().map(file -> file.getFileName().toString()).toList();
  }

  private Path locks() {
    return path.resolve("locks");
  }

  private Path drafts() {
    return path.resolve("drafts");
  }

  /** A process comes. */
  void enter(String process, Duration linger) throws IOException {
    mutex.in(
        FileMutex.ENTRY,
        () -> {
          aliveLocks.removeDead();
          if (aliveLocks.alive().isEmpty()) {
            tokens.settle(UNKNOWN);
            removeLocks();
          }
          aliveLocks.enter(process, linger);
          tokens.refresh();
          return process;
        });
  }

  /** A process goes, and nothing of it is under way any more. */
  void leave(String process) throws IOException {
    aliveLocks.leave(process);
    mutex.in(
        FileMutex.ENTRY,
        () -> {
          if (aliveLocks.alive().isEmpty()) {
            tokens.settle(lastToken());
            removeLocks();
          }
          return process;
        });
  }

  private long lastToken() throws IOException {
    long last = 0;
    for (String file : lockFiles()) {
      try {
        StateRecord record = stateFile(file).read();
        last = Math.max(last, record == null ? 0 : record.lastToken());
      } catch (UnfitException damaged) {
        return UNKNOWN;
      }
    }
    return last;
  }

  private void removeLocks() throws IOException {
    for (Path folder : List.of(locks(), drafts())) {
      for (Path file : children(folder)) {
        Files.deleteIfExists(file);
      }
    }
  }

  /**
   * Makes everything look used, to those who delete what nobody has used for days. Files that carry
   * locks of the system are written to: to set their time would end the locks.
   */
  void touch(long wallNanos) throws IOException {
    List<Path> others = new ArrayList<>(children(locks()));
    others.addAll(aliveLocks.unlockedFiles());
    others.addAll(List.of(path.resolve("tokens"), locks(), drafts(), path.resolve("processes")));
    FileTime now = FileTime.from(wallNanos, TimeUnit.NANOSECONDS);
    others.forEach(each -> touch(each, now));
    try {
      mutex.touch();
    } finally {
      aliveLocks.touch();
    }
  }

  /** Other users touch their own files, and nothing keeps this process from touching the rest. */
  private static void touch(Path each, FileTime now) {
    try {
      Files.setLastModifiedTime(each, now);
    } catch (NoSuchFileException removed) {
      log.trace("{} is made again when it is needed", each);
    } catch (IOException failed) {
      log.debug("could not touch {}: {}", each, failed.toString());
    }
  }

  /** What is in a folder; nothing if there is no folder. */
  static List<Path> children(Path folder) throws IOException {
    List<Path> children = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
      stream.forEach(children::add);
    } catch (NoSuchFileException absent) {
      return List.of();
    } catch (DirectoryIteratorException failed) {
      throw failed.getCause();
    }
    return children;
  }
}
