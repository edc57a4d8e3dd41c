// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.Origin;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;

/**
 * What this machine knows of the process that holds a lock, if it is one of this machine's: whether
 * it lives, and the command that it runs, which has the holder's id in its environment.
 *
 * @param state "alive", "gone" or "unknown"
 * @param why in words
 * @param command the command of {@code run} or {@code elect}, if this user may see it
 */
record HolderProcess(String state, String why, Optional<Running> command) {

  /** A process as {@code ps} shows it. */
  record Running(long pid, String line, String user, Optional<Instant> start) {
    private static final int SHOWN = 160;

    static Running of(ProcessHandle process) {
      ProcessHandle.Info info = process.info();
      return new Running(
          process.pid(),
          info.commandLine().or(info::command).orElse("?"),
          info.user().orElse("?"),
          info.startInstant());
    }

    @Override
    public String toString() {
      return (line.length() > SHOWN ? line.substring(0, SHOWN) + "…" : line)
          + ", pid "
          + pid
          + ", user "
          + user
          + start.map(time -> ", since " + time).orElse("");
    }
  }

  static HolderProcess of(String holder, Optional<Origin> origin) {
    if (origin.isEmpty()) {
      return new HolderProcess("unknown", "the store does not say which process it is", none());
    }
    Origin known = origin.get();
    if (!isHere(known.host())) {
      String why =
          "it is on '" + known.host() + "': look there, 'ps -p " + known.pid() + "', or inspect";
      return new HolderProcess("unknown", why, none());
    }
    Optional<Running> command = command(holder);
    if (ProcessHandle.of(known.pid()).isPresent()) {
      return new HolderProcess("alive", "process " + known.pid() + " of this machine", command);
    }
    String why =
        command.isPresent()
            ? "process " + known.pid() + " is gone, but its command is not"
            : "process "
                + known.pid()
                + " is gone, or in another container; the lock is free when its lease is over";
    return new HolderProcess("gone", why, command);
  }

  private static Optional<Running> none() {
    return Optional.empty();
  }

  private static boolean isHere(String host) {
    try {
      return host.equals(System.getenv("HOSTNAME"))
          || host.equals(InetAddress.getLocalHost().getHostName());
    } catch (UnknownHostException nameless) {
      return host.equals("localhost");
    }
  }

  /** The oldest process that has the holder's id: the command itself, and not what it started. */
  private static Optional<Running> command(String holder) {
    return ProcessHandle.allProcesses()
        .filter(process -> isOf(holder, process.pid()))
        .min(
            Comparator.comparing(
                (ProcessHandle process) -> process.info().startInstant().orElse(Instant.MAX)))
        .map(Running::of);
  }

  private static boolean isOf(String holder, long pid) {
    try {
      String environment = Files.readString(Path.of("/proc", pid + "", "environ"), UTF_8);
      return ("\0" + environment).contains("\0HOLDFAST_HOLDER=" + holder + "\0");
    } catch (IOException foreign) {
      return false;
    }
  }
}
