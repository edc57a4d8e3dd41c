// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import io.holdfast.Guarantees;
import io.holdfast.LockState;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A backend with a bad network in front of it: whatever a test scripts happens to its requests,
 * replies and signals, by verb. Unscripted, it does what the backend behind it does.
 *
 * <pre>{@code
 * FaultyBackend faulty = new FaultyBackend(BackendProvider.backendAt("memory:"));
 * faulty.next(Verb.ACQUIRE).loseReply();
 * faulty.every(Verb.RENEW).delayReply(Duration.ofMillis(300));
 * faulty.every(Signal.GRANTED).drop();
 * Holdfast holdfast = Holdfast.builder(faulty).time(time).build();
 * }</pre>
 *
 * <p>What is scripted for the {@code next} requests comes first, in the order in which it was
 * scripted; then what is scripted for {@code every} one. Delays are those of the time that the
 * backend was started with, so they obey {@link ManualTime}. What is lost stays silent until {@link
 * #heal}, which a sound backend never does: it is what the runtime must survive nevertheless.
 *
 * <p>Thread-safe. Scripts may be changed at any moment.
 */
public final class FaultyBackend implements LockBackend {

  /** The requests that faults can befall. */
  public enum Verb {
    ACQUIRE,
    RENEW,
    RELEASE,
    INSPECT,
    LIST,
    FORCE_RELEASE
  }

  /** The signals that faults can befall. */
  public enum Signal {
    GRANTED,
    RETRY,
    LOST
  }

  private final LockBackend backend;
  private final Map<Verb, Script<FaultyCall<?>>> requests = new EnumMap<>(Verb.class);
  private final Map<Signal, Script<Runnable>> signals = new EnumMap<>(Signal.class);
  private final Map<Verb, Integer> calls = new EnumMap<>(Verb.class);
  private final Map<Verb, Integer> answers = new EnumMap<>(Verb.class);
  private final Network network = new Network();

  /** Puts a network without faults in front of a backend. */
  public FaultyBackend(LockBackend backend) {
    this.backend = backend;
    for (Verb verb : Verb.values()) {
      requests.put(verb, new Script<>(FaultyCall::deliver));
    }
    for (Signal signal : Signal.values()) {
      signals.put(signal, new Script<>(Runnable::run));
    }
  }

  /** Scripts what happens to the next request. */
  public RequestFault next(Verb verb) {
    return next(1, verb);
  }

  /** Scripts what happens to the next so many requests. */
  public RequestFault next(int count, Verb verb) {
    return new RequestFault(network, fault -> of(requests, verb).next(count, fault));
  }

  /** Scripts what happens to every request from now on. */
  public RequestFault every(Verb verb) {
    return new RequestFault(network, of(requests, verb)::every);
  }

  /** Scripts what happens to the next signal. */
  public SignalFault next(Signal signal) {
    return new SignalFault(network, fault -> of(signals, signal).next(1, fault));
  }

  /** Scripts what happens to every signal from now on. */
  public SignalFault every(Signal signal) {
    return new SignalFault(network, of(signals, signal)::every);
  }

  /** Sends the requests that were held back, in the order in which they came. */
  public void letGo() {
    network.letGo();
  }

  /** From now on nothing gets through, in either direction: what is sent meanwhile is lost. */
  public void cutOff() {
    network.cutOff(true);
  }

  /**
   * Ends a cut-off, forgets every script, and sends what was held back. Requests that were lost
   * fail now, with the outcome {@code UNKNOWN}, as when a connection is reset.
   */
  public void heal() {
    network.cutOff(false);
    requests.values().forEach(Script::forget);
    signals.values().forEach(Script::forget);
    letGo();
    network.giveUp();
  }

  /** How many requests of this kind were made, whatever became of them. */
  public int calls(Verb verb) {
    return counted(calls, verb);
  }

  /** How many requests of this kind were answered, by a result or a failure. */
  public int answers(Verb verb) {
    return counted(answers, verb);
  }

  @Override
  public void start(BackendContext context) {
    network.time(context);
    backend.start(new FaultyContext(context, this::signal));
  }

  @Override
  public CompletionStage<Acquisition> acquire(AcquireRequest request) {
    return request(Verb.ACQUIRE, () -> backend.acquire(request));
  }

  @Override
  public CompletionStage<List<Renewal>> renew(List<Hold> holds) {
    return request(Verb.RENEW, () -> backend.renew(holds));
  }

  @Override
  public CompletionStage<Boolean> release(Hold hold) {
    return request(Verb.RELEASE, () -> backend.release(hold));
  }

  @Override
  public CompletionStage<LockState> inspect(String name) {
    return request(Verb.INSPECT, () -> backend.inspect(name));
  }

  @Override
  public CompletionStage<List<LockState>> list(String prefix, int limit) {
    return request(Verb.LIST, () -> backend.list(prefix, limit));
  }

  @Override
  public CompletionStage<Boolean> forceRelease(String name, long token, String reason) {
    return request(Verb.FORCE_RELEASE, () -> backend.forceRelease(name, token, reason));
  }

  @Override
  public Guarantees guarantees() {
    return backend.guarantees();
  }

  @Override
  public Object lane(String name) {
    return backend.lane(name);
  }

  @Override
  public void close() {
    backend.close();
  }

  private <T> CompletionStage<T> request(Verb verb, Supplier<CompletionStage<T>> request) {
    count(calls, verb);
    FaultyCall<T> call =
        new FaultyCall<>(verb.name(), network, request, () -> count(answers, verb));
    of(requests, verb).take().accept(call);
    return call.reply();
  }

  private void signal(Signal signal, Runnable delivery) {
    of(signals, signal).take().accept(() -> network.carry(delivery));
  }

  private static <K, S> S of(Map<K, S> scripts, K key) {
    S script = scripts.get(key);
    if (script == null) {
      throw new AssertionError("there is a script for everything, also for " + key);
    }
    return script;
  }

  private static void count(Map<Verb, Integer> counts, Verb verb) {
    synchronized (counts) {
      counts.merge(verb, 1, Integer::sum);
    }
  }

  private static int counted(Map<Verb, Integer> counts, Verb verb) {
    synchronized (counts) {
      return counts.getOrDefault(verb, 0);
    }
  }
}
