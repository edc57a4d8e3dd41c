// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The calls of the functions in schema.sql that begin and end claims: one statement each. */
record ClaimsSql(JobsSql sql) {
  /** Who claims from where, how many, and how many of them begin at once. */
  record Claim(
      Registration life, String queue, int room, int begins, boolean makesReady, Place behind) {}

  /** What a claim gave: the jobs, the first first, and the place of the last of them. */
  record Claimed(List<ClaimedJob> jobs, Place last) {}

  Claimed claim(Connection connection, Claim claim) throws SQLException {
    try (PreparedStatement statement =
        sql.prepare(connection, "claim(?, ?, ?, ?, ?, ?, ?::smallint, ?::timestamptz, ?)")) {
      statement.setLong(1, claim.life.id());
      statement.setInt(2, claim.life.epoch());
      statement.setString(3, claim.queue);
      statement.setInt(4, claim.room);
      statement.setInt(5, claim.begins);
      statement.setBoolean(6, claim.makesReady);
      statement.setInt(7, claim.behind.rank());
      statement.setString(8, claim.behind.runAt());
      statement.setLong(9, claim.behind.id());
      try (ResultSet rows = statement.executeQuery()) {
        return claimed(rows, claim);
      }
    }
  }

  private static Claimed claimed(ResultSet rows, Claim claim) throws SQLException {
    List<ClaimedJob> jobs = new ArrayList<>(claim.room);
    Place last = claim.behind;
    while (rows.next()) {
      long id = rows.getLong(1);
      jobs.add(
          new ClaimedJob(
              id,
              rows.getLong(2),
              rows.getInt(3),
              rows.getInt(4),
              rows.getString(7),
              rows.getString(8),
              rows.getBoolean(9),
              due(rows)));
      if (jobs.size() == claim.room) {
        last = new Place(rows.getInt(5), rows.getString(6), id);
      }
    }
    return new Claimed(jobs, last);
  }

  private static @Nullable Instant due(ResultSet row) throws SQLException {
    OffsetDateTime due = row.getObject(10, OffsetDateTime.class);
    return due == null ? null : due.toInstant();
  }

  /** The tokens of those whose claim it still was. */
  Set<Long> complete(Connection connection, List<Ending> endings, boolean keeps)
      throws SQLException {
    try (PreparedStatement statement = sql.prepare(connection, "complete(?, ?, ?)")) {
      setClaims(connection, statement, endings);
      statement.setBoolean(3, keeps);
      return JobsSql.numbers(statement);
    }
  }

  Set<Long> retry(Connection connection, List<Ending> endings) throws SQLException {
    try (PreparedStatement statement = sql.prepare(connection, "retry(?, ?, ?, ?)")) {
      setClaims(connection, statement, endings);
      statement.setArray(3, rests(connection, endings));
      statement.setArray(4, SqlArrays.texts(connection, endings.stream().map(Ending::errorText)));
      return JobsSql.numbers(statement);
    }
  }

  Set<Long> snooze(Connection connection, List<Ending> endings) throws SQLException {
    try (PreparedStatement statement = sql.prepare(connection, "snooze(?, ?, ?)")) {
      setClaims(connection, statement, endings);
      statement.setArray(3, rests(connection, endings));
      return JobsSql.numbers(statement);
    }
  }

  private static Array rests(Connection connection, List<Ending> endings) throws SQLException {
    return SqlArrays.longs(connection, endings.stream().map(e -> SqlArrays.micros(e.rest())));
  }

  Set<Long> bury(Connection connection, List<Ending> endings) throws SQLException {
    try (PreparedStatement statement = sql.prepare(connection, "bury(?, ?, ?)")) {
      setClaims(connection, statement, endings);
      statement.setArray(3, SqlArrays.texts(connection, endings.stream().map(Ending::errorText)));
      return JobsSql.numbers(statement);
    }
  }

  Set<Long> release(Connection connection, List<Ending> endings) throws SQLException {
    try (PreparedStatement statement = sql.prepare(connection, "release(?, ?)")) {
      setClaims(connection, statement, endings);
      return JobsSql.numbers(statement);
    }
  }

  /** Whether the claim has ended now; false if its row is locked, empty if the claim is gone. */
  Optional<Boolean> timeOut(Connection connection, Ending ending) throws SQLException {
    try (PreparedStatement statement = sql.prepare(connection, "time_out(?, ?, ?, ?, ?)")) {
      statement.setLong(1, ending.run().id());
      statement.setLong(2, ending.run().token().value());
      statement.setLong(3, SqlArrays.micros(ending.rest()));
      statement.setString(4, ending.errorText());
      statement.setBoolean(5, ending.result() == JobListener.Result.BURIED);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        boolean ended = row.getBoolean(1);
        return row.wasNull() ? Optional.empty() : Optional.of(ended);
      }
    }
  }

  private static void setClaims(
      Connection connection, PreparedStatement statement, List<Ending> endings)
      throws SQLException {
    statement.setArray(1, SqlArrays.longs(connection, endings.stream().map(e -> e.run().id())));
    statement.setArray(
        2, SqlArrays.longs(connection, endings.stream().map(e -> e.run().token().value())));
  }

  /** Says that what was prefetched begins, up to this token; false if the worker's time is over. */
  boolean begin(Connection connection, long worker, long token) throws SQLException {
    try (PreparedStatement statement = sql.prepare(connection, "begin(?, ?)")) {
      statement.setLong(1, worker);
      statement.setLong(2, token);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    }
  }

  /** The transaction that completes it if it is committed; empty if the claim is gone. */
  Optional<String> completeWithin(Connection connection, Run run, boolean keeps)
      throws SQLException {
    try (PreparedStatement statement = sql.prepare(connection, "complete_within(?, ?, ?)")) {
      statement.setLong(1, run.id());
      statement.setLong(2, run.token().value());
      statement.setBoolean(3, keeps);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return Optional.ofNullable(row.getString(1));
      }
    }
  }

  /** Which of these transactions were committed. */
  Set<String> committed(Connection connection, Collection<String> transactions)
      throws SQLException {
    Set<String> committed = new HashSet<>();
    try (PreparedStatement statement = sql.prepare(connection, "committed(?)")) {
      statement.setArray(1, SqlArrays.texts(connection, transactions.stream()));
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          committed.add(rows.getString(1));
        }
      }
    }
    return committed;
  }

  /** How many jobs of these groups have become ready, because others have ended. */
  int advance(Connection connection, String queue, List<String> groups) throws SQLException {
    try (PreparedStatement statement = sql.prepare(connection, "advance(?, ?)")) {
      statement.setString(1, queue);
      statement.setArray(2, SqlArrays.texts(connection, groups.stream()));
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getInt(1);
      }
    }
  }
}
