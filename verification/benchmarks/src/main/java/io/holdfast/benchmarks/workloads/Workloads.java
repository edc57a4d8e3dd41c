// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.harness.Workload;
import io.holdfast.benchmarks.jobs.ClaimAndComplete;
import java.util.List;

/** All workloads, in the order of the table of figures. */
public final class Workloads {
  private Workloads() {}

  /** All of them. */
  public static List<Workload> all() {
    return List.of(
        Uncontended.of(64),
        UncontendedAsync.of(256),
        Uncontended.of(1),
        HotKey.of(64),
        Processes.all(),
        new Held(),
        Drain.inOneClient(1000),
        Drain.inClients(50),
        new Acknowledged(),
        new Quorum(),
        new ClaimAndComplete(),
        Postgres.quiet(),
        Postgres.busy(),
        new Ceiling(),
        new Footprint(),
        ScalingLocks.all(),
        ScalingWaiters.all(),
        ScalingHeld.all(),
        ScalingClients.all());
  }
}
