// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What each sentinel says, and which of it counts: the view with the highest configuration epoch,
 * which grows with every fail-over. So a sentinel that was cut off and still names the old primary
 * changes nothing.
 *
 * <p>Sentinels that were set up anew begin at epoch 0. A sentinel whose epoch has gone back was; if
 * most sentinels were and name the same primary, that one counts.
 */
final class SentinelViews {

  /**
   * Where the primary is by one sentinel.
   *
   * @param epoch the number of the fail-over that made it the primary
   */
  record View(long epoch, HostAndPort primary) {}

  private final @Nullable View[] newest;
  private final long[] highest;
  private @Nullable View believed;
  private @Nullable View abandoned;

  SentinelViews(int sentinels) {
    this.newest = new View[sentinels];
    this.highest = new long[sentinels];
  }

  /**
   * Takes note of what a sentinel says.
   *
   * @return the primary that is no longer the one because of that; empty if nothing has changed
   */
  synchronized Optional<HostAndPort> hear(int sentinel, View view) {
    newest[sentinel] = view;
    highest[sentinel] = Math.max(highest[sentinel], view.epoch());
    View before = believed;
    if (before == null || (view.epoch() > before.epoch() && !view.equals(abandoned))) {
      believed = view;
    } else if (2 * countSetUpAnewFor(view.primary()) > newest.length) {
      // Those that still have the old epoch, which is higher, must not lead back.
      abandoned = before;
      believed = view;
      forgetHighest();
    }
    return before == null || isPrimary(before.primary())
        ? Optional.empty()
        : Optional.of(before.primary());
  }

  /** Returns false if the view that counts names another. */
  synchronized boolean isPrimary(HostAndPort place) {
    return believed == null || believed.primary().equals(place);
  }

  private long countSetUpAnewFor(HostAndPort primary) {
    return IntStream.range(0, newest.length)
        .filter(
            sentinel -> {
              View view = newest[sentinel];
              return view != null
                  && view.epoch() < highest[sentinel]
                  && view.primary().equals(primary);
            })
        .count();
  }

  private void forgetHighest() {
    for (int sentinel = 0; sentinel < newest.length; sentinel++) {
      View view = newest[sentinel];
      highest[sentinel] = view == null ? 0 : view.epoch();
    }
  }

  /** The view that counts; empty until a sentinel has answered. */
  synchronized Optional<View> believed() {
    return Optional.ofNullable(believed);
  }
}
