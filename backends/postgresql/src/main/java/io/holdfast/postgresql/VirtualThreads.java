// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/** What Java 17 does not know of threads, and 21 does. */
final class VirtualThreads {
  private static final @Nullable MethodHandle IS_VIRTUAL = isVirtual();

  private VirtualThreads() {}

  private static @Nullable MethodHandle isVirtual() {
    try {
      return MethodHandles.lookup()
          .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
    } catch (NoSuchMethodException | IllegalAccessException older) {
      return null;
    }
  }

  /** Whether the calling thread is one. */
  static boolean isCurrent() {
    MethodHandle known = IS_VIRTUAL;
    try {
      return known != null && (boolean) known.invokeExact(Thread.currentThread());
    } catch (Throwable unexpected) {
      return true;
    }
  }
}
