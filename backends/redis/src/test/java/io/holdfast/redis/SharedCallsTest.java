// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.BackendException;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Acquisition.Held;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Those who come at the same time share a call, and each has its own answer. */
@Tag("redis")
class SharedCallsTest {
  private RedisServer server;
  private BareClient client;
  private int others;

  @BeforeEach
  void start() throws Exception {
    server = RedisServer.start();
    client = new BareClient("redis://" + server.hostAndPort() + "?timeout=2s");
    // The server learns the scripts.
    release(together(() -> acquire("warm", 2, Duration.ZERO)), "warm");
    release(together(() -> acquire("alone", 1, Duration.ZERO)), "alone");
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private List<CompletableFuture<Acquisition>> acquire(
      String prefix, int count, Duration patience) {
    return IntStream.range(0, count)
        .mapToObj(i -> client.acquire(prefix + i, i + 1, patience))
        .toList();
  }

  /** Makes requests while the connection's thread is kept from sending any. */
  private <T> T together(Supplier<T> requests) throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    keepBusy(done);
    T answers = requests.get();
    done.countDown();
    return answers;
  }

  /** By what it does after an answer; unless that was there before we could say so. */
  private void keepBusy(CountDownLatch done) {
    Thread tester = Thread.currentThread();
    AtomicBoolean busy = new AtomicBoolean();
    while (!busy.get()) {
      CountDownLatch answered = new CountDownLatch(1);
      others++;
      var unused =
          client
              .acquire("nothing", 999, Duration.ZERO)
              .whenComplete(
                  (granted, failure) -> {
                    busy.set(Thread.currentThread() != tester);
                    answered.countDown();
                    if (busy.get()) {
                      await(done);
                    }
                  });
      await(answered);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  private void release(List<CompletableFuture<Acquisition>> granted, String prefix)
      throws Exception {
    for (CompletableFuture<Acquisition> each : granted) {
      // Before its release is asked for: whoever may yet be put into the queue shares no release.
      assertThat(each.get(30, TimeUnit.SECONDS)).isInstanceOf(Granted.class);
    }
    List<CompletableFuture<Boolean>> released =
        together(
            () ->
                IntStream.range(0, granted.size())
                    .mapToObj(i -> client.release(prefix + i, i + 1))
                    .toList());
    for (CompletableFuture<Boolean> each : released) {
      assertThat(each.get(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  /** So many calls there were until now, without those that keep the thread busy. */
  private long calls() {
    return Clients.scripts(server) - others;
  }

  @Test
  void sixteen_acquisitions_are_one_call_and_so_are_their_releases() throws Exception {
    long before = calls();
    var granted = together(() -> acquire("n", 16, Duration.ofMinutes(1)));
    granted.get(15).get(30, TimeUnit.SECONDS);
    assertThat(calls() - before).isEqualTo(1);
    before = calls();
    release(granted, "n");
    assertThat(calls() - before).isEqualTo(1);
    assertThat(server.call("EXISTS", "lock:n0", "lock:n15")).isEqualTo(0L);
  }

  @Test
  void a_call_has_a_most_of_sixteen_callers() throws Exception {
    long before = calls();
    var granted = together(() -> acquire("n", 40, Duration.ZERO));
    granted.get(39).get(30, TimeUnit.SECONDS);
    assertThat(calls() - before).isEqualTo(3);
    release(granted, "n");
  }

  @Test
  void one_whose_lock_is_held_has_the_answer_of_a_call_of_its_own() throws Exception {
    try (BareClient other = new BareClient("redis://" + server.hostAndPort())) {
      other.acquire("n1", 1, Duration.ZERO).get(30, TimeUnit.SECONDS);
      long before = calls();
      var asked = together(() -> acquire("n", 3, Duration.ofMinutes(1)));
      assertThat(asked.get(0).get(30, TimeUnit.SECONDS)).isInstanceOf(Granted.class);
      assertThat(asked.get(1).get(30, TimeUnit.SECONDS)).isInstanceOf(Held.class);
      assertThat(asked.get(2).get(30, TimeUnit.SECONDS)).isInstanceOf(Granted.class);
      assertThat(calls() - before).isEqualTo(2);
      assertThat(server.call("ZCARD", "{lock:n1}:queue")).isEqualTo(1L);
    }
  }

  @Test
  void nobody_joins_a_call_that_failed_before_it_was_written() {
    Call usual = new Call(Script.RELEASE_TOGETHER, new String[0]);
    Keys.LockKeys lock = new Keys("lock:").of("n");
    SharedCall.Caller first =
        new SharedCall.Caller(usual, Script.RELEASE, lock, wire -> new String[0]);
    SharedCall call = new SharedCall(first, usual, new String[0]);
    call.failed(new IllegalStateException("not connected"), unusual -> {});
    assertThat(first).isCompletedExceptionally();
    assertThat(call.join(first)).isFalse();
  }

  @Test
  void a_server_that_has_forgotten_the_scripts_is_told_them() throws Exception {
    server.call("SCRIPT", "FLUSH");
    release(together(() -> acquire("n", 5, Duration.ZERO)), "n");
  }

  @Test
  void one_whose_lock_is_forbidden_does_not_keep_the_others_from_theirs() throws Exception {
    server.call("ACL", "SETUSER", "some", "on", ">p", "~lock:n*", "~{lock:n*", "&*", "+@all");
    client.close();
    client = new BareClient("redis://some:p@" + server.hostAndPort());
    var asked =
        together(
            () ->
                List.of(
                    client.acquire("n1", 1, Duration.ZERO),
                    client.acquire("forbidden", 2, Duration.ZERO),
                    client.acquire("n2", 3, Duration.ZERO)));
    assertThat(asked.get(0).get(30, TimeUnit.SECONDS)).isInstanceOf(Granted.class);
    assertThat(asked.get(2).get(30, TimeUnit.SECONDS)).isInstanceOf(Granted.class);
    assertThat(catchThrowable(() -> asked.get(1).get(30, TimeUnit.SECONDS)).getCause())
        .hasMessageContaining("forbidden")
        .hasMessageContaining("NOPERM")
        .isInstanceOfSatisfying(
            BackendException.class, refusal -> assertThat(refusal.isTransient()).isFalse());
  }

  @Test
  void all_callers_are_told_when_the_server_dies_and_none_has_a_lock() throws Exception {
    var asked =
        together(
            () -> {
              server.kill();
              return acquire("n", 5, Duration.ZERO);
            });
    for (CompletableFuture<Acquisition> each : asked) {
      Throwable failure = catchThrowable(() -> each.get(30, TimeUnit.SECONDS));
      assertThat(failure.getCause()).isInstanceOf(BackendException.class);
    }
    server.launch();
    Eventually.until("service resumes", () -> isGranted("n0"));
  }

  private boolean isGranted(String name) {
    return client
        .acquire(name, 50, Duration.ZERO)
        .handle((acquisition, failure) -> acquisition instanceof Granted)
        .join();
  }
}
