// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A client of a contender: one connection, or what it makes of it. */
public interface Client extends AutoCloseable {

  /** Something taken, to be given back by the thread that took it. */
  interface Taken {
    void giveBack() throws Exception;
  }

  /**
   * Takes the lock of this name.
   *
   * @param wait for how long to wait for others; zero: ask once
   * @return null if it was not granted
   */
  @Nullable Taken take(String name, Duration wait) throws Exception;

  /** Takes the lock, does the work, and gives it back, without a thread that waits. */
  default CompletionStage<?> pair(String name, Runnable work) {
    throw new UnsupportedOperationException("not asynchronous");
  }

  @Override
  void close();
}
