// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.contenders;

import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** PostgreSQL's advisory locks by hand: prepared statements, a connection for each thread. */
public record JdbcContender() implements Contender {

  @Override
  public String name() {
    return "JDBC by hand";
  }

  @Override
  public Client connect(String hostAndPort) {
    return new AdvisoryRecipe("jdbc:postgresql://" + hostAndPort + "/postgres?user=postgres");
  }

  /** A connection with its statements. */
  private record Session(Connection connection, PreparedStatement take, PreparedStatement give)
      implements AutoCloseable {

    static Session open(String url) throws SQLException {
      Connection connection = DriverManager.getConnection(url);
      return new Session(
          connection,
          connection.prepareStatement("SELECT pg_try_advisory_lock(?)"),
          connection.prepareStatement("SELECT pg_advisory_unlock(?)"));
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
    private final String url;
    private final Queue<Session> idle = new ConcurrentLinkedQueue<>();

    AdvisoryRecipe(String url) {
      this.url = url;
    }

    @Override
    public @Nullable Taken take(String name, Duration wait) throws SQLException {
      Session known = idle.poll();
      Session session = known == null ? Session.open(url) : known;
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
