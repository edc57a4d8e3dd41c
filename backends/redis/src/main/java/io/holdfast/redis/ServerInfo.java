// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.BackendException;
import java.util.HashMap;
import java.util.Map;

/** What a server says of itself, and whether locks can be kept in it. */
record ServerInfo(Map<String, String> fields) {
  private static final int OLDEST = 602;

  static ServerInfo parse(String info) {
    Map<String, String> fields = new HashMap<>();
    info.lines()
        .filter(line -> line.indexOf(':') > 0)
        .forEach(
            line ->
                fields.put(
                    line.substring(0, line.indexOf(':')),
                    line.substring(line.indexOf(':') + 1).strip()));
    return new ServerInfo(fields);
  }

  String version() {
    return fields.getOrDefault("redis_version", "0");
  }

  /** 602 for 6.2. */
  int versionNumber() {
    String[] parts = (version() + ".0").split("\\.", -1);
    return Integer.parseInt(parts[0]) * 100 + Integer.parseInt(parts[1]);
  }

  /** How many replicas follow it; one that is still being filled cannot acknowledge anything. */
  int replicas() {
    return (int)
        fields.entrySet().stream()
            .filter(field -> field.getKey().matches("slave\\d+"))
            .filter(field -> field.getValue().contains("state=online"))
            .count();
  }

  /** Changes with every start of the server. */
  String run() {
    return fields.getOrDefault("run_id", "");
  }

  /**
   * Refuses a server in which locks would not be kept.
   *
   * @throws BackendException that says what is wrong, and what to do
   */
  void requireFitness(HostAndPort place, boolean cluster) {
    String server = "the Redis server at " + place;
    if (versionNumber() < OLDEST) {
      throw BackendException.refused(
          server + " is version " + version() + "; Holdfast needs 6.2 or newer", null);
    }
    String policy = fields.getOrDefault("maxmemory_policy", "noeviction");
    if (!policy.equals("noeviction")) {
      throw BackendException.refused(
          server
              + " may evict locks while they are held: its maxmemory-policy is "
              + policy
              + ". Set it to noeviction (all others, volatile-* too, evict keys that expire)",
          null);
    }
    boolean isCluster = fields.getOrDefault("cluster_enabled", "0").equals("1");
    if (isCluster != cluster) {
      throw BackendException.refused(
          server
              + (isCluster
                  ? " is a node of a cluster: use 'redis-cluster:'"
                  : " is not a node of a cluster: use 'redis:'"),
          null);
    }
    if (!fields.getOrDefault("role", "master").equals("master")) {
      // Not for good: it may be promoted, or the look-up was old.
      throw BackendException.notApplied(server + " is a replica, not a primary", null);
    }
  }
}
