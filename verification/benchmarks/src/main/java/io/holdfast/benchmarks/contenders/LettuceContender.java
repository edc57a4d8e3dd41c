// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.contenders;

import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

/** The recipe by hand, on one connection of Lettuce. */
public record LettuceContender() implements Contender {

  @Override
  public String name() {
    return "Lettuce by hand";
  }

  @Override
  public Set<String> requests() {
    return Set.of("set", "evalsha");
  }

  @Override
  public Client connect(String hostAndPort) {
    RedisClient client = RedisClient.create(RedisURI.create("redis://" + hostAndPort));
    return new LettuceRecipe(client, client.connect());
  }

  private static final class LettuceRecipe extends Recipe {
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final String digest;

    LettuceRecipe(RedisClient client, StatefulRedisConnection<String, String> connection) {
      this.client = client;
      this.connection = connection;
      this.digest = connection.sync().scriptLoad(COMPARE_AND_DELETE);
    }

    @Override
    boolean set(String key, String value) {
      return connection.sync().set(key, value, SetArgs.Builder.nx().px(LEASE_MILLIS)) != null;
    }

    @Override
    void compareAndDelete(String key, String value) {
      Long unused =
          connection.sync().evalsha(digest, ScriptOutputType.INTEGER, new String[] {key}, value);
    }

    @Override
    public CompletionStage<?> pair(String name, Runnable work) {
      String key = "lock:" + name;
      String value = UUID.randomUUID().toString();
      return connection
          .async()
          .set(key, value, SetArgs.Builder.nx().px(LEASE_MILLIS))
          .thenCompose(
              taken -> {
                work.run();
                return connection
                    .async()
                    .<Long>evalsha(digest, ScriptOutputType.INTEGER, new String[] {key}, value);
              });
    }

    @Override
    public void close() {
      connection.close();
      client.shutdown();
    }
  }
}
