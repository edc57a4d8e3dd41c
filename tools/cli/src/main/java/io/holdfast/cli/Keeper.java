// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import io.holdfast.BackendException;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockException;
import io.holdfast.LockListener;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the lease of a command that others run. The supervisor, a shell, tells it on stdin what
 * happens ({@link Supervisor}), and it tells the shell's watchdog on stdout until when the lease
 * lasts ({@link Feed}). Signals are ignored.
 *
 * <p>The lease is released when no process of the command is left ({@link CommandTree}), whoever
 * says that it has ended.
 *
 * <pre>
 * state     what ends it                           what is done                     next
 * waiting   granted                                tells the supervisor             held
 *           leave, or the supervisor is gone       leaves the queue                 -
 * held      the command begins                                                      running
 *           end, or the supervisor is gone         releases                         -
 * running   done, or the command is seen to end    waits for what it left behind    ending
 *           end                                    ends what is left                ending
 *           the supervisor or the watchdog is      ends the command                 ending
 *           gone, or the last moment has come
 * ending    no process is left, or --close         releases                         -
 * </pre>
 */
final class Keeper {
  private static final Duration FOREVER = Duration.ofDays(36_500);
  private static final Duration GLANCE = Duration.ofSeconds(1);
  private static final Duration SHORT_GLANCE = Duration.ofMillis(50);

  private final Common common;
  private final HoldOptions options;
  private final int conflictExitCode;
  private final StoreRetry retry;
  private final Supervisor supervisor = new Supervisor(System.in);
  private final boolean isElection;
  private @Nullable Feed feed;

  private Keeper(Common common, HoldOptions options, int conflictExitCode, boolean isElection) {
    this.common = common;
    this.options = options;
    this.conflictExitCode = conflictExitCode;
    this.isElection = isElection;
    this.retry = new StoreRetry(options.patience(), isElection);
  }

  /** Acquires, keeps and releases. Returns an exit code for the supervisor: zero, or why not. */
  static int run(
      Common common, HoldOptions options, int conflictExitCode, String name, String[] command) {
    requireCommand(command);
    return new Keeper(common, options, conflictExitCode, false).keep(name, command);
  }

  /** One term: the shell stands for election again. */
  static int elect(Common common, HoldOptions options, String name, String[] command) {
    requireCommand(command);
    options.requireExclusive();
    return new Keeper(common, options, ExitCode.NO, true).keep(name, command);
  }

  private int keep(String name, String[] command) {
    options.requireSense();
    Duration leaseTime = options.leaseTime();
    try {
      for (; ; ) {
        Optional<Integer> code = attempt(name, command, leaseTime);
        if (code.isPresent()) {
          return code.get();
        }
      }
    } catch (CancellationException supervisorLeft) {
      return ExitCode.NO;
    }
  }

  /** Empty if the store could not be used and is to be tried again. */
  private Optional<Integer> attempt(String name, String[] command, @Nullable Duration leaseTime) {
    Holdfast connected = null;
    try {
      connected = common.holding(leaseTime).listener(new Renewals()).build();
      if (leaseTime == null) {
        options.requireGraceWithinDefault(connected.guarantees());
      }
      Waiting waiting = new Waiting(common, connected, name);
      Optional<Lease> granted = acquire(connected, name, command, waiting);
      return Optional.of(granted.isEmpty() ? notAcquired(waiting) : hold(granted.get()));
    } catch (BackendException failure) {
      boolean isQuiet = !isElection && !common.isForPeople() && !common.json();
      retry.pause(failure, supervisor.left(), isQuiet);
      return Optional.empty();
    } finally {
      if (connected != null) {
        connected.close();
      }
    }
  }

  private Optional<Lease> acquire(
      Holdfast holdfast, String name, String[] command, Waiting waiting) {
    DistributedLock lock = options.lock(holdfast, name, purpose(command));
    Duration patience = retry.remaining();
    CompletableFuture<Optional<Lease>> asked =
        patience != null && patience.isZero()
            ? lock.async().tryAcquire()
            : lock.async().tryAcquire(patience == null ? FOREVER : patience);
    waiting.watch(asked);
    supervisor.left().thenRun(() -> asked.cancel(false));
    return Waiting.answer(asked);
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

  private int hold(Lease lease) {
    CommandTree tree = new CommandTree(lease.holder().toString());
    Feed fed = new Feed(lease, options.grace(), tree);
    synchronized (this) {
      feed = fed;
    }
    lease.loss().thenAccept(fed::lost);
    supervisor.onChild(tree::begin);
    fed.granted(options.onLost());
    options.maxHold().ifPresent(fed::endAfter);
    boolean isOrderly = awaitEnd(lease, tree, fed);
    return fed.over() && isOrderly ? released(lease) : abandoned(lease);
  }

  /** Returns when the lock may be released. False if the supervisor is gone. */
  private boolean awaitEnd(Lease lease, CommandTree tree, Feed fed) {
    Leftovers leftovers = new Leftovers(lease.name(), tree);
    boolean isOver = false;
    boolean isOrderly = true;
    for (; ; ) {
      Supervisor.End end = supervisor.poll(isOver && leftovers.areNew() ? SHORT_GLANCE : GLANCE);
      // A supervisor that was stopped says nothing when the command ends.
      isOver |= end != null || tree.hasEnded();
      if (end == Supervisor.End.GONE && isOrderly) {
        isOrderly = false;
        fed.endTree("the process that ran the command is gone");
      } else if (end == Supervisor.End.END) {
        leftovers.end(fed);
      }
      if (isOver && (tree.isGone() || (end == Supervisor.End.DONE && options.closes()))) {
        return isOrderly;
      }
      if (isOver) {
        leftovers.explain();
      }
    }
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
}
