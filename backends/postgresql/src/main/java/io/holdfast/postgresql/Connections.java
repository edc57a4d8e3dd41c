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

  /** Core gives up on a store after five. */
  private static final String SECONDS_TO_CONNECT = "4";

  /** Parameters of an address that are handed to the driver as they are. */
  private static final Set<String> DRIVER_PARAMETERS =
      Set.of("sslmode", "sslrootcert", "sslcert", "sslkey", "targetServerType");

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
    known.addAll(DRIVER_PARAMETERS);
    address.requireOnly(known);
    Properties properties = new Properties();
    address.user().ifPresent(user -> properties.setProperty("user", user));
    address.password().ifPresent(password -> properties.setProperty("password", password));
    for (String name : DRIVER_PARAMETERS) {
      address.parameter(name).ifPresent(value -> properties.setProperty(name, value));
    }
    properties.putIfAbsent("targetServerType", "primary");
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

  /** Whether a connection is to be given back after each use. */
  boolean arePooled() {
    return source != null;
  }

  /** A connection that commits each statement, and breaks if one takes longer than this. */
  Connection open(Duration timeout) throws SQLException {
    Connection connection = source == null ? connect() : borrow(source);
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

  private Connection connect() throws SQLException {
    Properties all = new Properties();
    all.putAll(properties);
    all.setProperty("connectTimeout", SECONDS_TO_CONNECT);
    all.setProperty("loginTimeout", SECONDS_TO_CONNECT);
    all.setProperty("socketTimeout", SECONDS_TO_CONNECT);
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
