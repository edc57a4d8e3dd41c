// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.Holder;
import io.holdfast.LossCause;
import io.holdfast.Origin;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.Moment;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** What a node sees of core: its signals are those of one node only. */
record NodeContext(BackendContext context, Hints hints, int node) implements BackendContext {
  @Override
  public Origin origin() {
    return context.origin();
  }

  @Override
  public RandomGenerator random() {
    return context.random();
  }

  @Override
  public Moment now() {
    return context.now();
  }

  @Override
  public void after(Duration delay, Runnable task) {
    context.after(delay, task);
  }

  /** No node alone can grant a lock. */
  @Override
  public void granted(Holder holder, Acquisition.Granted grant) {}

  @Override
  public void retry(String name) {
    hints.heard(node, name);
  }

  /** Somebody ended the hold by force, on all nodes: the first to tell is believed. */
  @Override
  public void lost(Holder holder, LossCause cause) {
    context.lost(holder, cause);
  }
}
