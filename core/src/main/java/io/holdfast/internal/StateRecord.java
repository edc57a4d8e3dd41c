// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.internal.LockTable.Mint;
import java.util.List;

/**
 * What a lock's file says.
 *
 * @param name the lock's name, which its file name may only hint at
 * @param lastToken the greatest token that was granted so far
 */
record StateRecord(
    String name, long lastToken, List<Row> holding, List<Row> waiting, List<Row> forced) {

  StateRecord {
    holding = List.copyOf(holding);
    waiting = List.copyOf(waiting);
    forced = List.copyOf(forced);
  }

  static StateRecord of(String name, long lastToken, LockTable table) {
    return new StateRecord(name, lastToken, table.holding(), table.waiting(), table.forced());
  }

  LockTable table(Mint mint) {
    return new LockTable(mint, holding, waiting, forced);
  }
}
