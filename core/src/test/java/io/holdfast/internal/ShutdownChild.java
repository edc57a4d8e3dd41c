// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockListener;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A process that is told to end while it holds a lock, waits for one or leads. */
final class ShutdownChild {
  private static final Duration LONG = Duration.ofMinutes(10);

  private ShutdownChild() {}

  public static void main(String[] arguments) throws Exception {
    String address = "file:" + arguments[1];
    switch (arguments[0]) {
      case "work" -> work(talking(address, LONG).build());
      case "ask" -> ask(talking(address, LONG).build());
      case "work-on" -> workOn(talking(address, Duration.ofSeconds(1)).build());
      case "wait" -> waitFor(talking(address, LONG).build());
      case "lead" -> lead(Holdfast.builder(address).shutdownGrace(LONG).build());
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }

  /** Says what it hears at once: the JVM waits for no thread of its own. */
  private static Holdfast.Builder talking(String address, Duration grace) {
    return Holdfast.builder(address)
        .leaseTime(Duration.ofSeconds(10))
        .shutdownGrace(grace)
        .callbacks(Runnable::run)
        .listener(
            new LockListener() {
              @Override
              public void shuttingDown(ShuttingDown event) {
                say("shutting down with " + event.leases());
              }

              @Override
              public void renewed(Renewed event) {
                say("renewed");
              }
            });
  }

  /** Works until it is told that the work is done. */
  private static void work(Holdfast holdfast) throws Exception {
    Lease lease = holdfast.lock("a").tryAcquire().orElseThrow();
    say("working");
    int unused = System.in.read();
    lease.release();
    stay();
  }

  /** Asks for another lock whenever it is told to, until its input ends. */
  private static void ask(Holdfast holdfast) throws Exception {
    Lease lease = holdfast.lock("a").tryAcquire().orElseThrow();
    say("working");
    while (System.in.read() >= 0) {
      say("asked: " + outcome(holdfast));
    }
    lease.release();
    stay();
  }

  private static String outcome(Holdfast holdfast) {
    try {
      return holdfast.lock("b").tryAcquire().isPresent() ? "granted" : "held";
    } catch (BackendException refused) {
      return String.valueOf(refused.getMessage());
    }
  }

  /** Works in a hook of its own for as long as it has the lease. */
  private static void workOn(Holdfast holdfast) throws Exception {
    Lease lease = holdfast.lock("a").tryAcquire().orElseThrow();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> workWhileHeld(lease)));
    say("working");
    stay();
  }

  private static void workWhileHeld(Lease lease) {
    long seenHeld = System.nanoTime();
    for (long now = seenHeld; lease.isHeld(); now = System.nanoTime()) {
      seenHeld = now;
    }
    say("held at " + seenHeld);
    say("lost: " + lease.loss().toCompletableFuture().orTimeout(1, TimeUnit.MINUTES).join());
  }

  private static void waitFor(Holdfast holdfast) throws Exception {
    var waits = holdfast.lock("a").async().acquire(LONG);
    var unused = waits.whenComplete((lease, failure) -> say("not granted: " + failure));
    say("waiting");
    stay();
  }

  private static void lead(Holdfast holdfast) throws Exception {
    holdfast
        .election("a")
        .campaign(
            leadership -> {
              say("leading");
              stay();
            });
    stay();
  }

  private static void stay() throws InterruptedException {
    new CountDownLatch(1).await();
  }

  private static synchronized void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
