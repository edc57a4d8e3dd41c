// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Programs that refuse to run as root: run as the user {@code postgres} or {@code nobody} if the
 * test itself is root, in directories that belong to that user.
 */
final class ChildProcess {
  private static final boolean ROOT = "root".equals(System.getProperty("user.name"));
  private static final String USER = ROOT ? unprivilegedUser() : System.getProperty("user.name");

  private ChildProcess() {}

  /** Starts a program; its output goes to this file. */
  static Process start(Path log, List<String> command) {
    try {
      return Orphans.prevent(
          new ProcessBuilder(asUser(command))
              .directory(log.resolveSibling(".").toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .start());
    } catch (IOException failed) {
      throw new UncheckedIOException("could not run " + command.get(0), failed);
    }
  }

  /** Runs a program to its end; true if it succeeded. */
  static boolean run(Path log, List<String> command) {
    Process process = start(log, command);
    return await(process) && process.exitValue() == 0;
  }

  static boolean await(Process process) {
    try {
      return process.waitFor(60, TimeUnit.SECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Sends a signal to one process, by its id. */
  static void signal(String name, long pid) {
    try {
      await(new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start());
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** A directory that the program may write to. */
  static Path directory(String prefix) {
    try {
      Path directory = Files.createTempDirectory(prefix);
      give(directory);
      return directory;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Makes a file or directory the program's own. */
  static void give(Path path) {
    if (ROOT) {
      try {
        await(new ProcessBuilder("chown", "-R", USER, path.toString()).start());
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      }
    }
  }

  static void delete(Path directory) {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException | UncheckedIOException vanishing) {
      // A server that is ending removes files of its own; what is left is in the temporary folder.
    }
  }

  static String read(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException unreadable) {
      return "no log";
    }
  }

  static void pauseBriefly() {
    try {
      Thread.sleep(20);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static List<String> asUser(List<String> command) {
    if (!ROOT) {
      return command;
    }
    List<String> whole =
        new ArrayList<>(List.of("setpriv", "--reuid", USER, "--clear-groups", "--"));
    whole.addAll(command);
    return whole;
  }

  private static String unprivilegedUser() {
    try (Stream<String> users = Files.lines(Path.of("/etc/passwd"))) {
      return users.anyMatch(line -> line.startsWith("postgres:")) ? "postgres" : "nobody";
    } catch (IOException unreadable) {
      return "nobody";
    }
  }
}
