// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.Guarantees;
import io.holdfast.LockState;
import io.holdfast.spi.Address;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.Finding;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.QuorumNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Locks on a majority of independent stores.
 *
 * <p><b>Mechanism.</b> Redlock, with tokens. All nodes are asked for their vote at the same time; a
 * majority in time is a grant. Each vote carries a number; the token is the number that a majority
 * agrees on, or the greatest, which a majority of nodes must then confirm for as long as they know
 * the caller as the holder. Renewals need a majority, releases go to all.
 *
 * <p><b>Guarantees.</b> One holder at a time while no more than a minority of the nodes forgets
 * votes. Tokens grow whatever the clocks do, while a majority keep their data or have joined again.
 * See {@link QuorumGuarantees}.
 *
 * <p><b>What breaks it.</b> Clocks of several nodes that are set forward at once; votes deleted by
 * hand. A holder that is paused past its lease does not know: a guard does.
 *
 * <p><b>Cost.</b> One command to each node to acquire, one to release, and one more to acquire if
 * the nodes do not agree on a number. One command to each node in about a second to look after it,
 * and two connections.
 */
public final class QuorumBackend implements LockBackend {
  private static final Logger LOG = LoggerFactory.getLogger(QuorumBackend.class);
  private static final QuorumListener NOBODY = new QuorumListener() {};

  private final List<LockBackend> stores;
  private final List<QuorumNode> votes = new ArrayList<>();
  private final QuorumSettings settings;
  private final QuorumListener listener;
  private volatile List<Node> nodes = List.of();
  private volatile @Nullable Started started;

  private record Started(
      Roster roster,
      ClockJudge clocks,
      Voting voting,
      Holding holding,
      Views views,
      Keeper keeper) {}

  QuorumBackend(List<LockBackend> stores, QuorumSettings settings, QuorumListener listener) {
    this.stores = List.copyOf(stores);
    this.settings = settings;
    this.listener = listener;
    requireNodes();
  }

  static QuorumBackend at(Address address) {
    List<LockBackend> stores = new ArrayList<>();
    address.parts().forEach(part -> stores.add(BackendProvider.backendAt(part)));
    return new QuorumBackend(stores, QuorumSettings.of(address), NOBODY);
  }

  private void requireNodes() {
    if (stores.size() < 3) {
      throw new IllegalArgumentException(
          "a quorum has at least 3 nodes, as in 'quorum:redis://a,redis://b,redis://c', not "
              + stores.size()
              + ": fewer cannot spare one");
    }
    Set<String> places = new HashSet<>();
    for (LockBackend store : stores) {
      if (!places.add(store.toString())) {
        throw new IllegalArgumentException(
            "the node " + store + " is named twice, and has one vote: name each server once");
      }
      votes.add(
          store
              .asQuorumNode()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          store
                              + " cannot be the node of a quorum: a node is one independent server,"
                              + " as in 'redis://host:6379'")));
    }
    if (stores.size() % 2 == 0) {
      LOG.warn(
          "a quorum of {} nodes survives the loss of no more of them than one of {}: use an odd"
              + " number",
          stores.size(),
          stores.size() - 1);
    }
  }

  /** A quorum of these stores, none of which has been started; it takes their place. */
  public static Builder builder(List<LockBackend> stores) {
    return new Builder(stores);
  }

  /** Settings that are not the usual ones. */
  public static final class Builder {
    private final List<LockBackend> stores;
    private QuorumSettings settings = QuorumSettings.DEFAULT;
    private QuorumListener listener = NOBODY;

    private Builder(List<LockBackend> stores) {
      this.stores = List.copyOf(stores);
    }

    /**
     * How long one node may keep a request waiting: one second unless it is said otherwise, and
     * never more than a quarter of the lease time.
     */
    public Builder timeout(Duration timeout) {
      settings = settings.withTimeout(timeout);
      return this;
    }

    /**
     * The longest lease time: one minute unless it is said otherwise. A node that lost its data
     * gives no votes for so long. The same for all clients of a quorum.
     */
    public Builder longestLease(Duration longest) {
      settings = settings.withLongestLease(longest);
      return this;
    }

    /** Who hears of votes and nodes. */
    public Builder listener(QuorumListener listener) {
      this.listener = listener;
      return this;
    }

    /** The backend; connects when it is started. */
    public LockBackend build() {
      return new QuorumBackend(stores, settings, listener);
    }
  }

  @Override
  public void start(BackendContext context) {
    int majority = stores.size() / 2 + 1;
    Hints hints = new Hints(context, majority);
    List<Node> made = new ArrayList<>();
    for (int place = 0; place < votes.size(); place++) {
      String name = stores.get(place).toString();
      made.add(new Node(name, votes.get(place), context::now, this::suspect));
      votes.get(place).start(new NodeContext(context, hints, place));
    }
    nodes = List.copyOf(made);
    Roster roster = new Roster(context, settings, listener, nodes);
    Proposals proposals = new Proposals(context);
    ClockJudge clocks = new ClockJudge(roster, new ClockFaults(roster, this));
    Keeper keeper = new Keeper(roster, proposals, clocks);
    started =
        new Started(
            roster,
            clocks,
            new Voting(roster, proposals, clocks, keeper::lookNow),
            new Holding(roster),
            new Views(roster),
            keeper);
    keeper.start();
  }

  private void suspect(Node node) {
    Started parts = started;
    if (parts != null) {
      parts.clocks().suspect(node);
    }
  }

  /** Whether the nodes knew nothing, and this process has made them members. */
  boolean hasFounded() {
    return parts().keeper().hasFounded();
  }

  /** What changes the members. */
  MembershipChange membershipChange() {
    Started parts = parts();
    return new MembershipChange(parts.roster(), parts.keeper());
  }

  @Override
  public CompletionStage<Acquisition> acquire(AcquireRequest request) {
    return parts().voting().acquire(request);
  }

  @Override
  public CompletionStage<List<Renewal>> renew(List<Hold> holds) {
    return parts().holding().renew(holds);
  }

  @Override
  public CompletionStage<Boolean> release(Hold hold) {
    Started parts = parts();
    parts.voting().forget(hold.holder());
    return parts.holding().release(hold);
  }

  @Override
  public CompletionStage<LockState> inspect(String name) {
    return parts().views().inspect(name);
  }

  @Override
  public CompletionStage<List<LockState>> list(String prefix, int limit) {
    return parts().views().list(prefix, limit);
  }

  @Override
  public CompletionStage<Boolean> forceRelease(String name, long token, String reason) {
    Started parts = parts();
    return parts
        .views()
        .holderOf(name, token)
        .thenCompose(
            holder ->
                holder
                    .map(found -> parts.holding().forceRelease(name, found, reason))
                    .orElseGet(() -> CompletableFuture.completedFuture(false)));
  }

  @Override
  public CompletionStage<List<Finding>> checkUp() {
    return QuorumCheckUp.of(parts().roster());
  }

  /** Nodes that need the same are named together. */
  @Override
  public String schema() {
    Map<String, List<String>> nodesBySchema = new LinkedHashMap<>();
    for (int place = 0; place < votes.size(); place++) {
      nodesBySchema
          .computeIfAbsent(votes.get(place).schema(), unused -> new ArrayList<>())
          .add(stores.get(place).toString());
    }
    nodesBySchema.remove("");
    return nodesBySchema.entrySet().stream()
        .map(each -> "# On each of " + String.join(", ", each.getValue()) + ":\n" + each.getKey())
        .collect(Collectors.joining("\n"));
  }

  @Override
  public Guarantees guarantees() {
    return QuorumGuarantees.of(settings, nodes);
  }

  @Override
  public void close() {
    Started parts = started;
    started = null;
    if (parts != null) {
      parts.keeper().close();
    }
    votes.forEach(QuorumNode::close);
  }

  private Started parts() {
    Started parts = started;
    if (parts == null) {
      throw new IllegalStateException("the backend is not started, or closed");
    }
    return parts;
  }

  /** Where the nodes are; no secret. */
  @Override
  public String toString() {
    return "quorum:" + String.join(",", stores.stream().map(Object::toString).toList());
  }
}
