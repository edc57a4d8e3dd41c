// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** When workers were at work, by what they wrote themselves. */
final class Journal {
  private final Path directory;

  Journal(Path directory) {
    this.directory = directory;
  }

  /** From the first line that a process wrote to its last one. */
  record Interval(long token, String who, BigDecimal start, BigDecimal end) {
    boolean overlaps(Interval other) {
      return start.compareTo(other.end) <= 0 && other.start.compareTo(end) <= 0;
    }
  }

  /** {@code worker.bash} of this journal, as a command. */
  String[] worker() {
    return new String[] {"bash", Launched.script("worker.bash"), directory.toString()};
  }

  List<Interval> intervals() {
    List<Interval> intervals = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        String[] name = String.valueOf(file.getFileName()).split("-", 2);
        if (name.length == 2 && !name[0].equals("refused")) {
          interval(file, name).ifPresent(intervals::add);
        }
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    return intervals;
  }

  private static java.util.Optional<Interval> interval(Path file, String[] name)
      throws IOException {
    String text = Files.readString(file);
    // The last line may be half written.
    List<String> lines = text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    return lines.isEmpty()
        ? java.util.Optional.empty()
        : java.util.Optional.of(
            new Interval(
                Long.parseLong(name[1]),
                name[0],
                new BigDecimal(lines.get(0)),
                new BigDecimal(lines.get(lines.size() - 1))));
  }

  /** How many holders' children and grandchildren have written. */
  int holders() {
    return (int) intervals().stream().mapToLong(Interval::token).distinct().count();
  }

  boolean hasGrandchild() {
    return intervals().stream().anyMatch(interval -> interval.who().equals("grandchild"));
  }

  List<String> overlaps() {
    List<Interval> all = intervals();
    List<String> overlaps = new ArrayList<>();
    for (Interval one : all) {
      for (Interval other : all) {
        if (one.token() < other.token() && one.overlaps(other)) {
          overlaps.add(one + " and " + other);
        }
      }
    }
    return overlaps;
  }

  boolean wasRefused(long token) {
    return Files.exists(directory.resolve("refused-" + token));
  }
}
