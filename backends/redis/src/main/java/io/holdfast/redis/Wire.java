// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.spi.BackendContext;
import io.holdfast.spi.Moment;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A connection for commands to a server that was found fit, and what is known of its clock. */
final class Wire implements Link.Line {
  /** A message to ourselves, of no meaning. */
  static final String HELLO = "hello";

  private final Home home;
  private final StatefulRedisConnection<String, String> connection;
  private final HostAndPort place;
  private final ServerInfo info;
  private final SharedCalls acquires =
      new SharedCalls(this, () -> new String[] {Long.toString(refuseAfterMillis())});
  private final SharedCalls releases = new SharedCalls(this, () -> new String[0]);
  private long silentSinceNanos;
  private volatile boolean isSilent;

  /**
   * What all connections to one server share.
   *
   * @param channel our own
   * @param clock what is known of the server's clock
   * @param offset whether that clock shows another time than ours
   * @param set told when that clock was set, by so many microseconds at least
   * @param unfit told when the server does not answer any more, or is a primary no more
   */
  record Home(
      BackendContext context,
      RedisSettings settings,
      String channel,
      ServerClock clock,
      ClockOffset offset,
      LongConsumer set,
      Runnable unfit) {}

  private Wire(
      Home home,
      StatefulRedisConnection<String, String> connection,
      HostAndPort place,
      ServerInfo info) {
    this.home = home;
    this.connection = connection;
    this.place = place;
    this.info = info;
  }

  /**
   * Looks at the server behind a new connection; the connection is closed if it is not fit. Also
   * publishes to ourselves, to see that we may: scripts that hand over do.
   */
  static CompletionStage<Wire> ready(
      Home home, StatefulRedisConnection<String, String> connection, HostAndPort place) {
    RedisAsyncCommands<String, String> commands = connection.async();
    Moment sent = home.context().now();
    boolean cluster = home.settings().kind() == RedisSettings.Kind.CLUSTER;
    return commands
        .info()
        .thenCombine(
            commands.time(),
            (text, time) -> {
              ServerInfo info = ServerInfo.parse(text);
              info.requireFitness(place, cluster);
              Wire wire = new Wire(home, connection, place, info);
              long micros = Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
              wire.observe(micros, sent.monotonicNanos());
              home.offset().compare(place, micros, sent, home.context().now());
              return wire;
            })
        .thenCombine(mayPublish(commands, home.channel()), (wire, allowed) -> wire)
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

  @Override
  public HostAndPort place() {
    return place;
  }

  @Override
  public String run() {
    return info.run();
  }

  ServerInfo info() {
    return info;
  }

  /**
   * The server's time, in milliseconds, when our time-out for a command that is sent now has
   * passed; or earlier. A command that is refused from then on takes no effect behind our back.
   */
  long refuseAfterMillis() {
    return home.clock().leastMillisAt(home.context().now().monotonicNanos())
        + home.settings().timeout().toMillis();
  }

  /** Runs a script; loads it if the server has forgotten it. */
  CompletableFuture<List<Object>> eval(Script script, String[] keys, String... arguments) {
    return eval(new Call(script, keys, arguments));
  }

  /** The same. */
  CompletableFuture<List<Object>> eval(ScriptCommand call) {
    CompletableFuture<List<Object>> answer = new CompletableFuture<>();
    eval(call, false, answer);
    return answer;
  }

  private void eval(ScriptCommand call, boolean bySource, CompletableFuture<List<Object>> answer) {
    long sentNanos = home.context().now().monotonicNanos();
    Answers.handle(
        begin(call, bySource),
        (reply, failure) -> {
          listen(failure, sentNanos);
          if (failure == null && reply != null) {
            observe(call.script(), reply, sentNanos);
            answer.complete(reply);
          } else if (failure != null) {
            boolean forgotten = Failures.root(failure) instanceof RedisNoScriptException;
            if (forgotten && !bySource) {
              eval(call, true, answer);
            } else {
              answer.completeExceptionally(failure);
            }
          }
        });
  }

  /** Runs a script, together with those of others if they come at the same time. */
  CompletableFuture<List<Object>> evalTogether(SharedCall.Caller caller) {
    (caller.together() == Script.ACQUIRE_TOGETHER ? acquires : releases).join(caller);
    return caller;
  }

  /** Runs a script by its digest or by its source; fails if the server does not know the digest. */
  CompletableFuture<List<Object>> evalOnce(Call call, boolean bySource) {
    long sentNanos = home.context().now().monotonicNanos();
    return begin(call, bySource)
        .whenComplete((reply, failure) -> listen(failure, sentNanos))
        .thenApply(
            reply -> {
              observe(call.script(), reply, sentNanos);
              return reply;
            });
  }

  private CompletableFuture<List<Object>> begin(ScriptCommand call, boolean bySource) {
    CommandType type = bySource ? CommandType.EVAL : CommandType.EVALSHA;
    try {
      return connection
          .async()
          .dispatch(
              type,
              new NestedMultiOutput<>(StringCodec.UTF8),
              bySource ? call.bySource() : call.byDigest())
          .toCompletableFuture();
    } catch (RuntimeException refused) {
      return CompletableFuture.failedFuture(refused);
    }
  }

  private void observe(Script script, List<Object> reply, long sentNanos) {
    long serverMicros = script.timeIn(reply);
    if (serverMicros > 0) {
      observe(serverMicros, sentNanos);
    }
  }

  /** Sends a command. */
  <T> CompletableFuture<T> send(
      Function<RedisAsyncCommands<String, String>, CompletionStage<T>> command) {
    long sentNanos = home.context().now().monotonicNanos();
    return command
        .apply(connection.async())
        .toCompletableFuture()
        .whenComplete((value, failure) -> listen(failure, sentNanos));
  }

  /**
   * Takes note of a time of the server that came with a reply, for {@link #refuseAfterMillis}. That
   * the clock was set is not told: a quorum judges that by all its nodes.
   */
  void observeQuietly(long serverMicros, long sentNanos) {
    home.clock().observe(serverMicros, sentNanos, home.context().now().monotonicNanos());
  }

  /** What {@link #observeQuietly} takes for the time of sending. */
  long nowNanos() {
    return home.context().now().monotonicNanos();
  }

  /** A connection that is half open, or whose server stands still, is given up. */
  private void listen(@Nullable Throwable failure, long sentNanos) {
    if (failure == null && !isSilent) {
      return;
    }
    boolean isDead = failure != null && "READONLY".equals(Failures.codeOf(failure));
    synchronized (this) {
      if (failure == null || !(Failures.root(failure) instanceof RedisCommandTimeoutException)) {
        isSilent = false;
      } else if (!isSilent) {
        isSilent = true;
        silentSinceNanos = sentNanos;
      } else {
        long silence = home.context().now().monotonicNanos() - silentSinceNanos;
        isDead = silence >= 2 * home.settings().timeout().toNanos();
      }
    }
    if (isDead) {
      home.unfit().run();
    }
  }

  private void observe(long serverMicros, long sentNanos) {
    long nowNanos = home.context().now().monotonicNanos();
    long jump = home.clock().observe(serverMicros, sentNanos, nowNanos);
    if (jump != 0) {
      home.set().accept(jump);
    }
  }

  @Override
  public void close() {
    if (connection.isOpen()) {
      Answers.ignore(connection.closeAsync());
    }
  }
}
