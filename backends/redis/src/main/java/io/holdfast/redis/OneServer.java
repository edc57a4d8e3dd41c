// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.Hold;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** One primary has all keys: a single server, or the one that the sentinels name. */
final class OneServer implements Topology {
  private final Server server;
  private final String channel;

  OneServer(
      Locator locator,
      Connector connector,
      RedisSettings settings,
      BackendContext context,
      Server.Ear ear) {
    this.channel = Keys.CHANNEL + context.origin().process();
    this.server =
        new Server(settings.toString(), locator, connector, settings, context, channel, ear);
  }

  @Override
  public CompletableFuture<?> open() {
    return server.wire().thenCombine(server.listening(), (wire, mailbox) -> wire);
  }

  @Override
  public Server serverOf(String key) {
    return server;
  }

  @Override
  public Collection<Server> servers() {
    return List.of(server);
  }

  @Override
  public String channelOf(String lockKey) {
    return channel;
  }

  @Override
  public CompletableFuture<?> listening(String lockKey) {
    return server.listening();
  }

  @Override
  public CompletableFuture<List<Object>> eval(
      Script script, String[] keys, Function<Wire, String[]> arguments) {
    return server.eval(script, keys, arguments);
  }

  @Override
  public CompletableFuture<List<Object>> evalTogether(
      Call usual, Script script, Keys.LockKeys lock, Function<Wire, String[]> arguments) {
    SharedCall.Caller caller = new SharedCall.Caller(usual, script, lock, arguments);
    return server.send(wire -> wire.evalTogether(caller));
  }

  @Override
  public CompletableFuture<Acknowledged> evalAcknowledged(
      Script script, String[] keys, Function<Wire, String[]> arguments) {
    return server.evalAcknowledged(script, keys, arguments);
  }

  @Override
  public List<List<Integer>> renewalChunks(List<Hold> holds, Keys keys, int most) {
    return Chunks.of(holds, most, hold -> 0);
  }

  @Override
  public <T> CompletableFuture<T> send(String key, Function<Wire, CompletableFuture<T>> command) {
    return server.send(command);
  }

  @Override
  public void close() {
    server.close();
  }
}
