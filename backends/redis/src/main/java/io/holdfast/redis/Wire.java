// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.spi.BackendContext;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection for commands to a server that was found fit, and what is known of its clock. */
final class Wire implements Link.Line {
  private static final Logger LOG = LoggerFactory.getLogger(RedisBackend.class);

  /** A message to ourselves, of no meaning. */
  static final String HELLO = "hello";

  private final BackendContext context;
  private final StatefulRedisConnection<String, String> connection;
  private final HostAndPort place;
  private final ServerInfo info;
  private final ServerClock clock = new ServerClock();
  private final Duration timeout;
  private final Runnable silent;
  private long silentSinceNanos;
  private boolean isSilent;

  private Wire(
      BackendContext context,
      StatefulRedisConnection<String, String> connection,
      HostAndPort place,
      ServerInfo info,
      Duration timeout,
      Runnable silent) {
    this.context = context;
    this.connection = connection;
    this.place = place;
    this.info = info;
    this.timeout = timeout;
    this.silent = silent;
  }

  /**
   * Looks at the server behind a new connection; the connection is closed if it is not fit.
   *
   * @param channel our own, to see that we may publish: scripts that hand over do
   */
  static CompletionStage<Wire> ready(
      BackendContext context,
      StatefulRedisConnection<String, String> connection,
      HostAndPort place,
      RedisSettings settings,
      String channel,
      Runnable silent) {
    RedisAsyncCommands<String, String> commands = connection.async();
    long sentNanos = context.now().monotonicNanos();
    return commands
        .info()
        .thenCombine(
            commands.time(),
            (text, time) -> {
              ServerInfo info = ServerInfo.parse(text);
              info.requireFitness(place, settings.kind() == RedisSettings.Kind.CLUSTER);
              Wire wire = new Wire(context, connection, place, info, settings.timeout(), silent);
              long micros = Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
              wire.observe(micros, sentNanos);
              return wire;
            })
        .thenCombine(mayPublish(commands, channel), (wire, allowed) -> wire)
        .whenComplete(
            (wire, failure) -> {
              if (failure != null) {
                Answers.ignore(connection.closeAsync());
              }
            });
  }

  private static CompletableFuture<?> mayPublish(
      RedisAsyncCommands<String, String> commands, String channel) {
    String what = "waiters could not be told of grants by messages to " + channel;
    return Answers.typed(what, commands.publish(channel, HELLO));
  }

  HostAndPort place() {
    return place;
  }

  ServerInfo info() {
    return info;
  }

  /**
   * The server's time, in milliseconds, when our time-out for a command that is sent now has
   * passed; or earlier. A command that is refused from then on takes no effect behind our back.
   */
  long refuseAfterMillis() {
    return clock.leastMillisAt(context.now().monotonicNanos()) + timeout.toMillis();
  }

  /** Runs a script; loads it if the server has forgotten it. */
  CompletableFuture<List<Object>> eval(Script script, String[] keys, String... arguments) {
    return evalSha(script, keys, arguments)
        .exceptionallyCompose(
            failure ->
                Failures.root(failure) instanceof RedisNoScriptException
                    ? send(
                        commands ->
                            commands.eval(script.source(), ScriptOutputType.MULTI, keys, arguments))
                    : CompletableFuture.failedFuture(failure));
  }

  /** Runs a script that the server knows; fails if it does not. */
  CompletableFuture<List<Object>> evalSha(Script script, String[] keys, String[] values) {
    long sentNanos = context.now().monotonicNanos();
    return this.<List<Object>>send(
            commands -> commands.evalsha(script.digest(), ScriptOutputType.MULTI, keys, values))
        .thenApply(
            reply -> {
              observe(Long.parseLong(reply.get(script.timeAt()).toString()), sentNanos);
              return reply;
            });
  }

  /** Has the server learn a script. */
  CompletableFuture<String> load(Script script) {
    return send(commands -> commands.scriptLoad(script.source()));
  }

  /** Sends a command. */
  <T> CompletableFuture<T> send(
      Function<RedisAsyncCommands<String, String>, CompletionStage<T>> command) {
    long sentNanos = context.now().monotonicNanos();
    return command
        .apply(connection.async())
        .toCompletableFuture()
        .whenComplete((value, failure) -> listen(failure, sentNanos));
  }

  /** A connection that is half open, or whose server stands still, is given up. */
  private void listen(@Nullable Throwable failure, long sentNanos) {
    boolean isDead = false;
    synchronized (this) {
      if (failure == null || !(Failures.root(failure) instanceof RedisCommandTimeoutException)) {
        isSilent = false;
      } else if (!isSilent) {
        isSilent = true;
        silentSinceNanos = sentNanos;
      } else {
        long silence = context.now().monotonicNanos() - silentSinceNanos;
        isDead = silence >= 2 * timeout.toNanos();
      }
    }
    if (isDead) {
      silent.run();
    }
  }

  private void observe(long serverMicros, long sentNanos) {
    long jump = clock.observe(serverMicros, sentNanos, context.now().monotonicNanos());
    if (jump != 0) {
      LOG.warn(
          "the clock of the Redis server at {} was set by at least {} ms: locks whose leases were"
              + " granted before {}",
          place,
          jump / 1000,
          jump > 0 ? "end that much earlier than their holders think" : "end later");
    }
  }

  @Override
  public void close() {
    if (connection.isOpen()) {
      Answers.ignore(connection.closeAsync());
    }
  }
}
