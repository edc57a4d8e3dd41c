// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.Origin;
import io.holdfast.spi.BackendContext;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Where processes run: each keeps one record of itself at the server, for all its locks. */
final class Origins {
  /** Longer than most leases: the origin of a dead holder is of interest while it holds. */
  private static final Duration LIFE = Duration.ofDays(2);

  /** How soon a record is back that the server has lost: one command per process and minute. */
  static final Duration PAUSE = Duration.ofMinutes(1);

  private static final Pattern RECORD = Pattern.compile("(\\d{1,18}) (\\S+) (.*)", Pattern.DOTALL);

  private final BackendContext context;
  private final Topology topology;
  private boolean closed;

  Origins(BackendContext context, Topology topology) {
    this.context = context;
    this.topology = topology;
  }

  /** Writes the record of this process, and again every minute until it is removed. */
  void keep() {
    synchronized (this) {
      if (closed) {
        return;
      }
      context.after(PAUSE, this::keep);
      Answers.ignore(topology.send(ownKey(), this::write));
    }
  }

  /** Writes the record of this process once. */
  CompletableFuture<String> write(Wire wire) {
    SetArgs life = SetArgs.Builder.px(LIFE);
    return wire.send(commands -> commands.set(ownKey(), text(context.origin()), life));
  }

  private String ownKey() {
    return Keys.process(context.origin().process());
  }

  /**
   * Writes the record of this process no more, and removes it.
   *
   * @param isConnected whether the server can be told; otherwise the record is left to its expiry
   */
  CompletableFuture<?> remove(boolean isConnected) {
    synchronized (this) {
      closed = true;
      return isConnected
          ? topology.send(ownKey(), wire -> wire.send(commands -> commands.del(ownKey())))
          : CompletableFuture.completedFuture(null);
    }
  }

  /** Reads the records of these processes; what is missing or no record of ours is left out. */
  CompletableFuture<Map<String, Origin>> of(Stream<String> processes) {
    Map<String, Origin> origins = new ConcurrentHashMap<>();
    CompletableFuture<?>[] asked =
        processes
            .distinct()
            .map(
                process ->
                    read(process)
                        .thenAccept(
                            found -> found.ifPresent(origin -> origins.put(process, origin))))
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(asked).thenApply(done -> Map.copyOf(origins));
  }

  private CompletableFuture<Optional<Origin>> read(String process) {
    String key = Keys.process(process);
    return topology
        .send(key, wire -> wire.send(commands -> commands.get(key)))
        .thenApply(text -> Optional.ofNullable(text).flatMap(found -> parse(process, found)))
        .exceptionallyCompose(
            failure ->
                "WRONGTYPE".equals(Failures.codeOf(failure))
                    ? CompletableFuture.completedFuture(Optional.empty())
                    : CompletableFuture.failedFuture(failure));
  }

  private static String text(Origin origin) {
    return origin.pid() + " " + origin.host() + " " + origin.application();
  }

  /** Every client of the server may have written the text. */
  private static Optional<Origin> parse(String process, String text) {
    Matcher parts = RECORD.matcher(text);
    return parts.matches()
        ? Optional.of(
            new Origin(process, parts.group(2), Long.parseLong(parts.group(1)), parts.group(3)))
        : Optional.empty();
  }
}
