// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.spi.Address;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that all commands have: which store, and how to print. */
final class Common {
  @Option(
      names = "--url",
      paramLabel = "URL",
      description =
          "The store: file:, redis://host:6379, … Default: $$HOLDFAST_URL, or file: (this machine).")
  private @Nullable String url;

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description = "A file with the store's password. Default: $$HOLDFAST_PASSWORD.")
  private @Nullable Path passwordFile;

  @Option(names = "--json", description = "Print JSON, for scripts.")
  private boolean json;

  @Option(
      names = "--log",
      paramLabel = "LEVEL",
      description = "Log to stderr: error, warn, info, debug. Default: nothing.")
  @SuppressWarnings("unused") // Main reads it before anything else is loaded.
  private @Nullable String log;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  @SuppressWarnings("unused") // Picocli acts on it.
  private boolean help;

  private final Screen screen = new Screen();

  /** Whether somebody sits before what we say on stderr; the shell knows it. */
  boolean isForPeople() {
    return Boolean.getBoolean("holdfast.people");
  }

  Screen screen() {
    return screen;
  }

  boolean json() {
    return json;
  }

  /** The store's address, to be printed: without secrets. */
  String place() {
    return Address.parse(chosenUrl()).toString();
  }

  String scheme() {
    return Address.parse(chosenUrl()).scheme();
  }

  /** The store's address with its secrets. */
  String address() {
    return password().map(secret -> withPassword(chosenUrl(), secret)).orElse(chosenUrl());
  }

  private String chosenUrl() {
    String fromEnvironment = System.getenv("HOLDFAST_URL");
    if (url != null) {
      return StoreUrl.of(url);
    }
    return fromEnvironment == null || fromEnvironment.isBlank()
        ? "file:"
        : StoreUrl.of(fromEnvironment);
  }

  private Optional<String> password() {
    if (passwordFile != null) {
      try {
        return Optional.of(Files.readString(passwordFile).strip());
      } catch (IOException unreadable) {
        throw new IllegalArgumentException(
            "the password file " + passwordFile + " cannot be read", unreadable);
      }
    }
    return Optional.ofNullable(System.getenv("HOLDFAST_PASSWORD")).filter(text -> !text.isEmpty());
  }

  /** Puts a password into an address that has hosts; a user that it names stays. */
  static String withPassword(String url, String password) {
    int start = url.indexOf("://") + 3;
    if (start < 3) {
      return url;
    }
    String rest = url.substring(start);
    int at = rest.lastIndexOf('@');
    String user = at < 0 ? "" : rest.substring(0, at).split(":", 2)[0];
    String encoded = URLEncoder.encode(password, StandardCharsets.UTF_8).replace("+", "%20");
    return url.substring(0, start) + user + ":" + encoded + "@" + rest.substring(at + 1);
  }

  /** Connects, for looking: nothing that is asked for waits in line. */
  Holdfast connect() {
    requireShared();
    return builder(backend(address())).build();
  }

  /**
   * Connects, for holding a lock on behalf of another process, which may live a little longer than
   * this one: so the death of this one must not free the lock before its lease is over.
   */
  Holdfast.Builder holding(@Nullable Duration leaseTime) {
    requireShared();
    String address = address();
    if (scheme().equals("file") && !address.contains("linger=")) {
      Duration linger = leaseTime == null ? HoldOptions.USUAL : leaseTime;
      address += (address.contains("?") ? "&" : "?") + "linger=" + linger.toMillis() + "ms";
    }
    Holdfast.Builder builder = builder(backend(address)).shutdownHook(false);
    return leaseTime == null ? builder : builder.leaseTime(leaseTime);
  }

  private void requireShared() {
    if (scheme().equals("memory")) {
      throw new IllegalArgumentException(
          "memory: is for one process, and nobody else would see its locks: take file:");
    }
    if (chosenUrl().replaceFirst("\\?.*", "").equals("file:") && PrivateTmp.isHere()) {
      throw new IllegalArgumentException(
          "file: is a directory in /tmp, and this service has a /tmp of its own (PrivateTmp= of"
              + " systemd): no other process would see its locks. Name a directory that they share,"
              + " as in file:/var/lib/NAME");
    }
  }

  LockBackend backend() {
    return backend(address());
  }

  private static LockBackend backend(String address) {
    Address parsed = Address.parse(address);
    String hint = Spelling.schemeHint(parsed.scheme());
    if (!hint.isEmpty()) {
      throw new IllegalArgumentException(
          "no store has the scheme '" + parsed.scheme() + "'" + hint);
    }
    return BackendProvider.backendAt(parsed);
  }

  static Holdfast.Builder builder(LockBackend backend) {
    return Holdfast.builder(backend).application("holdfast").localPasses(0, Duration.ZERO);
  }
}
