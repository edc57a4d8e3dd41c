// SPDX-License-Identifier: Apache-2.0
package io.holdfast.spi;

import java.time.Duration;

/** Where the runtime gets its time from; a test puts its own in place of the system's. */
public interface TimeSource {

  /** The present moment. */
  Moment now();

  /** Runs the task once, when the delay is over, on any thread. Tasks are short and never block. */
  void after(Duration delay, Runnable task);
}
