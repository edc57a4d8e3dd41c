// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.spi.FilterReply;
import io.holdfast.BackendException;
import io.holdfast.Election;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockListener;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.ForwardingBackend;
import io.holdfast.spi.LockBackend;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Marker;

/** Code of others that throws what it should not: what has to go on does, and says so once. */
class BrokenCodeTest {
  private final ManualTime time = new ManualTime();
  private final Lines lines = new Lines();
  private final Logger logger = (Logger) org.slf4j.LoggerFactory.getLogger("io.holdfast");

  @BeforeEach
  void listen() {
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void stopListening() {
    logger.detachAppender(lines);
  }

  private Holdfast holdfast(LockBackend store, Executor callbacks, LockListener... listeners) {
    Holdfast.Builder builder = Holdfast.builder(store).time(time).callbacks(callbacks);
    Stream.of(listeners).forEach(builder::listener);
    return builder.shutdownHook(false).build();
  }

  @Nested
  class ABackend {
    @ParameterizedTest
    @MethodSource("io.holdfast.runtime.BrokenCodeTest#failures")
    void that_fails_once_in_renewing_ends_no_renewal(Failure failure) {
      BrokenBackend store = new BrokenBackend();
      try (Holdfast holdfast = holdfast(store, Runnable::run)) {
        Lease lease = holdfast.lock("a").tryAcquire().orElseThrow();
        store.failure = failure;
        time.advance(Duration.ofSeconds(11));
        store.failure = Failure.NONE;
        time.advance(Duration.ofMinutes(5));
        assertThat(lease.isHeld()).isTrue();
      }
    }

    @Test
    void that_fails_to_renew_is_told_of_once_when_it_begins_and_once_when_it_ends() {
      BrokenBackend store = new BrokenBackend();
      try (Holdfast holdfast = holdfast(store, Runnable::run)) {
        Lease lease = holdfast.lock("a").tryAcquire().orElseThrow();
        store.failure = Failure.EXCEPTION;
        time.advance(Duration.ofSeconds(25));
        store.failure = Failure.NONE;
        time.advance(Duration.ofMinutes(1));
        assertThat(lease.isHeld()).isTrue();
        assertThat(lines.warnings())
            .singleElement()
            .satisfies(
                line -> {
                  assertThat(line.getFormattedMessage()).contains("renew", "the cable was cut");
                  assertThat(line.getThrowableProxy()).isNull();
                });
        assertThat(lines.at(Level.INFO))
            .singleElement()
            .satisfies(
                line -> {
                  assertThat(line.getFormattedMessage()).contains("renewed again");
                  assertThat(durations("after", List.of(line)))
                      .as("since the first renewal that failed, ten seconds after the grant")
                      .allSatisfy(after -> assertThat(after).isBetween(seconds(15), seconds(20)));
                });
      }
    }

    @Test
    void that_fails_to_renew_is_told_of_again_when_the_leases_of_the_first_time_are_over() {
      BrokenBackend store = new BrokenBackend();
      try (Holdfast holdfast = holdfast(store, Runnable::run)) {
        store.failure = Failure.EXCEPTION;
        Lease lost = holdfast.lock("a").tryAcquire().orElseThrow();
        time.advance(Duration.ofMinutes(5));
        assertThat(lost.isHeld()).isFalse();
        Lease held = holdfast.lock("b").tryAcquire().orElseThrow();
        time.advance(seconds(25));
        assertThat(held.isHeld()).isTrue();
        assertThat(lines.warnings())
            .filteredOn(line -> line.getFormattedMessage().contains("does not renew"))
            .hasSize(2);
      }
    }

    @Test
    void that_is_silent_to_renewals_is_told_of_once() {
      BrokenBackend store = new BrokenBackend();
      try (Holdfast holdfast = holdfast(store, Runnable::run)) {
        Lease lease = holdfast.lock("a").tryAcquire().orElseThrow();
        store.failure = Failure.SILENCE;
        time.advance(Duration.ofSeconds(25));
        assertThat(lease.isHeld()).isTrue();
        assertThat(lines.warnings())
            .singleElement()
            .satisfies(
                line -> assertThat(line.getFormattedMessage()).doesNotContain("null", "Exception"));
      }
    }
  }

  @Nested
  class AListener {
    @Test
    void that_throws_an_error_still_hears_what_follows_and_is_logged_once() {
      Angry angry = new Angry();
      try (Holdfast holdfast = holdfast(new BrokenBackend(), Runnable::run, angry)) {
        for (int i = 0; i < 5; i++) {
          holdfast.lock("a").tryAcquire().orElseThrow().release();
        }
      }
      assertThat(angry.heard).isEqualTo(10);
      assertThat(lines.warnings())
          .singleElement()
          .satisfies(
              line -> assertThat(line.getFormattedMessage()).startsWith("a listener failed"));
    }
  }

  @Nested
  class AListenerThatFailsNowAndThen {
    @Test
    void is_logged_each_time_it_begins_to_fail() {
      LockListener listener =
          new LockListener() {
            @Override
            public void acquired(Acquired event) {
              throw new AssertionError("on purpose");
            }
          };
      try (Holdfast holdfast = holdfast(new BrokenBackend(), Runnable::run, listener)) {
        holdfast.lock("a").tryAcquire().orElseThrow().release();
        holdfast.lock("a").tryAcquire().orElseThrow().release();
      }
      assertThat(lines.warnings()).hasSize(2);
    }
  }

  @Nested
  class ALog {
    @Test
    void that_throws_when_one_lease_is_renewed_costs_no_lease() {
      ThrowsOnce filter = new ThrowsOnce();
      LoggerContext context = logger.getLoggerContext();
      try (Holdfast holdfast = holdfast(new BrokenBackend(), Runnable::run)) {
        List<Lease> leases = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
          leases.add(holdfast.lock(name).tryAcquire().orElseThrow());
        }
        context.addTurboFilter(filter);
        time.advance(Duration.ofMinutes(5));
        assertThat(filter.hasThrown).isTrue();
        assertThat(leases).allMatch(Lease::isHeld);
      } finally {
        context.getTurboFilterList().remove(filter);
      }
    }
  }

  /** On the thread of the test: other tests may run beside it. */
  private static final class ThrowsOnce extends TurboFilter {
    private final Thread thread = Thread.currentThread();
    private boolean hasThrown;

    @Override
    public FilterReply decide(
        @Nullable Marker marker,
        Logger of,
        Level level,
        @Nullable String format,
        Object @Nullable [] parameters,
        @Nullable Throwable thrown) {
      boolean concerned = of.getName().equals("io.holdfast.locks") && level == Level.TRACE;
      if (concerned && !hasThrown && Thread.currentThread() == thread) {
        hasThrown = true;
        throw new IllegalStateException("on purpose");
      }
      return FilterReply.NEUTRAL;
    }
  }

  @Nested
  class ALeader {
    private final BlockingQueue<Integer> terms = new LinkedBlockingQueue<>();

    @Test
    void that_throws_an_error_leads_again() {
      try (Holdfast holdfast = holdfast(new BrokenBackend(), Runnable::run);
          Election.Candidacy candidacy =
              holdfast
                  .election("e")
                  .campaign(
                      lease -> {
                        terms.add(1);
                        throw new AssertionError("on purpose");
                      })) {
        time.advance(Duration.ofMinutes(1));
        assertThat(terms).hasSizeGreaterThan(2);
        assertThat(candidacy.isLeader()).isFalse();
      }
    }

    @Test
    void that_always_fails_is_asked_less_and_less_often_and_each_line_says_for_how_long() {
      try (Holdfast holdfast = holdfast(new BrokenBackend(), Runnable::run);
          Election.Candidacy candidacy =
              holdfast
                  .election("e")
                  .campaign(
                      lease -> {
                        throw new IllegalStateException("on purpose");
                      })) {
        time.advance(Duration.ofHours(1));
        assertThat(lines.warnings()).hasSizeBetween(100, 300);
        assertThat(pauses()).isSortedAccordingTo(Duration::compareTo);
        assertThat(pauses().get(0)).isLessThan(Duration.ofSeconds(1));
        assertThat(pauses()).endsWith(Duration.ofSeconds(30));
        assertThat(candidacy.isLeader()).isFalse();
      }
    }

    @Test
    void that_fails_after_it_has_led_for_long_stands_again_at_once() throws Exception {
      SynchronousQueue<Boolean> go = new SynchronousQueue<>();
      ExecutorService threads = Executors.newCachedThreadPool();
      try (Holdfast holdfast = holdfast(new BrokenBackend(), threads);
          Election.Candidacy candidacy =
              holdfast
                  .election("e")
                  .campaign(
                      lease -> {
                        terms.add(1);
                        go.take();
                        throw new IllegalStateException("on purpose");
                      })) {
        for (int term = 1; term <= 4; term++) {
          awaitTerm();
          go.put(true);
        }
        awaitTerm();
        time.advance(Duration.ofMinutes(5));
        go.put(true);
        awaitTerm();
        assertThat(pauses()).hasSize(5);
        assertThat(pauses().get(3)).isGreaterThan(pauses().get(0));
        assertThat(pauses().get(4)).isEqualTo(pauses().get(0));
        assertThat(candidacy).isNotNull();
      } finally {
        threads.shutdownNow();
      }
    }

    /** Lets time pass until the leader leads: it does so on another thread. */
    private void awaitTerm() throws InterruptedException {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (terms.poll(5, TimeUnit.MILLISECONDS) == null) {
        assertThat(System.nanoTime()).isLessThan(deadline);
        time.advance(Duration.ofMillis(100));
      }
    }

    private List<Duration> pauses() {
      return durations("pause", lines.warnings());
    }
  }

  private static List<Duration> durations(String key, List<ILoggingEvent> lines) {
    return lines.stream()
        .flatMap(line -> line.getKeyValuePairs().stream())
        .filter(pair -> pair.key.equals(key))
        .map(pair -> (Duration) pair.value)
        .toList();
  }

  private static Duration seconds(long seconds) {
    return Duration.ofSeconds(seconds);
  }

  static Stream<Failure> failures() {
    return Stream.of(Failure.values()).filter(failure -> failure != Failure.NONE);
  }

  /** What a backend does in the place of renewing. */
  @SuppressWarnings("ImmutableEnumChecker") // Its functions have no state.
  enum Failure {
    NONE(answer -> answer),
    EXCEPTION(
        answer ->
            CompletableFuture.failedFuture(BackendException.unknown("the cable was cut", null))),
    ERROR(
        answer -> {
          throw new AssertionError("on purpose");
        }),
    FAILED_WITH_ERROR(answer -> CompletableFuture.failedFuture(new AssertionError("on purpose"))),
    NO_STAGE(answer -> nothing()),
    NO_ANSWERS(answer -> CompletableFuture.completedFuture(nothing())),
    A_NULL_ANSWER(
        answer -> {
          List<LockBackend.Renewal> answers = new ArrayList<>();
          answers.add(nothing());
          return CompletableFuture.completedFuture(answers);
        }),
    AN_ANSWER_TOO_MANY(
        answer ->
            CompletableFuture.completedFuture(
                List.of(LockBackend.Renewal.GONE, LockBackend.Renewal.GONE))),
    SILENCE(answer -> new CompletableFuture<>()),
    NO_LANE(answer -> answer);

    private final Function<
            CompletionStage<List<LockBackend.Renewal>>, CompletionStage<List<LockBackend.Renewal>>>
        change;

    Failure(
        Function<
                CompletionStage<List<LockBackend.Renewal>>,
                CompletionStage<List<LockBackend.Renewal>>>
            change) {
      this.change = change;
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // Code that is not checked.
    private static <T> T nothing() {
      @Nullable T none = null;
      return none;
    }
  }

  private static final class BrokenBackend extends ForwardingBackend {
    private Failure failure = Failure.NONE;

    BrokenBackend() {
      super(BackendProvider.backendAt("memory:"));
    }

    @Override
    public CompletionStage<List<Renewal>> renew(List<Hold> holds) {
      return failure.change.apply(super.renew(holds));
    }

    @Override
    public Object lane(String name) {
      if (failure == Failure.NO_LANE) {
        throw new AssertionError("on purpose");
      }
      return super.lane(name);
    }
  }

  private static final class Angry implements LockListener {
    private int heard;

    @Override
    public void acquired(Acquired event) {
      heard++;
      throw new AssertionError("on purpose");
    }

    @Override
    public void released(Released event) {
      heard++;
      throw new AssertionError("on purpose");
    }
  }

  private static final class Lines extends AppenderBase<ILoggingEvent> {
    private final Queue<ILoggingEvent> lines = new ConcurrentLinkedQueue<>();

    @Override
    protected void append(ILoggingEvent line) {
      lines.add(line);
    }

    List<ILoggingEvent> warnings() {
      return lines.stream().filter(line -> line.getLevel().isGreaterOrEqual(Level.WARN)).toList();
    }

    List<ILoggingEvent> at(Level level) {
      return lines.stream().filter(line -> line.getLevel() == level).toList();
    }
  }
}
