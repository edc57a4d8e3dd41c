// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

/** What became of a hold whose lease was released. */
enum Ending {
  /** It had ended before. */
  OVER,
  /** It serves the next local waiter. */
  PASSED,
  /** It is to be released in the store. */
  RELEASE
}
