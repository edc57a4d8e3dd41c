// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.cluster.SlotHash;

/**
 * A short hash tag for each of the cluster's slots: the first text, counting in base 36, that falls
 * into it. Every version must find the same ones, because keys and channels are named by them.
 */
final class Slots {
  private Slots() {}

  /** Of the bytes that are sent: Lettuce would take those of the JVM's default charset. */
  static int of(String key) {
    return SlotHash.getSlot(key.getBytes(UTF_8));
  }

  static String tag(int slot) {
    return Table.TAGS[slot];
  }

  /** Made when first needed: only unusual names and clusters do. */
  private static final class Table {
    static final String[] TAGS = tags();

    private static String[] tags() {
      String[] tags = new String[SlotHash.SLOT_COUNT];
      int missing = tags.length;
      for (int number = 0; missing > 0; number++) {
        String tag = Integer.toString(number, Character.MAX_RADIX);
        int slot = of(tag);
        if (tags[slot] == null) {
          tags[slot] = tag;
          missing--;
        }
      }
      return tags;
    }
  }
}
