// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A MariaDB server of one's own, without a password, in a directory that is deleted with it. */
final class MariaDbServer implements AutoCloseable {
  private final Path directory;
  private final Process process;
  private final int port = Ports.free();

  private MariaDbServer() throws IOException, InterruptedException {
    directory = Files.createTempDirectory("holdfast-mariadb");
    Path log = directory.resolve("log");
    String data = directory.resolve("data").toString();
    String me = System.getProperty("user.name");
    Process made =
        new ProcessBuilder(
                "mariadb-install-db",
                "--no-defaults",
                "--datadir=" + data,
                "--user=" + me,
                "--auth-root-authentication-method=normal",
                "--skip-test-db")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    if (!made.waitFor(2, TimeUnit.MINUTES) || made.exitValue() != 0) {
      throw new IllegalStateException("no MariaDB database was made: " + Files.readString(log));
    }
    process =
        new ProcessBuilder(
                "mariadbd",
                "--no-defaults",
                "--datadir=" + data,
                "--user=" + me,
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--socket=" + directory.resolve("socket"))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
  }

  static MariaDbServer start() {
    try {
      MariaDbServer server = new MariaDbServer();
      try {
        Eventually.until("MariaDB answers", server::isAnswering);
      } catch (Throwable silent) {
        server.close();
        throw silent;
      }
      return server;
    } catch (IOException failed) {
      throw new UncheckedIOException(
          "no MariaDB: put mariadbd and mariadb-install-db on the PATH", failed);
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  private boolean isAnswering() {
    try (Connection connection = DriverManager.getConnection(jdbcUrl())) {
      return connection.isValid(5);
    } catch (SQLException notYet) {
      return false;
    }
  }

  String jdbcUrl() {
    return "jdbc:mariadb://127.0.0.1:" + port + "/mysql?user=root&sslMode=disable";
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try (Stream<Path> files = Files.walk(directory)) {
      process.waitFor(30, TimeUnit.SECONDS);
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException left) {
      throw new UncheckedIOException(left);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
