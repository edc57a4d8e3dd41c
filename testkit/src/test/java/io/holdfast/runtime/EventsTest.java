// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.holdfast.FencingToken;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockListener;
import io.holdfast.LossCause;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

class EventsTest {
  private final ManualTime time = new ManualTime();
  private final Recorder recorder = new Recorder();
  private final Holdfast holdfast =
      Holdfast.builder("memory:")
          .time(time)
          .callbacks(Runnable::run)
          .listener(new Troublemaker())
          .listener(recorder)
          .shutdownHook(false)
          .build();

  @AfterEach
  void close() {
    holdfast.close();
  }

  @Nested
  class AListener {
    @Test
    void hears_of_a_lease_from_its_grant_to_its_release() {
      Lease lease = holdfast.lock("a").tryAcquire().orElseThrow();
      time.advance(Duration.ofSeconds(12));
      lease.release();
      assertThat(recorder.heard)
          .containsExactly(
              "acquired a " + lease.token() + " after PT0S, contended: false",
              "renewed a " + lease.token(),
              "released a " + lease.token() + " after PT12S");
    }

    @Test
    void hears_of_waiting() throws Exception {
      Lease first = holdfast.lock("a").tryAcquire().orElseThrow();
      var waiting = holdfast.lock("a").async().acquire(Duration.ofSeconds(10));
      time.advance(Duration.ofSeconds(3));
      first.release();
      time.advance(Duration.ofMillis(1));
      assertThat(waiting).isCompleted();
      Lease second = waiting.join();
      assertThat(recorder.heard)
          .contains("acquired a " + second.token() + " after PT3S, contended: true");
    }

    @Test
    void hears_of_a_loss_and_its_cause() {
      Lease lease = holdfast.lock("a").withoutRenewal().tryAcquire().orElseThrow();
      time.advance(Duration.ofSeconds(30));
      lease.close();
      assertThat(recorder.heard)
          .containsExactly(
              "acquired a " + lease.token() + " after PT0S, contended: false",
              "lost a " + lease.token() + " after PT29.7S: " + LossCause.EXPIRED);
    }

    @Test
    void hears_of_what_was_not_granted_and_why() {
      holdfast.lock("a").tryAcquire();
      holdfast.lock("a").tryAcquire();
      holdfast.lock("a").async().acquire(Duration.ofSeconds(1)).cancel(false);
      assertThat(recorder.heard).contains("rejected a: HELD", "rejected a: LEFT");
    }

    @Test
    void hears_in_order_whatever_order_the_executor_runs_callbacks_in() {
      Deque<Runnable> callbacks = new ArrayDeque<>();
      Recorder listener = new Recorder();
      try (Holdfast reordering =
          Holdfast.builder("memory:")
              .time(time)
              .callbacks(callbacks::push)
              .listener(listener)
              .shutdownHook(false)
              .build()) {
        Lease lease = reordering.lock("a").tryAcquire().orElseThrow();
        lease.release();
        while (!callbacks.isEmpty()) {
          callbacks.pop().run();
        }
        assertThat(listener.heard)
            .containsExactly(
                "acquired a " + lease.token() + " after PT0S, contended: false",
                "released a " + lease.token() + " after PT0S");
      }
    }

    @Test
    void that_throws_keeps_no_other_from_hearing() {
      holdfast.lock("a").tryAcquire();
      assertThat(recorder.heard).hasSize(1);
    }
  }

  @Nested
  class TheLog {
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.holdfast.locks");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
      logger.setLevel(Level.DEBUG);
      lines.start();
      logger.addAppender(lines);
    }

    @AfterEach
    void stopListening() {
      logger.detachAppender(lines);
      logger.setLevel(null);
      MDC.clear();
    }

    @Test
    void names_the_lock_the_token_the_holder_and_the_lease_time() {
      Lease lease = holdfast.lock("a").tryAcquire().orElseThrow();
      assertThat(keyValues("acquired"))
          .containsEntry("lock", "a")
          .containsEntry("token", lease.token().toString())
          .containsEntry("holder", lease.holder().abbreviated())
          .containsEntry("leaseTime", "PT30S");
      assertThat(lease.holder().abbreviated()).hasSizeLessThan(lease.holder().toString().length());
    }

    @Test
    void carries_the_callers_correlation_id_also_when_it_happens_later_and_elsewhere() {
      MDC.put("correlationId", "order-7");
      holdfast.lock("a").withoutRenewal().tryAcquire();
      MDC.clear();
      time.advance(Duration.ofSeconds(30));
      assertThat(keyValues("lost")).containsEntry("correlationId", "order-7");
    }

    @Test
    void does_not_warn_of_contention() {
      holdfast.lock("a").tryAcquire();
      holdfast.lock("a").tryAcquire();
      assertThat(warnings()).isEmpty();
      assertThat(lines.list).extracting(ILoggingEvent::getMessage).contains("not granted");
    }

    @Test
    void warns_once_of_a_lease_that_had_run_out_before_it_was_closed() {
      Lease lease = holdfast.lock("a").withoutRenewal().tryAcquire().orElseThrow();
      time.advance(Duration.ofSeconds(40));
      lease.close();
      assertThat(warnings())
          .singleElement()
          .satisfies(
              line -> {
                assertThat(line.getMessage()).contains("lease time is too short for this work");
                assertThat(keyValues(line))
                    .containsEntry("lock", "a")
                    .containsEntry("token", lease.token().toString())
                    .containsEntry("leaseTime", "PT30S")
                    .containsEntry("held", "PT40S");
              });
    }

    @Test
    void tells_of_a_release_by_force_with_its_reason() {
      Lease lease = holdfast.lock("a").tryAcquire().orElseThrow();
      holdfast.forceRelease("a", lease.token(), "its host is gone");
      assertThat(keyValues("released by force")).containsEntry("reason", "its host is gone");
      assertThat(keyValues("lost")).containsEntry("cause", "FORCED");
    }

    private List<ILoggingEvent> warnings() {
      return lines.list.stream()
          .filter(line -> line.getLevel() == Level.WARN)
          .filter(line -> !line.getMessage().startsWith("a listener failed"))
          .toList();
    }

    private Map<String, String> keyValues(String message) {
      return keyValues(
          lines.list.stream()
              .filter(line -> line.getFormattedMessage().startsWith(message))
              .findFirst()
              .orElseThrow());
    }

    private static Map<String, String> keyValues(ILoggingEvent line) {
      return line.getKeyValuePairs().stream()
          .collect(Collectors.toMap(pair -> pair.key, pair -> String.valueOf(pair.value)));
    }
  }

  private static final class Troublemaker implements LockListener {
    @Override
    public void acquired(Acquired event) {
      throw new IllegalStateException("on purpose");
    }
  }

  private static final class Recorder implements LockListener {
    private final List<String> heard = new ArrayList<>();

    @Override
    public void acquired(Acquired event) {
      heard.add(
          "acquired "
              + about(event.subject(), event.token())
              + " after "
              + event.waited()
              + ", contended: "
              + event.contended());
    }

    @Override
    public void renewed(Renewed event) {
      heard.add("renewed " + about(event.subject(), event.token()));
    }

    @Override
    public void released(Released event) {
      heard.add("released " + about(event.subject(), event.token()) + " after " + event.held());
    }

    @Override
    public void lost(Lost event) {
      heard.add(
          "lost "
              + about(event.subject(), event.token())
              + " after "
              + event.held()
              + ": "
              + event.cause());
    }

    @Override
    public void rejected(Rejected event) {
      heard.add("rejected " + event.name() + ": " + event.reason());
    }

    private static String about(Subject subject, FencingToken token) {
      return subject.name() + " " + token;
    }
  }
}
