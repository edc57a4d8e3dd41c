// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When the map of slots is read. */
@Tag("redis")
class SlotSurveysTest {
  private static final HostAndPort NAMED = new HostAndPort("named", 1);

  private final LaterContext context = new LaterContext();
  private final List<Set<HostAndPort>> asked = new ArrayList<>();
  private final List<CompletableFuture<Void>> readings = new ArrayList<>();
  private final SlotSurveys surveys = new SlotSurveys(context, this::read);

  private CompletableFuture<?> read(Set<HostAndPort> trusted) {
    asked.add(trusted);
    readings.add(new CompletableFuture<>());
    return readings.get(readings.size() - 1);
  }

  @Test
  void a_node_that_is_named_while_a_long_reading_runs_is_asked_after_it() {
    Answers.ignore(surveys.now());
    context.pass(Duration.ofSeconds(2));
    surveys.soon(NAMED);
    context.runNext();
    assertThat(asked).containsExactly(Set.of());
    readings.get(0).complete(null);
    assertThat(asked).containsExactly(Set.of(), Set.of(NAMED));
  }

  @Test
  void it_is_asked_after_a_reading_that_fails_as_well() {
    Answers.ignore(surveys.now());
    surveys.soon(NAMED);
    context.runNext();
    readings.get(0).completeExceptionally(new IllegalStateException("on purpose"));
    assertThat(asked).containsExactly(Set.of(), Set.of(NAMED));
  }

  @Test
  void however_often_it_is_asked_for_one_reading_follows_the_one_that_runs() {
    Answers.ignore(surveys.now());
    for (int i = 0; i < 10; i++) {
      surveys.soon();
    }
    context.runNext();
    surveys.soon();
    readings.get(0).complete(null);
    assertThat(asked).hasSize(2);
    assertThat(context.isIdle()).isTrue();
  }

  @Test
  void nothing_is_read_once_it_is_closed() {
    Answers.ignore(surveys.now());
    surveys.soon(NAMED);
    context.runNext();
    surveys.close();
    readings.get(0).complete(null);
    assertThat(asked).hasSize(1);
  }
}
