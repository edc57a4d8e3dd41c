// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.FencingToken;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables behind a trigger that are parts of others, and that two resources want. */
@Tag("postgresql")
class PartitionsTest {
  private static final String RESOURCE = "the baker's entries";

  private final DataSource database = Databases.postgres();

  @BeforeEach
  void create() throws SQLException {
    Accounts.run(database, "DROP TABLE IF EXISTS entry, note CASCADE");
    Accounts.run(database, "DROP SCHEMA IF EXISTS holdfast CASCADE");
    Accounts.run(
        database,
        """
        CREATE TABLE entry (year int, account bigint) PARTITION BY LIST (year);
        CREATE TABLE entry_1 PARTITION OF entry FOR VALUES IN (1);
        CREATE TABLE entry_2 PARTITION OF entry FOR VALUES IN (2) PARTITION BY LIST (account);
        CREATE TABLE entry_2_rest PARTITION OF entry_2 DEFAULT;
        INSERT INTO entry VALUES (1, 1), (2, 1);
        CREATE TABLE note (id int);
        CREATE TABLE long_note () INHERITS (note);
        INSERT INTO long_note VALUES (1);
        """);
    guard();
    Accounts.run(
        database,
        "CREATE TABLE entry_3 PARTITION OF entry DEFAULT; CREATE TABLE entry_4 (LIKE entry)");
    Accounts.run(database, "INSERT INTO entry_4 VALUES (4, 1)");
    Accounts.run(database, "ALTER TABLE entry ATTACH PARTITION entry_4 FOR VALUES IN (4)");
  }

  private void guard() throws SQLException {
    Accounts.run(database, FencingGuard.triggerDdl(RESOURCE, "entry", "note"));
  }

  private void assertRefused(String statement) {
    assertThatThrownBy(() -> Accounts.run(database, statement))
        .as(statement)
        .isInstanceOfSatisfying(
            SQLException.class, failed -> assertThat(failed.getSQLState()).isEqualTo("HF001"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"entry", "entry_1", "entry_2", "entry_2_rest", "note", "long_note"})
  void no_table_of_a_tree_is_written_by_its_own_name_without_a_token(String table) {
    assertRefused("INSERT INTO %s VALUES (%s)".formatted(table, row(table)));
    assertRefused("DELETE FROM " + table);
    assertRefused("TRUNCATE " + table);
  }

  private static String row(String table) {
    return table.endsWith("note") ? "2" : table.equals("entry_1") ? "1, 2" : "2, 2";
  }

  @Test
  void a_partition_that_was_made_or_attached_later_is_guarded_too() throws SQLException {
    assertRefused("INSERT INTO entry_3 VALUES (3, 1)");
    assertRefused("INSERT INTO entry_4 VALUES (4, 2)");
    assertRefused("UPDATE entry_4 SET account = 2");
    assertRefused("DELETE FROM entry_4");
    guard();
    assertRefused("TRUNCATE entry_4");
  }

  @Test
  void a_holder_writes_to_each_of_them() throws SQLException {
    FencingGuard.trigger(RESOURCE)
        .in(database)
        .with(new FencingToken(8))
        .call(
            connection -> {
              try (var statement = connection.createStatement()) {
                statement.execute("INSERT INTO entry_3 VALUES (3, 1)");
                statement.execute("UPDATE entry SET account = NULL, year = NULL WHERE year = 3");
                statement.execute("UPDATE entry_4 SET account = 7");
                statement.execute("DELETE FROM entry_1");
                statement.execute("TRUNCATE entry_2");
                return statement.execute("TRUNCATE long_note");
              }
            });
    assertThat(count("year IS NULL AND account IS NULL")).isEqualTo(1);
    assertThat(count("account = 7")).isEqualTo(1);
    assertThat(count("true")).isEqualTo(2);
  }

  private long count(String condition) throws SQLException {
    try (var connection = database.getConnection();
        var statement = connection.createStatement();
        var row = statement.executeQuery("SELECT count(*) FROM entry WHERE " + condition)) {
      row.next();
      return row.getLong(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"entry", "entry_1", "entry_4", "note"})
  void a_second_resource_does_not_replace_the_first(String table) throws SQLException {
    assertThatThrownBy(
            () -> Accounts.run(database, FencingGuard.triggerDdl("another resource", table)))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("is behind the guard of \"" + RESOURCE + "\"")
        .hasMessageContaining("holdfast.unguard_table");
    assertRefused("DELETE FROM " + table);
  }

  @Test
  void a_table_that_was_taken_out_can_be_put_behind_another_resource() throws SQLException {
    for (String table : new String[] {"entry", "note"}) {
      Accounts.run(database, "SELECT holdfast.unguard_table('%s')".formatted(table));
      Accounts.run(database, "TRUNCATE " + table);
      Accounts.run(database, FencingGuard.triggerDdl("another resource", table));
      assertRefused("TRUNCATE " + table);
    }
  }
}
