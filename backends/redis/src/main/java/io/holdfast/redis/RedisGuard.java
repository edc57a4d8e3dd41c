// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.BackendException;
import io.holdfast.FencingToken;
import io.holdfast.Guard;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.StaleTokenException;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import org.jspecify.annotations.Nullable;

/**
 * A guard for data in Redis: the newest token is a key beside the data. Enter before the data is
 * read, and change it with {@link #set} or {@link #eval}, which look at the token again in one step
 * with the write.
 *
 * <p>The token shares the fate of the data: a server that forgets both, or a fail-over that loses
 * the last writes, forgets the token too. In a cluster the key of the token and those of the data
 * are in one slot: give them a common {@code {tag}}.
 */
public final class RedisGuard implements Guard {
  private static final String STALE = "STALE ";
  private static final String ENTER = Script.read("guard.lua");

  private final StatefulRedisConnection<String, String> connection;
  private final String key;

  /**
   * Guards data by a token under this key.
   *
   * @param connection stays the caller's
   */
  public RedisGuard(StatefulRedisConnection<String, String> connection, String key) {
    this.connection = connection;
    this.key = key;
  }

  /**
   * {@inheritDoc}
   *
   * @throws BackendException if the server failed
   */
  @Override
  public void raise(FencingToken token) {
    run(token, "return 1", ScriptOutputType.INTEGER, new String[0]);
  }

  /**
   * Sets a key, unless the lease was lost.
   *
   * @throws StaleTokenException if a newer token was seen; the lease has been told
   * @throws LeaseLostException if the lease is known to be lost
   * @throws BackendException if the server failed
   */
  public void set(Lease lease, String dataKey, String value) {
    eval(
        lease,
        "return redis.call('SET', KEYS[1], ARGV[1])",
        ScriptOutputType.STATUS,
        new String[] {dataKey},
        value);
  }

  /**
   * Runs a script, unless the lease was lost. The script has {@code KEYS} and {@code ARGV} as given
   * here; the guard's own come before them and are taken away.
   *
   * @return what Lettuce makes of the reply, by the type that is asked for
   * @throws StaleTokenException if a newer token was seen; the lease has been told
   * @throws LeaseLostException if the lease is known to be lost
   * @throws BackendException if the server failed
   */
  public @Nullable Object eval(
      Lease lease, String script, ScriptOutputType type, String[] keys, String... arguments) {
    @Nullable Object[] reply = new @Nullable Object[1];
    Guard writing = token -> reply[0] = run(token, script, type, keys, arguments);
    writing.enter(lease);
    return reply[0];
  }

  private @Nullable Object run(
      FencingToken token,
      String script,
      ScriptOutputType type,
      String[] keys,
      String... arguments) {
    try {
      return connection
          .sync()
          .eval(ENTER + script, type, before(key, keys), before(token.toString(), arguments));
    } catch (RedisException failed) {
      String said = String.valueOf(failed.getMessage());
      if (said.startsWith(STALE)) {
        long newest = Long.parseLong(said.substring(STALE.length()));
        throw new StaleTokenException(key, token, new FencingToken(newest));
      }
      throw Failures.of("the guard at '" + key + "' failed", failed);
    }
  }

  private static String[] before(String first, String[] others) {
    String[] all = new String[others.length + 1];
    all[0] = first;
    System.arraycopy(others, 0, all, 1, others.length);
    return all;
  }

  @Override
  public String toString() {
    return "guard at '" + key + "'";
  }
}
