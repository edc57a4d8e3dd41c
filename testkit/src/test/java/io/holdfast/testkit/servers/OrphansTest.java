// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OrphansTest {
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

  /** A program that starts another one, says its id, and never closes it. */
  public static final class Parent {
    public static void main(String[] arguments) throws Exception {
      Path log = ChildProcess.directory("holdfast-orphans").resolve("log");
      System.out.println(ChildProcess.start(log, List.of("sleep", "60")).pid());
      Thread.sleep(60_000);
    }
  }

  @Test
  void a_server_ends_with_a_program_that_is_told_to_end() throws Exception {
    Process parent =
        new ProcessBuilder(
                JAVA.toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Parent.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    ProcessHandle child;
    try (BufferedReader said = parent.inputReader()) {
      child = ProcessHandle.of(Long.parseLong(said.readLine())).orElseThrow();
      parent.destroy();
      assertThat(parent.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
    child.onExit().get(30, TimeUnit.SECONDS);
  }
}
