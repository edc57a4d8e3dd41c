// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.FaultyProxy;
import io.holdfast.testkit.servers.RedisServer;
import io.holdfast.testkit.servers.RedisWire;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Real Redis servers that are the nodes of one quorum, each behind a network that can fail. */
final class RedisNodes implements AutoCloseable {
  private final List<RedisServer> servers = new ArrayList<>();
  private final List<FaultyProxy> networks = new ArrayList<>();

  /** New nodes, none of which knows anything. */
  RedisNodes(int count) {
    for (int node = 0; node < count; node++) {
      add(RedisServer.start());
    }
  }

  /** Nodes that somebody else started. */
  RedisNodes(List<RedisServer> started) {
    started.forEach(this::add);
  }

  private void add(RedisServer server) {
    servers.add(server);
    networks.add(new FaultyProxy(server.port()));
  }

  RedisServer server(int node) {
    return servers.get(node);
  }

  FaultyProxy network(int node) {
    return networks.get(node);
  }

  int size() {
    return servers.size();
  }

  /** The address of the quorum, through the networks, with these parameters. */
  String address(String parameters) {
    return address(parameters, "");
  }

  /** The same with parameters for each node. */
  String address(String parameters, String ofEachNode) {
    return "quorum:"
        + networks.stream()
            .map(network -> "redis://" + network.hostAndPort() + ofEachNode)
            .collect(Collectors.joining(","))
        + ",?"
        + parameters;
  }

  /** The address for a user and a password. */
  String addressFor(String credentials) {
    return address("longest=60s").replace("redis://", "redis://" + credentials + "@");
  }

  /** The stores, for a builder. */
  List<LockBackend> stores() {
    return networks.stream()
        .map(network -> BackendProvider.backendAt("redis://" + network.hostAndPort()))
        .toList();
  }

  /** Makes the new nodes members that vote at once, as an operator does. */
  void found(String parameters) {
    QuorumMembers.found(address(parameters));
  }

  /** Waits until all nodes are members that vote. */
  void awaitMembers() {
    for (RedisServer server : servers) {
      Eventually.until("the node at " + server.port() + " is a member", () -> isMember(server));
    }
  }

  static boolean isMember(RedisServer server) {
    try (RedisWire wire = server.connect()) {
      return !wire.call("HGET", "hf:quorum", "epoch").equals(RedisWire.NIL);
    } catch (UncheckedIOException down) {
      return false;
    }
  }

  /** On a slow machine a node may answer after the others are content: then it is found later. */
  static void awaitRefusal(String address, String words) {
    Eventually.until(
        "it is refused because " + words,
        () -> {
          try {
            Holdfast.connect(address).close();
            return false;
          } catch (BackendException refused) {
            return String.valueOf(refused.getMessage()).contains(words);
          }
        });
  }

  /** How often each command was called, as the server counts; without those inside of scripts. */
  static Map<String, Long> calls(RedisServer server) {
    Map<String, Long> calls = new TreeMap<>();
    server
        .call("INFO", "commandstats")
        .toString()
        .lines()
        .filter(line -> line.startsWith("cmdstat_"))
        .forEach(
            line ->
                calls.put(
                    line.substring("cmdstat_".length(), line.indexOf(':')),
                    Long.valueOf(line.replaceAll(".*:calls=(\\d+),.*", "$1"))));
    return calls;
  }

  /** How many steps of the protocol each node was asked for. */
  List<Long> steps() {
    return servers.stream()
        .map(
            server -> {
              Map<String, Long> calls = calls(server);
              return calls.getOrDefault("evalsha", 0L) + calls.getOrDefault("eval", 0L);
            })
        .toList();
  }

  @Override
  public void close() {
    networks.forEach(FaultyProxy::close);
    servers.forEach(
        server -> {
          server.resume();
          server.close();
        });
  }
}
