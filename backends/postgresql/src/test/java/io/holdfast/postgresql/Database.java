// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.Holdfast;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import io.holdfast.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A server of one test, its clients, and what the server says of them. */
final class Database implements AutoCloseable {
  private final PostgresServer server;
  private final List<Holdfast> clients = new ArrayList<>();

  Database(String... settings) {
    this.server = PostgresServer.start(settings);
  }

  PostgresServer server() {
    return server;
  }

  /** With a long time-out, unless another is given: the machine may be busy. */
  String address(String parameters) {
    String all = parameters.contains("timeout=") ? parameters : parameters + "&timeout=4s";
    return "postgresql://postgres@" + server.hostAndPort() + "/postgres?" + all;
  }

  /** A client that makes no local passes: the server's order is seen. */
  Holdfast client(String parameters, Duration leaseTime) {
    return client(BackendProvider.backendAt(address(parameters)), leaseTime);
  }

  Holdfast client(LockBackend backend, Duration leaseTime) {
    Holdfast client =
        Holdfast.builder(backend)
            .leaseTime(leaseTime)
            .localPasses(0, Duration.ZERO)
            .shutdownHook(false)
            .build();
    clients.add(client);
    return client;
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(server.jdbcUrl());
  }

  void run(String sql) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException failed) {
      throw new AssertionError(failed);
    }
  }

  /** The first column of the first row. */
  long number(String sql) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException failed) {
      throw new AssertionError(failed);
    }
  }

  @Override
  public void close() {
    clients.forEach(Holdfast::close);
    server.close();
  }
}
