// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.contenders;

import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.Set;

/** The recipe by hand, with a {@code WAIT} for one replica after each grant, on one connection. */
public record WaitEachContender() implements Contender {

  @Override
  public String name() {
    return "Lettuce by hand, WAIT each";
  }

  @Override
  public Set<String> requests() {
    return Set.of("set", "wait", "evalsha");
  }

  @Override
  public Client connect(String hostAndPort) {
    RedisClient client = RedisClient.create(RedisURI.create("redis://" + hostAndPort));
    return new WaitingRecipe(client, client.connect());
  }

  private static final class WaitingRecipe extends Recipe {
    private static final long MOST_MILLIS = 1000;

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final RedisCommands<String, String> commands;
    private final String digest;

    WaitingRecipe(RedisClient client, StatefulRedisConnection<String, String> connection) {
      this.client = client;
      this.connection = connection;
      this.commands = connection.sync();
      this.digest = commands.scriptLoad(COMPARE_AND_DELETE);
    }

    /** WAIT is for the writes of its own connection, and blocks it. */
    @Override
    synchronized boolean set(String key, String value) {
      return commands.set(key, value, SetArgs.Builder.nx().px(LEASE_MILLIS)) != null
          && commands.waitForReplication(1, MOST_MILLIS) >= 1;
    }

    @Override
    void compareAndDelete(String key, String value) {
      Long unused = commands.evalsha(digest, ScriptOutputType.INTEGER, new String[] {key}, value);
    }

    @Override
    public void close() {
      connection.close();
      client.shutdown();
    }
  }
}
