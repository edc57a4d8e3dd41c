// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static java.util.concurrent.CompletableFuture.completedFuture;

import io.holdfast.BackendException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Commands to a server that is about to get their slot. Each must follow {@code ASKING} on its
 * connection, with no other command between the two: so they have a connection of their own, on
 * which one thread writes at a time. What comes while a batch is under way goes out together.
 */
final class AskedCalls {
  /** A command that waits for its turn. */
  private interface Pending {
    /** Writes one command. */
    CompletableFuture<?> send(Wire wire);

    boolean needsReplicas();

    /** Takes its reply. Returns false if it must be sent again. */
    boolean settle(Acknowledgement byReplicas);

    void fail(Throwable failure);
  }

  private final Link<Wire> link;
  private final @Nullable GroupCommit commits;
  private List<Pending> pending = new ArrayList<>();
  private boolean underWay;

  /**
   * @param commits knows which replicas must acknowledge; null if none must
   */
  AskedCalls(Link<Wire> link, @Nullable GroupCommit commits) {
    this.link = link;
    this.commits = commits;
  }

  CompletableFuture<List<Object>> eval(
      Script script, String[] keys, Function<Wire, String[]> arguments) {
    return add(new ScriptCall(script, keys, arguments, false)).thenApply(Acknowledged::reply);
  }

  CompletableFuture<Acknowledged> evalAcknowledged(
      Script script, String[] keys, Function<Wire, String[]> arguments) {
    return add(new ScriptCall(script, keys, arguments, commits != null));
  }

  private CompletableFuture<Acknowledged> add(ScriptCall call) {
    queue(call);
    return call.answer;
  }

  /** Sends a command: one, and not a script. */
  <T> CompletableFuture<T> send(Function<Wire, CompletableFuture<T>> command) {
    PlainCall<T> call = new PlainCall<>(command);
    queue(call);
    return call.answer;
  }

  private void queue(Pending call) {
    synchronized (this) {
      pending.add(call);
    }
    sendNext();
  }

  private void sendNext() {
    List<Pending> batch;
    synchronized (this) {
      if (underWay || pending.isEmpty()) {
        return;
      }
      underWay = true;
      batch = pending;
      pending = new ArrayList<>();
    }
    Answers.handle(
        link.line().thenCompose(wire -> sendAll(wire, batch)),
        (byReplicas, failure) -> {
          List<Pending> again = new ArrayList<>();
          for (Pending call : batch) {
            if (byReplicas == null) {
              call.fail(failure == null ? new IllegalStateException() : failure);
            } else if (!call.settle(byReplicas)) {
              again.add(call);
            }
          }
          synchronized (this) {
            pending.addAll(0, again);
            underWay = false;
          }
          sendNext();
        });
  }

  /** Completes when all are answered, with whether replicas have acknowledged them if any must. */
  private CompletableFuture<Acknowledgement> sendAll(Wire wire, List<Pending> batch) {
    List<CompletableFuture<?>> sent = new ArrayList<>(batch.size());
    for (Pending call : batch) {
      Answers.ignore(wire.send(RedisAsyncCommands::asking));
      sent.add(call.send(wire));
    }
    GroupCommit group = commits;
    CompletableFuture<Acknowledgement> byReplicas =
        group != null && batch.stream().anyMatch(Pending::needsReplicas)
            ? group.awaitReplicas(wire)
            : completedFuture(Acknowledgement.ENOUGH);
    return CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new))
        .handle((done, failure) -> batch)
        .thenCombine(byReplicas, (done, acknowledged) -> acknowledged);
  }

  private static final class PlainCall<T> implements Pending {
    private final Function<Wire, CompletableFuture<T>> command;
    private final CompletableFuture<T> answer = new CompletableFuture<>();

    PlainCall(Function<Wire, CompletableFuture<T>> command) {
      this.command = command;
    }

    @Override
    public CompletableFuture<?> send(Wire wire) {
      CompletableFuture<T> sent = command.apply(wire);
      Answers.handle(
          sent,
          (value, failure) -> {
            if (failure == null) {
              answer.complete(value);
            } else {
              answer.completeExceptionally(failure);
            }
          });
      return sent;
    }

    @Override
    public boolean needsReplicas() {
      return false;
    }

    @Override
    public boolean settle(Acknowledgement byReplicas) {
      return true;
    }

    @Override
    public void fail(Throwable failure) {
      answer.completeExceptionally(failure);
    }
  }

  private static final class ScriptCall implements Pending {
    private final Script script;
    private final String[] keys;
    private final Function<Wire, String[]> arguments;
    private final boolean needsReplicas;
    private final CompletableFuture<Acknowledged> answer = new CompletableFuture<>();
    private CompletableFuture<List<Object>> sent = new CompletableFuture<>();
    private boolean bySource;

    ScriptCall(
        Script script, String[] keys, Function<Wire, String[]> arguments, boolean needsReplicas) {
      this.script = script;
      this.keys = keys;
      this.arguments = arguments;
      this.needsReplicas = needsReplicas;
    }

    @Override
    public CompletableFuture<?> send(Wire wire) {
      sent = wire.evalOnce(new Call(script, keys, arguments.apply(wire)), bySource);
      return sent;
    }

    @Override
    public boolean needsReplicas() {
      return needsReplicas;
    }

    /** A server that has never run the script is sent its source, after ASKING as well. */
    @Override
    public boolean settle(Acknowledgement byReplicas) {
      try {
        answer.complete(new Acknowledged(sent.join(), byReplicas));
      } catch (RuntimeException failure) {
        if (!bySource && Failures.root(failure) instanceof RedisNoScriptException) {
          bySource = true;
          return false;
        }
        answer.completeExceptionally(Failures.root(failure));
      }
      return true;
    }

    @Override
    public void fail(Throwable failure) {
      answer.completeExceptionally(failure);
    }
  }

  /** Gives up its connection if it is not as it must be. */
  void dropUnless(Predicate<Link.Line> isRight) {
    link.dropUnless(isRight);
  }

  void close(BackendException reason) {
    link.close(reason);
  }
}
