// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads how the queues and their table are. */
final class HealthSql {
  private static final String DEPTHS =
      """
      SELECT queue, state, count(*),
             extract(epoch FROM statement_timestamp() - min(run_at) FILTER (WHERE state = 1)) * 1000
      FROM %1$s.job GROUP BY queue, state
      UNION ALL
      SELECT queue, state, count(*), NULL FROM %1$s.finished GROUP BY queue, state
      ORDER BY 1, 2""";

  private static final String TABLE =
      """
      SELECT (SELECT count(*) FROM %1$s.worker WHERE epoch >= 0 AND until > statement_timestamp()),
             coalesce(n_dead_tup, 0), coalesce(n_live_tup, 0), pg_total_relation_size(relid),
             (SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)) * 1000, 0)
              FROM pg_stat_activity WHERE pid <> pg_backend_pid()),
             (SELECT coalesce(max(age(xmin)), 0)
              FROM (SELECT backend_xmin AS xmin FROM pg_stat_activity WHERE pid <> pg_backend_pid()
                    UNION ALL SELECT xmin FROM pg_replication_slots
                    UNION ALL SELECT transaction FROM pg_prepared_xacts) AS snapshots)
      FROM pg_stat_user_tables WHERE schemaname = '%1$s' AND relname = 'job'""";

  private HealthSql() {}

  static JobsHealth read(Connection connection, String schema) throws SQLException {
    List<JobsHealth.Queue> queues = queues(connection, schema);
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(TABLE.formatted(schema))) {
      row.next();
      long dead = row.getLong(2);
      long all = Math.max(1, dead + row.getLong(3));
      return new JobsHealth(
          queues,
          row.getInt(1),
          (double) dead / all,
          dead,
          row.getLong(4),
          Duration.ofMillis(row.getLong(5)),
          row.getLong(6));
    }
  }

  private static List<JobsHealth.Queue> queues(Connection connection, String schema)
      throws SQLException {
    Map<String, Map<JobState, Long>> depths = new LinkedHashMap<>();
    Map<String, Duration> oldest = new LinkedHashMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(DEPTHS.formatted(schema))) {
      while (row.next()) {
        String queue = row.getString(1);
        depths
            .computeIfAbsent(queue, name -> new EnumMap<>(JobState.class))
            .merge(JobState.of(row.getInt(2)), row.getLong(3), Long::sum);
        long waited = row.getLong(4);
        if (!row.wasNull()) {
          oldest.put(queue, Duration.ofMillis(Math.max(0, waited)));
        }
      }
    }
    List<JobsHealth.Queue> queues = new ArrayList<>();
    depths.forEach(
        (name, depth) ->
            queues.add(new JobsHealth.Queue(name, depth, Optional.ofNullable(oldest.get(name)))));
    return queues;
  }
}
