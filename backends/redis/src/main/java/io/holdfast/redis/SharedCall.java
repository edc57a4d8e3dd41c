// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A call of a script for several callers at once: most of what a lock and its release cost is what
 * each call costs, here and at the server. Whoever comes while the connection has not yet written
 * the call joins it; nobody waits for others to come. One who stayed alone is served by the script
 * for one.
 */
final class SharedCall implements ScriptCommand {
  /** The server serves nobody else meanwhile; and while all of ours are there, we have no work. */
  static final int MOST = 16;

  /** Who asks, and what by a call of its own if it is not in the usual case. */
  static final class Caller extends CompletableFuture<List<Object>> {
    private final Call usual;
    private final Script script;
    private final Keys.LockKeys lock;
    private final Function<Wire, String[]> arguments;

    Caller(Call usual, Script script, Keys.LockKeys lock, Function<Wire, String[]> arguments) {
      this.usual = usual;
      this.script = script;
      this.lock = lock;
      this.arguments = arguments;
    }

    Script together() {
      return usual.script();
    }

    Call alone(Wire wire) {
      return new Call(script, lock.all(), arguments.apply(wire));
    }
  }

  private final List<Caller> callers = new ArrayList<>(MOST);
  private final Call ofFirst;
  private final String[] ofAll;
  private @Nullable Call written;

  /**
   * @param ofFirst what to write if nobody joins
   * @param ofAll arguments in front of the callers' own
   */
  SharedCall(Caller first, Call ofFirst, String[] ofAll) {
    this.ofFirst = ofFirst;
    this.ofAll = ofAll;
    callers.add(first);
  }

  /** False if it is full, or was written. */
  synchronized boolean join(Caller caller) {
    return written == null && callers.size() < MOST && callers.add(caller);
  }

  /** What is written. Nobody joins any more: so also when it is over before it was. */
  private synchronized Call write() {
    Call known = written;
    if (known == null) {
      known = callers.size() == 1 ? ofFirst : together();
      written = known;
    }
    return known;
  }

  private Call together() {
    Call ofOne = callers.get(0).usual;
    int keysEach = ofOne.keys().length;
    int argumentsEach = ofOne.arguments().length;
    String[] keys = new String[callers.size() * keysEach];
    String[] arguments = Arrays.copyOf(ofAll, ofAll.length + callers.size() * argumentsEach);
    for (int i = 0; i < callers.size(); i++) {
      Call usual = callers.get(i).usual;
      System.arraycopy(usual.keys(), 0, keys, i * keysEach, keysEach);
      System.arraycopy(
          usual.arguments(), 0, arguments, ofAll.length + i * argumentsEach, argumentsEach);
    }
    return new Call(ofOne.script(), keys, arguments);
  }

  @Override
  public Script script() {
    return write().script();
  }

  @Override
  public CommandArgs<String, String> byDigest() {
    return new Open();
  }

  @Override
  public CommandArgs<String, String> bySource() {
    return write().bySource();
  }

  /** Nobody can join from the moment when the connection asks how much there is to write. */
  private final class Open extends CommandArgs<String, String> {
    private @Nullable CommandArgs<String, String> closed;

    Open() {
      super(StringCodec.UTF8);
    }

    private CommandArgs<String, String> close() {
      if (closed == null) {
        closed = write().byDigest();
      }
      return closed;
    }

    @Override
    public int count() {
      return close().count();
    }

    @Override
    public void encode(ByteBuf buffer) {
      close().encode(buffer);
    }
  }

  /**
   * Gives each caller its answer.
   *
   * @param unusual for those who must ask by a call of their own
   */
  void answered(List<Object> reply, Consumer<Caller> unusual) {
    boolean sameForAll = reply.size() == 1;
    for (int i = 0; i < callers.size(); i++) {
      Caller caller = callers.get(i);
      if (sameForAll || callers.size() == 1) {
        caller.complete(reply);
      } else if (reply.get(i) instanceof List<?> several) {
        caller.complete(new ArrayList<>(several));
      } else if (reply.get(i).equals(0L)) {
        unusual.accept(caller);
      } else {
        caller.complete(List.of(reply.get(i)));
      }
    }
  }

  /** No caller has an answer. One of them may be why the others have none. */
  void failed(Throwable failure, Consumer<Caller> unusual) {
    write();
    boolean mayBeForOne = callers.size() > 1 && "NOPERM".equals(Failures.codeOf(failure));
    for (Caller caller : callers) {
      if (mayBeForOne) {
        unusual.accept(caller);
      } else {
        caller.completeExceptionally(failure);
      }
    }
  }
}
