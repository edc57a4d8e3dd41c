// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit.servers;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Servers end with us, also if we are told to end before we could close them. */
final class Orphans {
  private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly)));
  }

  private Orphans() {}

  /** Sees to it that this process does not outlive us. */
  static Process prevent(Process process) {
    RUNNING.add(process);
    var unused = process.onExit().thenRun(() -> RUNNING.remove(process));
    return process;
  }
}
