// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.LongAdder;

/**
 * The sections that the locks protect: each counts who is inside, and finds it when that are two.
 * The counts can lie in a file that several processes have mapped.
 */
public final class Sections {
  /** One cache line each. */
  private static final int STRIDE = 64;

  private static final VarHandle COUNT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  private final ByteBuffer counts;
  private final LongAdder violations = new LongAdder();

  private Sections(ByteBuffer counts) {
    this.counts = counts.alignedSlice(8);
  }

  /** So many sections of this process. */
  public static Sections of(int count) {
    return new Sections(ByteBuffer.allocateDirect((count + 1) * STRIDE));
  }

  /** One section of all processes that map this file. */
  public static Sections mapped(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return new Sections(channel.map(MapMode.READ_WRITE, 0, 2 * STRIDE));
    }
  }

  /** Enters; whoever is inside already is a violation. */
  public void enter(int section) {
    if ((int) COUNT.getAndAdd(counts, section * STRIDE, 1) != 0) {
      violations.increment();
    }
  }

  /** Leaves. */
  public void leave(int section) {
    var unused = (int) COUNT.getAndAdd(counts, section * STRIDE, -1);
  }

  /** How often somebody entered a section in which somebody was. */
  public long violations() {
    return violations.sum();
  }
}
