// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.Origin;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Who we are, as far as the system tells. */
final class ThisProcess {
  private ThisProcess() {}

  /** An origin with a new id; from the given randomness, or from a secure one if there is none. */
  static Origin origin(String application, @Nullable RandomGenerator random) {
    UUID id = random == null ? UUID.randomUUID() : new UUID(random.nextLong(), random.nextLong());
    String process =
        Long.toUnsignedString(id.getMostSignificantBits(), Character.MAX_RADIX)
            + Long.toUnsignedString(id.getLeastSignificantBits(), Character.MAX_RADIX);
    return new Origin(process, host(), ProcessHandle.current().pid(), application);
  }

  private static String host() {
    return Optional.ofNullable(System.getenv("HOSTNAME"))
        .filter(name -> !name.isBlank())
        .orElseGet(ThisProcess::resolvedHost);
  }

  private static String resolvedHost() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException nameless) {
      return "localhost";
    }
  }

  /** The main class or jar: what {@code jps} shows. */
  static String application() {
    String command = System.getProperty("sun.java.command", "java").strip();
    String main = command.isEmpty() ? "java" : command.split("\\s", 2)[0];
    return main.substring(main.lastIndexOf('/') + 1);
  }
}
