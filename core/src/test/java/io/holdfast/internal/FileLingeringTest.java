// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process whose work is done by another one, which may outlive it. */
@Tag("file")
class FileLingeringTest {
  @TempDir private Path directory;

  @Test
  void what_it_held_stays_held_until_the_lease_is_over() throws Exception {
    try (ChildJvm child = ChildJvm.start(FileChild.class, "linger", directory, "a");
        Holdfast holdfast = Holdfast.connect("file:" + directory)) {
      long token = Long.parseLong(child.line());
      child.kill();
      assertThat(holdfast.lock("a").tryAcquire()).isEmpty();
      assertThat(holdfast.inspect("a").isFree()).isFalse();
      try (Lease lease = holdfast.lock("a").acquire(Duration.ofMinutes(1))) {
        assertThat(lease.token().value()).isGreaterThan(token);
      }
    }
  }

  @Test
  void also_for_somebody_who_comes_when_all_others_are_gone() throws Exception {
    try (ChildJvm child = ChildJvm.start(FileChild.class, "linger", directory, "a")) {
      child.line();
      child.kill();
      try (Holdfast holdfast = Holdfast.connect("file:" + directory)) {
        assertThat(holdfast.lock("a").tryAcquire()).isEmpty();
      }
    }
  }

  @Test
  void a_release_and_a_close_end_it_at_once() {
    try (Holdfast holdfast = Holdfast.connect("file:" + directory)) {
      try (Holdfast lingering = Holdfast.connect("file:" + directory + "?linger=1h")) {
        var unused = lingering.lock("a").tryAcquire().orElseThrow();
      }
      assertThat(holdfast.lock("a").tryAcquire()).isPresent();
    }
  }

  @Test
  void its_files_go_in_the_end() throws Exception {
    try (ChildJvm child = ChildJvm.start(FileChild.class, "linger", directory, "a")) {
      child.line();
      child.kill();
    }
    Await.until(
        "nothing is left of it",
        () -> {
          Holdfast.connect("file:" + directory).close();
          try (Stream<Path> processes = Files.list(directory.resolve("processes"))) {
            return processes.findAny().isEmpty();
          }
        });
  }

  @Test
  void a_time_that_makes_no_sense_is_refused() {
    assertThatThrownBy(() -> Holdfast.connect("file:" + directory + "?linger=soon"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'linger'");
  }
}
