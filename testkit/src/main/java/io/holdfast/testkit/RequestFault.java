// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import io.holdfast.BackendException.Outcome;
import java.time.Duration;
import java.util.function.Consumer;

/** What a {@link FaultyBackend} does to a request and its reply: one of these. */
public final class RequestFault {
  private final Network network;
  private final Consumer<Consumer<FaultyCall<?>>> script;

  RequestFault(Network network, Consumer<Consumer<FaultyCall<?>>> script) {
    this.network = network;
    this.script = script;
  }

  /** The request reaches the store that much later; others may overtake it. */
  public void delayRequest(Duration delay) {
    script.accept(call -> network.after(delay, call::deliver));
  }

  /** The store does it at once; the reply comes that much later. */
  public void delayReply(Duration delay) {
    script.accept(call -> call.deliverSlowly(delay));
  }

  /** The store does it; no reply comes. */
  public void loseReply() {
    script.accept(FaultyCall::deliverAndLoseReply);
  }

  /** The store never hears of it; no reply comes. */
  public void loseRequest() {
    script.accept(call -> {});
  }

  /** The request waits for {@link FaultyBackend#letGo}, while others overtake it. */
  public void holdBack() {
    script.accept(network::holdBack);
  }

  /** The store does not do it, and it fails: so that this is known, or so that nobody knows. */
  public void fail(Outcome outcome) {
    script.accept(call -> call.fail(outcome));
  }

  /** The store does it, and yet it fails, with the outcome {@code UNKNOWN}. */
  public void applyAndFail() {
    script.accept(FaultyCall::deliverAndFail);
  }

  /** Nothing: so that the next few get through, and those after them do not. */
  public void passOn() {
    script.accept(FaultyCall::deliver);
  }
}
