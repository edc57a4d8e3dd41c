// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import io.holdfast.Guarantees;
import io.holdfast.LockState;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A store of several servers: the part of a name before the colon says which. */
final class LanedBackend implements LockBackend {
  private final LockBackend store = BackendProvider.backendAt("memory:");
  private final Set<String> silent = new HashSet<>();
  private final List<List<String>> renewals = new ArrayList<>();

  /** From now on this server does not answer renewals. */
  void silence(String server) {
    silent.add(server);
  }

  void heal() {
    silent.clear();
  }

  /** The names in each renewal call so far. */
  List<List<String>> renewals() {
    return renewals;
  }

  @Override
  public Object lane(String name) {
    return name.substring(0, name.indexOf(':'));
  }

  @Override
  public CompletionStage<List<Renewal>> renew(List<Hold> holds) {
    renewals.add(holds.stream().map(Hold::name).toList());
    return silent.contains(lane(holds.get(0).name()))
        ? new CompletableFuture<>()
        : store.renew(holds);
  }

  @Override
  public void start(BackendContext context) {
    store.start(context);
  }

  @Override
  public CompletionStage<Acquisition> acquire(AcquireRequest request) {
    return store.acquire(request);
  }

  @Override
  public CompletionStage<Boolean> release(Hold hold) {
    return store.release(hold);
  }

  @Override
  public CompletionStage<LockState> inspect(String name) {
    return store.inspect(name);
  }

  @Override
  public CompletionStage<List<LockState>> list(String prefix, int limit) {
    return store.list(prefix, limit);
  }

  @Override
  public CompletionStage<Boolean> forceRelease(String name, long token, String reason) {
    return store.forceRelease(name, token, reason);
  }

  @Override
  public Guarantees guarantees() {
    return store.guarantees();
  }

  @Override
  public void close() {
    store.close();
  }
}
