// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.contenders;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Holdfast as it comes: with tokens, renewal, listeners' hooks and log lines at their defaults. */
public record HoldfastContender(
    String name,
    UnaryOperator<String> address,
    UnaryOperator<Holdfast.Builder> options,
    boolean waitsInQueue)
    implements Contender {

  /** With its defaults. */
  public static HoldfastContender redis() {
    return new HoldfastContender("Holdfast", at -> "redis://" + at, each -> each, false);
  }

  /** Which stands in the queue, though there is nobody else. */
  public static HoldfastContender queueing() {
    return new HoldfastContender(
        "Holdfast, acquire with a wait", at -> "redis://" + at, each -> each, true);
  }

  /** With this lease time. */
  public static HoldfastContender leasing(Duration leaseTime) {
    return new HoldfastContender(
        "Holdfast", at -> "redis://" + at, each -> each.leaseTime(leaseTime), false);
  }

  /** A grant counts when a replica has acknowledged it. */
  public static HoldfastContender acknowledged() {
    return new HoldfastContender(
        "Holdfast, replicas=1", at -> "redis://" + at + "?replicas=1", each -> each, false);
  }

  /** In PostgreSQL, as advisory locks. */
  public static HoldfastContender advisory() {
    return new HoldfastContender(
        "Holdfast",
        at -> "postgresql://postgres@" + at + "/postgres?mode=advisory",
        each -> each,
        false);
  }

  /** In PostgreSQL, as leases in a table. */
  public static HoldfastContender lease() {
    return new HoldfastContender(
        "Holdfast", at -> "postgresql://postgres@" + at + "/postgres", each -> each, false);
  }

  /** On a quorum; the places of its nodes are joined by commas. */
  public static HoldfastContender quorum() {
    return new HoldfastContender("Holdfast", HoldfastContender::quorumAt, each -> each, false);
  }

  /** The address of a quorum of nodes whose places are joined by commas. */
  public static String quorumAt(String places) {
    return "quorum:redis://" + places.replace(",", ",redis://");
  }

  /** Each hand-over goes through the store. */
  public static HoldfastContender withoutPasses() {
    return new HoldfastContender(
        "Holdfast, no local passes",
        at -> "redis://" + at,
        each -> each.localPasses(0, Duration.ofSeconds(1)),
        false);
  }

  @Override
  public String key(String name) {
    return "lock:" + name;
  }

  @Override
  public Client connect(String hostAndPort) {
    Holdfast.Builder builder = Holdfast.builder(address.apply(hostAndPort)).shutdownHook(false);
    return new HoldfastClient(options.apply(builder).build(), waitsInQueue);
  }

  private record HoldfastClient(Holdfast holdfast, boolean waitsInQueue) implements Client {
    private static final Duration LONG = Duration.ofSeconds(30);

    @Override
    public @Nullable Taken take(String name, Duration wait) throws InterruptedException {
      Duration patience = wait.isZero() && waitsInQueue ? LONG : wait;
      Lease lease =
          patience.isZero()
              ? holdfast.lock(name).tryAcquire().orElse(null)
              : holdfast.lock(name).tryAcquire(patience).orElse(null);
      return lease == null ? null : lease::release;
    }

    @Override
    public CompletionStage<?> pair(String name, Runnable work) {
      var lock = holdfast.lock(name).async();
      return lock.tryAcquire()
          .thenCompose(
              lease -> {
                work.run();
                return lock.release(lease.orElseThrow());
              });
    }

    @Override
    public void close() {
      holdfast.close();
    }
  }
}
