// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.BackendException;
import io.holdfast.Holder;
import io.holdfast.LockState;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.Finding;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import io.holdfast.spi.QuorumNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One Redis server as a node of a quorum. A vote is the plain string of the {@code SET NX PX}
 * recipe, as a lock in one server is; so are its name and the count beside it. What the node knows
 * of itself is a hash, which says in which process of the server it was written: a server that was
 * started anew may have lost data, whatever it read from its disk.
 */
final class RedisNode implements QuorumNode {
  private static final String RECORD = "hf:quorum";
  private static final String JOINING = "hf:quorum:joining";
  private static final Duration TICKET_LIFE = Duration.ofSeconds(3);

  /** Longer than the longest time after which core asks again. */
  private static final Duration CALLER_LIFE = Duration.ofSeconds(10);

  private final RedisSettings settings;
  private final Keys keys;
  private volatile @Nullable Started started;

  private record Started(
      BackendContext context, Connector connector, NodeLine line, Inspector inspector) {}

  RedisNode(RedisSettings settings) {
    this.settings = settings;
    this.keys = new Keys(settings.prefix());
  }

  @Override
  public void start(BackendContext context) {
    Connector connector = new Connector(settings, false);
    HostAndPort place = settings.hosts().get(0);
    OneServer topology =
        new OneServer(
            () -> CompletableFuture.completedFuture(place),
            connector,
            settings,
            context,
            new NodeMessages(context));
    Origins origins = new Origins(context, topology);
    NodeLine line = new NodeLine(topology, origins);
    started = new Started(context, connector, line, new Inspector(keys, topology, origins));
    Answers.ignore(line.prepared());
    origins.keep();
  }

  @Override
  public CompletionStage<Vote> vote(Ballot ballot) {
    Hold hold = ballot.hold();
    Keys.LockKeys lock = keys.of(hold.name());
    String purpose = ballot.purpose();
    return eval(
            NodeScript.VOTE,
            new String[] {
              RECORD, lock.lock(), lock.fence(), lock.callers(), lock.reserved(), lock.ballot()
            },
            wire ->
                new String[] {
                  wire.info().run(),
                  hold.holder().toString(),
                  millis(hold.leaseTime()),
                  Long.toString(ballot.proposed()),
                  Long.toString(wire.refuseAfterMillis()),
                  channel(),
                  millis(CALLER_LIFE),
                  Long.toString(ballot.ticket()),
                  millis(ballot.longestLease()),
                  Long.toString(ballot.generation()),
                  purpose == null ? "" : purpose
                })
        .thenApply(NodeReplies::vote);
  }

  @Override
  public CompletionStage<Boolean> confirm(String name, Holder holder, long token, long epoch) {
    Keys.LockKeys lock = keys.of(name);
    return isOne(
        NodeScript.CONFIRM,
        new String[] {RECORD, lock.lock(), lock.fence()},
        holder.toString(),
        Long.toString(token),
        Long.toString(epoch));
  }

  @Override
  public CompletionStage<List<Renewal>> renew(List<Hold> holds, long generation) {
    List<CompletableFuture<List<Renewal>>> chunks = new ArrayList<>();
    for (int from = 0; from < holds.size(); from += Renewer.CHUNK) {
      int to = Math.min(holds.size(), from + Renewer.CHUNK);
      chunks.add(renewChunk(holds.subList(from, to), generation));
    }
    return CompletableFuture.allOf(chunks.toArray(CompletableFuture<?>[]::new))
        .thenApply(done -> chunks.stream().flatMap(chunk -> chunk.join().stream()).toList());
  }

  private CompletableFuture<List<Renewal>> renewChunk(List<Hold> holds, long generation) {
    List<String> names = new ArrayList<>(List.of(RECORD));
    for (Hold hold : holds) {
      names.add(keys.of(hold.name()).lock());
      names.add(keys.of(hold.name()).forced());
    }
    return eval(
            NodeScript.RENEW,
            names.toArray(String[]::new),
            wire -> {
              List<String> arguments =
                  new ArrayList<>(List.of(wire.info().run(), Long.toString(generation)));
              for (Hold hold : holds) {
                arguments.add(hold.holder().toString());
                arguments.add(millis(hold.leaseTime()));
              }
              return arguments.toArray(String[]::new);
            })
        .thenApply(reply -> reply.stream().skip(1).map(NodeReplies::renewal).toList());
  }

  @Override
  public CompletionStage<Boolean> release(Hold hold) {
    Keys.LockKeys lock = keys.of(hold.name());
    return isOne(
        NodeScript.RELEASE,
        new String[] {RECORD, lock.lock(), lock.callers(), lock.reserved(), lock.ballot()},
        hold.holder().toString(),
        channel(),
        hold.name());
  }

  @Override
  public CompletionStage<Boolean> withdraw(Hold hold, long ballot) {
    Keys.LockKeys lock = keys.of(hold.name());
    return isOne(
        NodeScript.WITHDRAW,
        new String[] {RECORD, lock.lock(), lock.ballot()},
        hold.holder().toString(),
        Long.toString(ballot));
  }

  @Override
  public CompletionStage<Boolean> forceRelease(String name, String holder, String reason) {
    Keys.LockKeys lock = keys.of(name);
    int dash = holder.lastIndexOf('-');
    return isOne(
        NodeScript.FORCE_RELEASE,
        new String[] {RECORD, lock.lock(), lock.callers(), lock.reserved(), lock.forced()},
        holder,
        Keys.CHANNEL + (dash < 0 ? holder : holder.substring(0, dash)),
        name,
        reason);
  }

  @Override
  public CompletionStage<LockState> inspect(String name) {
    return Answers.typed("inspect of '" + name + "' failed", parts().inspector().inspect(name));
  }

  @Override
  public CompletionStage<List<LockState>> list(String prefix, int limit) {
    return Answers.typed(
        "list of '" + prefix + "' failed", parts().inspector().list(prefix, limit));
  }

  @Override
  public CompletionStage<State> state() {
    return Answers.typed("no word from " + settings, parts().line().state(RECORD));
  }

  @Override
  public String schema() {
    return AccessRule.ofNode(settings);
  }

  @Override
  public CompletionStage<List<Finding>> checkUp() {
    return Answers.typed(
        "no check-up of " + settings, CheckUp.ofNode(parts().line().server(), settings));
  }

  @Override
  public CompletionStage<Boolean> rest(Duration time) {
    return isOne(NodeScript.REST, new String[] {RECORD}, millis(time));
  }

  @Override
  public CompletionStage<Boolean> askToJoin(String ticket) {
    return isOne(
        NodeScript.ASK_TO_JOIN, new String[] {RECORD, JOINING}, ticket, millis(TICKET_LIFE));
  }

  @Override
  public CompletionStage<State> raiseEpoch() {
    return eval(
            NodeScript.RAISE_EPOCH, new String[] {RECORD}, wire -> new String[] {wire.info().run()})
        .thenApply(NodeReplies::raised);
  }

  @Override
  public CompletionStage<Boolean> join(String ticket, Membership membership) {
    return isOne(
        NodeScript.JOIN,
        new String[] {RECORD, JOINING},
        ticket,
        Long.toString(membership.newest()),
        Long.toString(membership.epoch()),
        millis(membership.rest()),
        millis(membership.longestLease()),
        membership.name(),
        Long.toString(membership.configuration().generation()),
        NodeReplies.text(membership.configuration()));
  }

  @Override
  public CompletionStage<Boolean> claim(long change) {
    return isOne(NodeScript.CLAIM, new String[] {RECORD}, Long.toString(change));
  }

  @Override
  public CompletionStage<Boolean> adopt(Configuration configuration) {
    return isOne(
        NodeScript.ADOPT,
        new String[] {RECORD},
        Long.toString(configuration.generation()),
        NodeReplies.text(configuration),
        Long.toString(configuration.floor()),
        Long.toString(configuration.change()));
  }

  @Override
  public void close() {
    Started parts = started;
    started = null;
    if (parts != null) {
      parts.line().close(parts.connector()::close);
    }
  }

  /** Runs a step that replies 1 for yes; its first argument is always the server's run id. */
  private CompletableFuture<Boolean> isOne(
      NodeScript script, String[] scriptKeys, String... arguments) {
    return eval(
            script,
            scriptKeys,
            wire -> {
              String[] all = new String[arguments.length + 1];
              all[0] = wire.info().run();
              System.arraycopy(arguments, 0, all, 1, arguments.length);
              return all;
            })
        .thenApply(reply -> NodeReplies.number(reply, 0) == 1);
  }

  private CompletableFuture<List<Object>> eval(
      NodeScript script, String[] scriptKeys, Function<Wire, String[]> arguments) {
    return Answers.typed(
        script + " failed at " + settings, parts().line().eval(script, scriptKeys, arguments));
  }

  private String channel() {
    return Keys.CHANNEL + parts().context().origin().process();
  }

  private static String millis(Duration time) {
    return Long.toString(Entries.millis(time));
  }

  private Started parts() {
    Started parts = started;
    if (parts == null) {
      throw BackendException.refused("the node " + settings + " is not started, or closed", null);
    }
    return parts;
  }

  /** Where it is; no secret. */
  @Override
  public String toString() {
    return settings.toString();
  }
}
