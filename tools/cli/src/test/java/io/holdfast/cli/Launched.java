// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.testkit.servers.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The command line, or another program, as a process: what it says, and its parts. */
final class Launched implements AutoCloseable {
  private static final Path BASH = Path.of("src/test/bash").toAbsolutePath();

  private final Process process;
  private final Path output;
  private final Path errors;

  private Launched(List<String> command, Map<String, String> environment) {
    try {
      output = Files.createTempFile("holdfast-out", null);
      errors = Files.createTempFile("holdfast-err", null);
      ProcessBuilder builder = new ProcessBuilder(command);
      describe(builder.environment());
      builder.environment().putAll(environment);
      process = builder.redirectOutput(output.toFile()).redirectError(errors.toFile()).start();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** What {@code launch.bash} must know. */
  static void describe(Map<String, String> environment) {
    environment.put("HOLDFAST_TEST_JAVA", java());
    environment.put("HOLDFAST_TEST_CLASS_PATH", System.getProperty("java.class.path"));
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /** {@code holdfast ARGUMENTS}. */
  static Launched holdfast(String... arguments) {
    return holdfast(Map.of(), arguments);
  }

  static Launched holdfast(Map<String, String> environment, String... arguments) {
    List<String> command = new ArrayList<>(List.of("bash", script("launch.bash")));
    command.addAll(List.of(arguments));
    return new Launched(command, environment);
  }

  /** Any program. */
  static Launched program(String... command) {
    return new Launched(List.of(command), Map.of());
  }

  static String script(String name) {
    return BASH.resolve(name).toString();
  }

  /** Says something on its standard input, and ends it. */
  Launched input(String text) {
    try (var input = process.getOutputStream()) {
      input.write(text.getBytes(UTF_8));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    return this;
  }

  /** Says something on its standard input, which stays open. */
  void type(String text) {
    try {
      process.getOutputStream().write(text.getBytes(UTF_8));
      process.getOutputStream().flush();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  int exitCode() {
    try {
      if (!process.waitFor(90, TimeUnit.SECONDS)) {
        throw new AssertionError("does not end; it said: " + output() + errors());
      }
      return process.exitValue();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  String output() {
    return read(output);
  }

  String errors() {
    return read(errors);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  void awaitOutput(String text) {
    Eventually.until(
        "it says '" + text + "'; it said: " + output() + errors(),
        () -> output().contains(text) || !process.isAlive());
    if (!output().contains(text)) {
      throw new AssertionError("ended, and said: " + output() + errors());
    }
  }

  long pid() {
    return process.pid();
  }

  /** The part that is Java. */
  long keeper() {
    return part(child -> child.info().command().orElse("").endsWith("java"));
  }

  /** The part that is a shell in a group of its own; the command's parent is in ours. */
  long watchdog() {
    return part(child -> !child.info().command().orElse("").endsWith("java") && isLeader(child));
  }

  private long part(java.util.function.Predicate<ProcessHandle> isIt) {
    return process.toHandle().children().filter(isIt).findFirst().orElseThrow().pid();
  }

  private static boolean isLeader(ProcessHandle process) {
    try {
      String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      return Long.parseLong(fields[2]) == process.pid();
    } catch (IOException gone) {
      return false;
    }
  }

  void signal(String name) {
    signal(name, process.pid());
  }

  static void signal(String name, long pid) {
    if (!isSent(name, pid)) {
      throw new AssertionError("could not send " + name + " to " + pid);
    }
  }

  /** To one that may end at any moment, as what a command starts does. */
  static void signalIfThere(String name, long pid) {
    if (!isSent(name, pid) && ProcessHandle.of(pid).isPresent()) {
      throw new AssertionError("could not send " + name + " to " + pid + ", though it is there");
    }
  }

  private static boolean isSent(String name, long pid) {
    try {
      return new ProcessBuilder("bash", "-c", "kill -" + name + " " + pid).start().waitFor() == 0;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  /** Ends it and all its parts, stopped or not. */
  @Override
  public void close() {
    List<ProcessHandle> parts = process.toHandle().descendants().toList();
    process.destroyForcibly();
    parts.forEach(ProcessHandle::destroyForcibly);
    try {
      Files.deleteIfExists(output);
      Files.deleteIfExists(errors);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
