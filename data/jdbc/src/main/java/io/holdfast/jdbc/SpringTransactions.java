// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Whether Spring has a transaction open on this thread; without Spring it has not. */
final class SpringTransactions {
  private static final boolean PRESENT = isPresent();

  private SpringTransactions() {}

  static boolean isActive() {
    return PRESENT && Asked.isActive();
  }

  private static boolean isPresent() {
    try {
      Class.forName(
          "org.springframework.transaction.support.TransactionSynchronizationManager",
          false,
          SpringTransactions.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException absent) {
      return false;
    }
  }

  /** Loaded only where Spring is. */
  private static final class Asked {
    static boolean isActive() {
      return TransactionSynchronizationManager.isActualTransactionActive();
    }
  }
}
