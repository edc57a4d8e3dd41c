// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A clock for a server of one's own that can be set while it runs, with {@code libfaketime}: the
 * server's time of day, not its monotonic clock, and nobody else's. A server that is linked with a
 * shared jemalloc does not start with it.
 */
public final class SettableClock implements AutoCloseable {
  private static final List<Path> PLACES =
      Stream.of("x86_64-linux-gnu/", "aarch64-linux-gnu/", "")
          .map(system -> Path.of("/usr/lib/" + system + "faketime/libfaketime.so.1"))
          .toList();

  private final Path library;
  private final Path file;

  private SettableClock(Path library) {
    this.library = library;
    try {
      this.file = Files.createTempFile("holdfast-clock", "");
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    set(Duration.ZERO);
  }

  /** A clock that is right at first; skips the test where the library is not there. */
  public static SettableClock find() {
    for (Path place : PLACES) {
      if (Files.exists(place)) {
        return new SettableClock(place);
      }
    }
    Assumptions.abort("could not run here: no libfaketime");
    throw new AssertionError("aborted");
  }

  /** Sets it so far ahead of the machine's clock. */
  public void set(Duration ahead) {
    try {
      Path next = Files.createTempFile("holdfast-clock", "");
      Files.writeString(next, (ahead.isNegative() ? "" : "+") + ahead.toSeconds());
      next.toFile().setReadable(true, false); // The server may be another user's.
      // At once: the server reads it whenever it looks at the time.
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** What makes a process go by this clock. */
  Map<String, String> environment() {
    return Map.of(
        "LD_PRELOAD",
        library.toString(),
        "FAKETIME_TIMESTAMP_FILE",
        file.toString(),
        "FAKETIME_NO_CACHE",
        "1",
        "FAKETIME_DONT_FAKE_MONOTONIC",
        "1");
  }

  @Override
  public void close() {
    file.toFile().delete();
  }
}
