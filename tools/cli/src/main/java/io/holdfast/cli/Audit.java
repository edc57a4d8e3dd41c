// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Optional;

/**
 * The record of what was done by force: a line of JSON each, in {@code HOLDFAST_AUDIT} or the
 * user's state directory. What cannot be recorded is not done.
 *
 * @param file where it is
 */
record Audit(Path file) {

  static Audit open() throws IOException {
    Path file =
        Optional.ofNullable(System.getenv("HOLDFAST_AUDIT"))
            .filter(text -> !text.isBlank())
            .map(Path::of)
            .orElseGet(Audit::ofUser)
            .toAbsolutePath();
    try {
      Path directory = file.getParent();
      if (directory != null) {
        Files.createDirectories(directory);
      }
      Files.writeString(file, "", UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException unwritable) {
      throw new IllegalArgumentException(
          "the audit file " + file + " cannot be written; set HOLDFAST_AUDIT to one that can",
          unwritable);
    }
    return new Audit(file);
  }

  private static Path ofUser() {
    String state = System.getenv("XDG_STATE_HOME");
    Path directory =
        state == null || state.isBlank()
            ? Path.of(System.getProperty("user.home", "."), ".local", "state")
            : Path.of(state);
    return directory.resolve("holdfast").resolve("audit.log");
  }

  void write(String what, String store, String name, long token, String reason) throws IOException {
    String line =
        Json.text(
            Json.object(
                "time", Instant.now(),
                "what", what,
                "store", store,
                "name", name,
                "token", token,
                "reason", reason,
                "user", System.getProperty("user.name", ""),
                "pid", ProcessHandle.current().pid()));
    Files.writeString(file, line + "\n", UTF_8, StandardOpenOption.APPEND);
  }
}
