// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.ForwardingBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A store of several servers: the part of a name before the colon says which. */
final class LanedBackend extends ForwardingBackend {
  private final Set<String> silent = new HashSet<>();
  private final List<List<String>> renewals = new ArrayList<>();
  private final List<Runnable> late = new ArrayList<>();
  private @Nullable BackendContext core;
  private boolean inSignal;

  LanedBackend() {
    super(BackendProvider.backendAt("memory:"));
  }

  /** This server's clock is set forward. */
  void setForward(String server, Duration by) {
    inSignal = true;
    requireNonNull(core).shortened(server, by);
    inSignal = false;
  }

  /** From now on this server does not answer renewals. */
  void silence(String server) {
    silent.add(server);
  }

  /** Now the renewals that were not answered are. */
  void answerLate() {
    List.copyOf(late).forEach(Runnable::run);
  }

  /** Now this one of them is: the first is number 0. */
  void answerLate(int number) {
    late.get(number).run();
  }

  void heal() {
    silent.clear();
  }

  /** The names in each renewal call so far. */
  List<List<String>> renewals() {
    return renewals;
  }

  @Override
  public Object lane(String name) {
    assertThat(inSignal).as("called back within a signal").isFalse();
    return name.substring(0, name.indexOf(':'));
  }

  @Override
  public CompletionStage<List<Renewal>> renew(List<Hold> holds) {
    renewals.add(holds.stream().map(Hold::name).toList());
    if (!silent.contains(lane(holds.get(0).name()))) {
      return super.renew(holds);
    }
    CompletableFuture<List<Renewal>> unanswered = new CompletableFuture<>();
    late.add(() -> unanswered.complete(holds.stream().map(unused -> Renewal.RENEWED).toList()));
    return unanswered;
  }

  @Override
  public void start(BackendContext context) {
    core = context;
    super.start(context);
  }
}
