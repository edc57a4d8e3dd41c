// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Parameters of the functions in schema.sql. */
final class SqlArrays {
  private SqlArrays() {}

  static long micros(Duration time) {
    return time.toNanos() / 1000;
  }

  static Array texts(Connection connection, Stream<? extends @Nullable String> values)
      throws SQLException {
    return connection.createArrayOf("text", values.toArray());
  }

  static Array longs(Connection connection, Stream<Long> values) throws SQLException {
    return connection.createArrayOf("bigint", values.toArray(Long[]::new));
  }

  static Array smalls(Connection connection, Stream<Integer> values) throws SQLException {
    return connection.createArrayOf(
        "smallint", values.map(Integer::shortValue).toArray(Short[]::new));
  }

  static Array times(Connection connection, Stream<? extends @Nullable Instant> times)
      throws SQLException {
    return connection.createArrayOf(
        "timestamptz",
        times
            .map(
                due ->
                    due == null ? null : OffsetDateTime.ofInstant(due, ZoneOffset.UTC).toString())
            .toArray());
  }
}
