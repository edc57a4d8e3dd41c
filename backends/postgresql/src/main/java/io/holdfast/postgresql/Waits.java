// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.Holder;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.Moment;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of this process, and since when a grant of theirs would count: from when the newest
 * request was sent that was answered with a place, if the grant is later than that answer.
 *
 * <p>A message may come late: after its grant has expired, another holder is in, and the waiter has
 * asked again. So a grant says when it was made, by the server's clock, and an older one than the
 * newest answer is ignored.
 */
final class Waits {
  /**
   * @param since null until the first answer
   * @param answeredMicros the server's time of that answer
   */
  private record Wait(String name, @Nullable Moment since, long answeredMicros) {}

  private final Map<Holder, Wait> waits = new ConcurrentHashMap<>();
  private final Map<Holder, Boolean> early = new ConcurrentHashMap<>();
  private final BackendContext context;

  Waits(BackendContext context) {
    this.context = context;
  }

  /** Before it asks: the message of its grant may come before the answer to its request. */
  void asks(Holder holder, String name) {
    waits.putIfAbsent(holder, new Wait(name, null, 0));
  }

  /** It has a place, by a request that was sent then and answered at this time of the server. */
  void stands(Holder holder, String name, Moment sent, long answeredMicros) {
    waits.put(holder, new Wait(name, sent, answeredMicros));
    if (early.remove(holder) != null) {
      context.retry(name);
    }
  }

  /** Whoever was granted the lock, or was told that it cannot be, waits no more. */
  CompletionStage<Acquisition> watch(Holder holder, CompletionStage<Acquisition> answer) {
    return answer.whenComplete(
        (acquisition, failure) -> {
          if (!(acquisition instanceof Acquisition.Held)) {
            waitsNoMore(holder);
          }
        });
  }

  void waitsNoMore(Holder holder) {
    waits.remove(holder);
    early.remove(holder);
  }

  /** A message says that it was granted the lock, at this time of the server. */
  void granted(Holder holder, long token, int passes, long grantedMicros) {
    Wait wait = waits.get(holder);
    if (wait == null) {
      return;
    }
    if (wait.since == null) {
      early.put(holder, true);
    } else if (grantedMicros > wait.answeredMicros) {
      context.granted(holder, new Granted(token, passes, wait.since));
    }
  }

  /** Messages may have been lost: all ask. */
  void retryAll() {
    waits.values().forEach(wait -> context.retry(wait.name));
  }
}
