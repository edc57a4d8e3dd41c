// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Election;
import io.holdfast.FencingToken;
import io.holdfast.Holdfast;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ElectionTest {
  private final String store = "memory:" + UUID.randomUUID();
  private final Holdfast here = Holdfast.builder(store).shutdownHook(false).build();
  private final Holdfast there = Holdfast.builder(store).shutdownHook(false).build();
  private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

  @AfterEach
  void close() {
    here.close();
    there.close();
  }

  @Test
  void has_one_leader_at_a_time_and_another_when_it_goes() throws Exception {
    Election.Candidacy first = here.election("e").campaign(lease -> lead("here"));
    assertThat(next()).isEqualTo("here leads");
    Election.Candidacy second = there.election("e").campaign(lease -> lead("there"));
    assertThat(first.isLeader()).isTrue();
    assertThat(second.isLeader()).isFalse();
    first.close();
    assertThat(next()).isEqualTo("here ends");
    assertThat(next()).isEqualTo("there leads");
    assertThat(first.isLeader()).isFalse();
    second.close();
    assertThat(next()).isEqualTo("there ends");
  }

  @Test
  void tells_who_leads() throws Exception {
    assertThat(here.election("e").leader()).isEmpty();
    Election.Candidacy candidacy = here.election("e").campaign(lease -> lead("here"));
    next();
    assertThat(there.election("e").leader())
        .hasValueSatisfying(leader -> assertThat(leader.origin()).isPresent());
    candidacy.close();
    next();
  }

  @Test
  void interrupts_a_leader_whose_lease_was_lost_and_stands_again() throws Exception {
    try (Election.Candidacy candidacy = here.election("e").campaign(l -> lead("here"))) {
      assertThat(next()).isEqualTo("here leads");
      FencingToken token = here.inspect("e").holders().get(0).token().orElseThrow();
      there.forceRelease("e", token, "test");
      assertThat(next()).isEqualTo("here ends");
      assertThat(next()).isEqualTo("here leads");
      assertThat(candidacy.isLeader()).isTrue();
    }
    assertThat(next()).isEqualTo("here ends");
  }

  @Test
  void goes_on_when_a_leader_returns_or_fails() throws Exception {
    try (Election.Candidacy candidacy =
        here.election("e")
            .campaign(
                lease -> {
                  seen.add("leads");
                  if (seen.size() % 2 == 0) {
                    throw new IllegalStateException("on purpose");
                  }
                })) {
      for (int term = 0; term < 4; term++) {
        assertThat(next()).isEqualTo("leads");
      }
      assertThat(candidacy).isNotNull();
    }
  }

  private void lead(String who) throws InterruptedException {
    seen.add(who + " leads");
    try {
      new CountDownLatch(1).await();
    } finally {
      seen.add(who + " ends");
    }
  }

  private String next() throws InterruptedException {
    return seen.poll(30, TimeUnit.SECONDS);
  }
}
