// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.BackendException;
import io.holdfast.spi.QuorumNode.State;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The connection to a server that is a node of a quorum. Requests are carried out in the order in
 * which they were made, or fail: a vote that waited for a connection might else come after its own
 * release, and stand for a whole lease.
 */
final class NodeLine {
  private final OneServer topology;
  private final Origins origins;
  private final Server server;
  private final AtomicReference<@Nullable Wire> prepared = new AtomicReference<>();

  NodeLine(OneServer topology, Origins origins) {
    this.topology = topology;
    this.origins = origins;
    this.server = topology.serverOf("");
  }

  Server server() {
    return server;
  }

  /** Connects if need be, and makes sure that the server knows the scripts and who we are. */
  CompletableFuture<Wire> prepared() {
    Answers.ignore(server.listening());
    return server
        .wire()
        .thenCompose(
            wire ->
                prepared.get() == wire
                    ? CompletableFuture.completedFuture(wire)
                    : prepare(wire).thenApply(done -> wire));
  }

  private CompletableFuture<?> prepare(Wire wire) {
    List<CompletableFuture<?>> loaded = new ArrayList<>();
    for (NodeScript script : NodeScript.values()) {
      loaded.add(wire.send(commands -> commands.scriptLoad(script.source())));
    }
    loaded.add(origins.write(wire));
    return CompletableFuture.allOf(loaded.toArray(CompletableFuture<?>[]::new))
        .thenAccept(done -> prepared.set(wire));
  }

  /** What the node knows of itself. */
  CompletableFuture<State> state(String record) {
    return prepared().thenCompose(wire -> state(wire, record));
  }

  private static CompletableFuture<State> state(Wire wire, String record) {
    long sentNanos = wire.nowNanos();
    return wire.send(commands -> commands.hmget(record, NodeReplies.FIELDS))
        .thenCombine(
            wire.send(commands -> commands.time()),
            (fields, time) -> {
              State state = NodeReplies.state(wire.info().run(), fields, time);
              wire.observeQuietly(state.clockMicros(), sentNanos);
              return state;
            });
  }

  /** Runs a step on the connection that there is; fails if there is none. */
  CompletableFuture<List<Object>> eval(
      NodeScript script, String[] keys, Function<Wire, String[]> arguments) {
    if (!server.wire().isDone()) {
      return CompletableFuture.failedFuture(
          BackendException.notApplied("there is no connection yet", null));
    }
    return server.send(wire -> eval(wire, script, keys, arguments.apply(wire)));
  }

  private static CompletableFuture<List<Object>> eval(
      Wire wire, NodeScript script, String[] keys, String[] values) {
    long sentNanos = wire.nowNanos();
    return evalUnobserved(wire, script, keys, values)
        .thenApply(
            reply -> {
              // Also that of a request that came too late: if the server's clock was set, all that
              // follow would be late too.
              wire.observeQuietly(NodeReplies.clockMicros(script, reply), sentNanos);
              return reply;
            });
  }

  private static CompletableFuture<List<Object>> evalUnobserved(
      Wire wire, NodeScript script, String[] keys, String[] values) {
    return wire.<List<Object>>send(
            commands -> commands.evalsha(script.digest(), ScriptOutputType.MULTI, keys, values))
        .exceptionallyCompose(
            failure ->
                Failures.root(failure) instanceof RedisNoScriptException
                    ? wire.send(
                        commands ->
                            commands.eval(script.source(), ScriptOutputType.MULTI, keys, values))
                    : CompletableFuture.failedFuture(failure));
  }

  /** Takes back what it said of who we are, and closes the connections. */
  void close(Runnable closed) {
    Answers.handle(
        origins.remove(server.wire().isDone()),
        (deleted, failure) -> {
          topology.close();
          closed.run();
        });
  }
}
