// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Origin;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Processes that go on from one copy of the memory: with one id, and the same count of holders. */
class CloneTest {
  private static final Origin ORIGIN = new Origin("restored", "host", 1, "app");

  private final String store = "memory:" + UUID.randomUUID();

  @Test
  void two_clones_do_not_hold_one_lock_at_a_time() throws Exception {
    try (Holdfast one = restored();
        Holdfast two = restored()) {
      Lease first = one.lock("a").tryAcquire().orElseThrow();
      Optional<Lease> second = two.lock("a").tryAcquire();
      assertThat(second).as("beside %s", first.token()).isEmpty();
      CompletableFuture<Lease> next = two.lock("a").async().acquire(Duration.ofMinutes(5));
      assertThat(first.release()).isTrue();
      assertThat(next.get(1, TimeUnit.MINUTES).token().isNewerThan(first.token())).isTrue();
    }
  }

  @Test
  void two_clones_make_different_holders() {
    try (SystemEntropy entropy = new SystemEntropy()) {
      HolderIds one = new HolderIds("restored", entropy);
      HolderIds two = new HolderIds("restored", entropy);
      Set<Holder> all = new HashSet<>();
      for (int i = 0; i < 100_000; i++) {
        assertThat(all.add(one.next()) && all.add(two.next())).isTrue();
      }
      assertThat(all).allMatch(holder -> holder.number() >= 0);
    }
  }

  @Test
  void numbers_differ_within_a_process_whatever_the_entropy_is() {
    LongSupplier none = () -> 0;
    HolderIds ids = new HolderIds("p", none);
    Holder first = ids.next();
    Holder second = ids.next();
    assertThat(second.number()).isGreaterThan(first.number());
  }

  @Test
  void entropy_does_not_end_with_its_device() {
    SystemEntropy entropy = new SystemEntropy();
    entropy.close();
    assertThat(entropy.getAsLong()).isNotEqualTo(entropy.getAsLong());
  }

  @Test
  void where_only_the_memory_has_randomness_a_warning_says_that_clones_may_repeat_it() {
    assertThat(warningsOf("/dev/urandom", "none")).isEmpty();
    assertThat(warningsOf("/nowhere", new SecureRandom().getAlgorithm())).isEmpty();
    assertThat(warningsOf("/nowhere", "none"))
        .singleElement()
        .satisfies(line -> assertThat(line.getFormattedMessage()).contains("clone"));
  }

  private static List<ILoggingEvent> warningsOf(String device, String algorithm) {
    Logger logger = (Logger) LoggerFactory.getLogger(SystemEntropy.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    try (SystemEntropy entropy = new SystemEntropy(device, algorithm)) {
      assertThat(entropy.getAsLong()).isNotEqualTo(entropy.getAsLong());
    } finally {
      logger.detachAppender(lines);
    }
    return lines.list;
  }

  private Holdfast restored() {
    return HoldfastBuilder.of(store).shutdownHook(false).origin(ORIGIN).build();
  }
}
