// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static java.util.concurrent.CompletableFuture.completedFuture;

import io.holdfast.BackendException;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.Hold;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The primaries of a cluster, and which of them has which slot. The map of slots is read at the
 * start and mended by redirections; it is read anew after a redirection, and when a server does not
 * answer, because then a replica may have taken its place.
 *
 * <p><b>Messages.</b> A client has one channel for each slot in which it waits, because a script
 * may publish in its own slot only; it subscribes at the slot's primary before it first waits
 * there. That it was ended by force it hears on its one plain channel, which all nodes carry.
 * Before Redis 7 there are only plain channels: the client subscribes to its own at every primary,
 * so that the one that grants counts it, and ignores what comes twice.
 */
final class ClusterServers implements Topology {
  private static final int REDIRECTS = 7;

  /** A server to which slots migrate is remembered for so long after it was last named. */
  private static final long IMPORTING_NANOS = 60_000_000_000L;

  private final Connector connector;
  private final RedisSettings settings;
  private final BackendContext context;
  private final Server.Ear ear;
  private final String channel;
  private final Map<HostAndPort, Server> servers = new ConcurrentHashMap<>();
  private final SlotMap slots = new SlotMap();
  private final SlotSurveys surveys;
  private final Map<HostAndPort, Long> importing = new ConcurrentHashMap<>();
  private volatile boolean sharded = true;
  private volatile long epoch;

  ClusterServers(
      Connector connector, RedisSettings settings, BackendContext context, Server.Ear ear) {
    this.connector = connector;
    this.settings = settings;
    this.context = context;
    this.ear = ear;
    this.channel = Keys.CHANNEL + context.origin().process();
    this.surveys = new SlotSurveys(context, this::survey);
  }

  @Override
  public CompletableFuture<?> open() {
    return surveys
        .now()
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

  private CompletableFuture<?> survey(Set<HostAndPort> trusted) {
    List<HostAndPort> known = new ArrayList<>(servers.keySet());
    Collections.shuffle(known, new Random(context.random().nextLong()));
    known.addAll(settings.hosts());
    return new ClusterSurvey(place -> ClusterView.read(connector, place), epoch, trusted, this::use)
        .ask(known)
        .thenAccept(this::closeAllBut);
  }

  private void use(ClusterView view) {
    epoch = view.epoch();
    slots.put(view, this::serverAt);
  }

  /** A server to which slots migrate may have none yet. */
  private void closeAllBut(ClusterView view) {
    Set<HostAndPort> primaries = view.primaries();
    long nowNanos = context.now().monotonicNanos();
    importing.values().removeIf(sinceNanos -> nowNanos - sinceNanos > IMPORTING_NANOS);
    servers.forEach(
        (place, server) -> {
          boolean isNeeded = primaries.contains(place) || importing.containsKey(place);
          if (!isNeeded && servers.remove(place, server)) {
            server.close(
                BackendException.notApplied(
                    "the Redis server at " + place + " is no longer a primary of the cluster",
                    null));
          }
        });
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
    Server server = slots.serverOf(Slots.of(key));
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
    Function<Server, CompletableFuture<Void>> subscribe =
        server -> server.listening().thenCompose(mailbox -> mailbox.subscribe(channelOfSlot));
    return route(new Routed<>(lockKey, subscribe, subscribe));
  }

  @Override
  public CompletableFuture<List<Object>> eval(
      Script script, String[] keys, Function<Wire, String[]> arguments) {
    return route(
        new Routed<>(
            keys[0],
            server -> server.eval(script, keys, arguments),
            server -> server.asked().eval(script, keys, arguments)));
  }

  @Override
  public CompletableFuture<Acknowledged> evalAcknowledged(
      Script script, String[] keys, Function<Wire, String[]> arguments) {
    return route(
        new Routed<>(
            keys[0],
            server -> server.evalAcknowledged(script, keys, arguments),
            server -> server.asked().evalAcknowledged(script, keys, arguments)));
  }

  @Override
  public <T> CompletableFuture<T> send(String key, Function<Wire, CompletableFuture<T>> command) {
    return route(
        new Routed<>(key, server -> server.send(command), server -> server.asked().send(command)));
  }

  /**
   * A request to the server of a key.
   *
   * @param asking how it is made at a server that is about to get the key's slot
   */
  private record Routed<T>(
      String key,
      Function<Server, CompletableFuture<T>> request,
      Function<Server, CompletableFuture<T>> asking) {}

  private <T> CompletableFuture<T> route(Routed<T> routed) {
    Server server = serverOf(routed.key());
    return followed(routed, server, routed.request().apply(server), 0);
  }

  private <T> CompletableFuture<T> followed(
      Routed<T> routed, Server server, CompletableFuture<T> answer, int redirects) {
    return answer.exceptionallyCompose(
        failure -> {
          Redirects redirect = Redirects.of(failure);
          if (redirect == null) {
            lookAgainIfGone(failure);
            return CompletableFuture.failedFuture(failure);
          }
          if (redirects == REDIRECTS) {
            surveys.soon();
            return CompletableFuture.failedFuture(unsettled(routed.key(), failure));
          }
          HostAndPort place = redirect.place(placeOf(server));
          Server next = serverAt(place);
          note(redirect, Slots.of(routed.key()), place, next);
          Function<Server, CompletableFuture<T>> request =
              redirect.forGood() ? routed.request() : routed.asking();
          return pause(redirects)
              .thenCompose(passed -> followed(routed, next, request.apply(next), redirects + 1));
        });
  }

  private void note(Redirects redirect, int slot, HostAndPort place, Server next) {
    if (!redirect.forGood()) {
      importing.put(place, context.now().monotonicNanos());
      return;
    }
    slots.put(slot, next);
    surveys.soon(place); // Other slots have moved as well, mostly.
  }

  /** At the end of a migration the two servers may send us to each other, for a moment. */
  private CompletableFuture<?> pause(int redirects) {
    if (redirects < 2) {
      return completedFuture(null);
    }
    CompletableFuture<Void> passed = new CompletableFuture<>();
    context.after(Duration.ofMillis(5L << redirects), () -> passed.complete(null));
    return passed;
  }

  private static BackendException unsettled(String key, Throwable failure) {
    return BackendException.notApplied(
        "the servers of the cluster do not agree on which of them has the slot of '"
            + key
            + "', which may be migrating: "
            + Failures.root(failure).getMessage(),
        failure);
  }

  private HostAndPort placeOf(Server server) {
    return servers.entrySet().stream()
        .filter(known -> known.getValue() == server)
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseGet(() -> settings.hosts().get(0));
  }

  private void lookAgainIfGone(Throwable failure) {
    String code = Failures.codeOf(failure);
    if (code == null || code.equals("READONLY") || code.equals("CLUSTERDOWN")) {
      surveys.soon();
    }
  }

  @Override
  public List<List<Integer>> renewalChunks(List<Hold> holds, Keys keys, int most) {
    return Chunks.of(holds, most, hold -> Slots.of(keys.of(hold.name()).lock()));
  }

  @Override
  public void close() {
    surveys.close();
    servers.values().forEach(Server::close);
  }
}
