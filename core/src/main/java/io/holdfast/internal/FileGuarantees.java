// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.Guarantees;
import io.holdfast.Guarantees.Capability;
import io.holdfast.Guarantees.Exclusion;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/** What the file backend promises, by where its directory is. */
final class FileGuarantees {
  private static final Duration SHORTEST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofDays(365);

  private FileGuarantees() {}

  /** On a file system of this machine. */
  static Guarantees local(boolean isPrompt) {
    return new Guarantees(
        "file",
        Exclusion.LOCAL,
        "all holders are processes of one machine that use one directory; setting the clock makes"
            + " no difference",
        "files of the directory are deleted or replaced while they are in use, or code in a"
            + " holder's own JVM opens and closes them",
        "the directory is kept, whatever the clock does, or the clock does not go back, whatever"
            + " becomes of the directory; also after a loss of power, if the disk keeps what was"
            + " synced",
        "the death of any process at any moment: what it held is free at once; a restart or a"
            + " loss of power ends all holders, and the tokens go on",
        capabilities(isPrompt),
        SHORTEST,
        LONGEST);
  }

  /** On a network file system, by the user's own choice. */
  static Guarantees network() {
    return new Guarantees(
        "file",
        Exclusion.ADVISORY,
        "all holders are processes of one machine, or the network file system keeps locks and"
            + " caches as one machine would and all clocks agree",
        "it does not: for example after its server was restarted or could not be reached",
        "the same is true",
        "the death of a process, once the file system's server has noticed it",
        capabilities(false),
        SHORTEST,
        LONGEST);
  }

  private static Set<Capability> capabilities(boolean isPrompt) {
    Set<Capability> capabilities = EnumSet.allOf(Capability.class);
    if (!isPrompt) {
      capabilities.remove(Capability.PROMPT_FORCE);
    }
    return capabilities;
  }
}
