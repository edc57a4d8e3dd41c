// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.testkit.servers.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import org.junit.jupiter.api.Assumptions;

/**
 * A {@code redis-cli} that is told command after command: a client that has never heard of
 * Holdfast. A reply is one line, empty for nothing.
 */
final class RedisCli implements AutoCloseable {
  private final Process process;
  private final OutputStream in;
  private final BufferedReader out;

  private RedisCli(Process process) {
    this.process = process;
    this.in = process.getOutputStream();
    this.out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
  }

  static RedisCli connect(RedisServer server) {
    String port = Integer.toString(server.port());
    try {
      return new RedisCli(
          new ProcessBuilder("redis-cli", "-p", port).redirectErrorStream(true).start());
    } catch (IOException missing) {
      Assumptions.abort("could not run here: no redis-cli");
      throw new AssertionError("aborted", missing);
    }
  }

  String call(String command) {
    try {
      in.write((command + "\n").getBytes(UTF_8));
      in.flush();
      String line = out.readLine();
      if (line == null) {
        throw new AssertionError("redis-cli has ended");
      }
      return line;
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
