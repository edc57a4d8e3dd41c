// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.spi.Address;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How locks are kept in a database. Where the database is, and its password, is a matter of {@link
 * Connections}.
 *
 * @param schema the PostgreSQL schema of Holdfast's tables
 * @param timeout how long a statement may take
 * @param session after which time without a word from a client the server ends its session, and
 *     with it its locks; also the longest lease time. In advisory mode only
 * @param notifies whether to listen, and whether to ask for messages
 * @param creates whether to make the schema if it is not there
 */
record PostgresSettings(
    Kind kind,
    String schema,
    Duration timeout,
    Duration session,
    boolean notifies,
    boolean creates) {
  private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s|m)");
  private static final Pattern SCHEMA = Pattern.compile("[a-z_][a-z0-9_]{0,39}");

  static final PostgresSettings DEFAULTS =
      new PostgresSettings(
          Kind.LEASE, "holdfast", Duration.ofSeconds(2), Duration.ofSeconds(30), true, true);

  /** The parameters of an address that are not the driver's. */
  static final Set<String> PARAMETERS =
      Set.of("mode", "schema", "timeout", "session", "notify", "create");

  /** How locks are kept. */
  enum Kind {
    /** As session locks of the server: gone with the connection. */
    ADVISORY,
    /** As rows with an end. */
    LEASE
  }

  PostgresSettings {
    if (!SCHEMA.matcher(schema).matches()) {
      throw new IllegalArgumentException(
          "a schema has 1 to 40 lower-case letters, digits and underscores, not '" + schema + "'");
    }
    requireBetween("timeout", timeout, Duration.ofMillis(50), Duration.ofSeconds(4));
    requireBetween("session", session, Duration.ofSeconds(1), Duration.ofHours(1));
  }

  private static void requireBetween(String what, Duration time, Duration least, Duration most) {
    if (time.compareTo(least) < 0 || time.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          "'" + what + "' is between " + least + " and " + most + ", not " + time);
    }
  }

  static PostgresSettings of(Address address) {
    return new PostgresSettings(
        address.parameter("mode").map(PostgresSettings::kind).orElse(DEFAULTS.kind),
        address.parameter("schema").orElse(DEFAULTS.schema),
        address.parameter("timeout").map(PostgresSettings::time).orElse(DEFAULTS.timeout),
        address.parameter("session").map(PostgresSettings::time).orElse(DEFAULTS.session),
        address.parameter("notify").map(PostgresSettings::truth).orElse(DEFAULTS.notifies),
        address.parameter("create").map(PostgresSettings::truth).orElse(DEFAULTS.creates));
  }

  PostgresSettings with(Kind kind) {
    return new PostgresSettings(kind, schema, timeout, session, notifies, creates);
  }

  PostgresSettings withSchema(String schema) {
    return new PostgresSettings(kind, schema, timeout, session, notifies, creates);
  }

  PostgresSettings withTimeout(Duration timeout) {
    return new PostgresSettings(kind, schema, timeout, session, notifies, creates);
  }

  PostgresSettings withSession(Duration session) {
    return new PostgresSettings(kind, schema, timeout, session, notifies, creates);
  }

  PostgresSettings withNotifications(boolean notifies) {
    return new PostgresSettings(kind, schema, timeout, session, notifies, creates);
  }

  PostgresSettings withCreation(boolean creates) {
    return new PostgresSettings(kind, schema, timeout, session, notifies, creates);
  }

  /** A statement that is written for the usual schema. */
  String sql(String statement) {
    return statement.replace("holdfast.", schema + ".");
  }

  private static Kind kind(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "advisory" -> Kind.ADVISORY;
      case "lease" -> Kind.LEASE;
      default ->
          throw new IllegalArgumentException("'mode' is advisory or lease, not '" + text + "'");
    };
  }

  private static boolean truth(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw new IllegalArgumentException(
              "'notify' and 'create' are true or false, not '" + text + "'");
    };
  }

  private static Duration time(String text) {
    Matcher matcher = TIME.matcher(text.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "a time is written as 500ms, 2s or 1m, not '" + text + "'");
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      default -> Duration.ofMinutes(number);
    };
  }
}
