// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockState;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Acquisition.Held;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import io.holdfast.spi.Moment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the machine's clock may do while a request is under way, for a holder and another client.
 */
@Tag("file")
class FileClockTest {
  private static final Duration AN_HOUR_BACK = Duration.ofHours(-1);
  private static final Duration NEARLY_OVER = FileClient.LEASE_TIME.minusMinutes(2);

  @TempDir private Path directory;
  private FileClient holder;
  private FileClient other;

  @BeforeEach
  void connect() {
    holder = FileClient.in(directory);
    other = FileClient.in(directory);
  }

  @AfterEach
  void close() {
    other.close();
    holder.close();
  }

  private void setClock(Duration ahead) {
    holder.setClock(ahead);
    other.setClock(ahead);
  }

  /** Sends the request and sets the clock back before its critical section begins. */
  private <T> T setBackUnderWay(String name, Supplier<CompletionStage<T>> request)
      throws Exception {
    LockDirectory files = LockDirectory.open(directory);
    try {
      CompletionStage<T> answer =
          files
              .mutex()
              .in(
                  FileMutex.placeOf(FileNames.of(name)),
                  () -> {
                    CompletionStage<T> sent = request.get();
                    setClock(AN_HOUR_BACK);
                    return sent;
                  });
      return FileClient.await(answer);
    } finally {
      files.close();
    }
  }

  @Test
  void a_renewed_hold_lasts_as_long_as_its_holder_believes_when_the_clock_was_set_back_and_right()
      throws Exception {
    Hold hold = holder.hold("a");
    holder.acquireNow(hold);
    List<Renewal> answer = setBackUnderWay("a", () -> holder.backend.renew(List.of(hold)));
    assertThat(answer).containsExactly(Renewal.RENEWED);
    setClock(NEARLY_OVER);
    assertThat(other.acquire(other.hold("a"), Duration.ZERO)).isInstanceOf(Held.class);
  }

  @Test
  void a_grant_counts_from_the_clock_that_was_set_back() throws Exception {
    Hold hold = holder.hold("a");
    Acquisition answer = setBackUnderWay("a", () -> holder.asked(hold));
    Moment since = ((Granted) answer).since();
    setClock(NEARLY_OVER);
    assertThat(holder.now().since(since)).isGreaterThan(FileClient.LEASE_TIME);
    other.acquireNow(other.hold("a"));
  }

  @Test
  void a_hold_is_released_and_handed_over_after_the_clock_was_set_back() throws Exception {
    Hold hold = holder.hold("a");
    holder.acquireNow(hold);
    Hold next = other.hold("a");
    assertThat(other.acquire(next, Duration.ofMinutes(1))).isInstanceOf(Held.class);
    boolean released = setBackUnderWay("a", () -> holder.backend.release(hold));
    assertThat(released).isTrue();
    Await.until("the grant", () -> other.granted.containsKey(next.holder()));
  }

  @Test
  void a_hold_is_never_shown_as_held_for_less_than_no_time() {
    holder.acquireNow(holder.hold("a"));
    setClock(AN_HOUR_BACK);
    LockState state = other.inspect("a");
    assertThat(state.holders())
        .singleElement()
        .satisfies(held -> assertThat(held.held().orElseThrow()).isEqualTo(Duration.ZERO));
  }
}
