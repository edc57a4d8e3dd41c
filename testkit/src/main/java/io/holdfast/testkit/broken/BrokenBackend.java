// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit.broken;

import io.holdfast.spi.LockBackend;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * A backend that is broken on purpose, in one way that has happened to somebody. It shows that the
 * contract tests what it says: it must reject each of them, in the group that names the property.
 * Whoever changes the contract can try it on them.
 */
public final class BrokenBackend {
  private final Defect defect;

  private BrokenBackend(Defect defect) {
    this.defect = defect;
  }

  /** All of them. */
  public static List<BrokenBackend> all() {
    return Arrays.stream(Defect.values()).map(BrokenBackend::new).toList();
  }

  /**
   * The one with this name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static BrokenBackend named(String name) {
    return new BrokenBackend(Defect.valueOf(name.toUpperCase(Locale.ROOT).replace(' ', '_')));
  }

  /** What is wrong with it, in words. */
  public String name() {
    return defect.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /** The group of the contract that must reject it. */
  public String rejectedBy() {
    return defect.property();
  }

  /** A new store that is broken in this way; each call of the supplier opens it once more. */
  public Supplier<LockBackend> newStore() {
    return TextbookBackend.newStore(defect);
  }

  @Override
  public String toString() {
    return name();
  }
}
