// SPDX-License-Identifier: Apache-2.0
package io.holdfast.examples.transfer;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockException;
import io.holdfast.jdbc.FencingGuard;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/**
 * A process that moves money once, and waits for a line on its standard input between its reads and
 * its writes, so that it can be paused there.
 *
 * <p>Arguments: the address of the locks, the address of the database, the protection, the amount,
 * and for how long its transaction may be idle.
 */
public final class Teller {
  private Teller() {}

  /** Moves money, and says how it went in one line. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Protection protection = Protection.valueOf(args[2]);
    long amount = Long.parseLong(args[3]);
    Duration idle = Duration.parse(args[4]);
    try (Holdfast holdfast = Holdfast.connect(args[0]);
        Connection connection = DriverManager.getConnection(args[1])) {
      connection.setAutoCommit(false);
      Lease lease = holdfast.lock("accounts").acquire(Duration.ofSeconds(30));
      transfer(connection, lease, protection.guard(idle), amount);
      System.out.println("moved");
    } catch (SQLException | LockException refused) {
      System.out.println("refused: " + refused.getMessage());
    }
  }

  private static void transfer(
      Connection connection, Lease lease, Optional<FencingGuard> guard, long amount)
      throws SQLException, IOException {
    if (guard.isPresent()) {
      guard.get().enter(connection, lease);
    }
    Bank.Balances read = Bank.read(connection);
    System.out.println("read");
    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
    Bank.write(connection, read, amount);
    connection.commit();
  }
}
