// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

/** Something to measure, on servers of its own. */
public interface Workload {

  /** By which it is chosen: {@code A-64-threads}. */
  String id();

  /** What it is, in a line. */
  String title();

  /** Measures it. */
  Outcome run(Plan plan) throws Exception;
}
