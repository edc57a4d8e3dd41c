// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.servers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoryTest {
  @TempDir private Path directory;

  @Test
  @Tag("file")
  void the_story_ends_as_it_should_with_files() throws Exception {
    assertThat(told("file:" + directory.resolve("locks"))).hasSize(5).allMatch(Verdict::held);
  }

  @Test
  @Tag("redis")
  void the_story_ends_as_it_should_with_redis() throws Exception {
    try (RedisServer server = RedisServer.start()) {
      assertThat(told("redis://" + server.hostAndPort())).hasSize(5).allMatch(Verdict::held);
    }
  }

  @Test
  @Tag("file")
  void its_pictures_show_who_held_and_who_waited() throws Exception {
    List<Verdict> verdicts = told("file:" + directory.resolve("locks"));
    String lines = String.join("\n", Picture.lines(verdicts.get(4).timeline()));
    assertThat(lines).contains("replica-2", "replica-3", "█", "·", "░", "✗");
    assertThat(Picture.svg(verdicts, "file:<here>"))
        .startsWith("<svg")
        .contains("refused", "</svg>")
        .contains("<title>Four replicas", "their locks are at file:&lt;here&gt;")
        .contains("holds the lock", "waits", "paused", "✗ killed or refused")
        .contains(verdicts.get(4).timeline().end() + " ms</text>");
  }

  private List<Verdict> told(String url) throws Exception {
    List<Verdict> verdicts = new ArrayList<>();
    try (Story story = new Story(url, "restaurant", directory)) {
      story.tell(Duration.ofMillis(500), verdicts::add);
    }
    return verdicts;
  }
}
