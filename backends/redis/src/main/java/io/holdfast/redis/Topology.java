// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.Hold;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Which server keeps which key: all that one server, Sentinel and Cluster differ in. */
interface Topology {

  /** What the settings say it is. */
  static Topology of(
      RedisSettings settings, Connector connector, BackendContext context, Server.Ear ear) {
    return switch (settings.kind()) {
      case ONE_SERVER -> {
        HostAndPort place = settings.hosts().get(0);
        yield new OneServer(
            () -> CompletableFuture.completedFuture(place), connector, settings, context, ear);
      }
      case SENTINEL -> {
        Sentinels sentinels = new Sentinels(connector, settings, context);
        yield new OneServer(sentinels, connector, settings, context, ear);
      }
      case CLUSTER -> new ClusterServers(connector, settings, context, ear);
    };
  }

  /**
   * Whether acquisitions and releases share calls, which is nearly all; see {@link #evalTogether}.
   */
  static boolean sharesCalls(RedisSettings settings) {
    return settings.kind() != RedisSettings.Kind.CLUSTER && settings.replicas().isNone();
  }

  /** Connects, and completes when requests can be made; fails if the servers are unfit. */
  CompletableFuture<?> open();

  /** The server of this key. */
  Server serverOf(String key);

  /** All primaries. */
  Collection<Server> servers();

  /** On which channel we hear of grants of this lock. */
  String channelOf(String lockKey);

  /** Completes when the lock's server has acknowledged our subscription to that channel. */
  CompletableFuture<?> listening(String lockKey);

  /** Runs a script at the server of its keys. */
  CompletableFuture<List<Object>> eval(
      Script script, String[] keys, Function<Wire, String[]> arguments);

  /**
   * The same, for what is usually short: in one call with others that come at the same time, if
   * their keys may be touched together.
   *
   * @param usual what it is usually, for one call with others
   */
  default CompletableFuture<List<Object>> evalTogether(
      Call usual, Script script, Keys.LockKeys lock, Function<Wire, String[]> arguments) {
    return eval(script, lock.all(), arguments);
  }

  /** The same, and waits for replicas if any are required. */
  CompletableFuture<Acknowledged> evalAcknowledged(
      Script script, String[] keys, Function<Wire, String[]> arguments);

  /**
   * The holds, by their indexes, in groups that one script may renew: of one family, and of one
   * slot in a cluster. In the order in which they came.
   */
  List<List<Integer>> renewalChunks(List<Hold> holds, Keys keys, int most);

  /** Sends a command to the server of a key. */
  <T> CompletableFuture<T> send(String key, Function<Wire, CompletableFuture<T>> command);

  void close();
}
