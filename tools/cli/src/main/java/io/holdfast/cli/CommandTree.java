// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The processes of a command, as {@code /proc} shows them: the command itself, its process group,
 * and every process that inherited its {@code HOLDFAST_TREE}. Processes that have ended and were
 * not waited for do not count. {@code tree.bash} looks in the same places.
 */
final class CommandTree {
  private static final Path PROC = Path.of("/proc");

  /**
   * The command, as it told us before it began.
   *
   * @param start in ticks since boot, because another process may have its id later
   * @param group 0: it has none of its own
   */
  record Child(String pid, String start, String group) {
    static Child parse(String line) {
      String[] words = line.split(" ", -1);
      return new Child(words[1], words[2], words[3]);
    }
  }

  private final String holder;
  private @Nullable Child child;

  CommandTree(String holder) {
    this.holder = holder;
  }

  synchronized void begin(Child begun) {
    child = begun;
  }

  /** The command; before it has begun, one that does not exist. */
  synchronized Child child() {
    return child == null ? new Child("0", "0", "0") : child;
  }

  /** Whether it has begun and the command itself has ended; others may go on. */
  boolean hasEnded() {
    Child begun = child();
    return !begun.pid().equals("0") && !isMember(begun, PROC.resolve(begun.pid()), "");
  }

  boolean isGone() {
    return members().isEmpty();
  }

  /** The ids of those that have not ended. */
  List<String> members() {
    Child begun = child();
    List<String> members = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : processes) {
        if (isMember(begun, process, holder)) {
          members.add(String.valueOf(process.getFileName()));
        }
      }
    } catch (IOException unreadable) {
      throw new IllegalStateException("'holdfast run' needs Linux: /proc cannot be read");
    }
    return members;
  }

  private static boolean isMember(Child child, Path process, String holder) {
    String stat = read(process.resolve("stat"));
    // The name before it may contain anything.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1);
    if (fields.length < 20 || hasEnded(fields)) {
      return false;
    }
    boolean isChild = process.endsWith(child.pid()) && fields[19].equals(child.start());
    boolean isInGroup = !child.group().equals("0") && fields[2].equals(child.group());
    return isChild || (!holder.isEmpty() && (isInGroup || isMarked(process, holder)));
  }

  /** A process whose first thread has ended is a zombie too, but has others. */
  private static boolean hasEnded(String[] fields) {
    return fields[0].equals("X") || (fields[0].equals("Z") && Integer.parseInt(fields[17]) <= 1);
  }

  private static boolean isMarked(Path process, String holder) {
    return isMarkedIn(read(process.resolve("environ")), holder)
        || (read(process.resolve("stat")).contains(") Z ") && isMarkedByThreads(process, holder));
  }

  /** When the first thread has ended, the others alone show the environment. */
  private static boolean isMarkedByThreads(Path process, String holder) {
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(process.resolve("task"))) {
      for (Path thread : threads) {
        if (isMarkedIn(read(thread.resolve("environ")), holder)) {
          return true;
        }
      }
    } catch (IOException | DirectoryIteratorException gone) {
      return false;
    }
    return false;
  }

  private static boolean isMarkedIn(String environment, String holder) {
    int start = environment.indexOf("HOLDFAST_TREE=");
    return start >= 0
        && environment.substring(start).split("\0", 2)[0].contains(":" + holder + ":");
  }

  /** Empty if the process has ended, or belongs to another user. */
  private static String read(Path file) {
    try {
      return new String(Files.readAllBytes(file), ISO_8859_1);
    } catch (IOException gone) {
      return "";
    }
  }
}
