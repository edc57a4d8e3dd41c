// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.contenders;

import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's advisory locks by hand: prepared statements, a connection for each thread.
 *
 * @param schema what is made beforehand
 * @param take the statement that takes the lock with this key; says whether it did
 * @param give the statement that gives it back; says whether it did
 */
public record JdbcContender(String name, String schema, String take, String give)
    implements Contender {

  /** The lock, and nothing else. */
  public static JdbcContender bare() {
    return new JdbcContender(
        "JDBC by hand", "", "SELECT pg_try_advisory_lock(?)", "SELECT pg_advisory_unlock(?)");
  }

  /** With what a fencing token and the question who holds the lock need, and no more. */
  public static JdbcContender recording() {
    return new JdbcContender(
        "JDBC by hand, with a token and a row",
        """
        CREATE SEQUENCE by_hand_token;
        CREATE UNLOGGED TABLE by_hand (
          key bigint PRIMARY KEY, token bigint, pid integer, application text, since timestamptz)
        """,
        """
        WITH tried AS MATERIALIZED (
          SELECT key, CASE WHEN pg_try_advisory_lock(key) THEN nextval('by_hand_token') END AS token
          FROM (SELECT ?::bigint AS key) AS asked),
        written AS (
          INSERT INTO by_hand
          SELECT key, token, pg_backend_pid(), 'benchmark', clock_timestamp()
          FROM tried WHERE token IS NOT NULL)
        SELECT token IS NOT NULL FROM tried
        """,
        """
        WITH gone AS (DELETE FROM by_hand WHERE key = ? RETURNING key)
        SELECT pg_advisory_unlock(key) FROM gone
        """);
  }

  @Override
  public Client connect(String hostAndPort) throws SQLException {
    String url = "jdbc:postgresql://" + hostAndPort + "/postgres?user=postgres";
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(schema);
    }
    return new AdvisoryRecipe(this, url);
  }

  /** A connection with its statements. */
  private record Session(Connection connection, PreparedStatement take, PreparedStatement give)
      implements AutoCloseable {

    static Session open(JdbcContender recipe, String url) throws SQLException {
      Connection connection = DriverManager.getConnection(url);
      return new Session(
          connection,
          connection.prepareStatement(recipe.take),
          connection.prepareStatement(recipe.give));
    }

    boolean ask(PreparedStatement statement, long key) throws SQLException {
      statement.setLong(1, key);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() && rows.getBoolean(1);
      }
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }

  private static final class AdvisoryRecipe implements Client {
    private final JdbcContender recipe;
    private final String url;
    private final Queue<Session> idle = new ConcurrentLinkedQueue<>();

    AdvisoryRecipe(JdbcContender recipe, String url) {
      this.recipe = recipe;
      this.url = url;
    }

    @Override
    public @Nullable Taken take(String name, Duration wait) throws SQLException {
      Session known = idle.poll();
      Session session = known == null ? Session.open(recipe, url) : known;
      long key = name.hashCode();
      if (!session.ask(session.take(), key)) {
        idle.add(session);
        return null;
      }
      return () -> {
        session.ask(session.give(), key);
        idle.add(session);
      };
    }

    @Override
    public void close() {
      for (Session session = idle.poll(); session != null; session = idle.poll()) {
        try {
          session.close();
        } catch (SQLException broken) {
          throw new IllegalStateException(broken);
        }
      }
    }
  }
}
