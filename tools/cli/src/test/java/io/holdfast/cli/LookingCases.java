// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.servers.Eventually;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;

/** What the tests of commands that look at locks share. */
abstract class LookingCases {
  /** A busy machine may take longer than a second to load a client and to connect. */
  static final String PATIENT = "?timeout=4s";

  @TempDir Path directory;

  record Answer(int code, String output, String errors) {}

  Answer ask(String url, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--url", url));
    Map<String, String> environment =
        Map.of("HOLDFAST_AUDIT", directory.resolve("audit").toString());
    try (Launched launched = Launched.holdfast(environment, all.toArray(String[]::new))) {
      launched.input("y\n");
      return new Answer(launched.exitCode(), launched.output(), launched.errors());
    }
  }

  void looks(String url) {
    try (Launched holder =
            Launched.holdfast(
                "run",
                "a:1",
                "--url",
                url,
                "--purpose",
                "testing",
                "--",
                "sh",
                "-c",
                "echo $HOLDFAST_TOKEN; cat >/dev/null");
        Launched watch = Launched.holdfast("watch", "--url", url, "--every", "100ms")) {
      Eventually.until(
          "it holds; it said " + holder.errors(), () -> holder.output().endsWith("\n"));
      String token = holder.output().strip();
      watch.awaitOutput("a:1  held by holdfast@");

      assertThat(ask(url, "ls").output()).contains("NAME", "a:1", "testing", token);
      assertThat(ask(url, "ls", "b", "--json").output().strip()).isEqualTo("[]");
      Answer shown = ask(url, "inspect", "a:1");
      assertThat(shown.code()).isZero();
      assertThat(shown.output()).contains("host", "pid", "testing", "since", "remaining", token);
      assertThat(ask(url, "inspect", "free").code()).isEqualTo(ExitCode.NO);
      assertThat(ask(url, "doctor").code()).isZero();
      assertThat(ask(url, "guarantees").output()).contains("two holders possible when");

      assertThat(ask(url, "force-release", "a:1", "--token", "1", "--reason", "why").code())
          .isEqualTo(ExitCode.NO);
      Answer forced = ask(url, "force-release", "a:1", "--token", token, "--reason", "why");
      assertThat(forced.code()).isZero();
      assertThat(forced.errors()).contains("[y/N]");
      assertThat(directory.resolve("audit")).content().contains("force-release done", token, "why");
      watch.awaitOutput("a:1  free");
      assertThat(holder.exitCode()).isEqualTo(ExitCode.LOST);
    }
  }
}
