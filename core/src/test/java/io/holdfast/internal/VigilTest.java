// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class VigilTest {
  private long nanos;
  private int gaveWay;
  private Runnable meanwhile = () -> {};
  private final Vigil vigil = new Vigil(() -> nanos, this::giveWay);

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

  private int waitsUntilAwakeInVain() throws InterruptedException, ExecutionException {
    int waits = 0;
    while (!isAwakeInVain()) {
      waits++;
    }
    return waits;
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
  void stays_awake_ever_more_seldom_where_it_is_in_vain() throws Exception {
    assertThat(isAwakeInVain()).isTrue();
    assertThat(waitsUntilAwakeInVain()).isEqualTo(1);
    assertThat(waitsUntilAwakeInVain()).isEqualTo(3);
    assertThat(waitsUntilAwakeInVain()).isEqualTo(7);
    for (int i = 0; i < 10; i++) {
      waitsUntilAwakeInVain();
    }
    assertThat(waitsUntilAwakeInVain()).isEqualTo(Vigil.LONGEST_PAUSE);
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
  void stays_awake_for_each_wait_again_where_answers_come_soon() throws Exception {
    for (int i = 0; i < 3; i++) {
      waitsUntilAwakeInVain();
    }
    for (int i = 0; i < 7 + 3 + 1 + 3; i++) {
      isAwakeForSoonAnswer();
    }
    assertThat(isAwakeForSoonAnswer()).isTrue();
    assertThat(isAwakeForSoonAnswer()).isTrue();
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
