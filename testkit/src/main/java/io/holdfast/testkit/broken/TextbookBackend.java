// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit.broken;

import io.holdfast.Guarantees;
import io.holdfast.Guarantees.Capability;
import io.holdfast.Guarantees.Exclusion;
import io.holdfast.Holder;
import io.holdfast.LockState;
import io.holdfast.LossCause;
import io.holdfast.Mode;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.Moment;
import io.holdfast.testkit.broken.TextbookLock.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store in the simplest form that keeps the contract, so that each rule can be broken by itself.
 * It has one mutex, and the time of whoever asks.
 */
final class TextbookBackend implements LockBackend {

  /** What the processes that use one store share. */
  private static final class Store {
    final Map<String, TextbookLock> locks = new TreeMap<>();
    final Map<Object, Long> lastTokens = new HashMap<>();
    final Map<String, TextbookBackend> processes = new HashMap<>();
  }

  private final Store store;
  private final Rules rules;
  private @Nullable BackendContext context;

  private TextbookBackend(Store store, Rules rules) {
    this.store = store;
    this.rules = rules;
  }

  /** A new store; each call of the supplier opens it for another process. */
  static Supplier<LockBackend> newStore(Rules rules) {
    Store store = new Store();
    return () -> new TextbookBackend(store, rules);
  }

  @Override
  public void start(BackendContext context) {
    this.context = context;
    synchronized (store) {
      store.processes.put(context.origin().process(), this);
    }
  }

  @Override
  public CompletionStage<Acquisition> acquire(AcquireRequest request) {
    Moment asked = context().now();
    Acquisition found = change(request.hold(), lock -> acquire(lock, request, asked));
    return answer(
        () ->
            found instanceof Acquisition.Granted grant
                ? new Acquisition.Granted(
                    grant.token(),
                    grant.passes(),
                    rules.sinceOfAnswer(grant.since(), context().now()))
                : found);
  }

  private Acquisition acquire(TextbookLock lock, AcquireRequest request, Moment asked) {
    Optional<Mode> otherKind = lock.otherKind(request.hold().mode());
    if (otherKind.isPresent()) {
      return new Acquisition.Refused(otherKind.get().toString());
    }
    Row row = lock.acquire(request, context().origin(), now());
    return row.isGranted()
        ? new Acquisition.Granted(row.token, row.passes, asked)
        : new Acquisition.Held(Duration.ZERO);
  }

  @Override
  public CompletionStage<List<Renewal>> renew(List<Hold> holds) {
    List<Renewal> answers = new ArrayList<>();
    for (Hold hold : holds) {
      answers.add(change(hold, lock -> lock.renew(hold, context().origin(), now())));
    }
    return answer(() -> rules.answers(answers));
  }

  @Override
  public CompletionStage<Boolean> release(Hold hold) {
    boolean held = change(hold, lock -> lock.release(hold));
    return answer(() -> held);
  }

  @Override
  public CompletionStage<LockState> inspect(String name) {
    LockState state;
    synchronized (store) {
      state = lock(name).inspect(now());
    }
    return answer(() -> state);
  }

  @Override
  public CompletionStage<List<LockState>> list(String prefix, int limit) {
    List<LockState> states;
    synchronized (store) {
      states =
          store.locks.values().stream()
              .map(lock -> lock.inspect(now()))
              .filter(state -> rules.lists(state.name(), prefix))
              .filter(state -> !state.isFree() || !state.waiters().isEmpty())
              .limit(limit)
              .toList();
    }
    return answer(() -> states);
  }

  @Override
  public CompletionStage<Boolean> forceRelease(String name, long token, String reason) {
    Hold nobody = new Hold(name, new Holder("", 0), Mode.EXCLUSIVE, Duration.ZERO);
    Optional<Holder> driven = change(nobody, lock -> lock.forceRelease(token));
    driven
        .filter(holder -> rules.tellsOfForce())
        .ifPresent(holder -> tell(holder, core -> core.lost(holder, LossCause.FORCED)));
    return answer(driven::isPresent);
  }

  @Override
  public Guarantees guarantees() {
    return new Guarantees(
        "textbook",
        Exclusion.LOCAL,
        "its rules are sound",
        "they are not",
        "its rules are sound",
        "nothing",
        EnumSet.complementOf(EnumSet.of(Capability.TOKENS_SURVIVE_RESTART)),
        Duration.ofMillis(10),
        Duration.ofDays(365));
  }

  @Override
  public void close() {
    synchronized (store) {
      store.processes.remove(context().origin().process());
    }
  }

  /** One step of the store; whoever is served by it is told. */
  private <T> T change(Hold asking, Function<TextbookLock, T> step) {
    List<Row> served = new ArrayList<>();
    T result;
    synchronized (store) {
      TextbookLock lock = lock(asking.name());
      served.addAll(lock.tidy(now(), asking.holder()));
      result = step.apply(lock);
      served.addAll(lock.tidy(now(), asking.holder()));
    }
    for (Row row : served) {
      long token = row.token;
      Moment handedOver = context().now();
      tell(
          row.holder,
          core ->
              core.granted(
                  row.holder,
                  new Acquisition.Granted(
                      token, row.passes, rules.sinceOfMessage(handedOver, core.now()))));
    }
    return result;
  }

  private TextbookLock lock(String name) {
    return store.locks.computeIfAbsent(
        rules.key(name), unused -> new TextbookLock(name, rules, store.lastTokens));
  }

  private void tell(Holder holder, Consumer<BackendContext> message) {
    TextbookBackend process;
    synchronized (store) {
      process = store.processes.get(holder.process());
    }
    if (process != null) {
      BackendContext core = process.context();
      later(rules.delayOfMessages(), core, () -> message.accept(core));
    }
  }

  private <T> CompletionStage<T> answer(Supplier<T> result) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    later(rules.delayOfAnswers(), context(), () -> answer.complete(result.get()));
    return answer;
  }

  private static void later(Duration delay, BackendContext core, Runnable task) {
    if (delay.isZero()) {
      task.run();
    } else {
      core.after(delay, task);
    }
  }

  private long now() {
    return context().now().monotonicNanos();
  }

  private BackendContext context() {
    if (context == null) {
      throw new IllegalStateException("the backend has not been started");
    }
    return context;
  }
}
