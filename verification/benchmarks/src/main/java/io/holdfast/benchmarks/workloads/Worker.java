// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Crew;
import io.holdfast.benchmarks.harness.Sections;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Scanner;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/** One process of {@link Processes}: its threads want the one key, and work in it for a while. */
public final class Worker {
  private static final Duration WAIT = Duration.ofSeconds(60);
  private static final int CONNECTS = 5;

  /**
   * By how much a sleep is too long: 95 µs in the median, 106 µs in nine of ten, whatever its
   * length (Linux adds 50 µs, and then the thread must be woken). So the spin takes some 25 µs,
   * which the server will not miss.
   */
  private static final long OVERSLEPT_NANOS = 120_000;

  private Worker() {}

  /**
   * Arguments: contender, server, file of the section, threads. Each line that it hears is a turn:
   * warm-up, time, and work in the section, in ms.
   */
  public static void main(String[] arguments) throws Exception {
    Sections section = Sections.mapped(Path.of(arguments[2]));
    int threads = Integer.parseInt(arguments[3]);
    Scanner commands = new Scanner(System.in, StandardCharsets.UTF_8);
    try (Client client = connect(arguments[0], arguments[1])) {
      say("ready");
      while (commands.hasNextLine()) {
        String[] times = commands.nextLine().split(" ", 3);
        long workNanos = Duration.ofMillis(Long.parseLong(times[2])).toNanos();
        long violationsBefore = section.violations();
        Crew.Result result =
            Crew.run(
                threads,
                Duration.ofMillis(Long.parseLong(times[0])),
                Duration.ofMillis(Long.parseLong(times[1])),
                thread -> work(client, section, workNanos),
                () -> {
                  say("standing");
                  commands.nextLine();
                });
        long violations = section.violations() - violationsBefore;
        say(result.total() + " " + result.seconds() + " " + violations);
        say(encoded(result.nanos()));
      }
    }
    System.exit(0);
  }

  /** Several JVMs that start together may be too slow for a contender's own time-outs. */
  private static Client connect(String contender, String server) throws Exception {
    for (int tries = 1; ; tries++) {
      try {
        return Contenders.named(contender).connect(server);
      } catch (RuntimeException failed) {
        if (tries == CONNECTS) {
          throw failed;
        }
      }
    }
  }

  private static void work(Client client, Sections section, long workNanos) throws Exception {
    Client.Taken taken = client.take("shared", WAIT);
    if (taken == null) {
      throw new IllegalStateException("not served within " + WAIT);
    }
    section.enter(0);
    pass(workNanos);
    section.leave(0);
    taken.giveBack();
  }

  /** Sleeps for most of the time, and spins for the rest of it: a sleep alone ends late. */
  private static void pass(long nanos) {
    long endNanos = System.nanoTime() + nanos;
    for (long left = nanos; left > 0; left = endNanos - System.nanoTime()) {
      if (left > OVERSLEPT_NANOS) {
        LockSupport.parkNanos(left - OVERSLEPT_NANOS);
      } else {
        Thread.onSpinWait();
      }
    }
  }

  private static void say(String line) {
    System.out.println(line);
  }

  private static String encoded(Histogram histogram) {
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoByteBuffer(buffer);
    byte[] bytes = new byte[length];
    buffer.flip().get(bytes);
    return Base64.getEncoder().encodeToString(bytes);
  }

  static Histogram decoded(String text) {
    return Histogram.decodeFromByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
  }
}
