// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.holdfast.Guarantees.Capability;
import io.holdfast.LockState;
import io.holdfast.LossCause;
import io.holdfast.Mode;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Acquisition.Held;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("file")
class FileBackendTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  @TempDir private Path directory;
  private final List<FileClient> clients = new ArrayList<>();

  private FileClient client() {
    return client(Duration.ZERO);
  }

  private FileClient client(Duration clockAhead) {
    FileClient client = FileClient.in(directory, clockAhead);
    clients.add(client);
    return client;
  }

  @AfterEach
  void close() {
    clients.forEach(FileClient::close);
  }

  private List<String> files(String folder) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve(folder))) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  private List<String> locksAfterAWhile(FileClient client) throws IOException {
    client.runWhatIsDueMuchLater();
    return files("locks");
  }

  @Nested
  class TwoBackendsInOneJvm {
    @Test
    void exclude_each_other() {
      FileClient one = client();
      FileClient other = client();
      Hold hold = one.hold("a");
      one.acquireNow(hold);
      assertThat(other.acquire(other.hold("a"), Duration.ZERO)).isInstanceOf(Held.class);
      assertThat(one.release(hold)).isTrue();
      other.acquireNow(other.hold("a"));
    }

    @Test
    void do_not_end_each_other_by_closing() throws Exception {
      FileClient one = client();
      FileClient other = client();
      one.acquireNow(one.hold("a"));
      other.close();
      assertThat(client().acquire(one.hold("a"), Duration.ZERO)).isInstanceOf(Held.class);
      try (ChildJvm child = ChildJvm.start(FileChild.class, "wait", directory, "a")) {
        assertThat(child.line()).isEqualTo("waiting");
      }
    }

    @Test
    void hand_over_without_being_asked_again() throws Exception {
      FileClient one = client();
      FileClient other = client();
      Hold first = one.hold("a");
      Hold second = other.hold("a");
      long token = one.acquireNow(first);
      assertThat(other.acquire(second, LONG)).isInstanceOf(Held.class);
      one.release(first);
      Await.until("the grant", () -> other.granted.containsKey(second.holder()));
      Granted grant = other.grantOf(second);
      assertThat(grant.token()).isGreaterThan(token);
      assertThat(other.now().nanosSince(grant.since())).isBetween(0L, LONG.toNanos());
    }

    @Test
    void share_one_copy_of_the_library_or_are_refused() throws Exception {
      FileClient one = client();
      one.acquireNow(one.hold("a"));
      try (URLClassLoader elsewhere = new URLClassLoader(classPath(), null)) {
        Method open =
            elsewhere
                .loadClass(LockDirectory.class.getName())
                .getDeclaredMethod("open", Path.class);
        open.setAccessible(true);
        assertThatThrownBy(() -> open.invoke(null, directory))
            .rootCause()
            .hasMessageContaining("another copy of Holdfast");
        one.close();
        assertThat(open.invoke(null, directory)).isNotNull();
        assertThatThrownBy(() -> client()).hasMessageContaining("another copy of Holdfast");
      }
    }

    private static URL[] classPath() throws IOException {
      List<URL> urls = new ArrayList<>();
      for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
        urls.add(Path.of(entry).toUri().toURL());
      }
      return urls.toArray(URL[]::new);
    }

    @Test
    void know_when_the_other_has_closed_without_releasing() {
      FileClient one = client();
      one.acquireNow(one.hold("a"));
      one.close();
      FileClient other = client();
      other.acquireNow(other.hold("a"));
    }
  }

  @Nested
  class Waiting {
    @Test
    void is_in_order_and_each_is_told() throws Exception {
      FileClient one = client();
      List<Hold> holds = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        holds.add(one.hold("a"));
        one.acquire(holds.get(i), LONG);
      }
      for (int i = 0; i + 1 < holds.size(); i++) {
        one.release(holds.get(i));
        Hold next = holds.get(i + 1);
        Await.until("the grant of " + next, () -> one.granted.containsKey(next.holder()));
        assertThat(one.granted).hasSize(i + 1);
      }
    }

    @Test
    void is_shown_with_who_and_what_for() {
      FileClient one = client();
      Hold holder = one.hold("a/ä 数");
      long token = one.acquireNow(holder);
      List<String> waiting = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        FileClient other = client();
        Hold hold = other.hold("a/ä 数");
        other.acquire(hold, LONG);
        waiting.add(hold.holder().toString());
      }
      LockState state = one.inspect("a/ä 数");
      assertThat(state.holders())
          .singleElement()
          .satisfies(
              holding -> {
                assertThat(holding.token().orElseThrow().value()).isEqualTo(token);
                assertThat(holding.origin()).contains(one.origin());
                assertThat(holding.purpose()).contains("testing");
                assertThat(holding.remaining()).isBetween(Duration.ZERO, FileClient.LEASE_TIME);
              });
      assertThat(state.waiters()).extracting(LockState.Waiting::holder).isEqualTo(waiting);
    }

    @Test
    void is_listed_by_prefix_in_order_of_names() {
      FileClient one = client();
      for (String name : List.of("b/2", "a", "b/1", "b/3", "c")) {
        one.acquireNow(one.hold(name));
      }
      Hold released = one.hold("b/0");
      one.acquireNow(released);
      one.release(released);
      assertThat(FileClient.await(one.backend.list("b/", 2)))
          .extracting(LockState::name)
          .containsExactly("b/1", "b/2");
      assertThat(FileClient.await(one.backend.list("", 100))).hasSize(5);
    }
  }

  @Nested
  class Requests {
    @Test
    void that_are_queued_together_are_each_answered() {
      FileClient one = client();
      List<Hold> holds = Stream.generate(() -> one.hold("a")).limit(200).toList();
      List<CompletableFuture<Acquisition>> answers =
          holds.stream()
              .map(hold -> CompletableFuture.supplyAsync(() -> one.acquire(hold, LONG)))
              .toList();
      assertThat(answers)
          .extracting(CompletableFuture::join)
          .filteredOn(Granted.class::isInstance)
          .hasSize(1);
      assertThat(one.inspect("a").waiters()).hasSize(199);
    }

    @Test
    void for_many_names_are_renewed_in_one_call_in_order() {
      FileClient one = client();
      List<Hold> holds = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        holds.add(one.hold("name" + i));
        if (i % 2 == 0) {
          one.acquireNow(holds.get(i));
        }
      }
      List<Renewal> renewals = FileClient.await(one.backend.renew(holds));
      for (int i = 0; i < 50; i++) {
        assertThat(renewals.get(i)).isEqualTo(i % 2 == 0 ? Renewal.RENEWED : Renewal.GONE);
      }
    }

    @Test
    void after_the_end_are_refused() {
      FileClient one = client();
      one.close();
      for (CompletionStage<?> answer :
          List.of(
              one.asked(one.hold("a")),
              one.backend.release(one.hold("a")),
              one.backend.inspect("a"),
              one.backend.renew(List.of(one.hold("a"))))) {
        assertThat(FileClient.failureOf(answer)).hasMessageContaining("closed");
      }
    }

    @Test
    void leave_no_thread_and_no_file_behind() throws Exception {
      FileClient one = client();
      one.acquireNow(one.hold("a"));
      one.acquire(one.hold("a"), LONG);
      one.close();
      assertThat(files("locks")).isEmpty();
      assertThat(files("drafts")).isEmpty();
      assertThat(files("processes")).isEmpty();
      Await.until(
          "the end of all threads",
          () ->
              Thread.getAllStackTraces().keySet().stream()
                  .noneMatch(thread -> thread.getName().startsWith("holdfast-file")));
    }
  }

  @Nested
  class Force {
    @Test
    void tells_the_holder_at_once_and_on_renewal() throws Exception {
      FileClient one = client();
      FileClient other = client();
      assertThat(one.backend.guarantees().claims(Capability.PROMPT_FORCE)).isTrue();
      Hold hold = one.hold("a");
      long token = one.acquireNow(hold);
      assertThat(FileClient.await(other.backend.forceRelease("a", token + 1, "wrong"))).isFalse();
      assertThat(FileClient.await(other.backend.forceRelease("a", token, "it hangs"))).isTrue();
      Await.until("the loss", () -> one.lost.get(hold.holder()) == LossCause.FORCED);
      assertThat(FileClient.await(one.backend.renew(List.of(hold))))
          .containsExactly(Renewal.FORCED);
      other.acquireNow(other.hold("a"));
    }
  }

  @Nested
  class Tokens {
    @Test
    void grow_over_a_restart_with_the_clock_set_back() {
      long token = 0;
      for (int day = 0; day > -4; day--) {
        FileClient one = client(Duration.ofDays(day));
        for (int i = 0; i < 3; i++) {
          Hold hold = one.hold("a");
          long next = one.acquireNow(hold);
          assertThat(next).isGreaterThan(token);
          token = next;
          one.release(hold);
        }
        one.close();
      }
    }

    @Test
    void grow_over_the_removal_of_unused_files_with_the_clock_set_back() throws Exception {
      FileClient one = client();
      Hold hold = one.hold("a");
      long token = one.acquireNow(hold);
      one.release(hold);
      one.setClock(Duration.ofMinutes(1));
      Await.until("the removal", () -> locksAfterAWhile(one).isEmpty());
      one.setClock(Duration.ofDays(-1));
      assertThat(one.acquireNow(one.hold("a"))).isGreaterThan(token);
    }

    @Test
    void stay_close_to_the_clock_however_often_everybody_leaves() {
      FileClient one = client();
      long token = one.acquireNow(one.hold("a"));
      for (int i = 0; i < 20; i++) {
        one.close();
        one = client();
        token = one.acquireNow(one.hold("a"));
      }
      long micros = one.now().wallNanos() / 1_000;
      assertThat(token - micros).isLessThan(1_000_000);
    }
  }

  @Nested
  class UnusedFiles {
    @Test
    void are_removed_after_a_while_and_those_in_use_are_not() throws Exception {
      FileClient one = client();
      one.acquireNow(one.hold("held"));
      for (int i = 0; i < 100; i++) {
        Hold hold = one.hold("once" + i);
        one.acquireNow(hold);
        one.release(hold);
      }
      assertThat(files("locks")).hasSize(101);
      one.setClock(Duration.ofSeconds(15));
      Await.until("the removal", () -> locksAfterAWhile(one).equals(List.of("held.lock")));
      assertThat(one.acquire(one.hold("held"), Duration.ZERO)).isInstanceOf(Held.class);
    }

    @Test
    void that_the_dead_left_are_removed_by_the_next_to_come() throws Exception {
      FileClient one = client();
      one.acquireNow(one.hold("held"));
      try (ChildJvm child = ChildJvm.start(FileChild.class, "hold", directory, "left")) {
        child.line();
        child.kill();
      }
      assertThat(files("locks")).hasSize(2);
      FileClient other = client();
      other.setClock(Duration.ofSeconds(15));
      Await.until("the removal", () -> locksAfterAWhile(other).equals(List.of("held.lock")));
      assertThat(files("processes")).hasSize(2);
    }
  }

  @Nested
  class FilesInUse {
    @Test
    void look_used_to_those_who_delete_what_is_old_and_stay_locked() throws Exception {
      FileClient one = client();
      one.acquireNow(one.hold("a"));
      Path alive = directory.resolve("processes/" + one.origin().process() + "/alive");
      for (Path file : List.of(directory.resolve("mutex"), alive)) {
        // By another process: to set the time in this one would end the lock.
        new ProcessBuilder("touch", "-d", "2001-01-01", file.toString()).start().waitFor();
        assertThat(ageOf(file)).isGreaterThan(Duration.ofDays(365));
      }
      one.runWhatIsDueMuchLater();
      Await.until("a new time", () -> ageOf(alive).compareTo(Duration.ofHours(1)) < 0);
      assertThat(ageOf(directory.resolve("mutex"))).isLessThan(Duration.ofHours(1));
      try (ChildJvm child = ChildJvm.start(FileChild.class, "wait", directory, "a")) {
        assertThat(child.line()).isEqualTo("waiting");
      }
    }

    private static Duration ageOf(Path file) throws IOException {
      return Duration.between(Files.getLastModifiedTime(file).toInstant(), Instant.now());
    }
  }

  @Nested
  class Damage {
    @Test
    void to_the_file_of_a_lock_is_reported_and_concerns_no_other_lock() throws Exception {
      FileClient one = client();
      one.acquireNow(one.hold("a"));
      Files.write(directory.resolve("locks/a.lock"), new byte[8192]);
      BackendException failure = FileClient.failureOf(one.asked(one.hold("a")));
      assertThat(failure).hasMessageContaining("a.lock");
      assertThat(failure.outcome()).isEqualTo(Outcome.NOT_APPLIED);
      assertThat(failure.isTransient()).isFalse();
      one.acquireNow(one.hold("b"));
    }

    @Test
    void by_a_loss_of_power_is_gone_when_the_first_process_comes() throws Exception {
      FileClient one = client();
      long token = one.acquireNow(one.hold("a"));
      one.close();
      Files.write(directory.resolve("locks/a.lock"), new byte[0]);
      Files.write(directory.resolve("drafts/b.lock"), new byte[17]);
      FileClient next = client(Duration.ofDays(-1));
      assertThat(next.acquireNow(next.hold("a"))).isGreaterThan(token);
      assertThat(files("drafts")).isEmpty();
    }

    @Test
    void by_deleting_the_directory_is_reported() throws Exception {
      FileClient one = client();
      one.acquireNow(one.hold("a"));
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path path : all.sorted((a, b) -> b.compareTo(a)).toList()) {
          Files.delete(path);
        }
      }
      assertThat(FileClient.failureOf(one.asked(one.hold("a")))).hasMessageContaining("mutex");
      Files.createDirectories(directory);
    }
  }

  @Nested
  class Modes {
    @Test
    void let_readers_in_together_and_a_writer_after_them() throws Exception {
      FileClient one = client();
      FileClient other = client();
      Hold first = one.hold("a", Mode.SHARED);
      Hold second = other.hold("a", Mode.SHARED);
      one.acquireNow(first);
      other.acquireNow(second);
      Hold writer = one.hold("a");
      assertThat(one.acquire(writer, LONG)).isInstanceOf(Held.class);
      assertThat(other.acquire(other.hold("a", Mode.SHARED), Duration.ZERO))
          .isInstanceOf(Held.class);
      one.release(first);
      other.release(second);
      Await.until("the writer's grant", () -> one.granted.containsKey(writer.holder()));
    }

    @Test
    void of_another_kind_are_refused() {
      FileClient one = client();
      one.acquireNow(one.hold("a", Mode.permits(1, 3)));
      assertThat(client().acquire(one.hold("a"), LONG)).isInstanceOf(Acquisition.Refused.class);
    }
  }
}
