// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The calls of one script on one connection, each shared by those who come at the same time. */
final class SharedCalls {
  private final Wire wire;
  private final Supplier<String[]> ofAll;
  private @Nullable SharedCall open;

  /**
   * @param ofAll makes the arguments in front of the callers' own
   */
  SharedCalls(Wire wire, Supplier<String[]> ofAll) {
    this.wire = wire;
    this.ofAll = ofAll;
  }

  void join(SharedCall.Caller caller) {
    SharedCall begun;
    synchronized (this) {
      if (open != null && open.join(caller)) {
        return;
      }
      begun = new SharedCall(caller, caller.alone(wire), ofAll.get());
      open = begun;
    }
    Answers.handle(
        wire.eval(begun),
        (reply, failure) -> {
          if (reply != null) {
            begun.answered(reply, this::alone);
          } else if (failure != null) {
            begun.failed(failure, this::alone);
          }
        });
  }

  private void alone(SharedCall.Caller caller) {
    Answers.handle(
        wire.eval(caller.alone(wire)),
        (reply, failure) -> {
          if (reply != null) {
            caller.complete(reply);
          } else if (failure != null) {
            caller.completeExceptionally(failure);
          }
        });
  }
}
