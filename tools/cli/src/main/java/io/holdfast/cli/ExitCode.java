// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

/** How a command ended, for scripts. Those of {@code run} are also in {@code docs/cli.md}. */
final class ExitCode {
  static final int DONE = 0;

  /** The lock was not granted, as with {@code flock}; or the answer is no. */
  static final int NO = 1;

  /** Wrong usage. */
  static final int USAGE = 64;

  /** The store cannot be used. */
  static final int UNAVAILABLE = 69;

  /** A defect of Holdfast itself. */
  static final int DEFECT = 70;

  /** The lock was lost while the command ran. */
  static final int LOST = 75;

  private ExitCode() {}
}
