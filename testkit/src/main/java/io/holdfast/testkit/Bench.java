// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Guarantees;
import io.holdfast.Holdfast;
import io.holdfast.Origin;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What one test works with: processes that use one store, names that no other test uses, and time.
 * At the end it closes the processes, and checks that nothing is left of them.
 */
final class Bench {
  private final Supplier<LockBackend> backends;
  private final TimeSource time;
  private final Passage passage;
  private final Duration leaseTime;
  private final Duration patience;
  private final Guarantees guarantees;
  private final String prefix = "contract/" + UUID.randomUUID().toString().substring(0, 8) + "/";
  private final List<Peer> peers = new ArrayList<>();
  private final List<RawPeer> rawPeers = new ArrayList<>();
  private final Set<Thread> threadsBefore = nonDaemonThreads();

  /**
   * @param backends opens the store once more, for another process
   * @param time the time of all processes
   * @param leaseTime how long leases are in tests of what happens within a lease time or at its end
   * @param patience how long to wait for what must come in the end
   */
  Bench(Supplier<LockBackend> backends, TimeSource time, Duration leaseTime, Duration patience) {
    this.backends = backends;
    this.time = time;
    this.passage = new Passage(time, patience);
    this.leaseTime = leaseTime;
    this.patience = patience;
    this.guarantees = raw(leaseTime).backend().guarantees();
  }

  Duration patience() {
    return patience;
  }

  Duration leaseTime() {
    return leaseTime;
  }

  /** The longest lease time, or one that is longer than any test. */
  Duration longLease() {
    Duration longest = guarantees.longestLeaseTime();
    return longest.compareTo(Peer.LONG_WAIT) < 0 ? longest : Peer.LONG_WAIT;
  }

  Guarantees guarantees() {
    return guarantees;
  }

  Passage passage() {
    return passage;
  }

  TimeSource time() {
    return time;
  }

  /** With what the names of this test begin. */
  String prefix() {
    return prefix;
  }

  /** Another process, by the API. It makes no local passes, so that the store's order is seen. */
  Peer peer() {
    return peer(builder -> {});
  }

  Peer peer(Consumer<Holdfast.Builder> settings) {
    FaultyBackend network = new FaultyBackend(backends.get());
    Holdfast.Builder builder =
        Holdfast.builder(network)
            .leaseTime(longLease())
            .localPasses(0, Duration.ZERO)
            .application("contract")
            .shutdownHook(false);
    if (time instanceof ManualTime) {
      builder.time(time).callbacks(Runnable::run);
    }
    settings.accept(builder);
    Peer peer = new Peer(builder.build(), network, passage);
    peers.add(peer);
    return peer;
  }

  List<Peer> peers(int count) {
    return Stream.generate(this::peer).limit(count).toList();
  }

  /** Another process, by the SPI. */
  RawPeer raw(Duration leaseTime) {
    String process = UUID.randomUUID().toString().replace("-", "").substring(0, 16);
    Origin origin = new Origin(process, "localhost", ProcessHandle.current().pid(), "contract");
    RawPeer peer = new RawPeer(backends.get(), new Signals(time, origin), passage, leaseTime);
    rawPeers.add(peer);
    return peer;
  }

  /** Ends a process before the test ends. */
  void end(RawPeer peer) {
    rawPeers.remove(peer);
    peer.close();
  }

  /** Closes every process, and checks what must be true after every test. */
  void close() {
    RawPeer observer = raw(leaseTime);
    rawPeers.remove(observer);
    try {
      peers.forEach(peer -> peer.network().heal());
      rawPeers.forEach(RawPeer::close);
      peers.forEach(Peer::close);
      passage.until(
          "nothing is held or waited for after the test", () -> observer.list(prefix, 1).isEmpty());
    } finally {
      observer.close();
    }
    passage.until("no thread is left that keeps the JVM alive", () -> newThreads().isEmpty());
    assertThat(newThreads()).isEmpty();
  }

  private Set<Thread> newThreads() {
    Set<Thread> threads = nonDaemonThreads();
    threads.removeAll(threadsBefore);
    return threads;
  }

  private static Set<Thread> nonDaemonThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !thread.isDaemon() && thread.isAlive())
        .collect(Collectors.toSet());
  }
}
