// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The plans of lease mode, as the server really runs them inside its functions. */
@Tag("postgresql")
class LeasePlansTest {
  private static final int ROUNDS_BEFORE = 10; // More than the server plans anew.

  /** What the table is like when the session makes its plans. */
  enum Table {
    FRESH,
    SMALL_AND_ANALYZED,
    LARGE_AND_ANALYZED,
    BLOATED
  }

  private Database database;
  private Connection session;
  private Statement statement;

  @BeforeEach
  void start() throws SQLException {
    database = new Database("autovacuum=off");
    database.run(PostgresBackend.schema());
    session = database.connect();
    statement = session.createStatement();
  }

  @AfterEach
  void stop() throws SQLException {
    session.close();
    database.close();
  }

  private void fill(int from, int to) {
    database.run(
        """
        INSERT INTO holdfast.lease
        SELECT 'lock/' || i, 'p-' || i, 1, 1, 1, interval '1 hour', 0, i, 0, now(), now() + interval '1 hour',
               NULL, 'p', 'h', 1, 'a', NULL
        FROM generate_series(%d, %d) AS i
        """
            .formatted(from, to));
  }

  private void make(Table table) {
    switch (table) {
      case FRESH -> {}
      case SMALL_AND_ANALYZED -> fill(1, 20);
      case LARGE_AND_ANALYZED -> fill(1, 8000);
      case BLOATED -> {
        fill(1, 8000);
        database.run("DELETE FROM holdfast.lease WHERE token > 20");
      }
    }
    if (table != Table.FRESH) {
      database.run("ANALYZE holdfast.lease");
    }
  }

  /** All verbs once, and what the server tells meanwhile. */
  private List<String> acquireWaitRenewAndRelease() throws SQLException {
    List<String> told = new ArrayList<>();
    for (String sql :
        List.of(
            acquire("p-0", "0"),
            acquire("p-w", "1 minute"),
            "SELECT holdfast.lease_renew(ARRAY['n', 'gone'], ARRAY['p-0', 'p-9'], ARRAY[9000000, 9])",
            "SELECT holdfast.lease_release('n', 'p-0')",
            "SELECT holdfast.lease_release_or_busy('n', 'p-w')")) {
      statement.clearWarnings();
      statement.execute(sql);
      for (SQLWarning each = statement.getWarnings(); each != null; each = each.getNextWarning()) {
        told.add(each.getMessage());
      }
    }
    return told;
  }

  private static String acquire(String holder, String patience) {
    return ("SELECT holdfast.lease_acquire('n', '%s', 1, 1, interval '1 hour', interval '%s', 0,"
            + " now() + interval '1 hour', NULL, 'p', 'h', 1, 'a', NULL)")
        .formatted(holder, patience);
  }

  private List<String> plans() throws SQLException {
    statement.execute("LOAD 'auto_explain'");
    statement.execute("SET auto_explain.log_min_duration = 0");
    statement.execute("SET auto_explain.log_nested_statements = on");
    statement.execute("SET auto_explain.log_level = notice");
    return acquireWaitRenewAndRelease();
  }

  @ParameterizedTest
  @EnumSource(Table.class)
  void rows_are_found_by_indexes_whatever_the_table_was_like_when_the_plans_were_made(Table table)
      throws Exception {
    make(table);
    for (int round = 0; round < ROUNDS_BEFORE; round++) {
      acquireWaitRenewAndRelease();
    }
    fill(10_001, 18_000);
    List<String> plans = plans();
    assertThat(plans)
        .anySatisfy(plan -> assertThat(plan).contains("Index Scan using lease_pkey"))
        .anySatisfy(plan -> assertThat(plan).contains("Index Scan using lease_queue"))
        .anySatisfy(plan -> assertThat(plan).contains("Tid Scan on lease"))
        .allSatisfy(
            plan ->
                assertThat(plan)
                    .doesNotContain(
                        "Seq Scan on lease", "Bitmap", "Hash Join", "Merge Join", "JIT"));
  }
}
