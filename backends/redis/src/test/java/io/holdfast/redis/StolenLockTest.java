// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.servers.RedisServer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real process is stopped past its lease; somebody else gets the lock; it wakes up. */
@Tag("redis")
class StolenLockTest {

  @Test
  void a_holder_that_was_paused_past_its_lease_does_not_free_the_next_one_and_is_told()
      throws Exception {
    try (RedisServer server = RedisServer.start();
        Clients clients = new Clients()) {
      Process paused = start("redis://" + server.hostAndPort() + "?timeout=2s");
      try (BufferedReader says =
          new BufferedReader(new InputStreamReader(paused.getInputStream(), UTF_8))) {
        long first = Long.parseLong(says.readLine().substring("token ".length()));
        signal("STOP", paused);
        Holdfast other = clients.open(server.hostAndPort(), Duration.ofSeconds(30));
        Lease second = other.lock("stolen").acquire(Duration.ofMinutes(1));
        assertThat(second.token().value()).isGreaterThan(first);
        signal("CONT", paused);
        paused.getOutputStream().write("go\n".getBytes(UTF_8));
        paused.getOutputStream().flush();
        List<String> told = new ArrayList<>();
        for (String line = says.readLine(); line != null; line = says.readLine()) {
          told.add(line);
        }
        assertThat(told).contains("held false", "released false", "lost true");
        assertThat(second.isHeld()).isTrue();
        assertThat(server.call("GET", "lock:stolen")).isEqualTo(second.holder().toString());
        assertThat(second.release()).isTrue();
      } finally {
        paused.destroyForcibly();
      }
    }
  }

  private static Process start(String address) throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            PausedHolder.class.getName(),
            address,
            "stolen",
            "PT3S")
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static void signal(String name, Process process) throws Exception {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }
}
