// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.SentinelViews.View;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which of the sentinels' views counts. */
@Tag("redis")
class SentinelViewsTest {
  private static final HostAndPort OLD = new HostAndPort("old", 1);
  private static final HostAndPort NEW = new HostAndPort("new", 2);
  private static final HostAndPort THIRD = new HostAndPort("third", 3);

  private final SentinelViews views = new SentinelViews(3);

  private void hear(int sentinel, long epoch, HostAndPort primary) {
    boolean isKnown = views.believed().isPresent();
    HostAndPort before = views.believed().map(View::primary).orElse(primary);
    var left = views.hear(sentinel, new View(epoch, primary));
    boolean moved = isKnown && !views.isPrimary(before);
    assertThat(left.isPresent()).isEqualTo(moved);
    left.ifPresent(place -> assertThat(place).isEqualTo(before));
  }

  private HostAndPort primary() {
    return views.believed().orElseThrow().primary();
  }

  @Test
  void one_sentinel_that_knows_of_a_fail_over_is_enough() {
    hear(0, 1, OLD);
    hear(1, 1, OLD);
    hear(2, 2, NEW);
    assertThat(primary()).isEqualTo(NEW);
  }

  @Test
  void sentinels_that_have_not_heard_of_the_fail_over_do_not_lead_back_however_many_they_are() {
    hear(0, 1, OLD);
    hear(1, 1, OLD);
    hear(2, 2, NEW);
    hear(0, 1, OLD);
    hear(1, 1, OLD);
    assertThat(primary()).isEqualTo(NEW);
  }

  @Test
  void a_sentinel_that_comes_back_with_an_old_view_changes_nothing() {
    hear(0, 7, NEW);
    hear(1, 6, OLD);
    hear(2, 3, THIRD);
    assertThat(primary()).isEqualTo(NEW);
  }

  @Test
  void another_address_of_the_same_epoch_does_not_count() {
    hear(0, 1, OLD);
    hear(1, 1, NEW);
    assertThat(primary()).isEqualTo(OLD);
  }

  @Test
  void most_sentinels_that_were_set_up_anew_count_and_the_last_old_one_does_not_lead_back() {
    for (int sentinel = 0; sentinel < 3; sentinel++) {
      hear(sentinel, 5, OLD);
    }
    hear(0, 0, NEW);
    assertThat(primary()).isEqualTo(OLD);
    hear(1, 0, NEW);
    assertThat(primary()).isEqualTo(NEW);
    hear(2, 5, OLD);
    assertThat(primary()).isEqualTo(NEW);
    hear(2, 0, NEW);
    hear(1, 1, THIRD);
    assertThat(primary()).isEqualTo(THIRD);
  }

  @Test
  void sentinels_that_were_set_up_anew_and_disagree_change_nothing() {
    for (int sentinel = 0; sentinel < 3; sentinel++) {
      hear(sentinel, 5, OLD);
    }
    hear(0, 0, NEW);
    hear(1, 0, THIRD);
    assertThat(primary()).isEqualTo(OLD);
  }
}
