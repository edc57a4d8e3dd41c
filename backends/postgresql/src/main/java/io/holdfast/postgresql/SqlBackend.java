// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.LockState;
import io.holdfast.spi.Finding;
import io.holdfast.spi.LockBackend;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What both modes have in common: each request is a task of a verb on a line. */
abstract class SqlBackend implements LockBackend {
  final PostgresSettings settings;
  final Connections connections;
  private volatile @Nullable Verbs verbs;

  /**
   * What a mode does, and where.
   *
   * @param renewals the same line as that of the requests, if the session is what is renewed
   */
  record Verbs(
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
  void serve(Verbs begun) {
    verbs = begun;
    if (begun.listener != null) {
      begun.listener.start();
    }
  }

  /** Null before the start and after the end. */
  @Nullable Verbs verbsIfOpen() {
    return verbs;
  }

  private Verbs verbs() {
    Verbs open = verbs;
    if (open == null) {
      throw new IllegalStateException("the backend is not started, or closed");
    }
    return open;
  }

  @Override
  public CompletionStage<Acquisition> acquire(AcquireRequest request) {
    Verbs open = verbs();
    Hold hold = request.hold();
    if (!request.patience().isZero()) {
      open.waits.asks(hold.holder(), hold.name());
    }
    return open.waits.watch(
        hold.holder(),
        open.requests.ask(open.acquire, "acquire of '" + hold.name() + "' failed", request));
  }

  @Override
  public CompletionStage<List<Renewal>> renew(List<Hold> holds) {
    Verbs open = verbs();
    return open.renewals.ask(open.renew, "renewal of " + holds.size() + " failed", holds);
  }

  @Override
  public CompletionStage<Boolean> release(Hold hold) {
    Verbs open = verbs();
    open.waits.waitsNoMore(hold.holder());
    return open.requests.ask(open.release, "release of '" + hold.name() + "' failed", hold);
  }

  @Override
  public CompletionStage<LockState> inspect(String name) {
    Verbs open = verbs();
    return open.requests
        .ask(open.look, "inspect of '" + name + "' failed", new Look.Request(name, 0))
        .thenApply(states -> states.isEmpty() ? LockState.free(name) : states.get(0));
  }

  @Override
  public CompletionStage<List<LockState>> list(String prefix, int limit) {
    Verbs open = verbs();
    return open.requests.ask(
        open.look, "list of '" + prefix + "' failed", new Look.Request(prefix, limit));
  }

  @Override
  public CompletionStage<Boolean> forceRelease(String name, long token, String reason) {
    Verbs open = verbs();
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
    Verbs open = verbs;
    verbs = null;
    if (open == null) {
      return;
    }
    if (open.listener != null) {
      open.listener.close();
    }
    open.requests.close();
    open.renewals.close();
  }

  /** Where it is; no secret. */
  @Override
  public String toString() {
    return connections + " mode=" + settings.kind().name().toLowerCase(Locale.ROOT);
  }
}
