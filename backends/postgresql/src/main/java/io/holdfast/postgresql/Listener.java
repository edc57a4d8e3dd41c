// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.Holder;
import io.holdfast.spi.BackendContext;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection that listens, and its thread. Messages make waiting fast, not correct: while this
 * connection is down nobody is told anything, and waiters ask.
 *
 * <p>The channel's name is a secret that stands in our own rows only: whoever may connect to a
 * database may send messages on any channel, and a forged one could say that a lock was granted.
 */
final class Listener implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Listener.class);
  private static final Duration LONGEST_SILENCE = Duration.ofSeconds(10);

  /** Who hears. */
  interface Ear {
    /** A message for this client: a word, a blank, and what it is about. */
    void heard(String word, String rest);

    /** From now on messages come; those before are lost. */
    void listening();
  }

  private final Connections connections;
  private final PostgresSettings settings;
  private final BackendContext context;
  private final Ear ear;
  private final String channel = channel();
  private final Thread thread;
  private final CountDownLatch first = new CountDownLatch(1);
  private volatile boolean closed;
  private volatile boolean listening;
  private volatile @Nullable Connection connection;

  Listener(Connections connections, PostgresSettings settings, BackendContext context, Ear ear) {
    this.connections = connections;
    this.settings = settings;
    this.context = context;
    this.ear = ear;
    this.thread = new Thread(this::run, "holdfast-postgresql-listener");
    thread.setDaemon(true);
  }

  private static String channel() {
    byte[] secret = new byte[16];
    new SecureRandom().nextBytes(secret);
    return "holdfast_" + HexFormat.of().formatHex(secret);
  }

  /** Begins, and waits a little until it hears: a message that comes before is lost. */
  void start() {
    thread.start();
    try {
      if (!first.await(settings.timeout().toMillis() * 2, TimeUnit.MILLISECONDS)) {
        LOG.warn("cannot listen yet; until then waiters ask");
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Where to send messages for this client; null while it would not hear them. */
  @Nullable String channelIfListening() {
    return listening ? channel : null;
  }

  private void run() {
    int failures = 0;
    while (!closed) {
      try (Connection open = connections.open(settings.timeout())) {
        connection = open;
        listen(open);
        failures = 0;
        hear(open);
      } catch (SQLException | RuntimeException broken) {
        listening = false;
        first.countDown();
        failures++;
        if (!closed) {
          LOG.debug("the listening connection broke", broken);
          pause(failures);
        }
      }
    }
  }

  private void listen(Connection open) throws SQLException {
    try (Statement statement = open.createStatement()) {
      statement.execute("LISTEN " + channel);
    }
    listening = true;
    first.countDown();
    ear.listening();
  }

  private void hear(Connection open) throws SQLException {
    PGConnection session = open.unwrap(PGConnection.class);
    // Not the statement's time-out: to hear nothing is no failure.
    while (!closed) {
      PGNotification[] messages = session.getNotifications((int) LONGEST_SILENCE.toMillis());
      if (messages == null || messages.length == 0) {
        // A line that broke without a word is found by asking.
        Pooler.pid(open);
        continue;
      }
      for (PGNotification message : messages) {
        tell(message.getParameter());
      }
    }
  }

  private void tell(String message) {
    int blank = message.indexOf(' ');
    if (blank > 0) {
      ear.heard(message.substring(0, blank), message.substring(blank + 1));
    }
  }

  /** The holder of this id. */
  static Holder holder(String id) {
    int dash = id.lastIndexOf('-');
    return new Holder(id.substring(0, dash), Long.parseLong(id.substring(dash + 1)));
  }

  private void pause(int failures) {
    long longest = Math.min(3000L, 50L << Math.min(failures, 6));
    try {
      TimeUnit.MILLISECONDS.sleep(longest / 2 + context.random().nextLong(longest / 2 + 1));
    } catch (InterruptedException closing) {
      // The loop looks whether it is closed.
    }
  }

  @Override
  public void close() {
    closed = true;
    listening = false;
    Connections.abandon(connection);
    thread.interrupt();
  }
}
