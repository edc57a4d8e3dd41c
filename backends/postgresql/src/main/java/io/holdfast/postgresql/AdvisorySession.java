// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.spi.BackendContext;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session whose locks ours are. It takes one lock that nobody else knows, its presence: rows
 * that carry this number count while somebody has that lock, which is as long as the session lives.
 *
 * <p>The server ends it when it hears nothing for the session time: a process that is stopped keeps
 * its connection open for ever. When it is lost, all that it held is lost, at once: first we say
 * so, then we connect again, and end the old session if the server still has it.
 */
final class AdvisorySession implements Line.Ends {
  private static final Logger LOG = LoggerFactory.getLogger(AdvisorySession.class);

  /** Advisory locks of this database, by the number that was asked for. */
  static final String LOCKS =
      """
      (SELECT (classid::bigint << 32) | objid::bigint AS key, pid, mode FROM pg_locks
       WHERE locktype = 'advisory' AND objsubid = 1 AND granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))""";

  /** Core gives up on a store after five seconds. */
  private static final Duration LONGEST_SILENCE = Duration.ofSeconds(4);

  /** The upper half of the number of every presence lock, by which they are told from others. */
  static final int PRESENCE = 1212630083;

  private static final String BEGIN = "SELECT holdfast.advisory_begin()";
  private static final String SWEEP =
      "DELETE FROM holdfast.advisory WHERE session NOT IN (SELECT key FROM " + LOCKS + " AS locks)";
  private static final String TERMINATE =
      "SELECT pg_terminate_backend(pid) FROM " + LOCKS + " AS locks WHERE key = ?";

  /**
   * Plans are made once, and with the indexes: the table has few rows, which is what a planner
   * sees, but at a high rate many more that are dead. Names mean the server's own, whatever another
   * role puts into a schema of this one's path.
   */
  private static final Map<String, String> SETTINGS =
      Map.of(
          "search_path", "pg_catalog, pg_temp",
          "plan_cache_mode", "force_generic_plan",
          "enable_seqscan", "off",
          "enable_hashjoin", "off",
          "enable_mergejoin", "off",
          "jit", "off");

  private final PostgresSettings settings;
  private final Connections connections;
  private final BackendContext context;
  private final SecureRandom random = new SecureRandom();
  private final Loss loss;
  private volatile long spokenNanos;
  private volatile boolean begun;
  private long presence;
  private int pid;
  private @Nullable Duration ownTimeout;

  /** Who is told that the session is gone. */
  interface Loss {
    void lost();
  }

  AdvisorySession(
      PostgresSettings settings, Connections connections, BackendContext context, Loss loss) {
    this.settings = settings;
    this.connections = connections;
    this.context = context;
    this.loss = loss;
  }

  /** The number of the presence lock. */
  long presence() {
    return presence;
  }

  /** Whether there was ever a connection. */
  boolean hasBegun() {
    return begun;
  }

  int pid() {
    return pid;
  }

  /** When the server last answered, in this process's monotonic time. */
  long spokenNanos() {
    return spokenNanos;
  }

  void spoke() {
    spokenNanos = context.now().monotonicNanos();
  }

  @Override
  public Connection open() throws SQLException {
    ownTimeout = null;
    Connection connection = connections.open(silence());
    boolean isFit = false;
    try {
      requireSession(connection);
      Schema.require(connection, settings);
      begin(connection);
      isFit = true;
      return connection;
    } finally {
      if (!isFit) {
        Connections.abandon(connection);
      }
    }
  }

  /** How long to wait for the server's word. To give up too early costs every lease. */
  private Duration silence() {
    Duration third = settings.session().dividedBy(3);
    Duration longest = third.compareTo(LONGEST_SILENCE) < 0 ? third : LONGEST_SILENCE;
    return longest.compareTo(settings.timeout()) < 0 ? settings.timeout() : longest;
  }

  private void requireSession(Connection connection) throws SQLException {
    pid = Pooler.pid(connection);
    if (Connections.toldPid(connection) != pid) {
      try (Connection second = connections.open(settings.timeout())) {
        Pooler.requireSession(connection, second);
      }
    }
  }

  private void begin(Connection connection) throws SQLException {
    long old = presence;
    long timeout = settings.timeout().toMillis();
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET idle_session_timeout = " + settings.session().toMillis());
      // Shorter than the line's own, so that the server says what became of a statement.
      statement.execute("SET statement_timeout = " + Math.max(1, timeout * 3 / 4));
      ownTimeout = settings.timeout();
      for (Map.Entry<String, String> setting : SETTINGS.entrySet()) {
        statement.execute("SET " + setting.getKey() + " = " + setting.getValue());
      }
      statement.execute(settings.sql(BEGIN));
      presence = newPresence(statement);
      statement.execute(settings.sql(SWEEP));
    }
    spoke();
    begun = true;
    if (old != 0) {
      terminate(connection, old);
    }
  }

  private long newPresence(Statement statement) throws SQLException {
    while (true) {
      long number = ((long) PRESENCE << 32) | Integer.toUnsignedLong(random.nextInt());
      try (ResultSet row = statement.executeQuery("SELECT pg_try_advisory_lock(" + number + ")")) {
        if (row.next() && row.getBoolean(1)) {
          return number;
        }
      }
    }
  }

  private void terminate(Connection connection, long old) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(TERMINATE)) {
      statement.setLong(1, old);
      try (ResultSet ended = statement.executeQuery()) {
        if (ended.next()) {
          LOG.debug("the session that was lost is ended");
        }
      }
    }
  }

  /** For a pool: a connection that knows nothing of us. */
  @Override
  public void giveBack(Connection connection) throws SQLException {
    if (connections.arePooled()) {
      try (Statement statement = connection.createStatement()) {
        statement.execute("SELECT pg_advisory_unlock_all()");
        statement.execute("RESET idle_session_timeout; RESET statement_timeout");
        for (String setting : SETTINGS.keySet()) {
          statement.execute("RESET " + setting);
        }
      }
    }
    connection.close();
  }

  @Override
  public void broken(@Nullable Connection connection) {
    loss.lost();
    Connections.abandon(connection);
  }

  @Override
  public boolean isShared() {
    return false;
  }

  @Override
  public @Nullable Duration ownTimeout() {
    return ownTimeout;
  }
}
