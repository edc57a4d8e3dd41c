// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.Guarantees;
import io.holdfast.Guarantees.Capability;
import io.holdfast.Guarantees.Exclusion;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/** What PostgreSQL promises, in each mode. */
final class PostgresGuarantees {
  private static final Duration SHORTEST = Duration.ofMillis(100);
  private static final String TOKEN_NEVER_GOES_BACK_IF =
      "no transaction that was committed is lost: synchronous_commit is on, and a fail-over goes to"
          + " a synchronous standby";

  private PostgresGuarantees() {}

  static Guarantees of(PostgresSettings settings) {
    return settings.kind() == PostgresSettings.Kind.LEASE ? lease(settings) : advisory(settings);
  }

  private static Guarantees lease(PostgresSettings settings) {
    return new Guarantees(
        "postgresql lease",
        Exclusion.LEASED,
        "no transaction that was committed is lost, and the server's clock is not set forward by"
            + " more than the drift that is taken off a lease",
        "a fail-over or a restored backup loses the grant, or the clock is set forward",
        TOKEN_NEVER_GOES_BACK_IF,
        "clients, connections, and a crash or restart of the server; its loss, if a synchronous"
            + " standby takes over",
        capabilities(settings),
        SHORTEST,
        Duration.ofDays(365));
  }

  private static Guarantees advisory(PostgresSettings settings) {
    Set<Capability> capabilities = capabilities(settings);
    capabilities.removeAll(
        EnumSet.of(Capability.ORDER, Capability.PERMITS, Capability.WAITERS_VISIBLE));
    return new Guarantees(
        "postgresql advisory",
        Exclusion.ADVISORY,
        "the session that holds the locks lives: the server goes on, and nobody ends the session",
        "the session is ended, or the server fails over, before the holder's next renewal tells it:"
            + " for up to a third of the lease time",
        TOKEN_NEVER_GOES_BACK_IF,
        "clients: a session that ends, or that is silent for the session time, frees its locks;"
            + " nothing of the server",
        capabilities,
        SHORTEST,
        settings.session());
  }

  private static Set<Capability> capabilities(PostgresSettings settings) {
    Set<Capability> capabilities = EnumSet.allOf(Capability.class);
    if (!settings.notifies()) {
      capabilities.remove(Capability.PROMPT_FORCE);
    }
    return capabilities;
  }
}
