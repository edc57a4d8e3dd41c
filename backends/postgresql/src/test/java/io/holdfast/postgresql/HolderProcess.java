// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/** A process that takes a lock, says so, and tells what became of it when it is asked. */
final class HolderProcess implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;

  HolderProcess(String address, String name, Duration leaseTime) throws IOException {
    this.process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                HolderProcess.class.getName(),
                address,
                name,
                leaseTime.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    this.output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** The token that it was granted. */
  long token() throws IOException {
    return Long.parseLong(line());
  }

  /** Whether it thinks that it holds the lock, and whether it was told that it does not. */
  String say() throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
    return line();
  }

  private String line() throws IOException {
    String line = output.readLine();
    if (line == null) {
      throw new AssertionError("the process has ended");
    }
    return line;
  }

  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  /** Arguments: the address, the lock, its lease time. */
  public static void main(String[] arguments) throws Exception {
    Holdfast holdfast =
        Holdfast.builder(arguments[0]).leaseTime(Duration.parse(arguments[2])).build();
    Lease lease = holdfast.lock(arguments[1]).acquire(Duration.ofMinutes(1));
    System.out.println(lease.token().value());
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    while (input.readLine() != null) {
      System.out.println(
          "held=" + lease.isHeld() + " lost=" + lease.loss().toCompletableFuture().isDone());
    }
    holdfast.close();
  }
}
