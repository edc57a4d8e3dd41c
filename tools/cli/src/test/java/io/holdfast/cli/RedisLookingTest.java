// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The commands that look at locks, on one server, Sentinel, Cluster, and a quorum. */
class RedisLookingTest extends LookingCases {
  @Test
  @Tag("redis")
  void redis_is_looked_at() {
    try (RedisServer server = RedisServer.start()) {
      String url = "redis://" + server.hostAndPort() + PATIENT;
      looks(url);
      Answer doctor = ask(url, "doctor");
      assertThat(doctor.output())
          .contains("clock offset", "persistence", "eviction policy", "replicas", "permissions")
          .contains("→ set 'appendonly yes'");
      assertThat(ask(url, "schema").output())
          .contains("ACL SETUSER holdfast >PASSWORD on")
          .contains("+evalsha");
    }
  }

  @Test
  @Tag("redis")
  void a_primary_that_a_sentinel_names_is_looked_at() {
    try (RedisServer primary = RedisServer.start();
        RedisServer sentinel =
            RedisServer.startSentinel(
                List.of("sentinel monitor mymaster 127.0.0.1 " + primary.port() + " 1"))) {
      looks("redis-sentinel://" + sentinel.hostAndPort() + "/mymaster" + PATIENT);
    }
  }

  @Test
  @Tag("redis")
  void a_cluster_is_looked_at() {
    try (RedisServer node =
        RedisServer.start("--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf")) {
      List<String> slots = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
      for (int slot = 0; slot < 16_384; slot++) {
        slots.add(Integer.toString(slot));
      }
      node.call(slots.toArray(String[]::new));
      Eventually.until(
          "the cluster is up",
          () -> node.call("CLUSTER", "INFO").toString().contains("cluster_state:ok"));
      looks("redis-cluster://" + node.hostAndPort() + PATIENT);
    }
  }

  @Test
  @Tag("quorum")
  void a_quorum_is_looked_at() {
    try (RedisServer a = RedisServer.start();
        RedisServer b = RedisServer.start();
        RedisServer c = RedisServer.start()) {
      String url = quorum("", a, b, c);
      Answer founded = ask(url, "members", "--found");
      assertThat(founded.code()).isEqualTo(ExitCode.DONE);
      looks(url);
      assertThat(ask(url, "members", "--found").code()).isEqualTo(ExitCode.UNAVAILABLE);
    }
  }

  @Test
  @Tag("quorum")
  void a_change_of_members_shows_the_new_ones() {
    try (RedisServer a = RedisServer.start();
        RedisServer b = RedisServer.start();
        RedisServer c = RedisServer.start();
        RedisServer d = RedisServer.start()) {
      String before = quorum(",?longest=10s", a, b, c);
      String after = quorum(",?longest=10s", a, b, d);
      assertThat(ask(before, "members", "--found").code()).isEqualTo(ExitCode.DONE);
      Answer changed = ask(before, "members", "--to", after);
      assertThat(changed.code()).isEqualTo(ExitCode.DONE);
      assertThat(changed.output()).contains(d.hostAndPort()).doesNotContain(c.hostAndPort());
    }
  }

  private static String quorum(String parameters, RedisServer... nodes) {
    return "quorum:"
        + Stream.of(nodes)
            .map(server -> "redis://" + server.hostAndPort())
            .collect(Collectors.joining(",", "", parameters));
  }

  @Test
  @Tag("quorum")
  void a_quorum_that_rests_is_no_riddle() {
    try (RedisServer a = RedisServer.start();
        RedisServer b = RedisServer.start();
        RedisServer c = RedisServer.start()) {
      // A busy machine may take a minute for the commands below: it rests for longer than that.
      String url = quorum(",?longest=600s", a, b, c);
      try (Launched run = Launched.holdfast("run", "a", "--url", url, "--", "true")) {
        Eventually.until("it says why it waits", () -> run.errors().contains("rest"));
        try (Launched hasty = Launched.holdfast("run", "a", "-n", "--url", url, "--", "true")) {
          assertThat(hasty.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
          assertThat(hasty.errors()).contains("rests for another");
        }
        Answer doctor = ask(url, "doctor");
        assertThat(doctor.code()).isEqualTo(ExitCode.NO);
        assertThat(doctor.output()).contains("locking", "rests for another", "look again");
        run.signal("INT");
        assertThat(run.exitCode()).isEqualTo(128 + 2);
      }
    }
  }
}
