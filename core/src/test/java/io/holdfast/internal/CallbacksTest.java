// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** What users' code can rely on, whatever the executor does that they gave. */
class CallbacksTest {
  private final List<String> done = new ArrayList<>();

  @Test
  void a_callback_runs_once_though_the_executor_runs_it_twice() {
    Executor twice =
        task -> {
          task.run();
          task.run();
        };
    new Callbacks(twice).execute(() -> done.add("run"));
    assertThat(done).containsExactly("run");
  }

  @Test
  void an_event_is_told_after_the_one_before_it_also_if_that_brought_it_about() {
    SerialExecutor inOrder = new SerialExecutor(Runnable::run);
    inOrder.execute(
        () -> {
          done.add("first begins");
          inOrder.execute(() -> done.add("second"));
          done.add("first ends");
        });
    assertThat(done).containsExactly("first begins", "first ends", "second");
  }

  @Test
  void an_event_is_told_though_the_listener_of_the_one_before_it_failed() {
    List<Runnable> later = new ArrayList<>();
    SerialExecutor inOrder = new SerialExecutor(later::add);
    inOrder.execute(
        () -> {
          throw new AssertionError("on purpose");
        });
    inOrder.execute(() -> done.add("second"));
    assertThat(later).hasSize(1);
    later.get(0).run();
    assertThat(done).containsExactly("second");
  }
}
