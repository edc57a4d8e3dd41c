// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.testkit.servers.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** What tests of the scripts alone begin with: a server, and a bench for the lock of one test. */
abstract class ScriptCases {
  static RedisServer server;

  ScriptBench bench;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void open() {
    bench = new ScriptBench(server, "n");
  }

  @AfterEach
  void close() {
    bench.close();
  }
}
