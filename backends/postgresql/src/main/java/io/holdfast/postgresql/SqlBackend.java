// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.LockState;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.Finding;
import io.holdfast.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * What both modes have in common: each request is a task of a verb on a line. There are a few
 * lines, by the names of locks: what one connection does for many callers is done by one process of
 * the server, and where processors are busy that has no more of them than any other process.
 */
abstract class SqlBackend implements LockBackend {
  /** How many lines there are for requests. */
  static final int LANES = 4;

  /** Core gives up on a store after five seconds. */
  private static final Duration LONG = Duration.ofSeconds(5);

  final PostgresSettings settings;
  final Connections connections;
  private final AtomicReferenceArray<@Nullable Verbs> assigned = new AtomicReferenceArray<>(LANES);
  private int used;
  private volatile List<Verbs> lanes = List.of();

  /**
   * What a mode does, and where.
   *
   * @param renewals the same line as that of the requests, if the session is what is renewed;
   *     otherwise one for all
   */
  record Verbs(
      BackendContext context,
      Line requests,
      Line renewals,
      @Nullable Listener listener,
      Waits waits,
      Line.Verb<AcquireRequest, Acquisition> acquire,
      Line.Verb<List<Hold>, List<Renewal>> renew,
      Line.Verb<Hold, Boolean> release,
      Line.Verb<LeaseVerbs.Force, Boolean> force,
      Line.Verb<Look.Request, List<LockState>> look) {}

  SqlBackend(PostgresSettings settings, Connections connections) {
    this.settings = settings;
    this.connections = connections;
  }

  /** From now on requests are taken; the lines have begun. */
  void serve(List<Verbs> begun) {
    lanes = begun;
    Listener listener = begun.get(0).listener;
    if (listener != null) {
      listener.start();
    }
  }

  /** None before the start and after the end. */
  List<Verbs> lanes() {
    return lanes;
  }

  private Verbs verbs(String name) {
    List<Verbs> open = lanes;
    if (open.isEmpty()) {
      throw new IllegalStateException("the backend is not started, or closed");
    }
    int hash = name.hashCode();
    int slot = ((hash >>> 16) ^ hash) & (LANES - 1);
    Verbs known = assigned.get(slot);
    return known == null ? assign(slot, open) : known;
  }

  /** In the order of their first use: who uses one lock has one connection for it. */
  private synchronized Verbs assign(int slot, List<Verbs> open) {
    Verbs known = assigned.get(slot);
    if (known == null) {
      known = open.get(used++);
      assigned.set(slot, known);
    }
    return known;
  }

  @Override
  public Object lane(String name) {
    return lanes.isEmpty() ? this : verbs(name).renewals;
  }

  @Override
  public CompletionStage<Acquisition> acquire(AcquireRequest request) {
    Hold hold = request.hold();
    Verbs open = verbs(hold.name());
    if (!request.patience().isZero()) {
      open.waits.asks(hold.holder(), hold.name());
    }
    String what = "acquire of '" + hold.name() + "' failed";
    return open.waits.watch(
        hold.holder(), ask(open, open.acquire, what, request, request.patience()));
  }

  /**
   * On the caller's thread, if it waits for this and for long enough: a statement that has been
   * sent cannot be left. Not if the data source may go by the thread, and lead to its tenant or
   * into its transaction; and not on a virtual one, because an interrupt of that closes the socket.
   *
   * @param patience zero: for as long as the statement takes
   */
  private <Q, A> CompletionStage<A> ask(
      Verbs open, Line.Verb<Q, A> verb, String what, Q request, Duration patience) {
    boolean isLong = patience.isZero() || patience.compareTo(settings.timeout()) >= 0;
    boolean isFit = !connections.arePooled() && !VirtualThreads.isCurrent();
    return open.context.callerWaits() && isLong && isFit
        ? open.requests.askAndServe(verb, what, request, patience.isZero() ? LONG : patience)
        : open.requests.ask(verb, what, request);
  }

  @Override
  public CompletionStage<List<Renewal>> renew(List<Hold> holds) {
    Verbs open = verbs(holds.get(0).name());
    return open.renewals.ask(open.renew, "renewal of " + holds.size() + " failed", holds);
  }

  @Override
  public CompletionStage<Boolean> release(Hold hold) {
    Verbs open = verbs(hold.name());
    open.waits.waitsNoMore(hold.holder());
    String what = "release of '" + hold.name() + "' failed";
    return ask(open, open.release, what, hold, Duration.ZERO);
  }

  @Override
  public CompletionStage<LockState> inspect(String name) {
    Verbs open = verbs(name);
    return open.requests
        .ask(open.look, "inspect of '" + name + "' failed", new Look.Request(name, 0))
        .thenApply(states -> states.isEmpty() ? LockState.free(name) : states.get(0));
  }

  @Override
  public CompletionStage<List<LockState>> list(String prefix, int limit) {
    Verbs open = verbs(prefix);
    return open.requests.ask(
        open.look, "list of '" + prefix + "' failed", new Look.Request(prefix, limit));
  }

  @Override
  public CompletionStage<Boolean> forceRelease(String name, long token, String reason) {
    Verbs open = verbs(name);
    return open.requests.ask(
        open.force,
        "force release of '" + name + "' failed",
        new LeaseVerbs.Force(name, token, reason));
  }

  @Override
  public CompletionStage<List<Finding>> checkUp() {
    return CheckUp.of(connections, settings);
  }

  @Override
  public CompletionStage<OptionalLong> executedCommands() {
    return CheckUp.executedCommands(connections, settings);
  }

  @Override
  public String schema() {
    return Schema.script(settings.schema());
  }

  @Override
  public void close() {
    List<Verbs> open = lanes;
    lanes = List.of();
    for (Verbs lane : open) {
      if (lane.listener != null) {
        lane.listener.close();
      }
      lane.requests.end();
      lane.renewals.end();
    }
    for (Verbs lane : open) {
      lane.requests.close();
      lane.renewals.close();
    }
  }

  /** Where it is; no secret. */
  @Override
  public String toString() {
    return connections + " mode=" + settings.kind().name().toLowerCase(Locale.ROOT);
  }
}
