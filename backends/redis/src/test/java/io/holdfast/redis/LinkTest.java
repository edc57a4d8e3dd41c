// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How soon a connection that breaks is made anew. */
@Tag("redis")
class LinkTest {
  private static final Duration LONGEST = Duration.ofSeconds(1);

  private final LaterContext context = new LaterContext();
  private final AtomicReference<Runnable> broken = new AtomicReference<>(() -> {});
  private final AtomicReference<@Nullable Error> defect = new AtomicReference<>();
  private final Link<Link.Line> link =
      new Link<>(
          "a server",
          context,
          whenBroken -> {
            Error thrown = defect.getAndSet(null);
            if (thrown != null) {
              throw thrown;
            }
            broken.set(whenBroken);
            return CompletableFuture.completedFuture(new Somewhere());
          },
          made -> {});

  private record Somewhere() implements Link.Line {
    @Override
    public HostAndPort place() {
      return new HostAndPort("somewhere", 1);
    }

    @Override
    public void close() {}
  }

  /** Breaks the connection, and makes it anew after the pause that it returns. */
  private Duration breakNow() {
    assertThat(link.line()).isCompleted();
    broken.get().run();
    return context.runNext();
  }

  @Test
  void one_that_breaks_again_and_again_is_made_anew_after_ever_longer_pauses() {
    Duration first = breakNow();
    Duration last = first;
    for (int i = 0; i < 20; i++) {
      last = breakNow();
    }
    assertThat(first).isLessThan(Duration.ofMillis(11));
    assertThat(last).isBetween(LONGEST.dividedBy(2), LONGEST);
  }

  @Test
  void one_that_has_lasted_is_made_anew_at_once() {
    for (int i = 0; i < 20; i++) {
      breakNow();
    }
    context.pass(LONGEST.multipliedBy(2));
    assertThat(breakNow()).isLessThan(Duration.ofMillis(11));
  }

  @Test
  void one_that_was_not_made_because_of_an_error_is_made_anew() {
    defect.set(new NoClassDefFoundError("on purpose"));
    assertThat(link.line()).isCompletedExceptionally();
    context.runNext();
    assertThat(link.line()).isCompleted();
  }
}
