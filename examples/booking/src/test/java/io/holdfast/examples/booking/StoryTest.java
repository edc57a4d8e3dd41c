// SPDX-License-Identifier: Apache-2.0
package io.holdfast.examples.booking;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("file")
class StoryTest {

  @Test
  void the_story_ends_as_it_should(@TempDir Path directory) throws Exception {
    List<Verdict> verdicts = new ArrayList<>();
    try (Story story = new Story("file:" + directory.resolve("locks"), directory)) {
      story.tell(Duration.ofMillis(500), verdicts::add);
    }
    assertThat(verdicts).hasSize(4).allMatch(Verdict::held);
  }
}
