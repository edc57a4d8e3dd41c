// SPDX-License-Identifier: Apache-2.0
package io.holdfast.simulation;

import io.holdfast.FencingToken;
import io.holdfast.Holder;
import io.holdfast.LockState;
import io.holdfast.Mode;
import io.holdfast.spi.LockBackend.AcquireRequest;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The store: locks with holders and a queue, by its own clock, which is true time. As plain as can
 * be, so that reading it is proof enough.
 */
final class ReferenceStore {
  /** A waiter that has not asked for so long is dropped when its turn comes. */
  private static final long CREDIBLE = Duration.ofSeconds(10).toNanos();

  static final class Row {
    final Holder holder;
    final Mode mode;
    final long lease;
    final int passes;
    long token;
    long until;

    Row(AcquireRequest request) {
      this.holder = request.hold().holder();
      this.mode = request.hold().mode();
      this.lease = request.hold().leaseTime().toNanos();
      this.passes = request.passes();
    }

    boolean hasToken(long wanted) {
      return token <= wanted && wanted <= token + passes;
    }

    @Override
    public String toString() {
      return holder.abbreviated() + " " + mode + (token == 0 ? " waits" : " holds " + token);
    }
  }

  private static final class Table {
    final List<Row> holding = new ArrayList<>();
    final List<Row> waiting = new ArrayList<>();
    final List<Row> forced = new ArrayList<>();
    long lastToken;
  }

  private final World world;
  private final Mutant mutant;
  private final BiConsumer<String, Row> handedOver;
  private final Map<String, Table> tables = new TreeMap<>();

  ReferenceStore(World world, Mutant mutant, BiConsumer<String, Row> handedOver) {
    this.world = world;
    this.mutant = mutant;
    this.handedOver = handedOver;
  }

  Acquisition acquire(AcquireRequest request, boolean knowsWhen) {
    Hold hold = request.hold();
    Table table = table(hold.name());
    if (isOtherKind(table, hold.mode())) {
      return new Acquisition.Refused("another kind");
    }
    Row held = find(table.holding, hold.holder());
    if (held == null) {
      held = grantOrQueue(hold.name(), table, request);
    } else if (mutant != Mutant.REPEAT_DOES_NOT_EXTEND) {
      held.until = world.now() + keeps(held.lease);
    }
    return held == null
        ? new Acquisition.Held(knowsWhen ? recheck(table, hold.holder()) : Duration.ZERO)
        : new Acquisition.Granted(held.token, held.passes, request.sent());
  }

  private @Nullable Row grantOrQueue(String name, Table table, AcquireRequest request) {
    Holder holder = request.hold().holder();
    boolean waits = !request.patience().isZero();
    Row row = find(table.waiting, holder);
    if (row == null) {
      row = new Row(request);
      table.waiting.add(row);
    }
    row.until = world.now() + Math.min(CREDIBLE, Math.max(1, request.patience().toNanos()));
    serve(name, table, holder);
    if (!waits) {
      table.waiting.remove(row);
    }
    return find(table.holding, holder);
  }

  private Duration recheck(Table table, Holder holder) {
    boolean first = table.waiting.isEmpty() || table.waiting.get(0).holder.equals(holder);
    long next = CREDIBLE;
    for (Row row : first ? table.holding : table.waiting) {
      next = row.until > world.now() ? Math.min(next, row.until - world.now()) : next;
    }
    return Duration.ofNanos(Math.max(1, next));
  }

  Renewal renew(Hold hold) {
    Table table = table(hold.name());
    Row held = find(table.holding, hold.holder());
    if (held == null && mutant == Mutant.RENEWS_WHAT_IS_GONE) {
      return Renewal.RENEWED;
    }
    if (held != null) {
      held.until = world.now() + keeps(held.lease);
      return Renewal.RENEWED;
    }
    if (find(table.forced, hold.holder()) != null) {
      return Renewal.FORCED;
    }
    return table.holding.isEmpty() ? Renewal.GONE : Renewal.TAKEN;
  }

  boolean release(Hold hold) {
    Table table = table(hold.name());
    if (mutant != Mutant.LEAVES_WAITERS_IN_THE_QUEUE) {
      table.waiting.removeIf(row -> row.holder.equals(hold.holder()));
    }
    boolean anybody = mutant == Mutant.RELEASES_WITHOUT_OWNER_CHECK;
    boolean held = table.holding.removeIf(row -> anybody || row.holder.equals(hold.holder()));
    serve(hold.name(), table, null);
    return held;
  }

  /** Ends the hold with this token; returns it. */
  @Nullable Row forceRelease(String name, long token) {
    Table table = table(name);
    for (Row row : table.holding) {
      if (row.hasToken(token)) {
        table.holding.remove(row);
        table.forced.add(row);
        serve(name, table, null);
        return row;
      }
    }
    return null;
  }

  LockState inspect(String name) {
    return new LockState(name, table(name).holding.stream().map(this::shown).toList(), List.of());
  }

  private LockState.Holding shown(Row row) {
    return new LockState.Holding(
        row.holder.toString(),
        row.mode,
        Optional.of(new FencingToken(row.token)),
        Duration.ofNanos(row.until - world.now()),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /** Whoever's turn it is by now gets it, without being asked. */
  void sweep(String name) {
    serve(name, table(name), null);
  }

  /** Whether it keeps this hold, and the token is one of its own. */
  boolean keeps(Hold hold, long token) {
    Table table = tables.get(hold.name());
    Row row = table == null ? null : find(table.holding, hold.holder());
    return row != null && row.until > world.now() && row.hasToken(token);
  }

  /** All that the store keeps now: holders and waiters. */
  List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (String name : tables.keySet()) {
      Table table = table(name);
      rows.addAll(table.holding);
      table.waiting.stream().filter(row -> row.until > world.now()).forEach(rows::add);
    }
    return rows;
  }

  /** The table, without the holds whose time is over. */
  private Table table(String name) {
    Table table = tables.computeIfAbsent(name, unused -> new Table());
    table.holding.removeIf(row -> row.until <= world.now() && mutant != Mutant.NEVER_EXPIRES);
    table.forced.removeIf(row -> row.until <= world.now());
    if (mutant == Mutant.FORGETS_HOLDS && !table.holding.isEmpty() && world.chance(0.01)) {
      table.holding.remove(0);
    }
    if (mutant == Mutant.REPEATS_TOKENS && table.holding.isEmpty() && world.chance(0.1)) {
      table.lastToken = 0;
    }
    return table;
  }

  private void serve(String name, Table table, @Nullable Holder asking) {
    while (!table.waiting.isEmpty()) {
      Row head = table.waiting.get(0);
      boolean credible = head.until > world.now();
      if (credible && !fits(table, head.mode)) {
        return;
      }
      table.waiting.remove(0);
      if (credible) {
        grant(table, head);
        if (!head.holder.equals(asking)) {
          handedOver.accept(name, head);
        }
      }
    }
  }

  private void grant(Table table, Row row) {
    row.token = table.lastToken + 1;
    table.lastToken += mutant == Mutant.MINTS_NO_TOKENS_FOR_PASSES ? 1 : 1 + row.passes;
    row.until = world.now() + keeps(row.lease);
    table.holding.add(row);
  }

  private long keeps(long lease) {
    return mutant == Mutant.EXPIRES_EARLY ? lease * 9 / 10 : lease;
  }

  private boolean fits(Table table, Mode mode) {
    if (mode instanceof Mode.Permits wanted) {
      int extra = mutant == Mutant.GRANTS_ONE_PERMIT_TOO_MANY ? 1 : 0;
      return table.holding.size() < wanted.limit() + extra;
    }
    boolean onlyShared = true;
    for (Row row : table.holding) {
      onlyShared &= row.mode instanceof Mode.Shared;
    }
    return table.holding.isEmpty()
        || (onlyShared
            && (mode instanceof Mode.Shared || mutant == Mutant.GRANTS_EXCLUSIVE_BESIDE_SHARED));
  }

  private static boolean isOtherKind(Table table, Mode mode) {
    List<Row> rows = table.holding.isEmpty() ? table.waiting : table.holding;
    return !rows.isEmpty()
        && rows.get(0).mode instanceof Mode.Permits != mode instanceof Mode.Permits;
  }

  private static @Nullable Row find(List<Row> rows, Holder holder) {
    for (Row row : rows) {
      if (row.holder.equals(holder)) {
        return row;
      }
    }
    return null;
  }
}
