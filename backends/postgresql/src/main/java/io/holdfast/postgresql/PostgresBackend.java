// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.spi.Address;
import io.holdfast.spi.LockBackend;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Locks in PostgreSQL, in one of two modes: <em>lease</em>, rows of a table, which works behind any
 * pooler; and <em>advisory</em>, locks of a session, which are gone with it. For work whose data is
 * in the same database there is a stronger form, {@link TransactionLock}.
 */
public final class PostgresBackend {
  private PostgresBackend() {}

  /**
   * Settings for what an address says too, where a password is not to be part of one.
   *
   * @param address with hosts, database and parameters, as {@code Holdfast.connect} takes it
   */
  public static Builder builder(String address) {
    Address parsed = Address.parse(address);
    return new Builder(PostgresSettings.of(parsed), Connections.of(parsed));
  }

  /**
   * Locks in the database of a pool. Lease mode borrows a connection for each statement; advisory
   * mode, and the connection that listens, keep theirs: see that the pool has five to spare.
   */
  public static Builder builder(DataSource source) {
    return new Builder(PostgresSettings.DEFAULTS, Connections.of(source));
  }

  /**
   * The script that makes the schema {@code holdfast} or brings it up to date, for those who do
   * that by hand.
   */
  public static String schema() {
    return schema(PostgresSettings.DEFAULTS.schema());
  }

  /** The script that makes a schema of this name. */
  public static String schema(String name) {
    return Schema.script(PostgresSettings.DEFAULTS.withSchema(name).schema());
  }

  static LockBackend of(PostgresSettings settings, Connections connections) {
    return switch (settings.kind()) {
      case LEASE -> new LeaseBackend(settings, connections);
      case ADVISORY -> new AdvisoryBackend(settings, connections, LockKey::of);
    };
  }

  /** Settings; those not given here are those of the address, or the defaults. */
  public static final class Builder {
    private PostgresSettings settings;
    private Connections connections;

    private Builder(PostgresSettings settings, Connections connections) {
      this.settings = settings;
      this.connections = connections;
    }

    /** Who to be, and the password. Not with a pool, which has its own. */
    public Builder credentials(String user, String password) {
      if (connections.arePooled()) {
        throw new IllegalArgumentException("a data source has its own credentials");
      }
      connections = connections.withCredentials(user, password);
      return this;
    }

    /** Locks as rows of a table: the default. */
    public Builder lease() {
      settings = settings.with(PostgresSettings.Kind.LEASE);
      return this;
    }

    /** Locks of a session. */
    public Builder advisory() {
      settings = settings.with(PostgresSettings.Kind.ADVISORY);
      return this;
    }

    /** The PostgreSQL schema of Holdfast's tables: {@code holdfast} unless it is said otherwise. */
    public Builder schema(String schema) {
      settings = settings.withSchema(schema);
      return this;
    }

    /** How long a statement may take: two seconds unless it is said otherwise. */
    public Builder timeout(Duration timeout) {
      settings = settings.withTimeout(timeout);
      return this;
    }

    /**
     * In advisory mode: after which silence the server ends a session and frees its locks, and the
     * longest lease time. Thirty seconds unless it is said otherwise.
     */
    public Builder session(Duration session) {
      settings = settings.withSession(session);
      return this;
    }

    /** Whether to use LISTEN and NOTIFY: yes, unless it is said otherwise. */
    public Builder notifications(boolean notifies) {
      settings = settings.withNotifications(notifies);
      return this;
    }

    /** Whether to make or migrate the schema if need be: yes, unless it is said otherwise. */
    public Builder createSchema(boolean creates) {
      settings = settings.withCreation(creates);
      return this;
    }

    /** The backend; connects when it is started. */
    public LockBackend build() {
      return of(settings, connections);
    }

    /** No secret. */
    @Override
    public String toString() {
      return connections + " " + settings;
    }
  }
}
