// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.BackendException;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.SocketOptions.TcpUserTimeoutOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.EpollProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serial;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Makes Lettuce connections as we want them: they fail early, and never repeat a command. */
final class Connector implements AutoCloseable {
  private static final int QUEUE = 1 << 16;
  private static final int TRIES = 5;
  private static final Duration KEEP_ALIVE_IDLE = Duration.ofSeconds(5);
  private static final Duration KEEP_ALIVE_INTERVAL = Duration.ofSeconds(1);
  private static final int KEEP_ALIVE_COUNT = 3;

  private final RedisSettings settings;
  private final RedisClient client;

  /**
   * @param areCallsShared whether a command is mostly that of several callers
   */
  Connector(RedisSettings settings, boolean areCallsShared) {
    this.settings = settings;
    ClientOptions options = options();
    this.client = new AsyncClient(SharedResources.take(areCallsShared));
    client.setOptions(options);
  }

  private ClientOptions options() {
    ClientOptions.Builder options =
        ClientOptions.builder()
            .autoReconnect(false)
            .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
            .requestQueueSize(QUEUE)
            .maintNotificationsConfig(MaintNotificationsConfig.disabled())
            .timeoutOptions(TimeoutOptions.enabled(settings.timeout()))
            .socketOptions(sockets());
    Path authority = settings.authority();
    if (authority != null) {
      requireCertificates(authority);
      options.sslOptions(SslOptions.builder().trustManager(authority.toFile()).build());
    }
    return options.build();
  }

  private static void requireCertificates(Path authority) {
    try (InputStream in = Files.newInputStream(authority)) {
      if (!CertificateFactory.getInstance("X.509").generateCertificates(in).isEmpty()) {
        return;
      }
    } catch (IOException | CertificateException unreadable) {
      throw BackendException.refused(
          "the certificates to trust cannot be read from " + authority, unreadable);
    }
    throw BackendException.refused("there is no certificate in " + authority, null);
  }

  /**
   * A connection on which only messages come would not be missed: keep-alive finds in some seconds
   * that its other end is gone. For one on which commands are sent the system can be told how long
   * they may stay unacknowledged, if Netty's native transport is there; without it {@link Wire}
   * notices that nothing is answered.
   */
  private SocketOptions sockets() {
    SocketOptions.Builder options =
        SocketOptions.builder()
            .connectTimeout(settings.timeout())
            .keepAlive(
                KeepAliveOptions.builder()
                    .enable()
                    .idle(KEEP_ALIVE_IDLE)
                    .interval(KEEP_ALIVE_INTERVAL)
                    .count(KEEP_ALIVE_COUNT)
                    .build());
    if (EpollProvider.isAvailable()) {
      options.tcpUserTimeout(
          TcpUserTimeoutOptions.builder()
              .enable()
              .tcpUserTimeout(settings.timeout().multipliedBy(2))
              .build());
    }
    return options.build();
  }

  CompletionStage<StatefulRedisConnection<String, String>> connect(
      HostAndPort place, Runnable broken) {
    return explained(server(place), place, () -> client.connectAsync(StringCodec.UTF8, uri(place)))
        .thenApply(connection -> watched(connection, broken));
  }

  CompletionStage<StatefulRedisPubSubConnection<String, String>> connectPubSub(
      HostAndPort place, Runnable broken) {
    return explained(
            server(place), place, () -> client.connectPubSubAsync(StringCodec.UTF8, uri(place)))
        .thenApply(connection -> watched(connection, broken));
  }

  /** To a sentinel, which has users of its own; ours are those of the servers. */
  CompletionStage<StatefulRedisPubSubConnection<String, String>> connectSentinel(
      HostAndPort place, Runnable broken) {
    RedisURI uri = uri(place, 0, settings.sentinelCredentials());
    return explained(
            "the sentinel at " + place,
            place,
            () -> client.connectPubSubAsync(StringCodec.UTF8, uri))
        .thenApply(connection -> watched(connection, broken));
  }

  private static String server(HostAndPort place) {
    return "the Redis server at " + place;
  }

  private <C> CompletionStage<C> explained(
      String server, HostAndPort place, Supplier<CompletionStage<C>> connecting) {
    return heard(connecting, TRIES)
        .exceptionallyCompose(
            failure ->
                CompletableFuture.failedFuture(Refusals.of(server, place, settings, failure)));
  }

  /** What a server says against us can come before Lettuce listens for it; it is asked again. */
  private static <C> CompletableFuture<C> heard(Supplier<CompletionStage<C>> connecting, int left) {
    return connecting
        .get()
        .toCompletableFuture()
        .exceptionallyCompose(
            failure ->
                left > 1 && Refusals.cameTooEarly(failure)
                    ? heard(connecting, left - 1)
                    : CompletableFuture.failedFuture(failure));
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
    return uri(place, settings.database(), settings.credentials());
  }

  private RedisURI uri(HostAndPort place, int database, Credentials credentials) {
    RedisURI uri = new QuietUri(place, settings.timeout());
    uri.setDatabase(database);
    uri.setSsl(settings.tls());
    uri.setVerifyPeer(SslVerifyMode.FULL);
    String password = credentials.password();
    if (password != null) {
      uri.setCredentialsProvider(
          new StaticCredentialsProvider(credentials.user(), password.toCharArray()));
    }
    return uri;
  }

  /** Lettuce logs these, and would print the user and the length of the password. */
  private static final class QuietUri extends RedisURI {
    @Serial private static final long serialVersionUID = 1L;

    QuietUri(HostAndPort place, Duration timeout) {
      super(place.host(), place.port(), timeout);
    }

    @Override
    public String toString() {
      return getHost() + ":" + getPort();
    }
  }

  /** After the last connection was closed. The client has nothing of its own but those. */
  @Override
  public void close() {
    SharedResources.giveBack();
  }
}
