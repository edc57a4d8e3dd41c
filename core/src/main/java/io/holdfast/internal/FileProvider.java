// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.spi.Address;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Set;

/**
 * {@code file:} is a directory of this user's on this machine; {@code file:PATH} one that is
 * chosen; {@code ?network=allow} accepts a network file system; {@code ?shared=allow} one that
 * other users made or may write to; {@code ?linger=30s} keeps holds for their lease time, at most
 * so long, when their process dies.
 */
public final class FileProvider implements BackendProvider {

  @Override
  public Set<String> schemes() {
    return Set.of("file");
  }

  @Override
  public LockBackend open(Address address) {
    address.requireOnly(Set.of("network", "shared", "linger"));
    if (!address.hosts().isEmpty() || address.user().isPresent()) {
      throw new IllegalArgumentException(
          "the address of a file store names no host: write file:/path or file:relative/path");
    }
    boolean isChosen = !address.path().isEmpty();
    Path directory = isChosen ? Path.of(address.path()) : FilePlace.defaultDirectory();
    return new FileBackend(
        new FilePlace(
            directory.toAbsolutePath(),
            isChosen,
            allows(address, "network"),
            allows(address, "shared"),
            linger(address)));
  }

  private static Duration linger(Address address) {
    try {
      return address.parameter("linger").map(Environment::duration).orElse(Duration.ZERO);
    } catch (DateTimeParseException nonsense) {
      throw new IllegalArgumentException(
          "the parameter 'linger' is a time such as 30s or PT30S", nonsense);
    }
  }

  private static boolean allows(Address address, String what) {
    String policy = address.parameter(what).orElse("refuse");
    return switch (policy) {
      case "allow" -> true;
      case "refuse" -> false;
      default ->
          throw new IllegalArgumentException(
              "the parameter '" + what + "' is 'allow' or 'refuse', not '" + policy + "'");
    };
  }
}
