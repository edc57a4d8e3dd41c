// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Which processes live: each {@link io.holdfast.Holdfast} has a folder with a file in it that it
 * keeps locked, and the system ends that lock with the process, however it ends. A process has an
 * id that is never used again, so whoever was once found dead stays so.
 */
final class AliveLocks {
  private static final String ALIVE = "alive";

  private final Path folder;

  /**
   * Those of this JVM, by their folders. Their files must not be opened again: closing them would
   * end their locks. So whoever opens such a file, for the first time or to probe it, has {@link
   * #opening}; which also keeps two probes from taking each other for the owner.
   */
  private final Map<Path, FileChannel> ours = new HashMap<>();

  private final ReentrantLock opening = new ReentrantLock();

  AliveLocks(Path folder) {
    this.folder = folder;
  }

  /** The folder of a process, where others leave word for it. */
  Path folderOf(String process) {
    return folder.resolve(FileNames.escape(process));
  }

  /**
   * From now on this process lives. The caller has the mutex for those who come and go.
   *
   * @param linger for how long its holds outlive it, at most
   */
  void enter(String process, Duration linger) throws IOException {
    Path own = Files.createDirectories(folderOf(process));
    if (!linger.isZero()) {
      Lingering.mark(own, linger);
    }
    opening.lock();
    try {
      FileChannel channel = FileChannel.open(own.resolve(ALIVE), CREATE, WRITE);
      ours.put(own, channel);
      // Not at the first try if another process is probing it just now, too early.
      OsLocks.lock(channel, 0, own);
    } finally {
      opening.unlock();
    }
  }

  /** From now on it does not. */
  void leave(String process) throws IOException {
    Path own = folderOf(process);
    opening.lock();
    try {
      FileChannel channel = ours.remove(own);
      if (channel != null) {
        channel.close();
      }
    } finally {
      opening.unlock();
    }
    remove(own);
  }

  /** The file by which others know that a process of this JVM lives. */
  FileIdentity identityOf(String process) throws IOException {
    return new FileIdentity(folderOf(process).resolve(ALIVE));
  }

  boolean isAlive(String process) {
    return isAlive(folderOf(process));
  }

  /** Also one that is dead, if what it holds is to be respected until its time is over. */
  private boolean isAlive(Path one) {
    return isRunning(one) || Lingering.isMarked(one);
  }

  private boolean isRunning(Path one) {
    opening.lock();
    try {
      return ours.containsKey(one) || isLocked(one.resolve(ALIVE));
    } finally {
      opening.unlock();
    }
  }

  private static boolean isLocked(Path alive) {
    try (FileChannel channel = FileChannel.open(alive, READ)) {
      return OsLocks.isLocked(channel);
    } catch (NoSuchFileException left) {
      return false;
    } catch (IOException cannotTell) {
      // Then its holds end with their time, as those of a process that hangs.
      return true;
    }
  }

  /** The folders of all that live. */
  Set<Path> alive() throws IOException {
    Set<Path> alive = new HashSet<>(LockDirectory.children(folder));
    alive.removeIf(one -> !isAlive(one));
    return alive;
  }

  /** Removes what the dead left. The caller has the mutex for those who come and go. */
  void removeDead() throws IOException {
    for (Path one : LockDirectory.children(folder)) {
      if (!isRunning(one) && Lingering.isOver(one)) {
        remove(one);
      }
    }
  }

  private static void remove(Path one) throws IOException {
    for (Path file : LockDirectory.children(one)) {
      Files.deleteIfExists(file);
    }
    try {
      Files.deleteIfExists(one);
    } catch (DirectoryNotEmptyException wordWasLeft) {
      // Somebody did not know yet that it is dead. The next one to come removes it.
      return;
    }
  }

  /** The folders of all processes, and the files in them that carry no lock of the system. */
  List<Path> unlockedFiles() throws IOException {
    List<Path> files = new ArrayList<>();
    for (Path one : LockDirectory.children(folder)) {
      files.addAll(List.of(one, Lingering.markIn(one), Inbox.fileIn(one)));
    }
    return files;
  }

  /** Makes our locked files look used, to those who delete what nobody has used for days. */
  void touch() throws IOException {
    IOException problem = null;
    opening.lock();
    try {
      for (FileChannel channel : ours.values()) {
        try {
          channel.write(ByteBuffer.allocate(1), 0);
        } catch (IOException failed) {
          problem = failed;
        }
      }
    } finally {
      opening.unlock();
    }
    if (problem != null) {
      throw problem;
    }
  }
}
