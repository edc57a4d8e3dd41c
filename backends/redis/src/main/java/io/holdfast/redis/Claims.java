// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.Holder;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Our holders that ask, wait, were handed what they hold, or have left while a request or a release
 * of them was unanswered. A message for any other is not for us: a clone of this process has the
 * same channel.
 */
final class Claims {
  private final Map<Holder, Claim> claims = new ConcurrentHashMap<>();

  /** The claim of its holder: this one, if it asks for the first time. */
  Claim of(Claim asking) {
    Claim known = claims.putIfAbsent(asking.hold().holder(), asking);
    return known == null ? asking : known;
  }

  @Nullable Claim find(Holder holder) {
    return claims.get(holder);
  }

  /** The hold is gone: no message is to come for its holder. */
  void forget(Holder holder) {
    claims.remove(holder);
  }

  /** Nothing is remembered of what no message can come for any more. */
  void tidy(Claim claim) {
    if (claim.isDone()) {
      claims.remove(claim.hold().holder(), claim);
    }
  }

  /** The channels of those that ask or wait. */
  Set<String> channelsInUse() {
    Set<String> channels = new HashSet<>();
    for (Claim claim : claims.values()) {
      if (claim.asksOrWaits()) {
        channels.add(claim.channel());
      }
    }
    return channels;
  }

  /** The locks for which somebody stands in a queue. */
  Set<String> namesWaitedFor() {
    Set<String> names = new HashSet<>();
    for (Claim claim : claims.values()) {
      if (claim.waits()) {
        names.add(claim.hold().name());
      }
    }
    return names;
  }
}
