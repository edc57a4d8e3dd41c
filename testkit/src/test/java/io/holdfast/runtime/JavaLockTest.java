// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.FencingToken;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LossCause;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@SuppressWarnings(
    "LockNotBeforeTry") // A lock that a failed test leaves locked ends with its store.
class JavaLockTest {
  private final Holdfast holdfast = Holdfast.builder("memory:").shutdownHook(false).build();
  private final Lock lock = holdfast.lock("a").asJavaLock();

  @AfterEach
  void close() {
    holdfast.close();
  }

  @Test
  void is_re_entrant_and_keeps_its_token() {
    lock.lock();
    String token = token();
    assertThat(lock.tryLock()).isTrue();
    assertThat(token()).isEqualTo(token);
    lock.unlock();
    assertThat(holdfast.inspect("a").isFree()).isFalse();
    lock.unlock();
    assertThat(holdfast.inspect("a").isFree()).isTrue();
  }

  @Test
  void is_re_entrant_across_two_views_of_one_lock() {
    lock.lock();
    Lock other = holdfast.lock("a").asJavaLock();
    assertThat(other.tryLock()).isTrue();
    other.unlock();
    lock.unlock();
    assertThat(holdfast.inspect("a").isFree()).isTrue();
  }

  @Test
  void held_shared_is_not_re_entered_exclusively() {
    Lock shared = holdfast.lock("a").shared().asJavaLock();
    shared.lock();
    assertThat(lock.tryLock()).isFalse();
    assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    shared.unlock();
    assertThat(holdfast.inspect("a").isFree()).isTrue();
  }

  @Test
  void excludes_other_threads() throws Exception {
    lock.lock();
    assertThat(CompletableFuture.supplyAsync(lock::tryLock).get()).isFalse();
    lock.unlock();
    assertThat(
            CompletableFuture.supplyAsync(
                    () -> {
                      boolean got = lock.tryLock();
                      lock.unlock();
                      return got;
                    })
                .get())
        .isTrue();
  }

  @Test
  void may_be_unlocked_by_its_own_thread_only() throws Exception {
    lock.lock();
    assertThatExceptionOfType(java.util.concurrent.ExecutionException.class)
        .isThrownBy(() -> CompletableFuture.runAsync(lock::unlock).get())
        .withCauseInstanceOf(IllegalMonitorStateException.class);
    lock.unlock();
  }

  @Test
  void whose_lease_was_lost_is_not_re_entered_and_stays_balanced() throws Exception {
    lock.lock();
    assertThat(lock.tryLock()).isTrue();
    FencingToken token = holdfast.inspect("a").holders().get(0).token().orElseThrow();
    holdfast.forceRelease("a", token, "test");
    Lease others = holdfast.lock("a").tryAcquire().orElseThrow();
    assertThat(lock.tryLock()).isFalse();
    assertThat(lock.tryLock(1, TimeUnit.MINUTES)).isFalse();
    assertThatExceptionOfType(LeaseLostException.class)
        .isThrownBy(lock::lock)
        .satisfies(lost -> assertThat(lost.lossCause()).isEqualTo(LossCause.FORCED));
    assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::lockInterruptibly);
    lock.unlock();
    lock.unlock();
    assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    assertThat(others.release()).isTrue();
    assertThat(lock.tryLock()).isTrue();
    lock.unlock();
  }

  @Test
  void is_not_re_entered_interruptibly_by_a_thread_that_is_interrupted() {
    lock.lock();
    Thread.currentThread().interrupt();
    assertThatExceptionOfType(InterruptedException.class).isThrownBy(lock::lockInterruptibly);
    Thread.currentThread().interrupt();
    assertThatExceptionOfType(InterruptedException.class)
        .isThrownBy(() -> lock.tryLock(1, TimeUnit.MINUTES));
    Thread.currentThread().interrupt();
    lock.lock();
    assertThat(Thread.interrupted()).isTrue();
    lock.unlock();
    lock.unlock();
    assertThat(holdfast.inspect("a").isFree()).isTrue();
  }

  @Test
  void waits_no_longer_than_it_was_told() throws Exception {
    lock.lock();
    CountDownLatch done = new CountDownLatch(1);
    Thread other =
        new Thread(
            () -> {
              try {
                if (!lock.tryLock(10, TimeUnit.MILLISECONDS)) {
                  done.countDown();
                }
              } catch (InterruptedException unexpected) {
                Thread.currentThread().interrupt();
              }
            });
    other.start();
    assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
    other.join();
    lock.unlock();
  }

  @Test
  void keeps_an_interrupt_for_later_when_it_cannot_be_interrupted() throws Exception {
    lock.lock();
    CountDownLatch waits = new CountDownLatch(1);
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    Thread other =
        new Thread(
            () -> {
              waits.countDown();
              lock.lock();
              lock.unlock();
              interrupted.complete(Thread.currentThread().isInterrupted());
            });
    other.start();
    waits.await();
    other.interrupt();
    lock.unlock();
    assertThat(interrupted.get(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void has_no_conditions() {
    assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(lock::newCondition);
  }

  private String token() {
    return holdfast.inspect("a").holders().get(0).token().orElseThrow().toString();
  }
}
