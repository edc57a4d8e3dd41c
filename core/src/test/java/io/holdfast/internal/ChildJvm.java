// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Another JVM with the class path of this one, started to be killed. */
final class ChildJvm implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;

  private ChildJvm(Process process) {
    this.process = process;
    this.output = process.inputReader(StandardCharsets.UTF_8);
  }

  static ChildJvm start(Class<?> main, Object... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // What starts fastest, since there may be many of them.
    command.addAll(
        List.of("-XX:TieredStopAtLevel=1", "-Xshare:auto", "-XX:+UseSerialGC", "-Xmx64m"));
    command.addAll(List.of("-cp", classPath(), main.getName()));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return new ChildJvm(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Without the logging that would fill the pipe. */
  private static String classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> !entry.contains("logback"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** The next line that it prints. */
  String line() throws IOException {
    String line = output.readLine();
    if (line == null) {
      throw new IOException("the child has ended: " + process);
    }
    return line;
  }

  /** All that it has printed and nobody has read, once it has ended. */
  List<String> rest() {
    return output.lines().toList();
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** By {@code SIGTERM}: its shutdown hooks run. */
  void terminate() {
    process.toHandle().destroy(); // The process itself would close its output as well.
  }

  /** Writes a line to its input. */
  void tell(String line) throws IOException {
    Writer input = process.outputWriter(StandardCharsets.UTF_8);
    input.write(line + "\n");
    input.flush();
  }

  /** By {@code SIGKILL}: it has no say in it. */
  void kill() throws InterruptedException {
    process.toHandle().destroyForcibly(); // The process itself would close its output as well.
    process.waitFor();
  }

  int exitCode() throws InterruptedException {
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      throw new AssertionError("the child has not ended: " + process);
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
