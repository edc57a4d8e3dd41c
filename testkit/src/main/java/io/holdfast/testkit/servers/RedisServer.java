// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Redis server of one's own: a child process on a free port of the loopback interface, without
 * persistence unless it is asked for, in a directory that is deleted with it. It can be killed,
 * paused and started again on the same port.
 */
public final class RedisServer implements AutoCloseable {
  /** The server's binary, if it is not {@code redis-server} on the PATH. */
  public static final String BINARY_VARIABLE = "HOLDFAST_REDIS_SERVER";

  private final List<String> command;
  private final Path directory;
  private final int port;
  private final @Nullable String password;
  private final Map<String, String> environment;
  private Process process;

  private RedisServer(
      Path directory,
      int port,
      @Nullable String password,
      List<String> command,
      Map<String, String> environment) {
    this.environment = environment;
    this.directory = directory;
    this.port = port;
    this.password = password;
    this.command = List.copyOf(command);
    this.process = run();
  }

  /**
   * Starts a server and waits until it answers.
   *
   * @param options more of the server's options, as on its command line
   */
  public static RedisServer start(String... options) {
    return startBinary(binary(), options);
  }

  /** Somebody else may take the port before the server does. */
  private static RedisServer onFreePort(IntFunction<RedisServer> start) {
    IllegalStateException last = new IllegalStateException("no free port");
    for (int tries = 0; tries < 3; tries++) {
      try {
        return start.apply(Ports.free());
      } catch (IllegalStateException failed) {
        last = failed;
      }
    }
    throw last;
  }

  /** Starts a server from this binary, and waits until it answers. */
  public static RedisServer startBinary(String binary, String... options) {
    return onFreePort(port -> startOn(port, Map.of(), binary, options));
  }

  /** Starts a server from this binary that goes by this clock. */
  public static RedisServer startBinary(String binary, SettableClock clock, String... options) {
    return onFreePort(port -> startOn(port, clock.environment(), binary, options));
  }

  private static RedisServer startOn(
      int port, Map<String, String> environment, String binary, String... options) {
    List<String> all = new ArrayList<>(List.of(binary));
    all.addAll(List.of("--port", Integer.toString(port), "--bind", "127.0.0.1"));
    all.addAll(List.of("--save", "", "--appendonly", "no", "--daemonize", "no"));
    // A replica need not wait for others to be filled together with it.
    all.addAll(List.of("--repl-diskless-sync-delay", "0"));
    all.addAll(List.of(options));
    int at = all.indexOf("--requirepass");
    String password = at < 0 ? null : all.get(at + 1);
    return started(new RedisServer(newDirectory(), port, password, all, environment));
  }

  private static RedisServer started(RedisServer server) {
    try {
      server.awaitAnswer();
    } catch (RuntimeException failed) {
      server.close();
      throw failed;
    }
    return server;
  }

  /** Starts a sentinel with this configuration, to which its port is added. */
  public static RedisServer startSentinel(List<String> configuration) {
    return startSentinel(binary(), configuration);
  }

  /** Starts a sentinel from this binary. */
  public static RedisServer startSentinel(String binary, List<String> configuration) {
    return onFreePort(port -> startSentinelOn(port, binary, configuration));
  }

  private static RedisServer startSentinelOn(int port, String binary, List<String> configuration) {
    Path directory = newDirectory();
    Path file = directory.resolve("sentinel.conf");
    List<String> lines = new ArrayList<>(configuration);
    lines.add("port " + port);
    lines.add("bind 127.0.0.1");
    try {
      Files.write(file, lines);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    String password =
        configuration.stream()
            .filter(line -> line.startsWith("requirepass "))
            .map(line -> line.substring("requirepass ".length()))
            .findFirst()
            .orElse(null);
    List<String> command = List.of(binary, file.toString(), "--sentinel");
    return started(new RedisServer(directory, port, password, command, Map.of()));
  }

  /** The binary that {@link #start} runs. */
  public static String binary() {
    String named = System.getenv(BINARY_VARIABLE);
    return named == null || named.isBlank() ? "redis-server" : named;
  }

  /** The server's port. */
  public int port() {
    return port;
  }

  /** Where the server is: {@code 127.0.0.1:port}. */
  public String hostAndPort() {
    return "127.0.0.1:" + port;
  }

  /** A plain connection to the server. */
  public RedisWire connect() {
    RedisWire wire = new RedisWire(port);
    if (password != null) {
      wire.call("AUTH", password);
    }
    return wire;
  }

  /** Sends one command, on a connection of its own. */
  public Object call(String... command) {
    try (RedisWire wire = connect()) {
      return wire.call(command);
    }
  }

  /** Kills the server as a crash would: nothing is written. */
  public void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  /** Stops the server for a while: its sockets stay open, and nothing is answered. */
  public void pause() {
    signal("STOP");
  }

  /** Lets a paused server go on. */
  public void resume() {
    signal("CONT");
  }

  /** Starts the server again after it was killed, on the same port. */
  public void restart() {
    launch();
    awaitAnswer();
  }

  /** The same, and does not wait until it answers. */
  public void launch() {
    process = run();
  }

  /** Where the server keeps its files. */
  public Path directory() {
    return directory;
  }

  /** Ends the server, and deletes its directory. */
  @Override
  public void close() {
    kill();
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException left) {
      throw new UncheckedIOException(left);
    }
  }

  private Process run() {
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("log").toFile());
      builder.environment().putAll(environment);
      return Orphans.prevent(builder.start());
    } catch (IOException failed) {
      throw new UncheckedIOException(
          "no Redis server: set " + BINARY_VARIABLE + " or put redis-server on the PATH", failed);
    }
  }

  private void awaitAnswer() {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!isAnswering()) {
      if (System.nanoTime() - end > 0 || !process.isAlive()) {
        throw new IllegalStateException("the Redis server did not start: " + log());
      }
      pauseBriefly();
    }
  }

  private boolean isAnswering() {
    try (RedisWire wire = connect()) {
      // Not another one that was faster to take the port.
      return "PONG".equals(wire.call("PING")) && process.isAlive();
    } catch (UncheckedIOException | RedisWire.ErrorReply notYet) {
      return false;
    }
  }

  private String log() {
    try {
      return Files.readString(directory.resolve("log"));
    } catch (IOException unreadable) {
      return "no log";
    }
  }

  private void signal(String name) {
    try {
      new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void awaitEnd() {
    try {
      process.waitFor(30, TimeUnit.SECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static void pauseBriefly() {
    try {
      Thread.sleep(10);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static Path newDirectory() {
    try {
      return Files.createTempDirectory("holdfast-redis");
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
