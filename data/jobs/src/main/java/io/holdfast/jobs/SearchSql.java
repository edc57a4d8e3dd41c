// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists jobs: one statement over what is to be done and what was, so that none is missed. */
final class SearchSql {
  private static final String COLUMNS =
      "id, queue, state, rank, attempt, max_attempts, enqueued_at, %s AS run_at, %s AS finished_at,"
          + " unique_key, group_key, due_at, error, payload::text AS payload";

  private final String schema;
  private final JobFilter filter;
  private final List<Object> values = new ArrayList<>();

  private SearchSql(String schema, JobFilter filter) {
    this.schema = schema;
    this.filter = filter;
  }

  static List<JobInfo> list(Connection connection, String schema, JobFilter filter)
      throws SQLException {
    return new SearchSql(schema, filter).list(connection);
  }

  private List<JobInfo> list(Connection connection) throws SQLException {
    String both =
        "(%s) UNION ALL (%s) ORDER BY id LIMIT ?"
            .formatted(
                some("job", COLUMNS.formatted("run_at", "NULL::timestamptz")),
                some("finished", COLUMNS.formatted("NULL::timestamptz", "finished_at")));
    values.add(filter.limit());
    try (PreparedStatement statement = connection.prepareStatement(both)) {
      for (int i = 0; i < values.size(); i++) {
        statement.setObject(i + 1, values.get(i));
      }
      List<JobInfo> jobs = new ArrayList<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          jobs.add(job(row));
        }
      }
      return jobs;
    } catch (SQLException failed) {
      throw JobsSql.withoutPayload(failed, 1);
    }
  }

  private String some(String table, String columns) {
    StringBuilder sql = new StringBuilder("SELECT " + columns);
    sql.append(" FROM ").append(schema).append('.').append(table);
    sql.append(" WHERE id > ?");
    values.add(filter.after());
    JobState state = filter.state();
    if (state == JobState.WAITING) {
      sql.append(" AND state IN (6, 7)");
    } else {
      and(sql, "state = ?", state == null ? null : state.number());
    }
    and(sql, "queue = ?", filter.queue());
    and(sql, "unique_key = ?", filter.uniqueKey());
    and(sql, "group_key = ?", filter.group());
    and(sql, "payload @> ?::jsonb", filter.payload());
    values.add(filter.limit());
    return sql.append(" ORDER BY id LIMIT ?").toString();
  }

  private void and(StringBuilder sql, String condition, @Nullable Object value) {
    if (value != null) {
      sql.append(" AND ").append(condition);
      values.add(value);
    }
  }

  private static JobInfo job(ResultSet row) throws SQLException {
    Instant enqueued = instant(row, "enqueued_at");
    if (enqueued == null) {
      throw new IllegalStateException("a job without the time at which it was enqueued");
    }
    return new JobInfo(
        row.getLong("id"),
        row.getString("queue"),
        JobState.of(row.getInt("state")),
        -row.getInt("rank"),
        row.getInt("attempt"),
        row.getInt("max_attempts"),
        enqueued,
        instant(row, "run_at"),
        instant(row, "finished_at"),
        row.getString("unique_key"),
        row.getString("group_key"),
        instant(row, "due_at"),
        row.getString("error"),
        row.getString("payload"));
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }
}
