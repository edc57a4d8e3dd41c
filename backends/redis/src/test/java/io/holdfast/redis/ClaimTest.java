// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holder;
import io.holdfast.Mode;
import io.holdfast.spi.LockBackend.AcquireRequest;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.Moment;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Answers and messages come by two connections, in any order. */
@Tag("redis")
class ClaimTest {
  private static final Moment SENT = new Moment(0, 0);
  private final Claim claim = new Claim(request(), "channel");

  private static AcquireRequest request() {
    Duration lease = Duration.ofSeconds(30);
    Hold hold = new Hold("n", new Holder("process", 1), Mode.EXCLUSIVE, lease);
    return new AcquireRequest(hold, lease, 4, SENT, "");
  }

  @Test
  void a_message_that_overtakes_the_answer_before_it_counts() {
    claim.asks();
    assertThat(claim.told(500, 504, 500)).isNotNull();
    assertThat(claim.queued(1, SENT, 400)).isTrue();
  }

  @Test
  void a_grant_of_which_a_later_answer_does_not_know_was_lost() {
    claim.asks();
    assertThat(claim.told(500, 504, 500)).isNotNull();
    assertThat(claim.queued(1, SENT, 600)).isFalse();
  }

  @Test
  void a_message_that_is_older_than_the_answer_does_not_count() {
    claim.asks();
    assertThat(claim.queued(1, SENT, 600)).isTrue();
    assertThat(claim.told(500, 504, 500)).isNull();
  }

  @Test
  void a_message_counts_once() {
    claim.asks();
    assertThat(claim.told(500, 504, 500)).isNotNull();
    assertThat(claim.told(500, 504, 500)).isNull();
  }
}
