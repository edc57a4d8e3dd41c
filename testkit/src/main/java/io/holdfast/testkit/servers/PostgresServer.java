// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit.servers;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A PostgreSQL server of one's own: a child process on a free port of the loopback interface, in a
 * directory that is deleted with it. The user {@code postgres} needs no password; the user {@code
 * guarded}, once it is made, needs one. It can be stopped, crashed, paused and started again on the
 * same port.
 *
 * <p>The cluster is made once for each JVM and copied, because making one takes seconds. It does
 * not sync to the disk: what survives a crash of the server's processes is kept, and a crash of the
 * machine is not tested.
 */
public final class PostgresServer implements AutoCloseable {
  /** Where the server's programs are, if they are not in the usual places. */
  public static final String BIN_VARIABLE = "HOLDFAST_POSTGRESQL_BIN";

  private final Path directory;
  private final int port;
  private final List<String> options;
  private Process process;

  private final List<String> environment;

  private PostgresServer(Path directory, int port, List<String> options) {
    this(directory, port, options, List.of());
  }

  private PostgresServer(Path directory, int port, List<String> options, List<String> environment) {
    this.directory = directory;
    this.port = port;
    this.options = List.copyOf(options);
    this.environment = List.copyOf(environment);
    this.process = run();
  }

  /**
   * Starts a server and waits until it answers.
   *
   * @param settings as in its configuration file: {@code max_connections=20}
   */
  public static PostgresServer start(String... settings) {
    return start(List.of(), settings);
  }

  /** The same, with a clock of its own. */
  public static PostgresServer startWith(SettableClock clock, String... settings) {
    return start(
        clock.environment().entrySet().stream()
            .map(variable -> variable.getKey() + "=" + variable.getValue())
            .toList(),
        settings);
  }

  private static PostgresServer start(List<String> environment, String... settings) {
    Path directory = ChildProcess.directory("holdfast-postgresql");
    Template.copyTo(directory.resolve("data"));
    PostgresServer server =
        new PostgresServer(directory, Ports.free(), List.of(settings), environment);
    server.awaitAnswer();
    return server;
  }

  /**
   * Starts a standby that follows this server, which is restarted for that: its files are copied
   * while it stands still, so that no program but the server's own is needed.
   *
   * @param settings more of its settings
   */
  public PostgresServer startStandby(String... settings) {
    Path place = ChildProcess.directory("holdfast-postgresql");
    Path data = place.resolve("data");
    stop();
    List<String> copy = List.of("cp", "-a", data().toString(), data.toString());
    if (!ChildProcess.run(place.resolve("log"), copy)) {
      throw new IllegalStateException(
          "no standby was made: " + ChildProcess.read(place.resolve("log")));
    }
    restart();
    follow(data);
    PostgresServer standby = new PostgresServer(place, Ports.free(), List.of(settings));
    standby.awaitAnswer();
    return standby;
  }

  private void follow(Path data) {
    String primary = "primary_conninfo = 'host=127.0.0.1 port=%d user=postgres'%n".formatted(port);
    try {
      Files.writeString(data.resolve("standby.signal"), "");
      Path settings = data.resolve("postgresql.auto.conf");
      Files.writeString(settings, Files.readString(settings) + primary);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    ChildProcess.give(data);
  }

  /** The server's port. */
  public int port() {
    return port;
  }

  /** Where the server is: {@code 127.0.0.1:port}. */
  public String hostAndPort() {
    return "127.0.0.1:" + port;
  }

  /** The address of the database {@code postgres}, for the JDBC driver. */
  public String jdbcUrl() {
    return "jdbc:postgresql://" + hostAndPort() + "/postgres?user=postgres";
  }

  /** Ends the server in order: clients are told, and what was committed is written. */
  public void stop() {
    ChildProcess.signal("INT", process.pid());
    ChildProcess.await(process);
  }

  /** Ends the server as a crash would: clients are cut off, and recovery is left to the restart. */
  public void crash() {
    ChildProcess.signal("QUIT", process.pid());
    ChildProcess.await(process);
  }

  /** Stops all its processes for a while: sockets stay open, and nothing is answered. */
  public void pause() {
    signalAll("STOP");
  }

  /** Lets a paused server go on. */
  public void resume() {
    signalAll("CONT");
  }

  /** Starts the server again after it was stopped or has crashed, on the same port. */
  public void restart() {
    process = run();
    awaitAnswer();
  }

  /** Makes a standby the primary. */
  public void promote() {
    ChildProcess.run(log(), List.of(program("pg_ctl"), "promote", "-w", "-D", data().toString()));
  }

  /** Ends the server, and deletes its directory. */
  @Override
  public void close() {
    resume();
    crash();
    ChildProcess.delete(directory);
  }

  private void signalAll(String name) {
    Stream.concat(Stream.of(process.toHandle()), process.descendants())
        .toList()
        .forEach(one -> ChildProcess.signal(name, one.pid()));
  }

  private Process run() {
    List<String> command = new ArrayList<>();
    if (!environment.isEmpty()) {
      command.add("env");
      command.addAll(environment);
    }
    command.addAll(List.of(program("postgres"), "-D", data().toString()));
    command.addAll(List.of("-p", Integer.toString(port)));
    List<String> settings =
        new ArrayList<>(
            List.of(
                "listen_addresses=127.0.0.1",
                "unix_socket_directories=",
                "fsync=off",
                "shared_buffers=32MB",
                "max_connections=60",
                "max_wal_senders=4",
                "timezone=UTC",
                "log_checkpoints=off"));
    settings.addAll(options);
    settings.forEach(setting -> command.addAll(List.of("-c", setting)));
    return ChildProcess.start(log(), command);
  }

  private void awaitAnswer() {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!isAnswering()) {
      if (System.nanoTime() - end > 0 || !process.isAlive()) {
        throw new IllegalStateException(
            "the PostgreSQL server did not start: " + ChildProcess.read(log()));
      }
      ChildProcess.pauseBriefly();
    }
  }

  /** Whether it lets somebody in: the first words of its protocol, and the first byte it says. */
  private boolean isAnswering() {
    byte[] who = "user\0postgres\0database\0postgres\0\0".getBytes(StandardCharsets.US_ASCII);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        DataOutputStream out =
            new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()))) {
      socket.setSoTimeout(10_000);
      out.writeInt(8 + who.length);
      out.writeInt(3 << 16);
      out.write(who);
      out.flush();
      return socket.getInputStream().read() == 'R';
    } catch (IOException notYet) {
      return false;
    }
  }

  private Path data() {
    return directory.resolve("data");
  }

  private Path log() {
    return directory.resolve("log");
  }

  /** Where one of the server's programs is. */
  static String program(String name) {
    String named = System.getenv(BIN_VARIABLE);
    if (named != null && !named.isBlank()) {
      return Path.of(named, name).toString();
    }
    try (Stream<Path> versions = Files.list(Path.of("/usr/lib/postgresql"))) {
      return versions
          .map(version -> version.resolve("bin").resolve(name))
          .filter(Files::isExecutable)
          .max(Path::compareTo)
          .map(Path::toString)
          .orElse(name);
    } catch (IOException notDebian) {
      return name;
    }
  }

  /** A cluster that was just made, to be copied. */
  private static final class Template {
    private static final Path DATA = make();

    static void copyTo(Path target) {
      if (!ChildProcess.run(
          target.resolveSibling("log"), List.of("cp", "-a", DATA.toString(), target.toString()))) {
        throw new IllegalStateException("could not copy " + DATA + " to " + target);
      }
    }

    private static Path make() {
      Path directory = ChildProcess.directory("holdfast-postgresql-template");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> ChildProcess.delete(directory)));
      Path data = directory.resolve("data");
      Path log = directory.resolve("log");
      List<String> command = new ArrayList<>(List.of(program("initdb"), "-D", data.toString()));
      command.addAll(List.of("-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"));
      command.add("--no-sync");
      if (!ChildProcess.run(log, command)) {
        throw new IllegalStateException(
            "no PostgreSQL: set "
                + BIN_VARIABLE
                + " to its bin directory: "
                + ChildProcess.read(log));
      }
      Path rules = data.resolve("pg_hba.conf");
      try {
        String guarded = "host all guarded 127.0.0.1/32 scram-sha-256\n";
        Files.writeString(rules, guarded + Files.readString(rules));
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      }
      ChildProcess.give(data);
      return data;
    }
  }
}
