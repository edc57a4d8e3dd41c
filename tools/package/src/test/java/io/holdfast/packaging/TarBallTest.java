// SPDX-License-Identifier: Apache-2.0
package io.holdfast.packaging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tar ball, unpacked, on a machine that has a Java runtime and nothing of ours. */
class TarBallTest {
  @TempDir static Path directory;

  /** As they were unpacked: the first call makes an archive of classes beside the jars. */
  private static List<String> files;

  private static Path home = Path.of("");

  private record Answer(int code, String output) {}

  @BeforeAll
  static void is_built_and_unpacked() throws Exception {
    Answer built = run(System.getenv(), "bash", "build", "--built");
    assertThat(built.code()).as(built.output()).isZero();
    String tarBall =
        built.output().lines().filter(line -> line.endsWith(".tar.gz")).findFirst().orElseThrow();
    assertThat(run(Map.of(), "/bin/tar", "xzf", tarBall, "-C", directory.toString()).code())
        .isZero();
    try (Stream<Path> unpacked = Files.list(directory)) {
      home =
          unpacked
              .filter(path -> path.getFileName().toString().startsWith("holdfast-"))
              .findFirst()
              .orElseThrow();
    }
    files = files();
  }

  /** With these variables alone, and no others. */
  private static Answer run(Map<String, String> environment, String... command) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new Answer(process.waitFor(), output);
  }

  private static Answer holdfast(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(home.resolve("bin/holdfast").toString()));
    command.addAll(List.of(arguments));
    // No HOME: it keeps nothing in the user's directories.
    return run(
        Map.of("JAVA_HOME", System.getProperty("java.home"), "PATH", "/usr/bin:/bin"),
        command.toArray(String[]::new));
  }

  private static List<String> files() throws IOException {
    try (Stream<Path> all = Files.walk(home)) {
      return all.filter(Files::isRegularFile)
          .map(file -> home.relativize(file).toString())
          .sorted()
          .toList();
    }
  }

  @Test
  void has_the_launcher_jars_manual_pages_and_completions() throws Exception {
    assertThat(files)
        .contains(
            "bin/holdfast",
            "lib/holdfast/holdfast-cli.jar",
            "lib/holdfast/bash/supervise.bash",
            "share/man/man1/holdfast.1.gz",
            "share/man/man1/holdfast-run.1.gz",
            "share/bash-completion/completions/holdfast",
            "share/zsh/vendor-completions/_holdfast",
            "share/fish/vendor_completions.d/holdfast.fish",
            "share/doc/holdfast/copyright")
        .anyMatch(file -> file.startsWith("lib/holdfast/lib/holdfast-core-"));
  }

  @Test
  void has_no_sources_and_nothing_that_builds_or_tests() throws Exception {
    assertThat(files)
        .noneMatch(
            file ->
                file.matches(
                    ".*(\\.java|pom\\.xml|sources\\.jar|build-cli\\.sh|junit.*|.*testkit.*)"));
    assertThat(Files.readString(home.resolve("bin/holdfast"))).doesNotContain("mvn");
  }

  @Test
  void runs_in_an_empty_environment() throws Exception {
    Answer version = holdfast("--version");
    assertThat(version.code()).as(version.output()).isZero();
    assertThat(version.output()).startsWith("holdfast 0.1.0");
    String store = "file:" + directory.resolve("locks");
    Answer run =
        holdfast("run", "x", "--url", store, "--", "sh", "-c", "echo under $HOLDFAST_NAME; exit 3");
    assertThat(run.output()).isEqualTo("under x\n");
    assertThat(run.code()).isEqualTo(3);
    assertThat(holdfast("doctor", "--url", store).code()).isZero();
  }

  @Test
  void runs_in_a_directory_that_is_gone_and_whatever_cd_looks_through() throws Exception {
    String store = "file:" + directory.resolve("locks");
    Answer gone =
        shell(
            "mkdir gone && cd gone && rmdir ../gone && \"$0\" run x --url \"$1\" -- echo hi",
            store);
    assertThat(gone.code()).as(gone.output()).isZero();
    assertThat(gone.output()).endsWith("hi\n");
    Answer found =
        shell("export CDPATH=\"$PWD\"; \"${0#\"$PWD\"/}\" run x --url \"$1\" -- echo hi", store);
    assertThat(found.output()).isEqualTo("hi\n");
  }

  /** In the directory above the unpacked one; "$0" is the launcher. */
  private static Answer shell(String script, String argument) throws Exception {
    return run(
        Map.of("JAVA_HOME", System.getProperty("java.home"), "PATH", "/usr/bin:/bin"),
        "/bin/bash",
        "-c",
        "cd '" + directory.toRealPath() + "'; " + script,
        home.toRealPath().resolve("bin/holdfast").toString(),
        argument);
  }

  @Test
  void says_what_is_missing_without_java() throws Exception {
    Answer answer =
        run(
            Map.of("PATH", "/nonexistent"),
            "/bin/bash",
            home.resolve("bin/holdfast").toString(),
            "--version");
    assertThat(answer.code()).isEqualTo(69);
    assertThat(answer.output()).contains("there is no Java", "17");
  }
}
