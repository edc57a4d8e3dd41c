// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.BackendException;
import io.holdfast.spi.BackendContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One primary: a connection for commands and another for messages, which lead to the same place.
 * This is the lane of its locks.
 */
final class Server {

  /** Who wants to hear of messages. */
  interface Ear {
    void message(String message);

    /** Messages may have been missed until now. */
    void listensAgain();
  }

  private static final Logger LOG = LoggerFactory.getLogger(RedisBackend.class);

  private final String what;
  private final BackendContext context;
  private final Link<Wire> commands;
  private final Link<Mailbox> messages;
  private final Link<Wire> acknowledged;
  private final @Nullable GroupCommit commits;
  private final AskedCalls asked;

  /**
   * @param what what to call it in failures
   * @param where where it is now, asked for before each connection
   */
  Server(
      String what,
      Supplier<CompletionStage<HostAndPort>> where,
      Connector connector,
      RedisSettings settings,
      BackendContext context,
      String channel,
      Ear ear) {
    this.what = what;
    this.context = context;
    Wire.Home home =
        new Wire.Home(context, settings, channel, new ServerClock(), this::clockWasSet, this::drop);
    Link.Maker<Wire> wires =
        broken ->
            where
                .get()
                .thenCompose(
                    place ->
                        connector
                            .connect(place, broken)
                            .thenCompose(connection -> Wire.ready(home, connection, place)))
                .thenApply(this::besideMailbox);
    this.commands = new Link<>(what, context, wires);
    this.acknowledged = new Link<>("the acknowledged writes of " + what, context, wires);
    this.commits =
        settings.replicas().isNone()
            ? null
            : new GroupCommit(acknowledged, settings.replicas(), settings.timeout());
    this.asked = new AskedCalls(new Link<>(what, context, wires), commits);
    this.messages =
        new Link<>(
            "the messages of " + what,
            context,
            broken ->
                where
                    .get()
                    .thenCompose(
                        place ->
                            connector
                                .connectPubSub(place, broken)
                                .thenCompose(
                                    connection -> Mailbox.ready(connection, place, channel, ear)))
                    .thenApply(this::besideWire)
                    .thenApply(
                        mailbox -> {
                          context.after(Duration.ZERO, ear::listensAgain);
                          return mailbox;
                        }));
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

  /** After a fail-over the two may differ; the newer one is right. */
  private Wire besideMailbox(Wire wire) {
    messages
        .peek()
        .filter(mailbox -> !mailbox.place().equals(wire.place()))
        .ifPresent(messages::drop);
    return wire;
  }

  private Mailbox besideWire(Mailbox mailbox) {
    commands.peek().filter(wire -> !wire.place().equals(mailbox.place())).ifPresent(commands::drop);
    return mailbox;
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
        ? eval(script, keys, arguments).thenApply(reply -> new Acknowledged(reply, true))
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
    asked.drop();
    acknowledged.peek().ifPresent(acknowledged::drop);
    commands.peek().ifPresent(commands::drop);
    messages.peek().ifPresent(messages::drop);
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
  }
}
