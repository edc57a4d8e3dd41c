// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.holdfast.BackendException;
import io.holdfast.Election;
import io.holdfast.Election.Candidacy;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.internal.Inside;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.ForwardingBackend;
import io.holdfast.spi.Moment;
import io.holdfast.spi.TimeSource;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** One candidate, at every point between its request and its leadership. */
class CandidacyTest {
  private final ManualTime time = new ManualTime();
  private final Deque<Runnable> callbacks = new ArrayDeque<>();
  private final List<Duration> terms = new ArrayList<>();

  @Test
  void that_was_closed_before_it_led_never_leads() {
    neverLeadsAfter((holdfast, candidacy) -> candidacy.close());
  }

  @Test
  void of_a_holdfast_that_was_closed_before_it_led_never_leads() {
    neverLeadsAfter((holdfast, candidacy) -> holdfast.close());
  }

  /** Ends it after no callback, after one, and so on, until it leads before its end. */
  private void neverLeadsAfter(BiConsumer<Holdfast, Candidacy> end) {
    int before = 0;
    while (!leadsBeforeItsEnd(before, end)) {
      before++;
    }
    assertThat(before).as("points at which it was ended").isGreaterThan(1);
  }

  private boolean leadsBeforeItsEnd(int callbacksBefore, BiConsumer<Holdfast, Candidacy> end) {
    callbacks.clear();
    try (Holdfast holdfast = holdfast(callbacks::add);
        Candidacy candidacy = holdfast.election("e").campaign(lease -> lead())) {
      for (int i = 0; i < callbacksBefore; i++) {
        callbacks.remove().run();
      }
      if (!terms.isEmpty()) {
        return true;
      }
      end.accept(holdfast, candidacy);
      runCallbacks();
      time.advance(Duration.ofMinutes(1));
      runCallbacks();
      assertThat(terms).as("terms, ended after %d callbacks", callbacksBefore).isEmpty();
      assertThat(Inside.leftOver(holdfast)).isEmpty();
      return false;
    }
  }

  private void runCallbacks() {
    while (!callbacks.isEmpty()) {
      callbacks.remove().run();
    }
  }

  @Test
  void pauses_as_after_a_first_failure_when_it_fails_after_a_term_without_one() {
    Election.Leader leader =
        lease -> {
          lead();
          if (terms.size() != 5) {
            throw new IllegalStateException("on purpose");
          }
        };
    try (Holdfast holdfast = holdfast(Runnable::run);
        Candidacy candidacy = holdfast.election("e").campaign(leader)) {
      time.advance(Duration.ofMinutes(1));
      assertThat(candidacy.isLeader()).isFalse();
    }
    assertThat(pauseAfter(4)).isGreaterThan(pauseAfter(1));
    assertThat(pauseAfter(6)).isEqualTo(pauseAfter(1));
  }

  private Duration pauseAfter(int term) {
    return terms.get(term).minus(terms.get(term - 1));
  }

  @Test
  void leaves_nothing_behind_after_terms_that_are_over() {
    try (Holdfast holdfast = holdfast(Runnable::run)) {
      try (Candidacy candidacy = holdfast.election("e").campaign(lease -> lead())) {
        time.advance(Duration.ofMinutes(1));
        assertThat(candidacy.isLeader()).isFalse();
      }
      time.advance(Duration.ofMinutes(1));
      assertThat(terms).hasSizeGreaterThan(1);
      assertThat(Inside.leftOver(holdfast)).isEmpty();
    }
  }

  @Test
  void is_no_leader_once_its_lease_is_lost_though_it_still_leads() {
    List<Boolean> said = new ArrayList<>();
    AtomicReference<Candidacy> candidacy = new AtomicReference<>();
    try (Holdfast holdfast = holdfast(callbacks::add)) {
      candidacy.set(
          holdfast
              .election("e")
              .campaign(
                  lease -> {
                    said.add(candidacy.get().isLeader());
                    holdfast.forceRelease("e", lease.token(), "test");
                    said.add(candidacy.get().isLeader());
                  }));
      runCallbacks();
      assertThat(said).containsExactly(true, false);
    }
  }

  @Test
  void leaves_no_interrupt_to_the_thread_that_it_led_on() {
    AtomicReference<Candidacy> candidacy = new AtomicReference<>();
    List<Boolean> interrupted = new ArrayList<>();
    Election.Leader leader =
        lease -> {
          candidacy.get().close();
          interrupted.add(Thread.currentThread().isInterrupted());
        };
    try (Holdfast holdfast = holdfast(callbacks::add)) {
      candidacy.set(holdfast.election("e").campaign(leader));
      runCallbacks();
      assertThat(interrupted).containsExactly(true);
      assertThat(Thread.interrupted()).isFalse();
    }
  }

  @Nested
  class AtAStoreThatRefusesIt {
    private final ScriptedStore store = new ScriptedStore();
    private final FailingTime failingTime = new FailingTime(time);
    private final Holdfast holdfast =
        Holdfast.builder(store)
            .time(failingTime)
            .callbacks(Runnable::run)
            .shutdownHook(false)
            .build();

    @BeforeEach
    void refuse() {
      store.nextLater().completeExceptionally(BackendException.refused("on purpose", null));
    }

    @AfterEach
    void close() {
      holdfast.close();
    }

    @Test
    void stands_again_later() {
      Candidacy candidacy = holdfast.election("e").campaign(lease -> lead());
      assertThat(store.requests).hasSize(1);
      store.next(store.grant(Duration.ZERO));
      time.advance(Duration.ofSeconds(10));
      assertThat(terms).hasSize(1);
      candidacy.close();
    }

    @Test
    void stands_again_later_also_when_its_next_request_fails_before_it_is_sent() {
      Candidacy candidacy = holdfast.election("e").campaign(lease -> lead());
      store.next(store.grant(Duration.ZERO));
      failingTime.failOnce();
      time.advance(Duration.ofSeconds(10));
      assertThat(failingTime.failsNext()).isFalse();
      assertThat(terms).hasSize(1);
      candidacy.close();
    }

    @Test
    void does_not_ask_again_once_it_was_closed() {
      holdfast.election("e").campaign(lease -> lead()).close();
      time.advance(Duration.ofMinutes(1));
      assertThat(store.requests).hasSize(1);
    }
  }

  @Test
  void leaves_the_queue_when_it_is_closed() {
    ScriptedStore store = new ScriptedStore();
    try (Holdfast holdfast = holdfast(Holdfast.builder(store), Runnable::run)) {
      holdfast.election("e").campaign(lease -> lead()).close();
      time.advance(Duration.ZERO);
      assertThat(store.releases).hasSize(1);
      assertThat(Inside.leftOver(holdfast)).isEmpty();
    }
  }

  @Test
  void leaves_the_queue_when_it_is_closed_while_its_request_is_made() {
    String address = "memory:" + UUID.randomUUID();
    AtomicReference<Candidacy> candidacy = new AtomicReference<>();
    ForwardingBackend store =
        new ForwardingBackend(BackendProvider.backendAt(address)) {
          @Override
          public CompletionStage<Acquisition> acquire(AcquireRequest request) {
            if (candidacy.get() != null) {
              candidacy.get().close();
            }
            return super.acquire(request);
          }
        };
    try (Holdfast here = holdfast(Holdfast.builder(store), Runnable::run);
        Holdfast there = holdfast(Holdfast.builder(address), Runnable::run)) {
      List<CompletableFuture<Lease>> next = new ArrayList<>();
      Election.Leader leader =
          lease -> next.add(there.lock("e").async().acquire(Duration.ofHours(1)));
      candidacy.set(here.election("e").campaign(leader));
      time.advance(Duration.ofSeconds(1));
      assertThat(next).singleElement().satisfies(each -> assertThat(each).isCompleted());
      assertThat(there.inspect("e").waiters()).isEmpty();
    }
  }

  @Test
  void is_not_said_to_stand_again_when_its_holdfast_is_closed() {
    Logger logger = (Logger) LoggerFactory.getLogger("io.holdfast");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    try {
      Holdfast holdfast = holdfast(Holdfast.builder(new ScriptedStore()), Runnable::run);
      Candidacy candidacy = holdfast.election("e").campaign(lease -> lead());
      holdfast.close();
      assertThat(candidacy.isLeader()).isFalse();
    } finally {
      logger.detachAppender(lines);
    }
    assertThat(lines.list).noneMatch(line -> line.getLevel().isGreaterOrEqual(Level.WARN));
  }

  private Holdfast holdfast(Holdfast.Builder builder, Executor executor) {
    return builder.time(time).callbacks(executor).shutdownHook(false).build();
  }

  private Holdfast holdfast(Executor executor) {
    return holdfast(Holdfast.builder("memory:"), executor);
  }

  private void lead() {
    terms.add(Duration.ofNanos(time.now().monotonicNanos()));
  }

  /** Time that can be told to fail once: code of others, as all that a request begins with. */
  private static final class FailingTime implements TimeSource {
    private final ManualTime time;
    private boolean failsNext;

    FailingTime(ManualTime time) {
      this.time = time;
    }

    void failOnce() {
      failsNext = true;
    }

    boolean failsNext() {
      return failsNext;
    }

    @Override
    public Moment now() {
      if (failsNext) {
        failsNext = false;
        throw new AssertionError("on purpose");
      }
      return time.now();
    }

    @Override
    public void after(Duration delay, Runnable task) {
      time.after(delay, task);
    }
  }
}
