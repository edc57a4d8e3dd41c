// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.Holder;
import io.holdfast.Mode;
import io.holdfast.spi.LockBackend.Hold;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What our session holds, and who of this process holds it. The server cannot tell the holders of
 * one session apart: to it they are one, and a second request of theirs is granted at once. So they
 * are kept apart here, and the server's lock is taken once for all that share it.
 *
 * <p>Used by whoever serves the line.
 */
final class AdvisoryTable {
  /**
   * One hold.
   *
   * @param sinceNanos when it was granted, in this process's monotonic time
   * @param untilNanos when it ends if it is not renewed
   * @param hasRow whether it is written down
   */
  record Held(
      Hold hold,
      long key,
      long token,
      int passes,
      @Nullable String purpose,
      long sinceNanos,
      long untilNanos,
      boolean hasRow) {
    boolean isShared() {
      return hold.mode() instanceof Mode.Shared;
    }

    Held until(long untilNanos) {
      return new Held(hold, key, token, passes, purpose, sinceNanos, untilNanos, hasRow);
    }

    Held withRow() {
      return new Held(hold, key, token, passes, purpose, sinceNanos, untilNanos, true);
    }
  }

  /** What the server is to be asked for. */
  enum Need {
    /** For the lock. */
    LOCK,
    /** For a token only: the session shares the lock already. */
    TOKEN,
    /** For a place in the queue only: holders of this process share the lock. */
    PLACE,
    /** For nothing: another holder of this process is in the way. */
    NOTHING
  }

  private final Map<Holder, Held> held = new LinkedHashMap<>();
  private final Map<Long, Integer> sharers = new HashMap<>();
  private final Set<Long> exclusive = new HashSet<>();
  private final Map<Holder, Hold> waiting = new HashMap<>();
  private final Map<Holder, Long> forced = new HashMap<>();

  @Nullable Held get(Holder holder) {
    return held.get(holder);
  }

  Need need(long key, boolean isShared) {
    if (exclusive.contains(key)) {
      return Need.NOTHING;
    }
    if (!sharers.containsKey(key)) {
      return Need.LOCK;
    }
    return isShared ? Need.TOKEN : Need.PLACE;
  }

  void add(Held granted) {
    held.put(granted.hold().holder(), granted);
    waiting.remove(granted.hold().holder());
    if (granted.isShared()) {
      sharers.merge(granted.key(), 1, Integer::sum);
    } else {
      exclusive.add(granted.key());
    }
  }

  void extend(Held known, long nowNanos) {
    long untilNanos = nowNanos + known.hold().leaseTime().toNanos();
    held.put(known.hold().holder(), known.until(untilNanos));
  }

  /** The holds that are not written down. */
  List<Held> unrecorded() {
    return held.values().stream().filter(known -> !known.hasRow()).toList();
  }

  void recorded(List<Held> written) {
    written.forEach(known -> held.put(known.hold().holder(), known.withRow()));
  }

  /** Takes a hold out; whether the server's lock goes with it says {@link #isInUse}. */
  @Nullable Held remove(Holder holder) {
    Held known = held.remove(holder);
    if (known != null && known.isShared()) {
      sharers.computeIfPresent(known.key(), (key, count) -> count == 1 ? null : count - 1);
    } else if (known != null) {
      exclusive.remove(known.key());
    }
    return known;
  }

  boolean isInUse(long key) {
    return exclusive.contains(key) || sharers.containsKey(key);
  }

  /** True if it is new. */
  boolean waits(Hold hold) {
    return waiting.put(hold.holder(), hold) == null;
  }

  Collection<Hold> waiting() {
    return waiting.values();
  }

  boolean isWaiting(Holder holder) {
    return waiting.containsKey(holder);
  }

  boolean waitsNoMore(Holder holder) {
    return waiting.remove(holder) != null;
  }

  /** Remembers for its renewal that a hold was ended by force. */
  void force(Held ended) {
    forced.put(ended.hold().holder(), ended.untilNanos());
  }

  boolean wasForced(Holder holder) {
    return forced.containsKey(holder);
  }

  /** The holds that have run out; forgets what nobody will ask about any more. */
  List<Held> expired(long nowNanos) {
    forced.values().removeIf(untilNanos -> untilNanos - nowNanos <= 0);
    List<Held> expired = new ArrayList<>();
    for (Held known : held.values()) {
      if (known.untilNanos() - nowNanos <= 0) {
        expired.add(known);
      }
    }
    return expired;
  }

  /** The shortest lease time of all holds, or this. */
  long shortestNanos(long otherwiseNanos) {
    long shortest = otherwiseNanos;
    for (Held known : held.values()) {
      shortest = Math.min(shortest, known.hold().leaseTime().toNanos());
    }
    return shortest;
  }

  Set<Long> keys() {
    Set<Long> keys = new HashSet<>(exclusive);
    keys.addAll(sharers.keySet());
    return keys;
  }

  List<String> ids() {
    List<String> ids = new ArrayList<>();
    held.keySet().forEach(holder -> ids.add(holder.toString()));
    waiting.keySet().forEach(holder -> ids.add(holder.toString()));
    return ids;
  }

  /** Forgets all: the session is gone. Returns what it held. */
  List<Held> clear() {
    List<Held> lost = new ArrayList<>(held.values());
    held.clear();
    sharers.clear();
    exclusive.clear();
    waiting.clear();
    return lost;
  }
}
