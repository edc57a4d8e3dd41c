// SPDX-License-Identifier: Apache-2.0
package io.holdfast.spi;

import io.holdfast.Guarantees;
import io.holdfast.LockState;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

/** A backend that hands everything on to another: a base for those that count, delay or guard. */
public abstract class ForwardingBackend implements LockBackend {
  private final LockBackend store;

  /** Hands on to this one. */
  protected ForwardingBackend(LockBackend store) {
    this.store = store;
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
  public CompletionStage<List<Renewal>> renew(List<Hold> holds) {
    return store.renew(holds);
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
  public Object lane(String name) {
    return store.lane(name);
  }

  @Override
  public Optional<QuorumNode> asQuorumNode() {
    return store.asQuorumNode();
  }

  @Override
  public CompletionStage<List<Finding>> checkUp() {
    return store.checkUp();
  }

  @Override
  public CompletionStage<OptionalLong> executedCommands() {
    return store.executedCommands();
  }

  @Override
  public String schema() {
    return store.schema();
  }

  @Override
  public void close() {
    store.close();
  }
}
