// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.Lease;
import io.holdfast.LossCause;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What the watchdog is fed with. Times are hundredths of a second since the machine was started, a
 * clock that both of us read alike, so that a message that comes late promises no more than one
 * that comes at once.
 */
final class Feed {
  private static final Path UPTIME = Path.of("/proc/uptime");

  /** Later than the watchdog would act, and still in time. */
  private static final Duration LAST_MOMENT = HoldOptions.MARGIN.minusMillis(50);

  private final Lease lease;
  private final Duration grace;
  private final OutputStream watchdog;
  private final CommandTree tree;
  private boolean kills = true;
  private boolean isGranted;
  private @Nullable String earlyLoss;
  private boolean isOver;
  private boolean isEnded;
  private boolean isWatched = true;

  Feed(Lease lease, Duration grace, CommandTree tree) {
    this(lease, grace, tree, new FileOutputStream(FileDescriptor.out));
  }

  Feed(Lease lease, Duration grace, CommandTree tree, OutputStream watchdog) {
    this.lease = lease;
    this.grace = grace;
    this.tree = tree;
    this.watchdog = watchdog;
  }

  /** The first two lines, which the supervisor reads; a name may begin and end with spaces. */
  synchronized void granted(String onLost) {
    kills = onLost.equals("kill");
    isGranted = true;
    long graceHundredths = grace.toMillis() / 10;
    say(
        "granted %s %s %d %d %s\n%s"
            .formatted(
                lease.token(), lease.holder(), end(), graceHundredths, onLost, lease.name()));
    Thread last = new Thread(this::waitForTheLastMoment, "holdfast-last-moment");
    last.setDaemon(true);
    last.start();
    String early = earlyLoss;
    if (early != null) {
      lost(early);
    }
  }

  /** Has the command ended when it has held the lock for so long. */
  void endAfter(Duration longest) {
    Thread thread =
        new Thread(
            () -> {
              sleep(longest);
              lost("held for %s, as long as '--max-hold' allows".formatted(TimeText.of(longest)));
            },
            "holdfast-longest-hold");
    thread.setDaemon(true);
    thread.start();
  }

  private static void sleep(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /** The lease was renewed. If the grant was not told yet, it will tell the new end itself. */
  synchronized void until() {
    if (isGranted && lease.isHeld()) {
      say("until " + end());
    }
  }

  /** The lease was lost, which is told after the grant. */
  void lost(LossCause cause) {
    lost(cause.name().toLowerCase(Locale.ROOT));
  }

  private synchronized void lost(String cause) {
    if (!isGranted) {
      earlyLoss = cause;
      return;
    }
    say("lost " + cause);
  }

  /** The command has ended. True if it has done so by itself, and was watched until now. */
  synchronized boolean over() {
    isOver = true;
    say("over");
    return !isEnded && (isWatched || !kills);
  }

  /** Read before the remaining time, so that it errs on the early side. */
  private long end() {
    return now() + lease.remaining().toMillis() / 10;
  }

  static long now() {
    try {
      return Long.parseLong(Files.readString(UPTIME).split(" ", 2)[0].replace(".", ""));
    } catch (IOException notLinux) {
      throw new IllegalStateException(
          "'holdfast run' needs Linux: /proc/uptime cannot be read", notLinux);
    }
  }

  private synchronized void say(String line) {
    if (!isWatched) {
      return;
    }
    try {
      watchdog.write((line + "\n").getBytes(UTF_8));
      watchdog.flush();
    } catch (IOException gone) {
      isWatched = false;
      if (!isOver) {
        // Not by this thread, which may have to renew the lease.
        new Thread(() -> endTree("the watchdog is gone"), "holdfast-end").start();
      }
    }
  }

  /** The watchdog acts before; but it may have been stopped. */
  private void waitForTheLastMoment() {
    for (; ; ) {
      Duration left = lease.remaining().minus(LAST_MOMENT);
      if (left.isNegative() || left.isZero()) {
        break;
      }
      LockSupport.parkNanos(left.toNanos());
    }
    endTreeNow();
  }

  private void endTreeNow() {
    if (begins()) {
      end(now());
    }
  }

  /** Ends the command, with its grace, because no other process does. */
  void endTree(String reason) {
    if (begins()) {
      Message.LOST.sayAside(reason + "; ending the command");
      endRest();
    }
  }

  /** Whether it is for the caller to end the command. */
  private synchronized boolean begins() {
    boolean isFirst = !isOver && kills;
    if (isFirst) {
      isOver = true;
      isEnded = true;
    }
    return isFirst;
  }

  /** Ends all that is left of the command, with its grace, and within the lease. */
  void endRest() {
    Duration left = lease.remaining().minus(HoldOptions.MARGIN);
    Duration time = left.compareTo(grace) < 0 ? left : grace;
    end(now() + Math.max(0, time.toMillis() / 10));
  }

  private void end(long killAt) {
    CommandTree.Child child = tree.child();
    String script = System.getProperty("holdfast.supervise", "");
    try {
      new ProcessBuilder(
              "bash",
              script,
              "end-tree",
              child.pid(),
              child.start(),
              child.group(),
              lease.holder().toString(),
              Long.toString(killAt))
          .redirectErrorStream(true)
          .redirectOutput(Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException failed) {
      Message.LOST.say("could not end the command: " + Reason.of(failed));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
