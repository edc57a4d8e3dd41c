// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.util.concurrent.Future;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lettuce's threads, shared by all backends of this JVM: they are few, and they are daemons. Given
 * back when nobody has used them for a while, because the next backend is often opened at once.
 */
final class SharedResources {
  /**
   * A process that ends anyway sets it to 0, as the command line does: at its exit the JVM waits
   * 0.3 s for threads that are in a system call, as Netty's are.
   */
  private static final int LINGER_SECONDS =
      Integer.getInteger("io.holdfast.redis.lingerSeconds", 5);

  private static @Nullable Pair current;
  private static int users;
  private static int uses;

  private SharedResources() {}

  /**
   * The same threads twice: the number of commands that share a write belongs to Lettuce's
   * resources.
   *
   * @param single for connections on which each caller has a command of its own
   * @param sharing for those on which callers share a command, see {@link SharedCall}
   */
  private record Pair(ClientResources single, ClientResources sharing) {

    static Pair start() {
      ClientResources single =
          ClientResources.builder()
              .ioThreadPoolSize(2)
              .computationThreadPoolSize(2)
              .commandLatencyRecorder(CommandLatencyRecorder.disabled())
              .nettyCustomizer(new SharedWrites(16))
              .build();
      return new Pair(single, single.mutate().nettyCustomizer(new SharedWrites(2)).build());
    }

    Future<Boolean> end() {
      var unused = sharing.shutdown(0, 1, TimeUnit.SECONDS);
      return single.shutdown(0, 1, TimeUnit.SECONDS);
    }
  }

  /**
   * Commands of many threads that come together go out together: a write to a socket costs more
   * than all else about a command. Not too many together: while the client collects the commands of
   * all its threads the server has nothing to do, and the other way round.
   */
  private record SharedWrites(int most) implements NettyCustomizer {
    @Override
    public void afterChannelInitialized(Channel channel) {
      channel.pipeline().addFirst(new FlushConsolidationHandler(most, true));
    }
  }

  /**
   * @param areCallsShared whether a command is mostly that of several callers
   */
  static synchronized ClientResources take(boolean areCallsShared) {
    Pair resources = current;
    if (resources == null) {
      resources = Pair.start();
      current = resources;
    }
    users++;
    uses++;
    return areCallsShared ? resources.sharing() : resources.single();
  }

  static synchronized void giveBack() {
    users--;
    int last = uses;
    Pair resources = current;
    if (users == 0 && LINGER_SECONDS == 0 && resources != null) {
      current = null;
      resources.end().awaitUninterruptibly(1, TimeUnit.SECONDS);
    } else if (users == 0) {
      CompletableFuture.delayedExecutor(LINGER_SECONDS, TimeUnit.SECONDS)
          .execute(() -> endUnlessUsedSince(last));
    }
  }

  private static synchronized void endUnlessUsedSince(int last) {
    Pair resources = current;
    if (users == 0 && uses == last && resources != null) {
      current = null;
      var unused = resources.end();
    }
  }
}
