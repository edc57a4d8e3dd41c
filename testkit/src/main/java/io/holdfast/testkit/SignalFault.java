// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import java.time.Duration;
import java.util.function.Consumer;

/** What a {@link FaultyBackend} does to a signal: one of these. */
public final class SignalFault {
  private final Network network;
  private final Consumer<Consumer<Runnable>> script;

  SignalFault(Network network, Consumer<Consumer<Runnable>> script) {
    this.network = network;
    this.script = script;
  }

  /** It never comes. */
  public void drop() {
    script.accept(delivery -> {});
  }

  /** It comes that much later. */
  public void delay(Duration delay) {
    script.accept(delivery -> network.after(delay, delivery));
  }

  /** It comes twice. */
  public void repeat() {
    script.accept(
        delivery -> {
          delivery.run();
          delivery.run();
        });
  }
}
