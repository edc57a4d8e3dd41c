// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that refuses a holder which was paused. */
@Tag("file")
class FileGuardTest {
  @TempDir Path directory;

  private final Holdfast holdfast = Holdfast.connect("memory:");
  private Path file;
  private FileGuard guard;
  private Lease lease;

  @BeforeEach
  void acquire() throws Exception {
    file = directory.resolve("report.txt");
    guard = new FileGuard(file);
    lease = holdfast.lock("report").acquire(Duration.ofSeconds(30));
  }

  @AfterEach
  void close() {
    holdfast.close();
  }

  private void write(Lease by, String text) {
    guard.replace(by, text.getBytes(UTF_8));
  }

  @Test
  void a_holder_writes_as_often_as_it_likes() throws Exception {
    guard.enter(lease);
    write(lease, "one");
    write(lease, "two");
    assertThat(file).hasContent("two");
    assertThat(lease.release()).isTrue();
    Lease next = holdfast.lock("report").acquire(Duration.ofSeconds(30));
    write(next, "three");
    assertThat(file).hasContent("three");
  }

  @Test
  void a_stale_holder_writes_nothing_and_its_lease_is_told() {
    write(lease, "one");
    FencingToken next = new FencingToken(lease.token().value() + 1);
    new FileGuard(file).raise(next);
    assertThatThrownBy(() -> write(lease, "two"))
        .isInstanceOfSatisfying(
            StaleTokenException.class,
            stale -> {
              assertThat(stale.resource()).isEqualTo(file.toString());
              assertThat(stale.newest()).isEqualTo(next);
            });
    assertThat(file).hasContent("one");
    assertThat(lease.isHeld()).isFalse();
    assertThatThrownBy(() -> guard.enter(lease)).isInstanceOf(LeaseLostException.class);
  }

  @Test
  void a_shared_lease_is_refused() throws Exception {
    Lease shared = holdfast.lock("other").shared().acquire(Duration.ofSeconds(30));
    assertThatThrownBy(() -> guard.enter(shared))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("exclusive");
  }

  @Test
  void a_file_that_cannot_be_guarded_is_named() throws Exception {
    FileGuard nowhere = new FileGuard(directory.resolve("gone").resolve("report.txt"));
    assertThatThrownBy(() -> nowhere.enter(lease))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("report.txt");
  }
}
