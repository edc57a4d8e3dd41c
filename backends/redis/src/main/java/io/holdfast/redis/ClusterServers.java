// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static java.util.concurrent.CompletableFuture.completedFuture;

import io.holdfast.BackendException;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.Hold;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The primaries of a cluster, and which of them has which slot. The map of slots is read at the
 * start and mended by redirections; it is read anew when a server does not answer, because then a
 * replica may have taken its place.
 *
 * <p><b>Messages.</b> A client has one channel for each slot in which it waits, because a script
 * may publish in its own slot only; it subscribes at the slot's primary before it first waits
 * there. That it was ended by force it hears on its one plain channel, which all nodes carry.
 * Before Redis 7 there are only plain channels: the client subscribes to its own at every primary,
 * so that the one that grants counts it, and ignores what comes twice.
 */
final class ClusterServers implements Topology {
  private static final int SLOTS = 16_384;
  private static final int REDIRECTS = 5;

  private final Connector connector;
  private final RedisSettings settings;
  private final BackendContext context;
  private final Server.Ear ear;
  private final String channel;
  private final Map<HostAndPort, Server> servers = new ConcurrentHashMap<>();
  private final AtomicReferenceArray<@Nullable Server> bySlot = new AtomicReferenceArray<>(SLOTS);
  private @Nullable CompletableFuture<?> refreshing;
  private volatile boolean sharded = true;

  ClusterServers(
      Connector connector, RedisSettings settings, BackendContext context, Server.Ear ear) {
    this.connector = connector;
    this.settings = settings;
    this.context = context;
    this.ear = ear;
    this.channel = Keys.CHANNEL + context.origin().process();
  }

  @Override
  public CompletableFuture<?> open() {
    return refresh()
        .thenCompose(
            read -> {
              List<CompletableFuture<?>> opened = new ArrayList<>();
              for (Server server : servers()) {
                opened.add(server.wire());
                opened.add(server.listening());
              }
              return CompletableFuture.allOf(opened.toArray(CompletableFuture<?>[]::new));
            })
        .thenApply(
            opened -> {
              sharded =
                  servers().stream()
                      .allMatch(server -> server.wire().join().info().versionNumber() >= 700);
              return sharded;
            });
  }

  /** Reads the map of slots from whichever node answers; one reading at a time. */
  private synchronized CompletableFuture<?> refresh() {
    CompletableFuture<?> running = refreshing;
    if (running != null && !running.isDone()) {
      return running;
    }
    Set<HostAndPort> places = new LinkedHashSet<>(servers.keySet());
    places.addAll(settings.hosts());
    CompletableFuture<?> started = read(List.copyOf(places), 0, null);
    refreshing = started;
    return started;
  }

  private CompletableFuture<?> read(
      List<HostAndPort> places, int index, @Nullable Throwable gravest) {
    if (index == places.size()) {
      return CompletableFuture.failedFuture(
          BackendException.notApplied("no node of the cluster answers", gravest));
    }
    HostAndPort place = places.get(index);
    return connector
        .connect(place, () -> {})
        .toCompletableFuture()
        .thenCompose(
            connection ->
                connection
                    .async()
                    .clusterSlots()
                    .toCompletableFuture()
                    .thenAccept(slots -> note(place, slots))
                    .whenComplete((noted, failure) -> Answers.ignore(connection.closeAsync())))
        .<Object>thenApply(noted -> place)
        .exceptionallyCompose(
            failure ->
                read(places, index + 1, Failures.graver(gravest, failure))
                    .thenApply(found -> found));
  }

  /** Each part is: first slot, last slot, the primary's host and port, its replicas. */
  private void note(HostAndPort asked, List<Object> slots) {
    Set<HostAndPort> primaries = new LinkedHashSet<>();
    for (Object part : slots) {
      List<?> range = (List<?>) part;
      List<?> node = (List<?>) range.get(2);
      String host = node.get(0) == null ? "" : node.get(0).toString();
      int port = ((Long) node.get(1)).intValue();
      HostAndPort place = new HostAndPort(host.isEmpty() ? asked.host() : host, port);
      primaries.add(place);
      Server server = serverAt(place);
      for (int slot = number(range.get(0)); slot <= number(range.get(1)); slot++) {
        bySlot.set(slot, server);
      }
    }
    if (primaries.isEmpty()) {
      throw BackendException.notApplied("the node at " + asked + " knows of no slots", null);
    }
    servers.forEach(
        (place, server) -> {
          if (!primaries.contains(place) && servers.remove(place, server)) {
            server.close();
          }
        });
  }

  private static int number(Object part) {
    return ((Long) part).intValue();
  }

  private Server serverAt(HostAndPort place) {
    return servers.computeIfAbsent(
        place,
        found ->
            new Server(
                "the Redis server at " + found,
                () -> completedFuture(found),
                connector,
                settings,
                context,
                channel,
                ear));
  }

  @Override
  public Server serverOf(String key) {
    Server server = bySlot.get(Slots.of(key));
    return server != null ? server : servers.values().iterator().next();
  }

  @Override
  public Collection<Server> servers() {
    return List.copyOf(servers.values());
  }

  @Override
  public String channelOf(String lockKey) {
    return sharded ? "{" + Slots.tag(Slots.of(lockKey)) + "}:" + channel : channel;
  }

  @Override
  public CompletableFuture<?> listening(String lockKey) {
    if (!sharded) {
      return serverOf(lockKey).listening();
    }
    String channelOfSlot = channelOf(lockKey);
    return redirected(
        lockKey,
        serverOf(lockKey),
        server -> server.listening().thenCompose(mailbox -> mailbox.subscribe(channelOfSlot)),
        REDIRECTS);
  }

  @Override
  public CompletableFuture<List<Object>> eval(
      Script script, String[] keys, Function<Wire, String[]> arguments) {
    return send(keys[0], wire -> wire.eval(script, keys, arguments.apply(wire)));
  }

  @Override
  public CompletableFuture<Acknowledged> evalAcknowledged(
      Script script, String[] keys, Function<Wire, String[]> arguments) {
    return redirected(
        keys[0],
        serverOf(keys[0]),
        server -> server.evalAcknowledged(script, keys, arguments),
        REDIRECTS);
  }

  @Override
  public <T> CompletableFuture<T> send(String key, Function<Wire, CompletableFuture<T>> command) {
    return redirected(key, serverOf(key), server -> server.send(command), REDIRECTS);
  }

  private <T> CompletableFuture<T> redirected(
      String key, Server server, Function<Server, CompletableFuture<T>> request, int left) {
    return request
        .apply(server)
        .exceptionallyCompose(
            failure -> {
              Redirects redirect = Redirects.of(failure);
              if (redirect == null || left == 0) {
                lookAgainIfGone(failure);
                return CompletableFuture.failedFuture(failure);
              }
              Server next = serverAt(redirect.place());
              if (redirect.forGood()) {
                bySlot.set(Slots.of(key), next);
                return redirected(key, next, request, left - 1);
              }
              return asked(next, request);
            });
  }

  /** ASKING holds for the next command on its connection: both go out together. */
  private static <T> CompletableFuture<T> asked(
      Server server, Function<Server, CompletableFuture<T>> request) {
    return server
        .wire()
        .thenCompose(
            wire -> {
              Answers.ignore(wire.send(commands -> commands.asking()));
              return request.apply(server);
            });
  }

  private void lookAgainIfGone(Throwable failure) {
    String code = Failures.codeOf(failure);
    if (code == null || code.equals("READONLY") || code.equals("CLUSTERDOWN")) {
      Answers.ignore(refresh());
    }
  }

  @Override
  public List<List<Integer>> renewalChunks(List<Hold> holds, Keys keys, int most) {
    return Chunks.of(holds, most, hold -> Slots.of(keys.of(hold.name()).lock()));
  }

  @Override
  public void close() {
    servers.values().forEach(Server::close);
  }
}
