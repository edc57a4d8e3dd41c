// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A process that takes a lock, says so, and releases it when it is told to: to be stopped. */
final class PausedHolder {
  private PausedHolder() {}

  /** Arguments: the address, the lock, its lease time. */
  public static void main(String[] arguments) throws Exception {
    try (Holdfast holdfast = Holdfast.connect(arguments[0])) {
      Lease lease =
          holdfast
              .lock(arguments[1])
              .withLeaseTime(Duration.parse(arguments[2]))
              .acquire(Duration.ofMinutes(1));
      System.out.println("token " + lease.token().value());
      System.out.flush();
      new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
      System.out.println("held " + lease.isHeld());
      System.out.println("released " + lease.release());
      System.out.println("lost " + lease.loss().toCompletableFuture().isDone());
    }
  }
}
