// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.Hold;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps the fence of an exclusive hold as long as the hold. The store keeps it for a day beyond the
 * lease, and a renewal does not touch it, because that works with one key while a slot migrates.
 *
 * <p>Time is divided into periods of six hours. A hold that lives on is renewed at least once in
 * each lease time, so the renewals of the first lease time of a period are those of all holds: with
 * them the fences are kept for another day. Nothing is remembered for a hold, and a hold that ends
 * within the first period costs nothing.
 */
final class FenceKeeper {
  /** Four in a day: a fence outlives three periods in which it was not reached. */
  static final Duration PERIOD = Duration.ofHours(6);

  /** Three commands for each, at most; nobody else is served meanwhile. */
  private static final int CHUNK = 70;

  private final BackendContext context;
  private final Keys keys;
  private final Topology topology;
  private final long startNanos;

  FenceKeeper(BackendContext context, Keys keys, Topology topology) {
    this.context = context;
    this.keys = keys;
    this.topology = topology;
    this.startNanos = context.now().monotonicNanos();
  }

  /** Keeps the fences of these exclusive holds, which are about to be renewed, if it is time to. */
  void keep(List<Hold> renewed) {
    long elapsed = context.now().monotonicNanos() - startNanos;
    if (elapsed < PERIOD.toNanos()) {
      return;
    }
    long inPeriod = elapsed % PERIOD.toNanos();
    List<Hold> due =
        renewed.stream().filter(hold -> inPeriod < hold.leaseTime().toNanos()).toList();
    for (int from = 0; from < due.size(); from += CHUNK) {
      send(due.subList(from, Math.min(due.size(), from + CHUNK)));
    }
  }

  /** Without waiting: the holds count though this fails, and it is repeated. */
  private void send(List<Hold> holds) {
    List<String> arguments = new ArrayList<>(holds.size() + 1);
    holds.forEach(hold -> arguments.add(hold.holder().toString()));
    long longest =
        holds.stream().mapToLong(hold -> Entries.millis(hold.leaseTime())).max().orElseThrow();
    arguments.add(Long.toString(longest));
    String[] fences =
        holds.stream().map(hold -> keys.of(hold.name()).fence()).toArray(String[]::new);
    Answers.ignore(
        topology.eval(Script.KEEP_FENCES, fences, wire -> arguments.toArray(String[]::new)));
  }
}
