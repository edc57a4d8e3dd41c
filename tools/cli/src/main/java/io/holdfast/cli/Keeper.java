// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.BackendException;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockException;
import io.holdfast.LockListener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the lease of a command that others run: the supervisor, a shell, tells it on stdin what it
 * does ("child GROUP", "done"), and it tells the shell's watchdog on stdout until when the lease
 * lasts ("until TIME"). Its input ends with the supervisor, and its output with the watchdog: in
 * both cases it ends the command itself, because nobody else may.
 */
final class Keeper {
  private static final Duration FOREVER = Duration.ofDays(36_500);

  private final Common common;
  private final HoldOptions options;
  private final int conflictExitCode;
  private final BufferedReader supervisor =
      new BufferedReader(new InputStreamReader(System.in, UTF_8));
  private @Nullable Feed feed;

  Keeper(Common common, HoldOptions options, int conflictExitCode) {
    this.common = common;
    this.options = options;
    this.conflictExitCode = conflictExitCode;
  }

  /** Acquires, keeps and releases. Returns an exit code for the supervisor: zero, or why not. */
  int keep(String name, String[] command) {
    requireCommand(command);
    Duration patience = options.patience();
    Duration leaseTime = options.leaseTime();
    Holdfast holdfast = common.holding(leaseTime).listener(new Renewals()).build();
    try (holdfast) {
      if (leaseTime == null) {
        options.requireGraceWithinDefault(holdfast.guarantees());
      }
      DistributedLock lock = options.lock(holdfast, name, purpose(command));
      CompletableFuture<Optional<Lease>> asked =
          patience != null && patience.isZero()
              ? lock.async().tryAcquire()
              : lock.async().tryAcquire(patience == null ? FOREVER : patience);
      Waiting waiting = new Waiting(common, holdfast, name);
      waiting.watch(asked);
      Supervision supervision = new Supervision(supervisor, asked);
      Optional<Lease> granted = Waiting.answer(asked);
      return granted.isEmpty() ? notAcquired(waiting) : keep(granted.get(), supervision);
    } catch (CancellationException supervisorLeft) {
      return ExitCode.NO;
    }
  }

  /** The shell has found the two dashes, and runs what comes after them. */
  private static void requireCommand(String[] command) {
    int words = Integer.getInteger("holdfast.words", 0);
    if (words == 0) {
      throw new IllegalArgumentException(
          "the command comes after two dashes, as in 'NAME -- COMMAND'");
    }
    if (command.length < words) {
      throw new IllegalArgumentException("the lock's name comes before the two dashes");
    }
    if (command.length > words) {
      throw new IllegalArgumentException(
          "'" + command[0] + "' is neither an option nor the lock's name; only one word is that");
    }
  }

  /** The command's name, and not its arguments, which may be secret. */
  private static String purpose(String[] command) {
    Path file = Path.of(command[0]).getFileName();
    return file == null ? command[0] : file.toString();
  }

  private int notAcquired(Waiting waiting) {
    Message.NOT_ACQUIRED.say(waiting.refusal());
    return conflictExitCode;
  }

  private int keep(Lease lease, Supervision supervision) {
    Feed fed = new Feed(lease, options.grace());
    synchronized (this) {
      feed = fed;
    }
    lease.loss().thenAccept(fed::lost);
    fed.granted(options.onLost());
    supervision.begin(fed);
    // Whoever kills us by a signal that can be handled lets us do this in order.
    Runtime.getRuntime().addShutdownHook(new Thread(() -> fed.endTree("the keeper is ended")));
    return supervision.isDone() && fed.over() ? released(lease) : abandoned(lease);
  }

  private static int released(Lease lease) {
    try {
      return lease.release() ? ExitCode.DONE : lost(lease);
    } catch (BackendException unconfirmed) {
      Message.NOTE.say(
          "the store did not confirm the release of lock '"
              + lease.name()
              + "'; it is free when its lease is over");
      return ExitCode.DONE;
    }
  }

  private static int lost(Lease lease) {
    Message.LOST.say("lock '" + lease.name() + "' was lost before the command had ended");
    return ExitCode.LOST;
  }

  /** The command was ended for want of a supervisor, a watchdog or a lease. */
  private static int abandoned(Lease lease) {
    try {
      lease.release();
    } catch (LockException unconfirmed) {
      // It is free when its lease is over.
      return ExitCode.LOST;
    }
    return ExitCode.LOST;
  }

  private final class Renewals implements LockListener {
    @Override
    public void renewed(Renewed event) {
      Feed fed;
      synchronized (Keeper.this) {
        fed = feed;
      }
      if (fed != null) {
        fed.until();
      }
    }
  }

  /** What the supervisor says. */
  private static final class Supervision {
    private final CompletableFuture<Boolean> end = new CompletableFuture<>();
    private final CompletableFuture<Feed> begun = new CompletableFuture<>();

    Supervision(BufferedReader supervisor, CompletableFuture<?> asked) {
      Thread thread = new Thread(() -> listen(supervisor, asked), "holdfast-supervisor");
      thread.setDaemon(true);
      thread.start();
    }

    private void listen(BufferedReader supervisor, CompletableFuture<?> asked) {
      try {
        for (String line = supervisor.readLine(); line != null; line = supervisor.readLine()) {
          if (line.equals("done")) {
            end.complete(true);
            return;
          }
          begun.join().child(line.substring("child ".length()));
        }
      } catch (IOException gone) {
        // As if it had ended.
      }
      if (asked.cancel(false)) {
        return;
      }
      Feed feed = begun.join();
      feed.endTree("the supervisor is gone");
      end.complete(false);
    }

    void begin(Feed feed) {
      begun.complete(feed);
    }

    boolean isDone() {
      return end.join();
    }
  }
}
