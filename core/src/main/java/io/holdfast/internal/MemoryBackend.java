// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static java.util.concurrent.CompletableFuture.completedFuture;

import io.holdfast.Guarantees;
import io.holdfast.Guarantees.Capability;
import io.holdfast.Guarantees.Exclusion;
import io.holdfast.LockState;
import io.holdfast.LossCause;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Locks on the heap of one JVM: the reference implementation of the contract, and a test double.
 *
 * <p><b>Mechanism.</b> A {@link LockTable} per name; each request is one short critical section,
 * and whoever is served by it is told at once.
 *
 * <p><b>Guarantees.</b> One holder at a time in this JVM, while its monotonic clock goes on.
 *
 * <p><b>What breaks it.</b> Nothing but the end of the JVM, which ends the holders too.
 *
 * <p><b>Cost.</b> No round trip; no thread.
 */
final class MemoryBackend implements LockBackend {
  static final Guarantees GUARANTEES =
      new Guarantees(
          "memory",
          Exclusion.LOCAL,
          "all holders use one store in one JVM",
          "they do not",
          "the JVM lives",
          "nothing: the locks end with the JVM, and so do their holders",
          EnumSet.complementOf(EnumSet.of(Capability.TOKENS_SURVIVE_RESTART)),
          Duration.ofMillis(10),
          Duration.ofDays(365));

  private final MemoryStore store;
  private @Nullable BackendContext context;

  MemoryBackend(MemoryStore store) {
    this.store = store;
  }

  @Override
  public void start(BackendContext context) {
    this.context = context;
    store.clients.put(context.origin().process(), this);
  }

  @Override
  public CompletionStage<Acquisition> acquire(AcquireRequest request) {
    Moment now = context().now();
    return change(
        request.hold().name(),
        now,
        (table, served) ->
            table.acquire(request, context().origin(), storeTime(now), now, served::add));
  }

  @Override
  public CompletionStage<List<Renewal>> renew(List<Hold> holds) {
    List<Renewal> answers = new ArrayList<>(holds.size());
    long now = storeTime(context().now());
    for (Hold hold : holds) {
      answers.add(look(hold.name(), table -> table.renew(hold, now, now), Renewal.GONE));
    }
    return completedFuture(answers);
  }

  @Override
  public CompletionStage<Boolean> release(Hold hold) {
    Moment now = context().now();
    return change(
        hold.name(),
        now,
        (table, served) -> table.release(hold.holder(), storeTime(now), served::add));
  }

  @Override
  public CompletionStage<LockState> inspect(String name) {
    long now = storeTime(context().now());
    return completedFuture(look(name, table -> table.inspect(name, now), LockState.free(name)));
  }

  @Override
  public CompletionStage<List<LockState>> list(String prefix, int limit) {
    long now = storeTime(context().now());
    return completedFuture(
        store.tables.keySet().stream()
            .filter(name -> name.startsWith(prefix))
            .sorted(Comparator.naturalOrder())
            .map(name -> look(name, table -> table.inspect(name, now), LockState.free(name)))
            .filter(state -> !state.isFree() || !state.waiters().isEmpty())
            .limit(limit)
            .toList());
  }

  @Override
  public CompletionStage<Boolean> forceRelease(String name, long token, String reason) {
    Moment now = context().now();
    List<Row> ended = new ArrayList<>(1);
    CompletionStage<Boolean> answer =
        change(
            name,
            now,
            (table, served) -> {
              Row row = table.forceRelease(token, storeTime(now), served::add);
              if (row != null) {
                ended.add(row);
              }
              return row != null;
            });
    for (Row row : ended) {
      MemoryBackend client = store.clients.get(row.holder().process());
      if (client != null) {
        client.context().lost(row.holder(), LossCause.FORCED);
      }
    }
    return answer;
  }

  @Override
  public Guarantees guarantees() {
    return GUARANTEES;
  }

  @Override
  public void close() {
    store.clients.values().remove(this);
  }

  private interface Change<T> {
    T apply(LockTable table, List<Row> served);
  }

  /** One critical section; the waiters it served are told after it. */
  private <T> CompletionStage<T> change(String name, Moment now, Change<T> change) {
    List<Row> served = new ArrayList<>(0);
    List<T> answer = new ArrayList<>(1);
    store.tables.compute(
        name,
        (unused, known) -> {
          LockTable table = known == null ? new LockTable(store::nextTokens) : known;
          answer.add(change.apply(table, served));
          return table.isEmpty() ? null : table;
        });
    for (Row row : served) {
      tell(row, storeTime(now));
    }
    return completedFuture(answer.get(0));
  }

  private void tell(Row row, long now) {
    MemoryBackend client = store.clients.get(row.holder().process());
    if (client != null) {
      Moment there = client.context().now();
      // Back by what has elapsed since the critical section began: a lower bound of the grant.
      Moment since = there.plusNanos(now - Math.max(now, storeTime(context().now())));
      client
          .context()
          .granted(row.holder(), new Acquisition.Granted(row.token(), row.passes(), since));
    }
  }

  private <T> T look(String name, Function<LockTable, T> read, T absent) {
    List<T> answer = new ArrayList<>(1);
    store.tables.computeIfPresent(
        name,
        (unused, table) -> {
          answer.add(read.apply(table));
          return table.isEmpty() ? null : table;
        });
    return answer.isEmpty() ? absent : answer.get(0);
  }

  private static long storeTime(Moment moment) {
    return moment.monotonicNanos();
  }

  private BackendContext context() {
    if (context == null) {
      throw new IllegalStateException("the backend has not been started");
    }
    return context;
  }
}
