// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A JVM of its own that does a part of a workload: it says a line when it is ready, and hears one.
 */
public final class Child implements AutoCloseable {
  private final Process process;
  private final BufferedReader from;
  private final PrintStream to;

  private Child(Process process) {
    this.process = process;
    this.from =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    this.to = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
  }

  /** Starts this class's main method with these arguments, in the same Java and class path. */
  public static Child start(Class<?> main, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + "/bin/java");
    command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=4", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    return new Child(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** The next line that it says. */
  public String hear() throws IOException {
    String line = from.readLine();
    if (line == null) {
      throw new IOException("a child process ended early");
    }
    return line;
  }

  /** Tells it a line. */
  public void tell(String line) {
    to.println(line);
  }

  /** Ends it. */
  @Override
  public void close() {
    process.destroyForcibly();
  }
}
