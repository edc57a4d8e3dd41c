// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.jobs;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** The least that claims with SKIP LOCKED and deletes: no heartbeat, no rescue, no retry. */
final class HandWrittenQueue implements JobQueue {
  private static final int BATCH = 1000;
  private static final String CLAIM =
      """
      WITH chosen AS MATERIALIZED (
        SELECT id FROM by_hand WHERE state = 0 ORDER BY id LIMIT ? FOR NO KEY UPDATE SKIP LOCKED)
      UPDATE by_hand SET state = 1 FROM chosen WHERE by_hand.id = chosen.id
      RETURNING by_hand.id, by_hand.payload::text""";

  private final DataSource database;
  private volatile boolean stopped;

  HandWrittenQueue(DataSource database) throws SQLException {
    this.database = database;
    Sql.run(
        database,
        "CREATE TABLE by_hand (id bigserial PRIMARY KEY, state smallint NOT NULL DEFAULT 0,"
            + " payload jsonb NOT NULL)");
    Sql.run(database, "CREATE INDEX ON by_hand (id) WHERE state = 0");
  }

  @Override
  public String name() {
    return "SQL by hand";
  }

  @Override
  public String table() {
    return "by_hand";
  }

  @Override
  public void enqueue(int count, boolean batched) throws SQLException {
    int batch = batched ? BATCH : 1;
    try (Connection connection = database.getConnection();
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO by_hand (payload) SELECT p::jsonb FROM unnest(?::text[]) AS p")) {
      Object[] payloads = new Object[batch];
      Arrays.fill(payloads, "{\"n\": 1}");
      for (int i = 0; i < count; i += batch) {
        insert.setArray(1, connection.createArrayOf("text", payloads));
        insert.execute();
      }
    }
  }

  @Override
  public void fill(int count) throws SQLException {
    Sql.run(
        database,
        "INSERT INTO by_hand (payload) SELECT '{\"n\": 1}' FROM generate_series(1, " + count + ")");
  }

  @Override
  public AutoCloseable start(Runnable done, boolean batched) {
    stopped = false;
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < (batched ? 2 : 8); i++) {
      Thread thread = new Thread(() -> work(done, batched ? BATCH : 1));
      thread.start();
      threads.add(thread);
    }
    return () -> {
      stopped = true;
      for (Thread thread : threads) {
        thread.join();
      }
    };
  }

  private void work(Runnable done, int batch) {
    try (Connection connection = database.getConnection();
        PreparedStatement claim = connection.prepareStatement(CLAIM);
        PreparedStatement delete =
            connection.prepareStatement("DELETE FROM by_hand WHERE id = ANY (?)")) {
      while (!stopped) {
        List<Long> ids = claim(claim, batch);
        if (ids.isEmpty()) {
          TimeUnit.MILLISECONDS.sleep(5);
          continue;
        }
        ids.forEach(id -> done.run());
        Array array = connection.createArrayOf("bigint", ids.toArray());
        delete.setArray(1, array);
        delete.execute();
      }
    } catch (SQLException failed) {
      throw new IllegalStateException(failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static List<Long> claim(PreparedStatement claim, int batch) throws SQLException {
    List<Long> ids = new ArrayList<>(batch);
    claim.setInt(1, batch);
    try (ResultSet rows = claim.executeQuery()) {
      while (rows.next()) {
        ids.add(rows.getLong(1));
      }
    }
    return ids;
  }

  @Override
  public void close() {
    stopped = true;
  }
}
