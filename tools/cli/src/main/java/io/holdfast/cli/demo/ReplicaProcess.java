// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A {@link Replica} as the story sees it: lines go in, lines come out, and signals are sent. */
final class ReplicaProcess implements AutoCloseable {
  private static final String ENDED = "(ended)";

  private final String name;
  private final Process process;
  private final PrintStream input;
  private final BlockingQueue<String> output = new LinkedBlockingQueue<>();

  private ReplicaProcess(String name, Process process) {
    this.name = name;
    this.process = process;
    this.input = new PrintStream(process.getOutputStream(), true, UTF_8);
    Thread reader = new Thread(this::listen);
    reader.setDaemon(true);
    reader.start();
  }

  static ReplicaProcess start(String name, String url, String restaurant, Path directory)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:TieredStopAtLevel=1", // Starts faster.
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Replica.class.getName(),
                name,
                restaurant,
                directory.toString())
            .redirectError(Redirect.INHERIT);
    builder.environment().put(Replica.URL_VARIABLE, url);
    return new ReplicaProcess(name, builder.start());
  }

  String name() {
    return name;
  }

  void tell(String line) {
    input.println(line);
  }

  private void listen() {
    try {
      process.inputReader(UTF_8).lines().forEach(output::add);
    } catch (UncheckedIOException killed) {
      // Its output ends with it.
    } finally {
      output.add(ENDED);
    }
  }

  /** The next line that the replica says. */
  String hear() throws InterruptedException {
    String line = output.poll(60, TimeUnit.SECONDS);
    if (line == null || line.equals(ENDED)) {
      throw new IllegalStateException("a replica " + (line == null ? "is silent" : "has ended"));
    }
    return line;
  }

  /** Waits for a line that must come for the story to go on. */
  void hear(String expected) throws InterruptedException {
    String line = hear();
    if (!line.equals(expected)) {
      throw new IllegalStateException(
          "a replica was to say '" + expected + "', not '" + line + "'");
    }
  }

  /** {@code kill -9}: the process has no chance to release anything. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** As a long garbage collection or a busy host would do it. */
  void pause() throws IOException, InterruptedException {
    signal("STOP");
  }

  void resume() throws IOException, InterruptedException {
    signal("CONT");
  }

  private void signal(String signal) throws IOException, InterruptedException {
    int status =
        new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid())
            .inheritIO()
            .start()
            .waitFor();
    if (status != 0) {
      throw new IllegalStateException("could not send " + signal + " to a replica");
    }
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
