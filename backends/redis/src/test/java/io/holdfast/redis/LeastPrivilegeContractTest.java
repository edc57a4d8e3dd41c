// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.LockBackend;
import io.holdfast.testkit.LockBackendContract;
import io.holdfast.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The whole contract as the user that the documentation recommends, and no other. */
@Tag("redis")
class LeastPrivilegeContractTest extends LockBackendContract {
  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
    allow();
  }

  private static void allow() {
    List<String> command = new ArrayList<>(List.of("ACL", "SETUSER", "holdfast", ">canary"));
    command.addAll(List.of(AclRule.of(700).split(" ")));
    server.call(command.toArray(String[]::new));
    server.call("ACL", "SETUSER", "default", "-@all", "+ping", "+acl");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  protected LockBackend openBackend() {
    return RedisBackend.builder("redis://" + server.hostAndPort())
        .credentials("holdfast", "canary")
        .build();
  }

  @Override
  protected void restartStore() {
    server.kill();
    server.restart();
    allow();
  }

  @Test
  void the_documentation_prints_the_rule_that_is_tested_here() throws IOException {
    String page = Files.readString(Path.of("..", "..", "docs", "backends", "redis.md"));
    assertThat(page.replaceAll("\\s+\\\\?\\s*", " ")).contains(AclRule.of(700));
  }
}
