// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * One of those who hammer: it increments a counter in a file, which nothing but the lock protects,
 * until it is told to stop or is killed.
 *
 * <p>What it does it writes to a journal that all of them append to, in single writes that the
 * system does not mix, so that the journal's order is the order of events: {@code enter}, {@code
 * read} with what the counter was, and {@code leave} when it is one more. One that was killed lacks
 * some of these.
 */
final class HammerChild {
  private static final Duration WAIT = Duration.ofSeconds(30);

  private HammerChild() {}

  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    String who = arguments[1];
    SplittableRandom random = new SplittableRandom(Long.parseLong(arguments[2]));
    try (Holdfast holdfast = Holdfast.connect("file:" + folder.resolve("locks"));
        FileChannel journal = FileChannel.open(folder.resolve("journal"), WRITE, APPEND);
        FileChannel counter = FileChannel.open(folder.resolve("counter"), READ, WRITE)) {
      DistributedLock lock = holdfast.lock("hammered");
      System.out.println("ready");
      while (!Files.exists(folder.resolve("stop"))) {
        long asked = System.nanoTime();
        try (Lease lease = lock.acquire(WAIT)) {
          long token = lease.token().value();
          long waited = System.nanoTime() - asked;
          note(journal, "enter", who, token, waited);
          long count = read(counter);
          note(journal, "read", who, token, count);
          LockSupport.parkNanos(stayNanos(random));
          write(counter, count + 1);
          lease.ensureHeld(Duration.ZERO);
          note(journal, "leave", who, token, count + 1);
        }
      }
    }
    System.out.println("stopped");
  }

  /** Sometimes for long, so that some of the kills find somebody inside. */
  private static long stayNanos(SplittableRandom random) {
    return random.nextInt(10) == 0 ? 20_000_000 : random.nextLong(200_000);
  }

  private static void note(FileChannel journal, String event, String who, long token, long detail)
      throws IOException {
    String line = event + " " + who + " " + token + " " + detail + " " + System.nanoTime() + "\n";
    journal.write(ByteBuffer.wrap(line.getBytes(US_ASCII)));
  }

  private static long read(FileChannel counter) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(Long.BYTES);
    counter.read(buffer, 0);
    return buffer.getLong(0);
  }

  private static void write(FileChannel counter, long count) throws IOException {
    counter.write(ByteBuffer.allocate(Long.BYTES).putLong(0, count), 0);
  }
}
