// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.spi.Address;
import io.holdfast.spi.Finding;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an address says of TLS. The driver's own default is to encrypt if the server offers it, and
 * to go on in the clear if it does not, whatever certificates it was given. An address that names
 * one wants it to be used: so that is required.
 */
final class Encryption {
  /** Handed to the driver. */
  static final Set<String> PARAMETERS =
      Set.of("sslmode", "sslrootcert", "sslcert", "sslkey", "sslpassword", "channelBinding");

  private static final Set<String> MODES =
      Set.of("disable", "allow", "prefer", "require", "verify-ca", "verify-full");
  private static final Set<String> BINDINGS = Set.of("disable", "prefer", "require");
  private static final Set<String> ACCEPT_PLAINTEXT = Set.of("disable", "allow", "prefer");
  private static final String DEFAULT_MODE = "prefer";
  private static final String SUBJECT = "encryption";

  private static final String LOOK =
      """
      SELECT coalesce((SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl), ''),
             inet_server_addr() IS NULL OR inet_server_addr() = inet_client_addr()
      """;

  private Encryption() {}

  static void addTo(Properties properties, Address address) {
    for (String name : PARAMETERS) {
      address.parameter(name).ifPresent(value -> properties.setProperty(name, value));
    }
    requireOneOf("sslmode", properties.getProperty("sslmode"), MODES);
    requireOneOf("channelBinding", properties.getProperty("channelBinding"), BINDINGS);
    String wanted = wanted(properties);
    String mode = properties.getProperty("sslmode");
    if (wanted != null && mode == null) {
      properties.setProperty("sslmode", wanted);
    } else if (wanted != null && ACCEPT_PLAINTEXT.contains(mode)) {
      throw new IllegalArgumentException(
          "sslmode=%s accepts a connection without TLS, and the address names what only TLS has: say sslmode=%s"
              .formatted(mode, wanted));
    }
  }

  /** The weakest mode that keeps what the address asks for; null if it asks for nothing. */
  private static @Nullable String wanted(Properties properties) {
    if (properties.containsKey("sslrootcert")) {
      return "verify-full";
    }
    boolean isClient =
        properties.containsKey("sslcert")
            || properties.containsKey("sslkey")
            || properties.containsKey("sslpassword");
    return isClient || "require".equals(properties.getProperty("channelBinding"))
        ? "require"
        : null;
  }

  private static void requireOneOf(String name, @Nullable String value, Set<String> known) {
    if (value != null && !known.contains(value)) {
      throw new IllegalArgumentException(
          "'" + name + "' is one of " + String.join(", ", known.stream().sorted().toList()));
    }
  }

  /**
   * What an operator should know.
   *
   * @param mode what the address says; null for a data source, which has its own settings
   */
  static Finding finding(Connection connection, @Nullable String mode) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(LOOK)) {
      row.next();
      return finding(row.getString(1), row.getBoolean(2), mode);
    }
  }

  static Finding finding(String version, boolean isLocal, @Nullable String mode) {
    String said = mode == null ? "" : ", sslmode=" + mode;
    if (isLocal) {
      return Finding.good(SUBJECT, (version.isEmpty() ? "none, on this machine" : version) + said);
    }
    if (version.isEmpty()) {
      return Finding.caution(
          SUBJECT,
          "none" + said,
          "passwords, names and tokens can be read and changed on the way:"
              + " set sslmode=verify-full and sslrootcert");
    }
    return mode == null || !ACCEPT_PLAINTEXT.contains(mode)
        ? Finding.good(SUBJECT, version + said)
        : Finding.caution(
            SUBJECT,
            version + said,
            "a server that offers no TLS would be accepted in its place: set sslmode=verify-full and"
                + " sslrootcert");
  }

  /** What holds if the address says nothing. */
  static String mode(Properties properties) {
    return properties.getProperty("sslmode", DEFAULT_MODE);
  }
}
