// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Holds many leases of PostgreSQL's lease mode at once, for several lease times, and says how many
 * were lost and how long the longest statement took; then the same while a transaction that stays
 * open keeps one of the rows locked.
 */
public final class HeldRows {
  private static final String LOCKED = "lease/7";

  /**
   * What was seen.
   *
   * @param lost the names of the leases that were lost
   * @param statements how many statements of Holdfast the server executed
   * @param longestMillis how long the longest of them took there
   */
  record Findings(List<String> lost, long statements, double longestMillis) {}

  private HeldRows() {}

  public static void main(String[] arguments) throws Exception {
    int leaseTimes = arguments.length == 0 ? 5 : Integer.parseInt(arguments[0]);
    for (boolean locked : new boolean[] {false, true}) {
      print(locked, leaseTimes, measure(10_000, Duration.ofSeconds(30), leaseTimes, locked));
    }
  }

  private static void print(boolean locked, int leaseTimes, Findings found) {
    System.out.printf(
        Locale.ROOT,
        "10,000 leases of 30 s on PostgreSQL, held for %d s, %s:%n"
            + "  lost               %d %s%n  statements         %,d%n  the longest took   %.1f ms%n",
        leaseTimes * 30,
        locked ? "the row of " + LOCKED + " locked by an open transaction" : "no row locked",
        found.lost.size(),
        found.lost,
        found.statements,
        found.longestMillis);
  }

  static Findings measure(int count, Duration leaseTime, int leaseTimes, boolean locked)
      throws Exception {
    try (PostgresServer server =
            PostgresServer.start("shared_preload_libraries=pg_stat_statements");
        Connection other = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = other.createStatement();
        Holdfast holdfast =
            Holdfast.builder(
                    "postgresql://postgres@" + server.hostAndPort() + "/postgres?mode=lease")
                .leaseTime(leaseTime)
                .shutdownHook(false)
                .build()) {
      statement.execute("CREATE EXTENSION pg_stat_statements");
      List<Lease> leases = acquire(holdfast, count);
      if (locked) {
        other.setAutoCommit(false);
        statement.execute("SELECT FROM holdfast.lease WHERE name = '" + LOCKED + "' FOR UPDATE");
      }
      Thread.sleep(leaseTime.multipliedBy(leaseTimes).toMillis());
      List<String> lost =
          leases.stream().filter(lease -> !lease.isHeld()).map(Lease::name).toList();
      return findings(server, lost);
    }
  }

  private static List<Lease> acquire(Holdfast holdfast, int count) {
    List<CompletableFuture<Optional<Lease>>> asked = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      asked.add(holdfast.lock("lease/" + i).async().tryAcquire());
    }
    return asked.stream().map(each -> each.join().orElseThrow()).toList();
  }

  private static Findings findings(PostgresServer server, List<String> lost) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT sum(calls), max(max_exec_time) FROM pg_stat_statements"
                    + " WHERE query LIKE '%holdfast.lease_%'")) {
      row.next();
      return new Findings(lost, row.getLong(1), row.getDouble(2));
    }
  }
}
