// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.BackendException;
import io.holdfast.spi.LockBackend.Acquisition.Held;
import io.holdfast.spi.LockBackend.Hold;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cleaner of temporary files (tmpwatch, systemd-tmpfiles) at work in a directory in use. */
@Tag("file")
class FileCleanerTest {
  @TempDir private Path directory;
  private FileClient client;

  @BeforeEach
  void connect() {
    client = FileClient.in(directory);
  }

  @AfterEach
  void close() {
    client.close();
  }

  private static void clean(Path directory, String... tests) throws Exception {
    Stream<String> find = Stream.of("find", directory.toString(), "-mindepth", "1");
    List<String> command =
        Stream.of(find, Stream.of(tests), Stream.of("-delete")).flatMap(each -> each).toList();
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
  }

  private void removeEmptyDirectories() throws Exception {
    clean(directory, "-type", "d", "-empty");
  }

  @Test
  void that_removes_empty_directories_keeps_no_client_from_its_locks() throws Exception {
    removeEmptyDirectories();
    assertThat(directory.resolve("locks")).doesNotExist();
    assertThat(directory.resolve("drafts")).doesNotExist();
    Hold hold = client.hold("a");
    long token = client.acquireNow(hold);
    removeEmptyDirectories();
    assertThat(client.release(hold)).isTrue();
    assertThat(client.acquireNow(client.hold("b"))).isGreaterThan(token);
  }

  @Test
  void that_removes_empty_directories_lets_no_second_holder_in() throws Exception {
    removeEmptyDirectories();
    try (ChildJvm child = ChildJvm.start(FileChild.class, "hold", directory, "a")) {
      child.line();
      removeEmptyDirectories();
      assertThat(client.acquire(client.hold("a"), Duration.ZERO)).isInstanceOf(Held.class);
      client.acquireNow(client.hold("b"));
      removeEmptyDirectories();
      try (FileClient other = FileClient.in(directory)) {
        assertThat(other.acquire(other.hold("a"), Duration.ZERO)).isInstanceOf(Held.class);
        assertThat(other.acquire(other.hold("b"), Duration.ZERO)).isInstanceOf(Held.class);
      }
    }
  }

  @Test
  void that_waits_for_hours_finds_nothing_old_but_what_nobody_uses() throws Exception {
    client.acquireNow(client.hold("a"));
    List<Path> all = everything();
    makeOld(all);
    client.runWhatIsDueMuchLater();
    awaitNewTimes(all);
    try (ChildJvm child = ChildJvm.start(FileChild.class, "wait", directory, "a")) {
      assertThat(child.line()).isEqualTo("waiting");
    }
  }

  @Test
  void that_waits_for_hours_finds_neither_the_mark_that_holds_linger_nor_an_inbox()
      throws Exception {
    try (FileClient lingering = FileClient.lingering(directory, Duration.ofHours(1))) {
      Inbox.leaveWord(
          directory.resolve("processes").resolve(lingering.origin().process()), "a.lock");
      List<Path> all = everything();
      assertThat(all)
          .extracting(Path::getFileName)
          .map(Path::toString)
          .contains("lingers", "inbox");
      makeOld(all);
      lingering.runWhatIsDueMuchLater();
      client.runWhatIsDueMuchLater();
      awaitNewTimes(all);
    }
  }

  @Test
  void that_waits_for_hours_finds_nothing_old_also_where_one_file_cannot_be_touched()
      throws Exception {
    client.acquireNow(client.hold("a"));
    List<Path> all = everything();
    makeOld(all);
    // As a file of another user: to set its time fails, also for root.
    Files.createSymbolicLink(directory.resolve("locks/loop.lock"), Path.of("loop.lock"));
    client.runWhatIsDueMuchLater();
    awaitNewTimes(all);
  }

  private static void makeOld(List<Path> all) throws Exception {
    for (Path each : all) {
      // By another process: to set the time in this one would end the system's lock on a file.
      new ProcessBuilder("touch", "-d", "2001-01-01", each.toString()).start().waitFor();
    }
  }

  private static void awaitNewTimes(List<Path> all) throws Exception {
    Await.until("a new time", () -> all.stream().noneMatch(FileCleanerTest::isOld));
  }

  private List<Path> everything() throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(each -> !each.equals(directory)).toList();
    }
  }

  private static boolean isOld(Path each) {
    return each.toFile().lastModified() < 1_000_000_000_000L;
  }

  @Test
  void that_removes_the_file_by_which_a_process_is_known_to_live_makes_it_grant_nothing()
      throws Exception {
    client.acquireNow(client.hold("a"));
    clean(directory, "-name", "alive");
    // Other processes take it for dead: whatever it were granted, they would take.
    BackendException refused = FileClient.failureOf(client.asked(client.hold("b")));
    assertThat(refused).hasMessageContaining("alive").hasMessageContaining("deleted");
    assertThat(refused.isTransient()).isFalse();
  }
}
