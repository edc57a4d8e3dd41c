// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.testkit.servers.RedisServer;
import java.util.ArrayList;
import java.util.List;

/** The migration of one slot, step by step, as {@code redis-cli --cluster reshard} does it. */
final class SlotMigration {
  private final List<RedisServer> primaries;
  private final String slot;
  private final RedisServer from;
  private final RedisServer to;

  /** To any other of these primaries. */
  SlotMigration(List<RedisServer> primaries, int slot, RedisServer from) {
    this(primaries, slot, from, other(primaries, from));
  }

  SlotMigration(List<RedisServer> primaries, int slot, RedisServer from, RedisServer to) {
    this.primaries = primaries;
    this.slot = Integer.toString(slot);
    this.from = from;
    this.to = to;
  }

  private static RedisServer other(List<RedisServer> primaries, RedisServer from) {
    return primaries.stream().filter(server -> server != from).findFirst().orElseThrow();
  }

  RedisServer target() {
    return to;
  }

  void begin() {
    to.call("CLUSTER", "SETSLOT", slot, "IMPORTING", id(from));
    from.call("CLUSTER", "SETSLOT", slot, "MIGRATING", id(to));
  }

  /** The slot's keys that are not moved yet. */
  List<String> left() {
    return ((List<?>) from.call("CLUSTER", "GETKEYSINSLOT", slot, "1000"))
        .stream().map(Object::toString).sorted().toList();
  }

  void move(List<String> keys) {
    String port = Integer.toString(to.port());
    List<String> command = new ArrayList<>(List.of("MIGRATE", "127.0.0.1", port, ""));
    command.addAll(List.of("0", "30000", "KEYS"));
    command.addAll(keys);
    from.call(command.toArray(String[]::new));
  }

  void moveAll() {
    for (List<String> left = left(); !left.isEmpty(); left = left()) {
      move(left);
    }
  }

  void finish() {
    moveAll();
    to.call("CLUSTER", "SETSLOT", slot, "NODE", id(to));
    for (RedisServer server : primaries) {
      server.call("CLUSTER", "SETSLOT", slot, "NODE", id(to));
    }
  }

  private static String id(RedisServer server) {
    return server.call("CLUSTER", "MYID").toString();
  }
}
