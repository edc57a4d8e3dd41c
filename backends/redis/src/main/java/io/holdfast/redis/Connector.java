// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import java.nio.file.Path;
import java.util.concurrent.CompletionStage;

/** Makes Lettuce connections as we want them: they fail early, and never repeat a command. */
final class Connector implements AutoCloseable {
  private static final int QUEUE = 1 << 16;

  private final RedisSettings settings;
  private final RedisClient client;

  Connector(RedisSettings settings) {
    this.settings = settings;
    this.client = RedisClient.create(SharedResources.take());
    client.setOptions(options());
  }

  private ClientOptions options() {
    ClientOptions.Builder options =
        ClientOptions.builder()
            .autoReconnect(false)
            .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
            .requestQueueSize(QUEUE)
            .maintNotificationsConfig(MaintNotificationsConfig.disabled())
            .timeoutOptions(TimeoutOptions.enabled(settings.timeout()))
            .socketOptions(
                SocketOptions.builder().connectTimeout(settings.timeout()).keepAlive(true).build());
    Path authority = settings.authority();
    if (authority != null) {
      options.sslOptions(SslOptions.builder().trustManager(authority.toFile()).build());
    }
    return options.build();
  }

  CompletionStage<StatefulRedisConnection<String, String>> connect(
      HostAndPort place, Runnable broken) {
    return client
        .connectAsync(StringCodec.UTF8, uri(place))
        .thenApply(connection -> watched(connection, broken));
  }

  CompletionStage<StatefulRedisPubSubConnection<String, String>> connectPubSub(
      HostAndPort place, Runnable broken) {
    return client
        .connectPubSubAsync(StringCodec.UTF8, uri(place))
        .thenApply(connection -> watched(connection, broken));
  }

  /** To a sentinel, which has users of its own; ours are those of the servers. */
  CompletionStage<StatefulRedisSentinelConnection<String, String>> connectSentinel(
      HostAndPort place) {
    RedisURI uri = uri(place, false);
    return client.connectSentinelAsync(StringCodec.UTF8, uri);
  }

  private static <C extends StatefulConnection<String, String>> C watched(
      C connection, Runnable broken) {
    connection.addListener(
        new RedisConnectionStateListener() {
          @Override
          public void onRedisDisconnected(RedisChannelHandler<?, ?> unused) {
            broken.run();
          }
        });
    return connection;
  }

  private RedisURI uri(HostAndPort place) {
    return uri(place, true);
  }

  private RedisURI uri(HostAndPort place, boolean asUser) {
    RedisURI uri =
        RedisURI.builder()
            .withHost(place.host())
            .withPort(place.port())
            .withDatabase(asUser ? settings.database() : 0)
            .withTimeout(settings.timeout())
            .withSsl(settings.tls())
            .withVerifyPeer(SslVerifyMode.FULL)
            .build();
    String password = settings.password();
    if (password != null && asUser) {
      uri.setCredentialsProvider(
          new StaticCredentialsProvider(settings.user(), password.toCharArray()));
    }
    return uri;
  }

  /** After the last connection was closed. The client has nothing of its own but those. */
  @Override
  public void close() {
    SharedResources.giveBack();
  }
}
