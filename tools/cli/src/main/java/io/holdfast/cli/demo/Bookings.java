// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli.demo;

import io.holdfast.FencingToken;
import io.holdfast.Lease;
import java.io.IOException;
import java.io.Serial;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The bookings of one table, in a small file: on the first line the newest token that has written
 * here, then a line for each evening and who booked it.
 *
 * <p>The file is the resource that the lock protects, and it takes part in that: it refuses a write
 * whose token is older than the newest it has seen. This check is a plain look before the write, so
 * it stops a holder that wakes up late, and not one that wakes up between the look and the write.
 * The guards of the data modules do both in one step of the database.
 */
record Bookings(Path file) {

  /** A later holder of the lock has been here before. */
  static final class StaleTokenException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    StaleTokenException(FencingToken token, FencingToken newest) {
      super("token " + token + " is older than " + newest);
    }
  }

  boolean isFree(int evening) throws IOException {
    return lines().stream().noneMatch(line -> line.startsWith(evening + " "));
  }

  boolean isBookedBy(int evening, String name) throws IOException {
    return lines().contains(evening + " " + name);
  }

  /** Writes a booking, whatever has happened since somebody looked. */
  void write(int evening, String name) throws IOException {
    List<String> lines = lines();
    write(lines, lines.get(0), evening, name);
  }

  /**
   * Writes a booking made under a lock.
   *
   * @throws StaleTokenException if a later holder has written since
   */
  void write(int evening, String name, Lease lease) throws IOException {
    List<String> lines = lines();
    long newest = Long.parseLong(lines.get(0));
    if (newest > lease.token().value()) {
      lease.reportStale(new FencingToken(newest));
      throw new StaleTokenException(lease.token(), new FencingToken(newest));
    }
    write(lines, lease.token().toString(), evening, name);
  }

  private List<String> lines() throws IOException {
    return Files.exists(file) ? Files.readAllLines(file) : List.of("0");
  }

  /** By renaming, so that nobody ever reads half a file. */
  private void write(List<String> before, String token, int evening, String name)
      throws IOException {
    List<String> lines = new ArrayList<>(before);
    lines.set(0, token);
    lines.add(evening + " " + name);
    Path written = file.resolveSibling(file.getFileName() + "-by-" + name);
    Files.write(written, lines);
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
