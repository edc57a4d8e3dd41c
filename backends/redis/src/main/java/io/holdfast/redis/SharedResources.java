// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.handler.flush.FlushConsolidationHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lettuce's threads, shared by all backends of this JVM: they are few, and they are daemons. Given
 * back when nobody has used them for a while, because the next backend is often opened at once.
 */
final class SharedResources {
  private static final int LINGER_SECONDS = 5;

  private static @Nullable ClientResources current;
  private static int users;
  private static int uses;

  private SharedResources() {}

  /**
   * Commands of many threads that come together go out together: a write to a socket costs more
   * than all else about a command. Not too many together: while the client collects the commands of
   * all its threads the server has nothing to do, and the other way round.
   */
  private static final class SharedWrites implements NettyCustomizer {
    private static final int MOST = 16;

    @Override
    public void afterChannelInitialized(Channel channel) {
      channel.pipeline().addFirst(new FlushConsolidationHandler(MOST, true));
    }
  }

  static synchronized ClientResources take() {
    ClientResources resources = current;
    if (resources == null) {
      resources =
          ClientResources.builder()
              .ioThreadPoolSize(2)
              .computationThreadPoolSize(2)
              .nettyCustomizer(new SharedWrites())
              .build();
      current = resources;
    }
    users++;
    uses++;
    return resources;
  }

  static synchronized void giveBack() {
    users--;
    int last = uses;
    if (users == 0) {
      CompletableFuture.delayedExecutor(LINGER_SECONDS, TimeUnit.SECONDS)
          .execute(() -> endUnlessUsedSince(last));
    }
  }

  private static synchronized void endUnlessUsedSince(int last) {
    ClientResources resources = current;
    if (users == 0 && uses == last && resources != null) {
      current = null;
      var unused = resources.shutdown(0, 1, TimeUnit.SECONDS);
    }
  }
}
