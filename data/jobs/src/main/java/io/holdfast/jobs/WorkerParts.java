// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.sql.SQLException;

/** What all parts of a worker use. */
record WorkerParts(
    JobsSql sql,
    ClaimsSql claims,
    Database database,
    Events events,
    WorkerSettings settings,
    Hand hand,
    WorkerTime time,
    boolean keepsFinished) {

  String queue() {
    return settings.queue();
  }

  void trouble(String what, SQLException problem) {
    events.trouble(queue(), what, problem);
  }
}
