// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_MODIFY;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where other processes leave word for this one that a lock's file concerns it: that it was granted
 * the lock, or lost it by force. Whoever leaves word appends the file's name, a line, and the
 * directory's watch wakes the one who is meant, and nobody else.
 *
 * <p>A word may be lost, as when its writer is killed before it leaves it: waiters ask again from
 * time to time. Each is left after the file was changed, so that reading it late finds no less.
 */
final class Inbox implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Inbox.class);
  private static final String FILE = "inbox";

  /** Emptied when it is larger than this. */
  private static final long LARGEST_BYTES = 8 * 1024;

  /** Whom the words are for. Called on the inbox's own thread. */
  interface Reader {
    /** This file has changed. */
    void changed(String file);

    /** Any file may have changed. */
    void changed();
  }

  private final Path file;
  private final Reader reader;
  private final WatchService watch;
  private final Thread thread;
  private long readBytes;

  /**
   * Watches the folder of this process.
   *
   * @throws IOException if the system has no more watches to give
   */
  Inbox(Path folder, Reader reader) throws IOException {
    this.file = fileIn(folder);
    this.reader = reader;
    this.watch = folder.getFileSystem().newWatchService();
    this.thread = DaemonThreads.named("holdfast-file-inbox").newThread(this::run);
    try {
      folder.register(watch, ENTRY_CREATE, ENTRY_MODIFY);
    } catch (IOException failed) {
      watch.close();
      throw failed;
    }
    thread.start();
  }

  /** Whether a watch tells at once here; elsewhere it looks for itself every few seconds. */
  static boolean isPrompt() {
    String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    return system.startsWith("linux") || system.startsWith("windows");
  }

  /** Where words are left, if there are any. */
  static Path fileIn(Path folder) {
    return folder.resolve(FILE);
  }

  /** Leaves word in the folder of a process. */
  static void leaveWord(Path folder, String changedFile) {
    byte[] line = (changedFile + "\n").getBytes(StandardCharsets.UTF_8);
    try (FileChannel channel = FileChannel.open(fileIn(folder), CREATE, APPEND)) {
      channel.write(ByteBuffer.wrap(line));
    } catch (NoSuchFileException left) {
      log.trace("{} has left", folder);
    } catch (IOException failed) {
      // It asks again before long.
      log.debug("could not leave word in {}: {}", folder, failed.toString());
    }
  }

  private void run() {
    try {
      for (; ; ) {
        WatchKey key = watch.take();
        key.pollEvents();
        read();
        if (!key.reset()) {
          return;
        }
      }
    } catch (ClosedWatchServiceException | InterruptedException closed) {
      return;
    }
  }

  private void read() {
    try {
      newWords().lines().filter(FileNames::isOne).forEach(reader::changed);
      if (readBytes > LARGEST_BYTES) {
        empty();
      }
    } catch (NoSuchFileException none) {
      readBytes = 0;
    } catch (Throwable failed) {
      log.debug("could not read {}: {}", file, failed.toString());
    }
  }

  /** All complete lines since the last time. */
  private String newWords() throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    if (bytes.length < readBytes) {
      readBytes = 0;
    }
    int from = (int) readBytes;
    int end = bytes.length;
    while (end > from && bytes[end - 1] != '\n') {
      end--;
    }
    readBytes = end;
    return new String(bytes, from, end - from, StandardCharsets.UTF_8);
  }

  private void empty() throws IOException {
    try (FileChannel channel = FileChannel.open(file, READ, WRITE)) {
      channel.truncate(0);
    }
    readBytes = 0;
    // For whoever left word just before it was emptied.
    reader.changed();
  }

  @Override
  public void close() throws IOException {
    watch.close();
    if (Thread.currentThread() != thread) {
      joinUninterrupted();
    }
  }

  private void joinUninterrupted() {
    try {
      thread.join(TimeUnit.SECONDS.toMillis(1));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
