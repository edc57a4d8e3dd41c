// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.FencingToken;
import io.holdfast.LockState;
import io.holdfast.Mode;
import io.holdfast.Origin;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Who holds what, and who waits. */
final class Inspector {
  private static final int PAGE = 1000;

  /** Of holders and waiters, as many as one script looks at in half a millisecond. */
  private static final int ROWS = 100;

  /** Enough for people. */
  private static final int MOST_WAITERS = 1000;

  /** Some that the scan finds are free by the time they are looked at. */
  private static final int SPARE = 100;

  private final Keys keys;
  private final Topology topology;
  private final Origins origins;

  Inspector(Keys keys, Topology topology, Origins origins) {
    this.keys = keys;
    this.topology = topology;
    this.origins = origins;
  }

  CompletableFuture<LockState> inspect(String name) {
    return look(name, List.of())
        .thenCompose(view -> origins.of(view.processes()).thenApply(view::state));
  }

  /** Page by page. Who comes or goes meanwhile may be missing. */
  private CompletableFuture<View> look(String name, List<List<Object>> before) {
    int from = before.size() * ROWS;
    String[] page = {Integer.toString(from), Integer.toString(from + ROWS - 1)};
    return topology
        .eval(Script.INSPECT, keys.of(name).all(), wire -> page)
        .thenCompose(
            reply -> {
              List<List<Object>> pages = new ArrayList<>(before);
              pages.add(reply);
              boolean moreHolders = ((List<?>) reply.get(5)).size() == ROWS;
              boolean moreWaiters =
                  ((List<?>) reply.get(6)).size() == ROWS && from + ROWS < MOST_WAITERS;
              return moreHolders || moreWaiters
                  ? look(name, pages)
                  : CompletableFuture.completedFuture(new View(name, pages));
            });
  }

  private static String process(String holder) {
    int dash = holder.lastIndexOf('-');
    return dash < 0 ? holder : holder.substring(0, dash);
  }

  CompletableFuture<List<LockState>> list(String prefix, int limit) {
    NavigableSet<String> names = new TreeSet<>();
    List<CompletableFuture<?>> scans = new ArrayList<>();
    for (Server server : topology.servers()) {
      scans.add(scan(server, prefix, limit, names, ScanCursor.INITIAL));
    }
    return CompletableFuture.allOf(scans.toArray(CompletableFuture<?>[]::new))
        .thenCompose(done -> inspectAll(List.copyOf(names)))
        .thenApply(
            states ->
                states.stream()
                    .filter(state -> !state.isFree() || !state.waiters().isEmpty())
                    .limit(limit)
                    .toList());
  }

  /** Page by page; in the end {@code names} has the first ones in order. */
  private CompletableFuture<?> scan(
      Server server, String prefix, int limit, NavigableSet<String> names, ScanCursor from) {
    ScanArgs args = ScanArgs.Builder.limit(PAGE).match(keys.pattern(prefix));
    return server
        .send(wire -> wire.<KeyScanCursor<String>>send(commands -> commands.scan(from, args)))
        .thenCompose(
            page -> {
              synchronized (names) {
                for (String key : page.getKeys()) {
                  keys.nameOfAny(key).filter(name -> name.startsWith(prefix)).ifPresent(names::add);
                }
                while (names.size() > limit + (long) SPARE) {
                  names.remove(names.last());
                }
              }
              return page.isFinished()
                  ? CompletableFuture.completedFuture(null)
                  : scan(server, prefix, limit, names, page).thenApply(done -> null);
            });
  }

  /** One pipeline. What is no lock, but only has a name like one, is left out. */
  private CompletableFuture<List<LockState>> inspectAll(List<String> names) {
    List<CompletableFuture<LockState>> states =
        names.stream()
            .map(
                name ->
                    inspect(name)
                        .exceptionallyCompose(
                            failure ->
                                "WRONGTYPE".equals(Failures.codeOf(failure))
                                    ? CompletableFuture.completedFuture(LockState.free(name))
                                    : CompletableFuture.failedFuture(failure)))
            .toList();
    return CompletableFuture.allOf(states.toArray(CompletableFuture<?>[]::new))
        .thenApply(done -> states.stream().map(CompletableFuture::join).toList());
  }

  /** The replies of {@code inspect.lua}: what is not in lists is as it was at the first. */
  private record View(String name, List<List<Object>> pages) {

    Stream<String> processes() {
      Stream<String> exclusive =
          Stream.<String[]>of(fence()).filter(words -> words.length > 2).map(words -> words[2]);
      Stream<String> others =
          Stream.concat(shared().stream(), waiting().stream()).map(words -> words[0]);
      return Stream.concat(exclusive, others).map(Inspector::process);
    }

    private String[] fence() {
      return first().get(3).toString().split(" ", 4);
    }

    private long micros() {
      return Script.number(first(), 0);
    }

    private String owner() {
      return first().get(1).toString();
    }

    private List<Object> first() {
      return pages.get(0);
    }

    /** Holder, end, count, first token, last token, purpose. */
    private List<String[]> shared() {
      Map<String, String[]> rows = new LinkedHashMap<>();
      for (List<Object> page : pages) {
        List<?> holders = (List<?>) page.get(4);
        List<?> weights = (List<?>) page.get(5);
        for (int i = 0; i < weights.size(); i++) {
          String holder = holders.get(2 * i).toString();
          String end = holders.get(2 * i + 1).toString();
          String weight = weights.get(i).toString();
          if (isAhead(end) && !weight.isEmpty()) {
            rows.put(holder, (holder + " " + end + " " + weight).split(" ", 6));
          }
        }
      }
      return List.copyOf(rows.values());
    }

    /** Holder, channel, lease, passes, mode, purpose. */
    private List<String[]> waiting() {
      Map<String, String[]> rows = new LinkedHashMap<>();
      for (List<Object> page : pages) {
        List<?> entries = (List<?>) page.get(6);
        List<?> credible = (List<?>) page.get(7);
        for (int i = 0; i < entries.size() && rows.size() < MOST_WAITERS; i++) {
          if (isAhead(credible.get(i).toString())) {
            String entry = entries.get(i).toString();
            rows.put(entry, entry.split(" ", 6));
          }
        }
      }
      return List.copyOf(rows.values());
    }

    /** Whether this time of the server, in milliseconds, is yet to come. */
    private boolean isAhead(String millis) {
      return !millis.isEmpty() && Long.parseLong(millis) > micros() / 1000;
    }

    LockState state(Map<String, Origin> origins) {
      List<LockState.Holding> holders = new ArrayList<>();
      boolean marked = owner().startsWith("holdfast:");
      if (!owner().isEmpty() && !marked) {
        holders.add(exclusive(origins));
      }
      for (String[] row : shared()) {
        holders.add(
            new LockState.Holding(
                row[0],
                sharedMode(row[2]),
                Optional.of(new FencingToken(Long.parseLong(row[3]))),
                Duration.ofMillis(Math.max(0, Long.parseLong(row[1]) - micros() / 1000)),
                held(row[3]),
                Optional.ofNullable(origins.get(process(row[0]))),
                purpose(row)));
      }
      return new LockState(
          name, holders, waiting().stream().map(row -> waiter(row, origins)).toList());
    }

    private LockState.Holding exclusive(Map<String, Origin> origins) {
      String[] fence = fence();
      boolean ours = fence.length > 2 && fence[2].equals(owner());
      long remaining = Script.number(first(), 2);
      return new LockState.Holding(
          owner(),
          Mode.EXCLUSIVE,
          ours ? Optional.of(new FencingToken(Long.parseLong(fence[0]))) : Optional.empty(),
          remaining < 0 ? Duration.ofSeconds(Long.MAX_VALUE) : Duration.ofMillis(remaining),
          ours ? held(fence[0]) : Optional.empty(),
          ours ? Optional.ofNullable(origins.get(process(owner()))) : Optional.empty(),
          ours && fence.length > 3 ? Optional.of(fence[3]) : Optional.empty());
    }

    private Mode sharedMode(String count) {
      String limit = owner().substring(owner().lastIndexOf(':') + 1);
      return limit.equals("shared")
          ? Mode.SHARED
          : Mode.permits(Integer.parseInt(count), Integer.parseInt(limit));
    }

    private static LockState.Waiting waiter(String[] row, Map<String, Origin> origins) {
      return new LockState.Waiting(
          row[0],
          Entries.mode(row[4]),
          Optional.ofNullable(origins.get(process(row[0]))),
          purpose(row));
    }

    private static Optional<String> purpose(String[] row) {
      return row.length > 5 ? Optional.of(row[5]) : Optional.empty();
    }

    /** A token is the time of its grant, unless tokens are ahead of the clock. */
    private Optional<Duration> held(String token) {
      long micros = micros() - Long.parseLong(token);
      return micros < 0 ? Optional.empty() : Optional.of(Duration.ofNanos(micros * 1000));
    }
  }
}
