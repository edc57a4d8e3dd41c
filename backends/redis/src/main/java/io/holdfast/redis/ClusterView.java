// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.BackendException;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What one node says of the cluster: which primary has which slots, as of which epoch. Epochs grow
 * with each fail-over and with each slot that has moved; of two views the one with the greater
 * epoch is newer.
 */
record ClusterView(long epoch, List<Range> ranges) {
  private static final Pattern EPOCH = Pattern.compile("cluster_current_epoch:(\\d{1,18})");

  /** Slots that one primary has. */
  record Range(int first, int last, HostAndPort primary) {}

  /** Asks a node, on a connection of its own. */
  static CompletableFuture<ClusterView> read(Connector connector, HostAndPort place) {
    return connector
        .connect(place, () -> {})
        .toCompletableFuture()
        .thenCompose(
            connection ->
                read(connection.async(), place)
                    .whenComplete((view, failure) -> Answers.ignore(connection.closeAsync())));
  }

  private static CompletableFuture<ClusterView> read(
      RedisAsyncCommands<String, String> commands, HostAndPort asked) {
    // A user who may not ask for the epoch still gets a view, which any other is newer than.
    CompletableFuture<Long> epoch =
        commands
            .clusterInfo()
            .toCompletableFuture()
            .thenApply(ClusterView::epochIn)
            .exceptionally(refused -> 0L);
    return commands
        .clusterSlots()
        .toCompletableFuture()
        .thenCombine(epoch, (slots, number) -> new ClusterView(number, ranges(asked, slots)));
  }

  private static long epochIn(String info) {
    Matcher found = EPOCH.matcher(info);
    return found.find() ? Long.parseLong(found.group(1)) : 0;
  }

  /** Each part is: first slot, last slot, the primary's host and port, its replicas. */
  private static List<Range> ranges(HostAndPort asked, List<Object> slots) {
    List<Range> ranges = new ArrayList<>();
    for (Object part : slots) {
      List<?> range = (List<?>) part;
      List<?> node = (List<?>) range.get(2);
      String host = node.get(0) == null ? "" : node.get(0).toString();
      HostAndPort place =
          new HostAndPort(isUnknown(host) ? asked.host() : host, number(node.get(1)));
      ranges.add(new Range(number(range.get(0)), number(range.get(1)), place));
    }
    if (ranges.isEmpty()) {
      throw BackendException.notApplied("the node at " + asked + " knows of no slots", null);
    }
    return List.copyOf(ranges);
  }

  /** A node that does not know its own host, or is not to tell it, means the one we reached. */
  static boolean isUnknown(String host) {
    return host.isEmpty() || host.equals("?");
  }

  private static int number(Object part) {
    return ((Long) part).intValue();
  }

  Set<HostAndPort> primaries() {
    Set<HostAndPort> primaries = new LinkedHashSet<>();
    ranges.forEach(range -> primaries.add(range.primary()));
    return primaries;
  }
}
