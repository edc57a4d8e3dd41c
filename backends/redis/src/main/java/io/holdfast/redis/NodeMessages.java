// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.Holder;
import io.holdfast.LossCause;
import io.holdfast.spi.BackendContext;

/** What other clients' requests make a node of a quorum tell us. */
record NodeMessages(BackendContext context) implements Server.Ear {
  @Override
  public void message(String message) {
    if (message.startsWith("retry ")) {
      context.retry(message.substring("retry ".length()));
    } else if (message.startsWith("forced ")) {
      context.lost(holder(message.split(" ", 3)[1]), LossCause.FORCED);
    }
  }

  private static Holder holder(String id) {
    int dash = id.lastIndexOf('-');
    return new Holder(id.substring(0, dash), Long.parseLong(id.substring(dash + 1)));
  }

  @Override
  public void listensAgain() {
    // A waiter asks again before long.
  }
}
