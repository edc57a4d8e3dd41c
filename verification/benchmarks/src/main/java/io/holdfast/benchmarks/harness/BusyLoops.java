// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Other work on the processors: processes that compute, and never wait for anything. */
public record BusyLoops(List<Process> processes) implements AutoCloseable {

  /** Starts this many. */
  public static BusyLoops start(int count) throws IOException {
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      processes.add(new ProcessBuilder("sh", "-c", "while :; do :; done").start());
    }
    return new BusyLoops(processes);
  }

  @Override
  public void close() {
    processes.forEach(Process::destroyForcibly);
  }
}
