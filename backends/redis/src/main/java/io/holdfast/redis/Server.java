// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.BackendException;
import io.holdfast.spi.BackendContext;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One primary: a connection for commands, another for messages, and a third for acknowledged writes
 * if any are required. All lead to the same server. This is the lane of its locks.
 */
final class Server {

  /** Who wants to hear of messages. */
  interface Ear {
    void message(String message);

    /** Messages may have been missed until now. */
    void listensAgain();

    /** The channels on which a message may come for a request or a waiter that there is now. */
    default Set<String> channelsInUse() {
      return Set.of();
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger(RedisBackend.class);

  /** How often a primary may move while one connection is made. */
  private static final int CONNECTION_TRIES = 3;

  private final String what;
  private final BackendContext context;
  private final Locator locator;
  private final Link<Wire> commands;
  private final Link<Mailbox> messages;
  private final Link<Wire> acknowledged;
  private final @Nullable GroupCommit commits;
  private final AskedCalls asked;
  private final ServerClock clock = new ServerClock();
  private final Succession succession = new Succession(clock);
  private String run = "";

  /**
   * @param what what to call it in failures
   * @param locator where it is; closed with this
   */
  Server(
      String what,
      Locator locator,
      Connector connector,
      RedisSettings settings,
      BackendContext context,
      String channel,
      Ear ear) {
    this.what = what;
    this.context = context;
    this.locator = locator;
    boolean cluster = settings.kind() == RedisSettings.Kind.CLUSTER;
    Wire.Home home =
        new Wire.Home(
            context, settings, channel, clock, new ClockOffset(), this::clockWasSet, this::drop);
    Link.Maker<Wire> wires =
        broken ->
            toPrimary(
                (place, lost) ->
                    connector
                        .connect(place, lost)
                        .thenCompose(connection -> Wire.ready(home, connection, place)),
                broken,
                CONNECTION_TRIES);
    this.commands = new Link<>(what, context, wires, this::madeCommands);
    this.acknowledged =
        new Link<>("the acknowledged writes of " + what, context, wires, this::align);
    this.commits =
        settings.replicas().isNone()
            ? null
            : new GroupCommit(acknowledged, settings.replicas(), settings.timeout());
    this.asked = new AskedCalls(new Link<>(what, context, wires, this::align), commits);
    this.messages =
        new Link<>(
            "the messages of " + what,
            context,
            broken ->
                toPrimary(
                    (place, lost) ->
                        connector
                            .connectPubSub(place, lost)
                            .thenCompose(
                                connection ->
                                    Mailbox.ready(
                                        context, connection, place, cluster, channel, ear)),
                    broken,
                    CONNECTION_TRIES),
            mailbox -> {
              align(mailbox);
              context.after(Duration.ZERO, ear::listensAgain);
            });
    locator.watch(this::leaveOldPrimary);
  }

  /**
   * Has slots of a cluster from now on that others had, and may not know all of what was granted
   * there: that is renewed.
   *
   * @param isNew whether it had no slots before: then all that it has goes by its clock from now on
   *     instead of theirs
   */
  void takesOver(Collection<Server> others, boolean isNew) {
    succession.begin(isNew ? others.stream().map(other -> other.clock).toList() : List.of());
    Answers.handle(
        wire(),
        (wire, failure) -> {
          if (wire != null) {
            renewTakenOver();
          }
        });
  }

  private void renewTakenOver() {
    succession.settle().ifPresent(ahead -> context.shortened(this, ahead));
  }

  /** Set, or another's took its place in a fail-over: what was promised goes by the new one. */
  private void clockWasSet(long micros) {
    LOG.warn(
        "the clock of {} was set by at least {} ms: holds end {}",
        what,
        micros / 1000,
        micros > 0 ? "that much earlier, and are renewed now" : "later");
    if (micros > 0) {
      context.shortened(this, Duration.ofNanos(micros * 1000));
    }
  }

  /** Connects to the primary, and again if it has moved while the connection was made. */
  private <L extends Link.Line> CompletionStage<L> toPrimary(
      BiFunction<HostAndPort, Runnable, CompletionStage<L>> connect, Runnable broken, int tries) {
    AtomicBoolean givenUp = new AtomicBoolean();
    Runnable lost =
        () -> {
          if (!givenUp.get()) {
            broken.run();
          }
        };
    return locator
        .primary()
        .thenCompose(place -> connect.apply(place, lost))
        .thenCompose(
            line -> {
              if (locator.isPrimary(line.place())) {
                return CompletableFuture.completedStage(line);
              }
              givenUp.set(true);
              line.close();
              return tries > 1
                  ? toPrimary(connect, broken, tries - 1)
                  : CompletableFuture.failedStage(moved(line.place()));
            });
  }

  private BackendException moved(HostAndPort place) {
    return BackendException.notApplied(
        "the Redis server at " + place + " is no longer the primary of " + what, null);
  }

  /** Another server, or one that has started anew, may not know what was granted before. */
  private void madeCommands(Wire wire) {
    align(wire);
    if (isAnotherRun(wire.run())) {
      context.shortened(this, Duration.ZERO);
    }
    renewTakenOver();
  }

  private synchronized boolean isAnotherRun(String now) {
    boolean isAnother = !run.isEmpty() && !run.equals(now);
    run = now;
    return isAnother;
  }

  /**
   * All connections lead to one server: those that lead elsewhere are given up. Of two that were
   * made the newer is right, unless the primary has moved again.
   */
  private void align(Link.Line made) {
    if (locator.isPrimary(made.place())) {
      dropUnless(line -> leadToOneServer(line, made));
    } else {
      leaveOldPrimary();
    }
  }

  private static boolean leadToOneServer(Link.Line one, Link.Line other) {
    boolean isRunKnown = !one.run().isEmpty() && !other.run().isEmpty();
    return one.place().equals(other.place()) && (!isRunKnown || one.run().equals(other.run()));
  }

  private void leaveOldPrimary() {
    dropUnless(line -> locator.isPrimary(line.place()));
  }

  CompletableFuture<Wire> wire() {
    return commands.line();
  }

  /** Completes when the server has acknowledged our subscription. */
  CompletableFuture<Mailbox> listening() {
    return messages.line();
  }

  /** Runs a script, of which some arguments depend on the connection. */
  CompletableFuture<List<Object>> eval(
      Script script, String[] keys, Function<Wire, String[]> arguments) {
    return send(wire -> wire.eval(script, keys, arguments.apply(wire)));
  }

  /** The same, and waits for replicas if any are required. */
  CompletableFuture<Acknowledged> evalAcknowledged(
      Script script, String[] keys, Function<Wire, String[]> arguments) {
    GroupCommit group = commits;
    return group == null
        ? eval(script, keys, arguments)
            .thenApply(reply -> new Acknowledged(reply, Acknowledgement.ENOUGH))
        : group.eval(script, keys, arguments);
  }

  /** For commands in a slot that this server of a cluster is about to get. */
  AskedCalls asked() {
    return asked;
  }

  <T> CompletableFuture<T> send(Function<Wire, CompletableFuture<T>> command) {
    CompletableFuture<Wire> line = wire();
    return line.isDone() && !line.isCompletedExceptionally()
        ? command.apply(line.join())
        : line.thenCompose(command);
  }

  /** Gives up its connections. */
  void drop() {
    dropUnless(line -> false);
  }

  private void dropUnless(Predicate<Link.Line> isRight) {
    asked.dropUnless(isRight);
    acknowledged.dropUnless(isRight);
    commands.dropUnless(isRight);
    messages.dropUnless(isRight);
  }

  void close() {
    close(BackendException.refused("the client of " + what + " was closed", null));
  }

  /**
   * Closes its connections.
   *
   * @param reason what requests are told that wait for a connection, or come from now on
   */
  void close(BackendException reason) {
    asked.close(reason);
    acknowledged.close(reason);
    commands.close(reason);
    messages.close(reason);
    locator.close();
  }
}
