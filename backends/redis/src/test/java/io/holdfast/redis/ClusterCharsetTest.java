// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The slot of a name does not depend on the JVM's default charset. */
@Tag("redis")
class ClusterCharsetTest {

  @Test
  void names_beyond_ascii_are_locked_where_the_default_charset_is_ascii() throws Exception {
    try (RedisCluster cluster = new RedisCluster()) {
      Process child = start(cluster.address());
      try {
        List<String> told =
            new String(child.getInputStream().readAllBytes(), UTF_8).lines().toList();
        assertThat(told).containsExactly("charset US-ASCII", "released true", "released true");
      } finally {
        child.destroyForcibly();
      }
    }
  }

  private static Process start(String address) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (Runtime.version().feature() >= 18) {
      command.add("-Dfile.encoding=COMPAT"); // Otherwise UTF-8, whatever the locale.
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(AsciiHolder.class.getName(), address));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("LC_ALL", "C");
    return builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }
}
