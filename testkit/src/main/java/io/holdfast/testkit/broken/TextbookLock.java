// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit.broken;

import io.holdfast.FencingToken;
import io.holdfast.Holder;
import io.holdfast.LockState;
import io.holdfast.Mode;
import io.holdfast.Origin;
import io.holdfast.spi.LockBackend.AcquireRequest;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One lock of a textbook store: who holds it and who waits, by the store's {@link Rules}. */
final class TextbookLock {
  /** One holder; or one waiter, which has no token yet. */
  static final class Row {
    final Holder holder;
    final Mode mode;
    final Duration leaseTime;
    final int passes;
    final Origin origin;
    final @Nullable String purpose;
    long token;
    long until;

    Row(Hold hold, int passes, Origin origin, @Nullable String purpose) {
      this.holder = hold.holder();
      this.mode = hold.mode();
      this.leaseTime = hold.leaseTime();
      this.passes = passes;
      this.origin = origin;
      this.purpose = purpose;
    }

    boolean isGranted() {
      return token > 0;
    }
  }

  private final String name;
  private final Rules rules;
  private final Map<Object, Long> lastTokens;
  private final List<Row> holding = new ArrayList<>();
  private final List<Row> waiting = new ArrayList<>();
  private final Set<Holder> forced = new HashSet<>();

  /**
   * @param lastTokens the last token of each row of tokens, for all locks of the store
   */
  TextbookLock(String name, Rules rules, Map<Object, Long> lastTokens) {
    this.name = name;
    this.rules = rules;
    this.lastTokens = lastTokens;
  }

  boolean isFree() {
    return holding.isEmpty();
  }

  /** Ends what has run out, and serves those whose turn it is; returns them. */
  List<Row> tidy(long now, Holder asking) {
    holding.removeIf(row -> row.until <= now);
    List<Row> served = new ArrayList<>();
    while (!waiting.isEmpty()) {
      Row next = rules.next(waiting);
      boolean credible = rules.isCredible(next.until, now);
      if (credible && !(rules.fits(holding, next.mode) && rules.serves(next, asking))) {
        break;
      }
      waiting.remove(next);
      if (credible) {
        grant(next, now);
        served.add(next);
      }
    }
    return served;
  }

  private void grant(Row row, long now) {
    row.token = mint(row);
    row.until = end(row, now);
    holding.add(row);
  }

  private long mint(Row row) {
    Object counter = rules.tokensOf(row.holder);
    long last = lastTokens.getOrDefault(counter, 0L);
    lastTokens.put(counter, rules.spent(last, row.passes));
    return last + 1;
  }

  private long end(Row row, long now) {
    return now + rules.kept(row.leaseTime).toNanos();
  }

  /** What the name is in use as, if that is another kind. */
  Optional<Mode> otherKind(Mode mode) {
    return (holding.isEmpty() ? waiting : holding)
        .stream().map(row -> row.mode).findFirst().filter(used -> !rules.isSameKind(used, mode));
  }

  Row acquire(AcquireRequest request, Origin origin, long now) {
    Hold hold = request.hold();
    for (Row row : holding) {
      if (rules.isRepeat(row.holder, hold.holder())) {
        row.token = rules.tokenOfRepeat(row.token, () -> mint(row));
        row.until = rules.repeatExtends() ? end(row, now) : row.until;
        return row;
      }
    }
    Row known = find(waiting, hold.holder());
    Row row = known == null ? new Row(hold, request.passes(), origin, request.purpose()) : known;
    if (known == null && rules.mayEnter(waiting, row.mode) && rules.fits(holding, row.mode)) {
      grant(row, now);
    } else if (!rules.credibleFor(request.patience()).isZero()) {
      stand(row, now + rules.credibleFor(request.patience()).toNanos());
    }
    return row;
  }

  private void stand(Row row, long credibleUntil) {
    row.until = credibleUntil;
    if (!rules.repeatKeepsPlace()) {
      waiting.remove(row);
    }
    if (!waiting.contains(row)) {
      waiting.add(row);
    }
  }

  Renewal renew(Hold hold, Origin origin, long now) {
    Row row = find(holding, hold.holder());
    if (row != null) {
      row.until = rules.renewalExtends() ? end(row, now) : row.until;
      return Renewal.RENEWED;
    }
    if (forced.contains(hold.holder()) && rules.tellsOfForce()) {
      return Renewal.FORCED;
    }
    return rules.renewGone(this, () -> grant(new Row(hold, 0, origin, null), now));
  }

  boolean release(Hold hold) {
    if (rules.leavesQueue()) {
      waiting.removeIf(row -> row.holder.equals(hold.holder()));
    }
    return rules.answerToRelease(
        holding.removeIf(row -> rules.mayRelease(row.holder, hold.holder())));
  }

  /** Returns the holder that was driven out, if there was one. */
  Optional<Holder> forceRelease(long token) {
    Optional<Holder> driven =
        holding.stream()
            .filter(row -> rules.mayForce(row, token))
            .map(row -> row.holder)
            .findFirst();
    driven.ifPresent(forced::add);
    holding.removeIf(row -> forced.contains(row.holder));
    return driven;
  }

  LockState inspect(long now) {
    return new LockState(
        name,
        holding.stream().filter(row -> rules.shows(row, now)).map(row -> shown(row, now)).toList(),
        waiting.stream()
            .filter(row -> rules.isCredible(row.until, now))
            .map(
                row ->
                    new LockState.Waiting(
                        row.holder.toString(),
                        row.mode,
                        Optional.of(row.origin),
                        Optional.ofNullable(row.purpose)))
            .toList());
  }

  private static LockState.Holding shown(Row row, long now) {
    return new LockState.Holding(
        row.holder.toString(),
        row.mode,
        Optional.of(new FencingToken(row.token)),
        Duration.ofNanos(row.until - now),
        Optional.empty(),
        Optional.of(row.origin),
        Optional.ofNullable(row.purpose));
  }

  private static @Nullable Row find(List<Row> rows, Holder holder) {
    return rows.stream().filter(row -> row.holder.equals(holder)).findFirst().orElse(null);
  }
}
