// SPDX-License-Identifier: Apache-2.0
package io.holdfast.simulation;

import io.holdfast.BackendException;
import io.holdfast.Guarantees;
import io.holdfast.Guarantees.Capability;
import io.holdfast.Guarantees.Exclusion;
import io.holdfast.Holder;
import io.holdfast.LockState;
import io.holdfast.LossCause;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.Moment;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One client's way to the store. A request that gets no answer fails when its time is up; from then
 * on the store refuses it, as real ones do by a deadline or a closed connection.
 */
final class SimulatedBackend implements LockBackend {
  private static final Guarantees GUARANTEES =
      new Guarantees(
          "simulated",
          Exclusion.LEASED,
          "clocks keep to their rates",
          "they do not",
          "the simulation lasts",
          "nothing",
          EnumSet.allOf(Capability.class),
          Duration.ofMillis(10),
          Duration.ofDays(1));

  /** What a client knows of when a holder may have been granted the lock at the earliest. */
  private record Queued(Moment sent, long ranAt) {}

  private final Client client;
  private final Store store;
  private final Set<Call<?>> pending = new LinkedHashSet<>();
  private final Map<Holder, Queued> queued = new HashMap<>();
  private @Nullable BackendContext context;
  private boolean closed;

  SimulatedBackend(Client client, Store store) {
    this.client = client;
    this.store = store;
  }

  @Override
  public void start(BackendContext context) {
    this.context = context;
    store.register(context.origin().process(), this);
  }

  private BackendContext context() {
    if (context == null) {
      throw new IllegalStateException("not started");
    }
    return context;
  }

  @Override
  public CompletionStage<Acquisition> acquire(AcquireRequest request) {
    Holder holder = request.hold().holder();
    queued.putIfAbsent(holder, new Queued(request.sent(), 0));
    Call<Acquisition> call =
        new Call<>(
            "acquire " + shown(request.hold()) + (request.patience().isZero() ? "" : " queueing"),
            () -> store.table().acquire(request, store.conditions().knowsWhen()));
    call.onReply = answer -> replied(call, request, answer);
    return call.send();
  }

  private Acquisition replied(Call<?> call, AcquireRequest request, Acquisition answer) {
    Holder holder = request.hold().holder();
    Queued known = queued.get(holder);
    if (answer instanceof Acquisition.Held && known != null && known.ranAt < call.ranAt) {
      queued.put(holder, new Queued(request.sent(), call.ranAt));
    }
    return answer instanceof Acquisition.Granted granted
            && store.mutant() == Mutant.SINCE_OF_THE_REPLY
        ? new Acquisition.Granted(granted.token(), granted.passes(), client.now())
        : answer;
  }

  @Override
  public CompletionStage<List<Renewal>> renew(List<Hold> holds) {
    store.watch().renewing(client, holds);
    List<Hold> asked = List.copyOf(holds);
    return new Call<>(
            "renew " + asked.stream().map(SimulatedBackend::shown).toList(),
            () -> asked.stream().map(hold -> store.table().renew(hold)).toList())
        .send();
  }

  @Override
  public CompletionStage<Boolean> release(Hold hold) {
    store.watch().releasing(hold);
    return new Call<>("release " + shown(hold), () -> store.table().release(hold)).send();
  }

  @Override
  public CompletionStage<LockState> inspect(String name) {
    return new Call<>("inspect " + name, () -> store.table().inspect(name)).send();
  }

  @Override
  public CompletionStage<List<LockState>> list(String prefix, int limit) {
    return CompletableFuture.completedFuture(List.of());
  }

  @Override
  public CompletionStage<Boolean> forceRelease(String name, long token, String reason) {
    return new Call<>("forceRelease " + name + " " + token, () -> store.forceRelease(name, token))
        .send();
  }

  @Override
  public Guarantees guarantees() {
    return GUARANTEES;
  }

  /** Names with one first letter share a server. */
  @Override
  public Object lane(String name) {
    return name.substring(0, 1);
  }

  @Override
  public void close() {
    client.note("closes its backend");
    closed = true;
    for (Call<?> call : List.copyOf(pending)) {
      client.post(0, () -> call.giveUp("the connection was closed"));
    }
  }

  /** Ends what is under way in a process that is dead, so that nobody waits for it for ever. */
  void bury() {
    closed = true;
    for (Call<?> call : List.copyOf(pending)) {
      call.giveUp("the process is dead");
    }
  }

  String process() {
    return context().origin().process();
  }

  /** The store made a waiter the holder. */
  void granted(ReferenceStore.Row row) {
    long grantedAt = store.world().now();
    Moment then = client.now();
    signal(
        "granted " + row,
        () -> {
          Queued known = queued.get(row.holder);
          if (known == null || known.ranAt >= grantedAt) {
            return; // An older grant, which has ended: it was queued again since.
          }
          Moment since = store.conditions().knowsGrant() ? then : known.sent;
          context().granted(row.holder, new Acquisition.Granted(row.token, row.passes, since));
        });
  }

  void retry(String name) {
    signal("retry " + name, () -> context().retry(name));
  }

  void lost(Holder holder, LossCause cause) {
    signal("lost " + holder.abbreviated(), () -> context().lost(holder, cause));
  }

  private void signal(String what, Runnable delivery) {
    Conditions conditions = store.conditions();
    if (conditions.atOnce() > 0 && client.isReady() && store.world().chance(0.5)) {
      told(what, delivery).run(); // On the thread of whoever caused it, as a store in memory does.
    }
    int times = store.world().chance(conditions.doubledSignal()) ? 2 : 1;
    for (int i = 0; i < times; i++) {
      store.network().carry(conditions.lostSignal(), () -> client.post(0, told(what, delivery)));
    }
  }

  private Runnable told(String what, Runnable delivery) {
    return () -> {
      if (!closed) {
        client.note("is told: " + what);
        delivery.run();
      }
    };
  }

  private static String shown(Hold hold) {
    return hold.name() + " " + hold.holder().abbreviated();
  }

  /** One request, from its sending to its answer or its time-out. */
  private final class Call<T> {
    private final String what;
    private final Supplier<T> effect;
    private final CompletableFuture<T> answer = new CompletableFuture<>();
    private UnaryOperator<T> onReply = UnaryOperator.identity();
    private long ranAt;

    Call(String what, Supplier<T> effect) {
      this.what = what;
      this.effect = effect;
    }

    CompletableFuture<T> send() {
      if (closed) {
        return CompletableFuture.failedFuture(BackendException.notApplied("closed", null));
      }
      pending.add(this);
      Conditions conditions = store.conditions();
      client.note("sends " + what);
      if (store.world().chance(conditions.atOnce())) {
        reply(run());
        return answer;
      }
      store.network().carry(conditions.lost(), this::arrive);
      client.after(Duration.ofNanos(conditions.timeout()), () -> giveUp("no answer"));
      return answer;
    }

    private void arrive() {
      if ((answer.isDone() || closed) && store.mutant() != Mutant.RUNS_ABANDONED_REQUESTS) {
        return;
      }
      Conditions conditions = store.conditions();
      if (store.world().chance(conditions.refused())) {
        store.network().carry(0, () -> client.post(0, () -> fail("did nothing")));
        return;
      }
      T result = run();
      store.network().carry(conditions.lost(), () -> client.post(0, () -> reply(result)));
    }

    private T run() {
      ranAt = store.world().now();
      T result = effect.get();
      store.world().note("store", what + " -> " + result);
      return result;
    }

    private void reply(T result) {
      if (pending.remove(this)) {
        client.note("hears of " + what);
        answer.complete(onReply.apply(result));
      }
    }

    private void fail(String why) {
      if (pending.remove(this)) {
        client.note("hears of " + what + ": " + why);
        answer.completeExceptionally(BackendException.notApplied(why, null));
      }
    }

    private void giveUp(String why) {
      if (pending.remove(this)) {
        client.note("gives up " + what + ": " + why);
        answer.completeExceptionally(BackendException.unknown(why, null));
      }
    }
  }
}
