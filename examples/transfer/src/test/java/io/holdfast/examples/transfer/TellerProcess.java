// SPDX-License-Identifier: Apache-2.0
package io.holdfast.examples.transfer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@link Teller} as a process of its own. */
final class TellerProcess implements AutoCloseable {
  private final Process process;
  private final BufferedReader words;
  private final Writer input;

  TellerProcess(String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                Teller.class.getName()));
    command.addAll(List.of(arguments));
    try {
      process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    words = process.inputReader();
    input = process.outputWriter();
  }

  /** The next line. */
  String says() throws IOException {
    String line = words.readLine();
    return line == null ? "nothing more" : line;
  }

  /** Lets it write what it computed. */
  void goOn() throws IOException {
    input.write("\n");
    input.flush();
  }

  void signal(String name) {
    try {
      new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor(30, TimeUnit.SECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
