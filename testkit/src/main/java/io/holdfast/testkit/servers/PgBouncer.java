// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A PgBouncer of one's own before a {@link PostgresServer}: a child process on a free port of the
 * loopback interface.
 */
public final class PgBouncer implements AutoCloseable {
  /** The pooler's binary, if it is not {@code pgbouncer} on the PATH or in /usr/sbin. */
  public static final String BINARY_VARIABLE = "HOLDFAST_PGBOUNCER";

  private final Path directory;
  private final int port;
  private final Process process;

  private PgBouncer(Path directory, int port) {
    this.directory = directory;
    this.port = port;
    this.process =
        ChildProcess.start(log(), List.of(binary(), directory.resolve("ini").toString()));
  }

  /**
   * Starts a pooler and waits until it takes connections.
   *
   * @param poolMode {@code session}, {@code transaction} or {@code statement}
   */
  public static PgBouncer start(PostgresServer server, String poolMode) {
    Path directory = ChildProcess.directory("holdfast-pgbouncer");
    int port = Ports.free();
    String configuration =
        """
        [databases]
        * = host=127.0.0.1 port=%d user=postgres
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = %d
        unix_socket_dir =
        auth_type = any
        pool_mode = %s
        max_client_conn = 500
        default_pool_size = 10
        server_login_retry = 0.2
        ignore_startup_parameters = extra_float_digits
        """
            .formatted(server.port(), port, poolMode);
    try {
      Files.writeString(directory.resolve("ini"), configuration);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    PgBouncer pooler = new PgBouncer(directory, port);
    pooler.awaitAnswer();
    return pooler;
  }

  /** Where the pooler is: {@code 127.0.0.1:port}. */
  public String hostAndPort() {
    return "127.0.0.1:" + port;
  }

  /** Ends the pooler, and deletes its directory. */
  @Override
  public void close() {
    process.destroyForcibly();
    ChildProcess.await(process);
    ChildProcess.delete(directory);
  }

  private void awaitAnswer() {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!isAnswering()) {
      if (System.nanoTime() - end > 0 || !process.isAlive()) {
        throw new IllegalStateException(
            "PgBouncer did not start; set " + BINARY_VARIABLE + ": " + ChildProcess.read(log()));
      }
      ChildProcess.pauseBriefly();
    }
  }

  private boolean isAnswering() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }

  private Path log() {
    return directory.resolve("log");
  }

  private static String binary() {
    String named = System.getenv(BINARY_VARIABLE);
    if (named != null && !named.isBlank()) {
      return named;
    }
    Path usual = Path.of("/usr/sbin/pgbouncer");
    return Files.isExecutable(usual) ? usual.toString() : "pgbouncer";
  }
}
