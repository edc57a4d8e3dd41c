// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Names of keys and channels. The key of a lock is its prefix and name, as a client of the plain
 * recipe writes it; what stands beside it must fall into the same slot of a cluster, whatever
 * braces the name has:
 *
 * <ul>
 *   <li>with a hash tag of its own, {@code a{b}}: the kind goes in front, {@code hf:fence:a{b}}; a
 *       suffix would collide with the lock of that name
 *   <li>without a closing brace: {@code {a}:fence}
 *   <li>otherwise, {@code a}b} or {@code {}a}: behind a tag for its slot, {@code {tag}:fence:a}b}
 * </ul>
 */
final class Keys {
  /** Channels of clients begin so, and their process ids follow. */
  static final String CHANNEL = "hf:client:";

  private static final String PROCESS = "hf:process:";

  /** So many locks have their keys remembered: making them is a good part of a request's cost. */
  private static final int REMEMBERED = 1024;

  private final String prefix;
  private final @Nullable LockKeys[] recent = new LockKeys[REMEMBERED];

  Keys(String prefix) {
    boolean reserved = prefix.startsWith("hf:") || prefix.startsWith("{");
    if (prefix.isEmpty() || reserved) {
      throw new IllegalArgumentException(
          "the prefix of lock keys is not empty and begins neither with 'hf:' nor with '{', not '"
              + prefix
              + "'");
    }
    this.prefix = prefix;
  }

  String prefix() {
    return prefix;
  }

  /** All that belongs to one lock. */
  LockKeys of(String name) {
    int place = (name.hashCode() ^ name.hashCode() >>> 16) & REMEMBERED - 1;
    LockKeys known = recent[place];
    if (known == null || !known.isOf(prefix, name)) {
      known = new LockKeys(prefix + name);
      recent[place] = known;
    }
    return known;
  }

  /** The lock's name, if this is the key of a lock. */
  Optional<String> nameOf(String key) {
    return key.startsWith(prefix) ? Optional.of(key.substring(prefix.length())) : Optional.empty();
  }

  /** The lock's name, if this is the key of a lock or of its queue. */
  Optional<String> nameOfAny(String key) {
    Optional<String> plain = nameOf(key);
    if (plain.isPresent()) {
      return plain;
    }
    String lock = "";
    if (key.startsWith("hf:queue:")) {
      lock = key.substring("hf:queue:".length());
    } else if (key.startsWith("{") && key.endsWith("}:queue")) {
      lock = key.substring(1, key.length() - "}:queue".length());
    } else if (key.startsWith("{") && key.contains("}:queue:")) {
      lock = key.substring(key.indexOf("}:queue:") + "}:queue:".length());
    }
    return nameOf(lock).filter(name -> of(name).queue().equals(key));
  }

  /** A pattern that matches the keys of all locks whose names begin so, and more. */
  String pattern(String namePrefix) {
    return "*" + (prefix + namePrefix).replaceAll("[\\\\*?\\[\\]^]", "\\\\$0") + "*";
  }

  /** Where a process says who it is. */
  static String process(String id) {
    return PROCESS + id;
  }

  /** The keys of one lock. */
  static final class LockKeys {
    private final String lock;
    private final String fence;
    private final String queue;
    private volatile String @Nullable [] all;

    LockKeys(String lock) {
      this.lock = lock;
      this.fence = beside("fence");
      this.queue = beside("queue");
    }

    private boolean isOf(String prefix, String name) {
      return lock.length() == prefix.length() + name.length()
          && lock.endsWith(name)
          && lock.startsWith(prefix);
    }

    String lock() {
      return lock;
    }

    String queue() {
      return queue;
    }

    String forced() {
      return beside("forced");
    }

    String fence() {
      return fence;
    }

    /** Who waits for a node's vote. */
    String callers() {
      return beside("callers");
    }

    /** For whom a node's vote is kept for a moment. */
    String reserved() {
      return beside("reserved");
    }

    /** By which ballot of its holder a node's vote was given. */
    String ballot() {
      return beside("ballot");
    }

    /** As the prologue declares them. Shared: not to be written to. */
    String[] all() {
      String[] known = all;
      if (known == null) {
        known =
            new String[] {
              lock, fence, queue, beside("alive"), beside("holders"), beside("weights")
            };
        all = known;
      }
      return known;
    }

    /** What an acquisition touches in the usual case. */
    String[] toAcquire() {
      return new String[] {lock, fence, queue};
    }

    /** What a release touches in the usual case. */
    String[] toRelease() {
      return new String[] {lock, queue};
    }

    String[] allAndForced() {
      String[] all = all();
      return new String[] {all[0], all[1], all[2], all[3], all[4], all[5], forced()};
    }

    /** What the renewal of a shared hold touches. */
    String[] shared() {
      return new String[] {lock, beside("holders"), beside("weights")};
    }

    private String beside(String kind) {
      int open = lock.indexOf('{');
      int close = lock.indexOf('}', open + 1);
      if (open >= 0 && close > open + 1) {
        return "hf:" + kind + ":" + lock;
      }
      if (lock.indexOf('}') < 0) {
        return "{" + lock + "}:" + kind;
      }
      return "{" + Slots.tag(Slots.of(lock)) + "}:" + kind + ":" + lock;
    }
  }
}
