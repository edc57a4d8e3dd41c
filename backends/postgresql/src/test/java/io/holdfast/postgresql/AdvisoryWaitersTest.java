// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LossCause;
import io.holdfast.Mode;
import io.holdfast.Origin;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackend.AcquireRequest;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.Moment;
import io.holdfast.testkit.servers.Eventually;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who waits for an advisory lock, behind whom, and how it hears that the lock is free. */
@Tag("postgresql")
class AdvisoryWaitersTest {
  private static final String ADVISORY = "mode=advisory";
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration LONG = Duration.ofMinutes(5);

  private final Queue<String> retries = new ConcurrentLinkedQueue<>();
  private Database database;

  @BeforeEach
  void start() {
    database = new Database();
  }

  @AfterEach
  void stop() {
    database.close();
  }

  /** The clients of the first reader, the writer and the second reader, by their numbers. */
  @ParameterizedTest
  @CsvSource({"1, 1, 1", "1, 1, 2", "1, 2, 1", "1, 2, 2", "1, 2, 3"})
  void readers_do_not_overtake_a_writer_that_waits(int first, int writer, int second)
      throws Exception {
    Holdfast[] clients = new Holdfast[4];
    for (int i = 1; i < clients.length; i++) {
      clients[i] = database.client(ADVISORY, LEASE);
    }
    DistributedLock readers = clients[second].lock("n").shared();
    Lease reading = clients[first].lock("n").shared().acquire(LONG);
    CompletableFuture<Optional<Lease>> writing = clients[writer].lock("n").async().tryAcquire(LONG);
    Eventually.until("it waits", () -> clients[3].inspect("n").waiters().size() == 1);

    assertThat(readers.tryAcquire()).isEmpty();
    CompletableFuture<Optional<Lease>> next = readers.async().tryAcquire(LONG);
    Eventually.until("both wait", () -> clients[3].inspect("n").waiters().size() == 2);
    assertThat(reading.release()).isTrue();
    Lease written = writing.get(60, TimeUnit.SECONDS).orElseThrow();
    assertThat(next).isNotDone();
    assertThat(written.release()).isTrue();
    assertThat(next.get(60, TimeUnit.SECONDS)).isPresent();
  }

  @Test
  void readers_that_stand_behind_a_writer_are_let_in_when_it_leaves() throws Exception {
    Holdfast one = database.client(ADVISORY, LEASE);
    Holdfast other = database.client(ADVISORY, LEASE);
    Lease reading = one.lock("n").shared().acquire(LONG);
    CompletableFuture<Optional<Lease>> writing = other.lock("n").async().tryAcquire(LONG);
    Eventually.until("it waits", () -> one.inspect("n").waiters().size() == 1);
    CompletableFuture<Optional<Lease>> next = one.lock("n").shared().async().tryAcquire(LONG);
    Eventually.until("both wait", () -> one.inspect("n").waiters().size() == 2);
    writing.cancel(false);
    assertThat(next.get(60, TimeUnit.SECONDS)).isPresent();
    assertThat(reading.isHeld()).isTrue();
  }

  /** Without a runtime, which would ask now and then, and find the lock free. */
  @Test
  void a_waiter_is_told_when_the_session_of_the_holder_has_died() throws Exception {
    LockBackend waiting = BackendProvider.backendAt(database.address(ADVISORY));
    try (HolderProcess holder = new HolderProcess(database.address(ADVISORY), "n", LEASE)) {
      holder.token();
      waiting.start(new Recorder());
      Hold hold = new Hold("n", new Holder("waiter", 1), Mode.EXCLUSIVE, LEASE);
      AcquireRequest request = new AcquireRequest(hold, LONG, 0, new Recorder().now(), null);
      Acquisition answer = waiting.acquire(request).toCompletableFuture().get(60, TimeUnit.SECONDS);
      assertThat(answer).isInstanceOf(Acquisition.Held.class);
      awaitRow();
      retries.clear();
      holder.kill();
      Eventually.until("the waiter is told", () -> retries.contains("n"));
    } finally {
      waiting.close();
    }
  }

  @Test
  void what_is_left_of_a_lease_shrinks_while_its_process_is_silent() throws Exception {
    Duration leaseTime = Duration.ofSeconds(60);
    String address = database.address(ADVISORY + "&session=1m");
    try (HolderProcess holder = new HolderProcess(address, "n", leaseTime)) {
      holder.token();
      Holdfast other = database.client(ADVISORY, LEASE);
      awaitRow();
      holder.signal("STOP");
      Eventually.until(
          "less is left",
          () ->
              other.inspect("n").holders().get(0).remaining().compareTo(leaseTime.minusSeconds(2))
                  < 0);
      holder.signal("CONT");
    }
  }

  @Test
  void a_lock_is_seen_to_be_held_although_its_process_was_stopped_as_soon_as_it_had_it()
      throws Exception {
    try (HolderProcess holder = new HolderProcess(database.address(ADVISORY), "n", LEASE)) {
      holder.token();
      holder.signal("STOP");
      assertThat(database.client(ADVISORY, LEASE).inspect("n").holders()).hasSize(1);
      holder.signal("CONT");
    }
  }

  private void awaitRow() {
    Eventually.until(
        "the holder is written down",
        () -> database.number("SELECT count(*) FROM holdfast.advisory WHERE token > 0") == 1);
  }

  private final class Recorder implements BackendContext {
    @Override
    public Origin origin() {
      return new Origin("waiter", "test", 1, "test");
    }

    @Override
    public Moment now() {
      return new Moment(System.nanoTime(), System.currentTimeMillis() * 1_000_000);
    }

    @Override
    public void after(Duration delay, Runnable task) {
      CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS).execute(task);
    }

    @Override
    public RandomGenerator random() {
      return RandomGenerator.getDefault();
    }

    @Override
    public void granted(Holder holder, Acquisition.Granted grant) {}

    @Override
    public void retry(String name) {
      retries.add(name);
    }

    @Override
    public void lost(Holder holder, LossCause cause) {}
  }
}
