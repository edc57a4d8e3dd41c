// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.spi.Address;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Properties;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where connections come from: a pool that the caller has, or an address. Prints no secret.
 *
 * <p>Settings that need a session of one's own are made by whoever has one: behind a transaction
 * pooler a connection is not a session.
 */
final class Connections {
  private static final Logger LOG = LoggerFactory.getLogger(Connections.class);
  private static final int DEFAULT_PORT = 5432;

  private final @Nullable DataSource source;
  private final String place;
  private final Properties properties;

  private Connections(@Nullable DataSource source, String place, Properties properties) {
    this.source = source;
    this.place = place;
    this.properties = properties;
  }

  /** Those of a pool. */
  static Connections of(DataSource source) {
    return new Connections(source, "a data source", new Properties());
  }

  static Connections of(Address address) {
    Set<String> known = new HashSet<>(PostgresSettings.PARAMETERS);
    known.addAll(Encryption.PARAMETERS);
    known.add("targetServerType");
    address.requireOnly(known);
    Properties properties = new Properties();
    address.user().ifPresent(user -> properties.setProperty("user", user));
    address.password().ifPresent(password -> properties.setProperty("password", password));
    Encryption.addTo(properties, address);
    properties.setProperty(
        "targetServerType", address.parameter("targetServerType").orElse("primary"));
    properties.setProperty("ApplicationName", "holdfast");
    properties.setProperty("tcpKeepAlive", "true");
    return new Connections(null, place(address), properties);
  }

  private static String place(Address address) {
    if (address.hosts().isEmpty() || !address.path().matches("/[^/]+")) {
      throw new IllegalArgumentException(
          "a database is named by host and path, as in 'postgresql://host:5432/database'");
    }
    StringBuilder hosts = new StringBuilder();
    for (String host : address.hosts().split(",", -1)) {
      if (!host.matches("(\\[[0-9A-Fa-f:.]+]|[^\\s:/?#\\[\\]]+)(:[1-9][0-9]{0,4})?")) {
        throw new IllegalArgumentException(
            "a host is written as name or name:port, several with commas between them");
      }
      boolean hasPort = host.matches(".*:[0-9]+$") && !host.endsWith("]");
      hosts.append(hosts.isEmpty() ? "" : ",").append(host);
      hosts.append(hasPort ? "" : ":" + DEFAULT_PORT);
    }
    return "//" + hosts + address.path();
  }

  Connections withCredentials(String user, String password) {
    Properties changed = new Properties();
    changed.putAll(properties);
    changed.setProperty("user", user);
    changed.setProperty("password", password);
    return new Connections(source, place, changed);
  }

  /** How TLS is used; null for a data source, which has its own settings. */
  @Nullable String sslMode() {
    return source == null ? Encryption.mode(properties) : null;
  }

  /** Whether a connection is to be given back after each use. */
  boolean arePooled() {
    return source != null;
  }

  /**
   * A connection that commits each statement.
   *
   * @param timeout how long it may take to make it; it breaks if a statement takes longer
   */
  Connection open(Duration timeout) throws SQLException {
    Connection connection = source == null ? connect(timeout) : borrow(source);
    try {
      connection.setAutoCommit(true);
      connection.setNetworkTimeout(Runnable::run, (int) timeout.toMillis());
      return connection;
    } catch (SQLException unfit) {
      connection.close();
      throw unfit;
    }
  }

  /** Fails with nothing but {@link SQLException}, whatever the data source is made of. */
  private static Connection borrow(DataSource source) throws SQLException {
    try {
      return source.getConnection();
    } catch (RuntimeException failed) {
      throw new SQLException("the data source gave no connection", failed);
    }
  }

  private Connection connect(Duration timeout) throws SQLException {
    Properties all = new Properties();
    all.putAll(properties);
    // The driver takes whole seconds for each of several servers, and fractions for all together.
    all.setProperty("connectTimeout", Long.toString(Math.max(1, timeout.toSeconds() / 2)));
    all.setProperty("socketTimeout", Long.toString(timeout.toSeconds() + 1));
    all.setProperty("loginTimeout", Double.toString(timeout.toMillis() / 1000.0));
    Connection connection = new Driver().connect("jdbc:postgresql:" + place, all);
    if (connection == null) {
      throw new SQLException("the driver does not know the address " + place);
    }
    return connection;
  }

  /** The process id that was told when the connection was made; a pooler tells another one. */
  static int toldPid(Connection connection) throws SQLException {
    return connection.unwrap(PGConnection.class).getBackendPID();
  }

  /** Gives up a connection, whatever state it is in, without waiting for the server. */
  static void abandon(@Nullable Connection connection) {
    if (connection == null) {
      return;
    }
    try {
      connection.abort(Runnable::run);
      connection.close();
    } catch (SQLException | RuntimeException broken) {
      // It is what we want. A pool that takes the connection back while another thread still reads
      // from it may also stumble over its own bookkeeping (HikariCP: a NullPointerException).
      LOG.debug("a connection was given up", broken);
    }
  }

  /** No secret. */
  @Override
  public String toString() {
    return source == null ? "postgresql:" + place : place;
  }
}
