// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class VigilTest {
  private long nanos;
  private int gaveWay;
  private Runnable meanwhile = () -> {};
  private Vigil vigil = new Vigil(() -> nanos, this::giveWay);

  private void giveWay() {
    gaveWay++;
    meanwhile.run();
  }

  /** Comes only to those who sleep, and not before others were asked for. */
  private static final class Late extends CompletableFuture<String> {
    private final Asked before;

    private interface Asked {
      void run() throws InterruptedException, ExecutionException;
    }

    Late(Asked before) {
      this.before = before;
    }

    @Override
    public String get() throws InterruptedException, ExecutionException {
      before.run();
      complete("late");
      return super.get();
    }
  }

  /** Whether somebody stayed awake for it. */
  private boolean isAwakeFor(CompletableFuture<String> answer)
      throws InterruptedException, ExecutionException {
    int before = gaveWay;
    assertThat(vigil.await(answer)).isNotNull();
    return gaveWay > before;
  }

  private boolean isAwakeInVain() throws InterruptedException, ExecutionException {
    meanwhile = () -> nanos += Vigil.LONGEST_NANOS;
    return isAwakeFor(new Late(() -> {}));
  }

  private boolean isAwakeForSoonAnswer() throws InterruptedException, ExecutionException {
    CompletableFuture<String> answer = new Late(() -> {});
    meanwhile = () -> answer.complete("soon");
    return isAwakeFor(answer);
  }

  private long waitsUntilAwakeInVain() throws InterruptedException, ExecutionException {
    long waits = 0;
    while (!isAwakeInVain()) {
      waits++;
    }
    return waits;
  }

  @Test
  void is_kept_by_one_thread_also_where_grants_and_answers_have_accounts_of_their_own()
      throws Exception {
    Vigil other = vigil.withItsOwnAccount();
    List<Integer> gaveWayMeanwhile = new ArrayList<>();
    CompletableFuture<String> answer = new CompletableFuture<>();
    meanwhile =
        () -> {
          int before = gaveWay;
          meanwhile = () -> nanos += Vigil.LONGEST_NANOS;
          awaitLate(other);
          gaveWayMeanwhile.add(gaveWay - before);
          answer.complete("soon");
        };
    assertThat(vigil.await(answer)).isEqualTo("soon");
    assertThat(gaveWayMeanwhile).containsExactly(0);
  }

  private static void awaitLate(Vigil other) {
    try {
      assertThat(other.await(new Late(() -> {}))).isEqualTo("late");
    } catch (InterruptedException | ExecutionException unexpected) {
      throw new AssertionError(unexpected);
    }
  }

  @Test
  void losses_of_one_account_keep_nobody_awake_or_asleep_in_another() throws Exception {
    Vigil other = vigil.withItsOwnAccount();
    isAwakeInVain();
    assertThat(isAwakeForSoonAnswer()).isFalse();
    vigil = other;
    assertThat(isAwakeForSoonAnswer()).isTrue();
  }

  @Test
  void gives_way_until_the_answer_is_there() throws Exception {
    CompletableFuture<String> answer = new CompletableFuture<>();
    meanwhile =
        () -> {
          if (gaveWay == 3) {
            answer.complete("soon");
          }
        };
    assertThat(vigil.await(answer)).isEqualTo("soon");
    assertThat(gaveWay).isEqualTo(3);
  }

  @Test
  void nobody_stays_awake_for_an_answer_that_is_there() throws Exception {
    assertThat(isAwakeFor(CompletableFuture.completedFuture("there"))).isFalse();
  }

  @Test
  void sleeps_when_the_answer_takes_long() throws Exception {
    meanwhile = () -> nanos += Vigil.LONGEST_NANOS / 4;
    assertThat(vigil.await(new Late(() -> {}))).isEqualTo("late");
    assertThat(gaveWay).isEqualTo(4);
  }

  @Test
  void after_staying_awake_in_vain_threads_sleep_until_that_time_is_paid() throws Exception {
    assertThat(isAwakeInVain()).isTrue();
    assertThat(waitsUntilAwakeInVain()).isEqualTo(Vigil.LONGEST_NANOS / Vigil.PAYMENT_NANOS);
    assertThat(waitsUntilAwakeInVain()).isEqualTo(Vigil.LONGEST_NANOS / Vigil.PAYMENT_NANOS);
  }

  @Test
  void losing_the_processor_for_longer_costs_more_waits_up_to_a_bound() throws Exception {
    assertThat(waitsAfterLosing(Vigil.LONGEST_NANOS * 3))
        .isEqualTo(Vigil.LONGEST_NANOS * 3 / Vigil.PAYMENT_NANOS);
    assertThat(waitsAfterLosing(Vigil.LARGEST_BALANCE_NANOS * 100))
        .isEqualTo(Vigil.LARGEST_BALANCE_NANOS / Vigil.PAYMENT_NANOS);
  }

  private long waitsAfterLosing(long lostNanos) throws InterruptedException, ExecutionException {
    meanwhile = () -> nanos += lostNanos;
    assertThat(isAwakeFor(new Late(() -> {}))).isTrue();
    long waits = 0;
    while (!isAwakeForSoonAnswer()) {
      waits++;
    }
    vigil = new Vigil(() -> nanos, this::giveWay);
    return waits;
  }

  @Test
  void an_answer_that_came_late_though_somebody_stayed_awake_counts_as_in_vain() throws Exception {
    CompletableFuture<String> answer = new CompletableFuture<>();
    meanwhile =
        () -> {
          nanos += Vigil.LONGEST_NANOS;
          answer.complete("while the processor was another's");
        };
    assertThat(isAwakeFor(answer)).isTrue();
    assertThat(isAwakeForSoonAnswer()).isFalse();
  }

  @Test
  void an_answer_in_vain_among_many_that_came_soon_changes_nothing() throws Exception {
    for (long gained = 0; gained < Vigil.LONGEST_NANOS; gained += Vigil.GAIN_NANOS) {
      assertThat(isAwakeForSoonAnswer()).isTrue();
    }
    assertThat(isAwakeInVain()).isTrue();
    assertThat(isAwakeForSoonAnswer()).isTrue();
  }

  @Test
  void gains_of_long_ago_do_not_count_where_answers_come_late() throws Exception {
    for (long gained = 0; gained < 10 * Vigil.LARGEST_BALANCE_NANOS; gained += Vigil.GAIN_NANOS) {
      isAwakeForSoonAnswer();
    }
    meanwhile = () -> nanos += Vigil.LARGEST_BALANCE_NANOS + 1;
    assertThat(isAwakeFor(new Late(() -> {}))).isTrue();
    assertThat(isAwakeForSoonAnswer()).isFalse();
  }

  @Test
  void one_at_a_time_stays_awake() throws Exception {
    boolean[] another = {true};
    CompletableFuture<String> answer = new CompletableFuture<>();
    meanwhile =
        () -> {
          try {
            another[0] = isAwakeFor(new Late(() -> {}));
          } catch (InterruptedException | ExecutionException unexpected) {
            throw new AssertionError(unexpected);
          }
          answer.complete("soon");
        };
    assertThat(isAwakeFor(answer)).isTrue();
    assertThat(another[0]).isFalse();
  }

  @Test
  void nobody_stays_awake_where_many_wait() throws Exception {
    assertThat(awakeOfSoManyAtATime(Vigil.FEW)).isEqualTo(Vigil.FEW);
    assertThat(awakeOfSoManyAtATime(Vigil.FEW + 3)).isEqualTo(Vigil.FEW);
    assertThat(isAwakeForSoonAnswer()).isTrue();
  }

  /** Each waits while the next one asks. */
  private int awakeOfSoManyAtATime(int count) throws InterruptedException, ExecutionException {
    if (count == 0) {
      return 0;
    }
    CompletableFuture<String> answer = new Late(() -> awakeOfSoManyAtATime(count - 1));
    meanwhile = () -> answer.complete("soon");
    int before = gaveWay;
    vigil.await(answer);
    return gaveWay - before;
  }
}
