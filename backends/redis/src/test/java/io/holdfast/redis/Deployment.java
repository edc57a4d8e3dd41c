// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

/** Servers that tests have started: one, a primary with its sentinels, or a cluster. */
interface Deployment extends AutoCloseable {

  /** Where it is; without credentials. */
  String address();

  /** Has it fail as its kind fails, and waits until it serves again. */
  void restart();

  @Override
  void close();
}
