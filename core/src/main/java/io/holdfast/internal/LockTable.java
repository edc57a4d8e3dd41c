// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.FencingToken;
import io.holdfast.Holder;
import io.holdfast.LockState;
import io.holdfast.Mode;
import io.holdfast.Origin;
import io.holdfast.spi.LockBackend.AcquireRequest;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import io.holdfast.spi.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One lock: who holds it, who waits, and the rules by which the one becomes the other. The memory
 * backend keeps it on the heap, the file backend in a file; it is not thread-safe, and its time is
 * whatever its keeper says, in nanoseconds.
 *
 * <p><b>Order.</b> Strictly first come, first served: nobody overtakes a live waiter that does not
 * fit yet, so a writer does not starve behind readers. After every change the queue is served from
 * its head, also when a waiter leaves: a writer that gives up lets the readers behind it in.
 *
 * <p><b>The dead.</b> A hold ends when its time is over. A waiter counts while it goes on asking:
 * one that has not asked for {@link #CREDIBLE_NANOS} is dropped when its turn comes.
 */
final class LockTable {
  /** Longer than three of core's slowest polls: two of them may be lost. */
  static final long CREDIBLE_NANOS = Duration.ofSeconds(10).toNanos();

  /** Makes tokens: so many in a row, all of them greater than any before. Returns the first. */
  @FunctionalInterface
  interface Mint {
    long next(int count);
  }

  private final Mint mint;
  private final List<Row> holding;
  private final List<Row> waiting;
  private final List<Row> forced;

  LockTable(Mint mint) {
    this(mint, List.of(), List.of(), List.of());
  }

  LockTable(Mint mint, List<Row> holding, List<Row> waiting, List<Row> forced) {
    this.mint = mint;
    this.holding = new ArrayList<>(holding);
    this.waiting = new ArrayList<>(waiting);
    this.forced = new ArrayList<>(forced);
  }

  List<Row> holding() {
    return holding;
  }

  List<Row> waiting() {
    return waiting;
  }

  /** Holds that were ended by force and would not have ended yet: so that renewal can say so. */
  List<Row> forced() {
    return forced;
  }

  boolean isEmpty() {
    return holding.isEmpty() && waiting.isEmpty() && forced.isEmpty();
  }

  /**
   * Grants, queues or refuses; other waiters that are served on the way go to {@code handedOver}.
   *
   * @param since what to tell the caller if it is granted
   */
  Acquisition acquire(
      AcquireRequest request, Origin origin, long now, Moment since, Consumer<Row> handedOver) {
    prune(now);
    Hold hold = request.hold();
    String otherKind = otherKind(hold.mode());
    if (otherKind != null) {
      return new Acquisition.Refused(otherKind);
    }
    int held = indexOf(holding, hold.holder());
    if (held >= 0) {
      // A retry whose first reply was lost, or a poll that missed its grant: the same token again.
      Row row = holding.get(held);
      holding.set(held, row.until(now + row.leaseNanos()));
      return new Acquisition.Granted(row.token(), row.passes(), since);
    }
    Row asking = row(request, origin, now);
    boolean waits = !request.patience().isZero();
    if (waits) {
      stand(asking, now + Math.min(CREDIBLE_NANOS, Times.nanos(request.patience())));
    }
    Row[] own = new Row[1];
    serve(
        now,
        row -> {
          if (row.holder().equals(hold.holder())) {
            own[0] = row;
          } else {
            handedOver.accept(row);
          }
        });
    if (own[0] == null && !waits && waiting.isEmpty() && fits(asking.mode())) {
      own[0] = grant(asking, now);
    }
    return own[0] == null
        ? new Acquisition.Held(recheck(hold.holder(), now))
        : new Acquisition.Granted(own[0].token(), own[0].passes(), since);
  }

  private static Row row(AcquireRequest request, Origin origin, long now) {
    Hold hold = request.hold();
    return new Row(
        hold.holder(),
        hold.mode(),
        hold.leaseTime().toNanos(),
        request.passes(),
        request.purpose(),
        origin,
        0,
        now,
        now);
  }

  private void stand(Row asking, long credibleUntil) {
    int place = indexOf(waiting, asking.holder());
    if (place < 0) {
      waiting.add(asking.until(credibleUntil));
    } else {
      waiting.set(place, waiting.get(place).until(credibleUntil));
    }
  }

  /** The head knows when its turn may come; the others are told by a signal. */
  private Duration recheck(Holder holder, long now) {
    boolean first = waiting.isEmpty() || waiting.get(0).holder().equals(holder);
    long next = Long.MAX_VALUE;
    for (Row row : first ? holding : waiting) {
      // A dead waiter is dropped when its turn comes; those behind it need not ask until then.
      next = row.until() > now ? Math.min(next, row.until() - now) : next;
    }
    return Duration.ofNanos(Math.max(1, next));
  }

  /**
   * Extends the hold, unless it is gone.
   *
   * @param asked when the holder asked, which is later than now if the clock was set back since:
   *     the holder counts its lease time from there
   */
  Renewal renew(Hold hold, long asked, long now) {
    prune(now);
    int held = indexOf(holding, hold.holder());
    if (held >= 0) {
      long until = Math.max(asked, now) + hold.leaseTime().toNanos();
      holding.set(held, holding.get(held).until(until));
      return Renewal.RENEWED;
    }
    if (indexOf(forced, hold.holder()) >= 0) {
      return Renewal.FORCED;
    }
    return holding.isEmpty() ? Renewal.GONE : Renewal.TAKEN;
  }

  /** Ends a hold or a wait. */
  boolean release(Holder holder, long now, Consumer<Row> handedOver) {
    prune(now);
    waiting.removeIf(row -> row.holder().equals(holder));
    boolean held = holding.removeIf(row -> row.holder().equals(holder));
    serve(now, handedOver);
    return held;
  }

  /** Ends the hold with this token; returns it, or null if there is none. */
  @Nullable Row forceRelease(long token, long now, Consumer<Row> handedOver) {
    prune(now);
    for (Row row : holding) {
      if (row.hasToken(token)) {
        holding.remove(row);
        forced.add(row);
        serve(now, handedOver);
        return row;
      }
    }
    return null;
  }

  /** Drops the holds and waits of those that are known to be dead, and whatever has run out. */
  void drop(Predicate<Row> dead, long now, Consumer<Row> handedOver) {
    prune(now);
    waiting.removeIf(dead);
    holding.removeIf(dead);
    serve(now, handedOver);
  }

  LockState inspect(String name, long now) {
    prune(now);
    return new LockState(
        name,
        holding.stream().map(row -> shown(row, now)).toList(),
        waiting.stream()
            .filter(row -> row.until() > now)
            .map(
                row ->
                    new LockState.Waiting(
                        row.holder().toString(),
                        row.mode(),
                        Optional.of(row.origin()),
                        Optional.ofNullable(row.purpose())))
            .toList());
  }

  private static LockState.Holding shown(Row row, long now) {
    return new LockState.Holding(
        row.holder().toString(),
        row.mode(),
        Optional.of(new FencingToken(row.token())),
        Duration.ofNanos(row.until() - now),
        // Not less than nothing, if the clock was set back since.
        Optional.of(Duration.ofNanos(Math.max(0, now - row.since()))),
        Optional.of(row.origin()),
        Optional.ofNullable(row.purpose()));
  }

  private void prune(long now) {
    holding.removeIf(row -> row.until() <= now);
    forced.removeIf(row -> row.until() <= now);
  }

  private void serve(long now, Consumer<Row> served) {
    while (!waiting.isEmpty()) {
      Row head = waiting.get(0);
      boolean credible = head.until() > now;
      if (credible && !fits(head.mode())) {
        return;
      }
      waiting.remove(0);
      if (credible) {
        served.accept(grant(head, now));
      }
    }
  }

  private Row grant(Row row, long now) {
    Row granted = row.granted(mint.next(1 + row.passes()), now);
    holding.add(granted);
    return granted;
  }

  private boolean fits(Mode mode) {
    if (mode instanceof Mode.Permits wanted) {
      int taken = 0;
      for (Row row : holding) {
        taken += ((Mode.Permits) row.mode()).count();
      }
      return taken + wanted.count() <= wanted.limit();
    }
    return holding.isEmpty()
        || (mode instanceof Mode.Shared && holding.get(0).mode() instanceof Mode.Shared);
  }

  private @Nullable String otherKind(Mode mode) {
    Row any = !holding.isEmpty() ? holding.get(0) : !waiting.isEmpty() ? waiting.get(0) : null;
    return any == null || kind(any.mode()).equals(kind(mode)) ? null : kind(any.mode());
  }

  private static String kind(Mode mode) {
    return mode instanceof Mode.Permits permits
        ? "a semaphore of " + permits.limit() + " permits"
        : "a lock";
  }

  private static int indexOf(List<Row> rows, Holder holder) {
    for (int i = 0; i < rows.size(); i++) {
      if (rows.get(i).holder().equals(holder)) {
        return i;
      }
    }
    return -1;
  }
}
