// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Mode;
import io.holdfast.spi.LockBackend.Hold;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** What another process does with the files, until it is killed. */
final class FileChild {
  private FileChild() {}

  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[1]);
    String name = arguments[2];
    switch (arguments[0]) {
      case "hold" -> hold(directory, name);
      case "linger" -> linger(directory, name);
      case "wait" -> waitFor(directory, name);
      case "share" -> shareAgainAndAgain(directory, name);
      case "stop-in-the-mutex" -> stopInTheMutex(directory, name);
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }

  /** Holds the lock for longer than any test lasts. */
  private static void hold(Path directory, String name) throws Exception {
    Holdfast holdfast = Holdfast.connect("file:" + directory);
    Lease lease =
        holdfast.lock(name).withLeaseTime(Duration.ofHours(1)).acquire(Duration.ofMinutes(1));
    say(lease.token().value());
    stay();
  }

  /** The same, for seconds, and its death does not end it. */
  private static void linger(Path directory, String name) throws Exception {
    Holdfast holdfast = Holdfast.connect("file:" + directory + "?linger=10s");
    Lease lease =
        holdfast.lock(name).withLeaseTime(Duration.ofSeconds(10)).acquire(Duration.ofMinutes(1));
    say(lease.token().value());
    stay();
  }

  /** Stands in the queue for longer than any test lasts. */
  private static void waitFor(Path directory, String name) throws Exception {
    Holdfast holdfast = Holdfast.connect("file:" + directory);
    var unused = holdfast.lock(name).async().acquire(Duration.ofHours(1));
    while (holdfast.inspect(name).waiters().isEmpty()) {
      Thread.onSpinWait();
    }
    say("waiting");
    stay();
  }

  /** Writes the file as often as it can, and prints each token that it was granted. */
  private static void shareAgainAndAgain(Path directory, String name) {
    FileClient client = FileClient.in(directory);
    for (; ; ) {
      Hold hold = client.hold(name, Mode.SHARED);
      say(client.acquireNow(hold));
      client.release(hold);
    }
  }

  private static void stopInTheMutex(Path directory, String name) throws IOException {
    LockDirectory files = LockDirectory.open(directory);
    files
        .mutex()
        .in(
            FileMutex.placeOf(FileNames.of(name)),
            () -> {
              say("in");
              return stay();
            });
  }

  private static void say(Object line) {
    System.out.println(line);
    System.out.flush();
  }

  private static int stay() throws IOException {
    return System.in.read();
  }
}
