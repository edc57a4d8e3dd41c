// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.Mode;
import io.holdfast.spi.LockBackend.Hold;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/** Holds, in groups that one script may renew. */
final class Chunks {
  /** The renewal of a shared hold or of permits takes the server six times as long. */
  private static final int SHARED = 25;

  private Chunks() {}

  /** In order of the first hold of each group; exclusive and other holds apart. */
  static List<List<Integer>> of(List<Hold> holds, int most, ToIntFunction<Hold> slot) {
    List<List<Integer>> chunks = new ArrayList<>();
    Map<Integer, List<Integer>> open = new HashMap<>();
    for (int index = 0; index < holds.size(); index++) {
      Hold hold = holds.get(index);
      int group = 2 * slot.applyAsInt(hold) + (hold.mode() instanceof Mode.Exclusive ? 0 : 1);
      List<Integer> chunk = open.get(group);
      int limit = hold.mode() instanceof Mode.Exclusive ? most : Math.min(most, SHARED);
      if (chunk == null || chunk.size() == limit) {
        chunk = new ArrayList<>();
        open.put(group, chunk);
        chunks.add(chunk);
      }
      chunk.add(index);
    }
    return chunks;
  }
}
