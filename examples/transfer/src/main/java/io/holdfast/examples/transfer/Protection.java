// SPDX-License-Identifier: Apache-2.0
package io.holdfast.examples.transfer;

import io.holdfast.jdbc.FencingGuard;
import java.time.Duration;
import java.util.Optional;

/** What stands between a teller that was paused and the accounts. */
public enum Protection {
  /** The lock alone. */
  NONE,
  /** The token in a column of account 1. */
  COLUMN,
  /** The token in a table of its own. */
  TABLE,
  /** The same, and no write without a token. */
  TRIGGER;

  private static final String RESOURCE = "accounts";

  /** The guard, unless there is none; it ends a transaction that is idle for so long. */
  public Optional<FencingGuard> guard(Duration idle) {
    FencingGuard guard =
        switch (this) {
          case NONE -> null;
          case COLUMN -> FencingGuard.column("account", "id", "fence", 1L);
          case TABLE -> FencingGuard.table(RESOURCE);
          case TRIGGER -> FencingGuard.trigger(RESOURCE);
        };
    return Optional.ofNullable(guard).map(each -> each.idleTimeout(idle));
  }

  /** What the database needs for it, besides the accounts. */
  public String ddl() {
    return switch (this) {
      case NONE, COLUMN -> "";
      case TABLE -> FencingGuard.table(RESOURCE).ddl();
      case TRIGGER -> FencingGuard.triggerDdl(RESOURCE, "account");
    };
  }
}
