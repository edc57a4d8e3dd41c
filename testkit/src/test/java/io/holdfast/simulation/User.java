// SPDX-License-Identifier: Apache-2.0
package io.holdfast.simulation;

import io.holdfast.AsyncLock;
import io.holdfast.BackendException;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseGroup;
import io.holdfast.LeaseLostException;
import io.holdfast.LockException;
import io.holdfast.LockState;
import io.holdfast.LockTimeoutException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Somebody who uses locks in one client: in every way that there is, and at random. */
final class User {
  static final Duration LONGEST_LEASE = Duration.ofSeconds(10);
  static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

  /** For how long a store may be silent before a request that does not wait is over. */
  static final Duration SILENCE = Duration.ofSeconds(5);

  private static final List<Duration> LEASE_TIMES =
      List.of(
          Duration.ofMillis(50),
          Duration.ofMillis(300),
          Duration.ofMillis(300),
          Duration.ofSeconds(2),
          LONGEST_LEASE);

  /** A lease of this time outlasts whatever delays there are in a good network. */
  private static final Duration SURE_LEASE = Duration.ofSeconds(2);

  /** A lock, on certain terms, and what they promise. */
  private record Wish(DistributedLock lock, Watch.Promise promise) {}

  private final World world;
  private final Client client;
  private final Holdfast holdfast;
  private final Watch watch;
  private final List<String> names;
  private final Conditions conditions;
  private final Set<Lease> kept = new LinkedHashSet<>();
  private boolean stopped;

  User(
      World world,
      Client client,
      Holdfast holdfast,
      Watch watch,
      List<String> names,
      Conditions conditions) {
    this.world = world;
    this.client = client;
    this.holdfast = holdfast;
    this.watch = watch;
    this.names = names;
    this.conditions = conditions;
  }

  void start() {
    client.post(world.about(World.millis(1), World.millis(1_500)), this::act);
  }

  /** Asks for nothing more, and gives back what it would have kept. */
  void stop() {
    stopped = true;
    client.post(0, () -> List.copyOf(kept).forEach(this::release));
  }

  private void act() {
    if (stopped) {
      return;
    }
    if (conditions.forces() && world.chance(0.1)) {
      client.block(this::force);
    } else if (world.chance(0.1)) {
      call();
    } else if (world.chance(0.1)) {
      Fibre blocked = client.block(world.chance(0.5) ? this::acquireAll : this::acquireBlocking);
      if (world.chance(0.3)) {
        client.post(world.about(1_000, World.millis(2_000)), blocked::interrupt);
      }
    } else {
      acquire();
    }
    start();
  }

  private Wish wish() {
    String name = world.pick(names);
    // Names that begin with s are semaphores; sometimes somebody gets that wrong.
    boolean semaphore = name.startsWith("s") != world.chance(0.02);
    DistributedLock lock = semaphore ? holdfast.semaphore(name, 2) : holdfast.lock(name);
    lock = !semaphore && world.chance(0.3) ? lock.shared() : lock;
    Duration leaseTime = world.pick(LEASE_TIMES);
    lock = lock.withLeaseTime(leaseTime);
    if (world.chance(0.2)) {
      return new Wish(lock.withoutRenewal(), new Watch.Promise(false, leaseTime));
    }
    if (world.chance(0.2)) {
      Duration maxHold = Duration.ofNanos(world.about(World.millis(20), World.millis(5_000)));
      // The last renewal may have waited for its lane.
      Duration atMost = maxHold.plus(leaseTime).plus(leaseTime);
      return new Wish(lock.withMaxHold(maxHold), new Watch.Promise(false, atMost));
    }
    boolean lasts = conditions.isGood() && leaseTime.compareTo(SURE_LEASE) >= 0;
    return new Wish(lock, new Watch.Promise(lasts, Watch.Promise.NONE.atMost()));
  }

  private Watch.Asked ask(Wish wish, Duration wait) {
    client.note("wants " + wish.lock + " within " + wait.toMillis() + " ms");
    return watch.asked(client, wish.lock.name(), wait, wish.promise);
  }

  private Duration drawnWait() {
    return world.chance(0.3)
        ? Duration.ZERO
        : Duration.ofNanos(world.about(World.millis(1), LONGEST_WAIT.toNanos()));
  }

  private void acquire() {
    Wish wish = wish();
    AsyncLock async = wish.lock.async();
    Duration wait = drawnWait();
    Watch.Asked asked = ask(wish, wait);
    CompletableFuture<?> answer =
        world.chance(0.5)
            ? heard(asked, async.acquire(wait), Optional::of)
            : heard(
                asked, wait.isZero() ? async.tryAcquire() : async.tryAcquire(wait), found -> found);
    if (world.chance(0.15)) {
      client.post(world.about(1_000, World.millis(2_000)), () -> cancel(answer));
    }
  }

  private void cancel(CompletableFuture<?> answer) {
    if (answer.cancel(false)) {
      client.note("cancels a request");
    }
  }

  private <T> CompletableFuture<T> heard(
      Watch.Asked asked, CompletableFuture<T> answer, Function<T, Optional<Lease>> granted) {
    var unused =
        answer.whenComplete(
            (value, failure) -> {
              asked.answered();
              if (failure != null) {
                expected(failure);
              } else {
                granted.apply(value).ifPresent(lease -> hold(asked, lease));
              }
            });
    return answer;
  }

  private void hold(Watch.Asked asked, Lease lease) {
    asked.granted(lease);
    kept.add(lease);
    if (asked.mayRenew() && world.chance(0.1)) {
      client.post(world.about(1_000, World.millis(1_000)), () -> client.block(() -> renew(lease)));
    }
    if (world.chance(0.1)) {
      client.post(world.about(1_000, World.millis(5_000)), lease::isHeld);
    }
    if (stopped || world.chance(0.95)) {
      client.post(world.about(1_000, World.millis(stopped ? 100 : 3_000)), () -> release(lease));
    }
  }

  private void release(Lease lease) {
    kept.remove(lease);
    if (world.chance(0.2)) {
      client.block(lease::close);
    } else {
      releaseAsync(lease, world.chance(0.1));
    }
  }

  private void releaseAsync(Lease lease, boolean again) {
    var unused =
        holdfast
            .lock(lease.name())
            .async()
            .release(lease)
            .whenComplete(
                (wasOurs, failure) -> {
                  if (failure == null) {
                    watch.released(client, lease, wasOurs);
                  } else {
                    expected(failure);
                  }
                  if (again || (failure != null && world.chance(0.5))) {
                    releaseAsync(lease, false);
                  }
                });
  }

  private void renew(Lease lease) {
    try {
      lease.renew();
    } catch (LeaseLostException | BackendException failure) {
      client.note("cannot renew " + lease.holder().abbreviated() + ": " + failure.getMessage());
    }
  }

  private void call() {
    Wish wish = wish();
    Watch.Asked asked = ask(wish, LONGEST_WAIT);
    CompletableFuture<Boolean> begun = new CompletableFuture<>();
    CompletableFuture<Boolean> outcome =
        wish.lock
            .async()
            .call(
                LONGEST_WAIT,
                lease -> {
                  begun.complete(true);
                  asked.answered();
                  asked.granted(lease);
                  return work();
                });
    var unused =
        outcome.whenComplete(
            (done, failure) -> {
              if (!begun.isDone()) {
                asked.answered();
              }
              if (failure != null) {
                expected(failure);
              }
            });
  }

  private CompletableFuture<Boolean> work() {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    client.post(world.about(1_000, World.millis(1_000)), () -> done.complete(true));
    return done;
  }

  private void acquireBlocking() {
    Wish wish = wish();
    Duration wait = drawnWait();
    Watch.Asked asked = ask(wish, wait);
    try {
      Optional<Lease> granted = wait.isZero() ? wish.lock.tryAcquire() : wish.lock.tryAcquire(wait);
      asked.answered();
      granted.ifPresent(lease -> hold(asked, lease));
    } catch (InterruptedException | RuntimeException failure) {
      asked.answered();
      expected(failure);
    }
  }

  private void acquireAll() {
    List<String> locks = names.stream().filter(name -> !name.startsWith("s")).toList();
    Duration wait = drawnWait();
    client.note("waits for " + locks + " for " + wait.toMillis() + " ms");
    Watch.Asked asked =
        watch.asked(client, "all", wait.plus(SILENCE.multipliedBy(4)), Watch.Promise.NONE);
    try (LeaseGroup group = holdfast.acquireAll(locks, wait)) {
      asked.answered();
      client.note("has all, and they are held: " + group.isHeld());
    } catch (InterruptedException | RuntimeException failure) {
      asked.answered();
      expected(failure);
    }
  }

  private void force() {
    String name = world.pick(names);
    try {
      LockState state = holdfast.inspect(name);
      for (LockState.Holding holding : state.holders()) {
        if (holding.token().isPresent()) {
          boolean done = holdfast.forceRelease(name, holding.token().get(), "simulated");
          client.note("released by force " + name + ": " + done);
        }
      }
    } catch (BackendException failure) {
      client.note("cannot release by force: " + failure.getMessage());
    }
  }

  /** What a caller has to expect; anything else is a defect. */
  private void expected(@Nullable Throwable failure) {
    Throwable root = failure instanceof CompletionException ? failure.getCause() : failure;
    if (root instanceof LockTimeoutException
        || root instanceof CancellationException
        || root instanceof InterruptedException) {
      return;
    }
    if (root instanceof LockException || root instanceof IllegalStateException) {
      client.note("hears of a failure: " + root.getMessage());
    } else {
      world.fail("a failure that no caller expects: " + root);
    }
  }
}
