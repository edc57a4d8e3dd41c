// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holder;
import io.holdfast.LossCause;
import io.holdfast.Mode;
import io.holdfast.Origin;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackend.AcquireRequest;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Acquisition.Held;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.Moment;
import io.holdfast.testkit.servers.Eventually;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** A message of a grant that comes when the grant is long over. */
@Tag("postgresql")
class LateMessageTest {
  private static final Duration LEASE = Duration.ofMinutes(10);
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Holder FIRST = new Holder("first", 1);
  private static final Holder WAITER = new Holder("waiter", 1);
  private static final Holder THIRD = new Holder("third", 1);

  private final Queue<Granted> grantsOfWaiter = new ConcurrentLinkedQueue<>();
  private Database database;
  private LockBackend backend;

  @BeforeEach
  void start() {
    database = new Database();
    backend = BackendProvider.backendAt(database.address("mode=lease"));
    backend.start(new Recorder());
  }

  @AfterEach
  void stop() {
    backend.close();
    database.close();
  }

  @Test
  void is_not_taken_for_a_new_grant() throws Exception {
    assertThat(ask(FIRST)).isInstanceOf(Granted.class);
    assertThat(ask(WAITER)).isInstanceOf(Held.class);
    try (Connection network = database.connect()) {
      String channel = channelOf(WAITER);
      execute(network, "LISTEN " + channel);
      backend.release(hold(FIRST)).toCompletableFuture().get(60, TimeUnit.SECONDS);
      String message = messageTo(network);
      Eventually.until("the waiter was told", () -> grantsOfWaiter.size() == 1);
      database.run("UPDATE holdfast.lease SET until = clock_timestamp() WHERE holder = 'waiter-1'");
      assertThat(ask(THIRD)).isInstanceOf(Granted.class);
      assertThat(ask(WAITER)).isInstanceOf(Held.class);

      notify(network, channel, message);
      // Messages of one channel come in order: when the newer grant is known, so is the late one.
      backend.release(hold(THIRD)).toCompletableFuture().get(60, TimeUnit.SECONDS);
      Eventually.until("the waiter was told again", () -> newest().token() > token(message));
    }
    assertThat(grantsOfWaiter).hasSize(2);
  }

  private Granted newest() {
    return grantsOfWaiter.stream().reduce((older, newer) -> newer).orElseThrow();
  }

  private static long token(String message) {
    return Long.parseLong(message.split(" ", -1)[2]);
  }

  private static Hold hold(Holder holder) {
    return new Hold("n", holder, Mode.EXCLUSIVE, LEASE);
  }

  private Acquisition ask(Holder holder) throws Exception {
    AcquireRequest request = new AcquireRequest(hold(holder), PATIENCE, 0, now(), null);
    return backend.acquire(request).toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  private static Moment now() {
    return new Moment(System.nanoTime(), System.currentTimeMillis() * 1_000_000);
  }

  private String channelOf(Holder holder) throws SQLException {
    try (Connection connection = database.connect();
        PreparedStatement statement =
            connection.prepareStatement("SELECT channel FROM holdfast.lease WHERE holder = ?")) {
      statement.setString(1, holder.toString());
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getString(1);
      }
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String messageTo(Connection connection) throws SQLException {
    PGNotification[] heard = connection.unwrap(PGConnection.class).getNotifications(60_000);
    return heard[0].getParameter();
  }

  private static void notify(Connection connection, String channel, String message)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement("SELECT pg_notify(?, ?)")) {
      statement.setString(1, channel);
      statement.setString(2, message);
      statement.execute();
    }
  }

  private final class Recorder implements BackendContext {
    @Override
    public Origin origin() {
      return new Origin("waiter", "host", 1, "test");
    }

    @Override
    public Moment now() {
      return LateMessageTest.now();
    }

    @Override
    public void after(Duration delay, Runnable task) {}

    @Override
    public RandomGenerator random() {
      return RandomGenerator.getDefault();
    }

    @Override
    public void granted(Holder holder, Granted grant) {
      if (holder.equals(WAITER)) {
        grantsOfWaiter.add(grant);
      }
    }

    @Override
    public void retry(String name) {}

    @Override
    public void lost(Holder holder, LossCause cause) {}
  }
}
