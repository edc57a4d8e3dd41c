// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.spi.Address;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the servers are and how to speak to them. Prints no secret.
 *
 * @param service by which name the sentinels know the primary; null without Sentinel
 * @param credentials for the servers
 * @param sentinelCredentials for the sentinels, which have users of their own
 * @param timeout how long a command may take; also how long a connection may
 * @param replicas how many replicas must acknowledge a grant or a renewal
 * @param authority a file with the certificates to trust, instead of those of the JVM
 */
record RedisSettings(
    Kind kind,
    List<HostAndPort> hosts,
    @Nullable String service,
    int database,
    Credentials credentials,
    Credentials sentinelCredentials,
    String prefix,
    Duration timeout,
    Replicas replicas,
    boolean tls,
    @Nullable Path authority) {
  static final String DEFAULT_PREFIX = "lock:";
  static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(1);

  private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s)");
  private static final Set<String> PARAMETERS =
      Set.of("prefix", "timeout", "replicas", "tls", "ca", "sentinel-user", "sentinel-password");

  /** What the servers are to each other. */
  enum Kind {
    ONE_SERVER(6379),
    SENTINEL(26379),
    CLUSTER(6379);

    private final int port;

    Kind(int port) {
      this.port = port;
    }

    int port() {
      return port;
    }
  }

  RedisSettings {
    hosts = List.copyOf(hosts);
    if (hosts.isEmpty() || (kind == Kind.ONE_SERVER && hosts.size() > 1)) {
      throw new IllegalArgumentException(
          "one server is one host: several are 'redis-sentinel:' or 'redis-cluster:'");
    }
    if (kind == Kind.SENTINEL && service == null) {
      throw new IllegalArgumentException(
          "with Sentinel the path names the primary, as in 'redis-sentinel://host:26379/mymaster'");
    }
    if (database < 0 || (kind == Kind.CLUSTER && database != 0)) {
      throw new IllegalArgumentException(
          "a database is 0 or more, and 0 in a cluster, not " + database);
    }
    if (timeout.compareTo(Duration.ofMillis(10)) < 0
        || timeout.compareTo(Duration.ofSeconds(4)) > 0) {
      throw new IllegalArgumentException(
          "the time-out of a command is between 10 ms and 4 s, because core gives up on a store after"
              + " 5 s, not "
              + timeout);
    }
    if (kind != Kind.SENTINEL && sentinelCredentials.password() != null) {
      throw new IllegalArgumentException(
          "a password of sentinels is for 'redis-sentinel:' only; others have none");
    }
    if (authority != null && !Files.isReadable(authority)) {
      throw new IllegalArgumentException(
          "the file with the certificates to trust cannot be read: " + authority);
    }
    if (authority != null && !tls) {
      throw new IllegalArgumentException(
          "certificates to trust are for TLS: use 'rediss:', or 'tls=true' with Sentinel or Cluster");
    }
  }

  static RedisSettings of(Address address) {
    address.requireOnly(PARAMETERS);
    Kind kind =
        switch (address.scheme()) {
          case "redis-sentinel" -> Kind.SENTINEL;
          case "redis-cluster" -> Kind.CLUSTER;
          default -> Kind.ONE_SERVER;
        };
    String path = address.path().startsWith("/") ? address.path().substring(1) : address.path();
    String service = null;
    if (kind == Kind.SENTINEL) {
      int slash = path.indexOf('/');
      String named = slash < 0 ? path : path.substring(0, slash);
      service = named.isEmpty() ? null : named;
      path = slash < 0 ? "" : path.substring(slash + 1);
    }
    return new RedisSettings(
        kind,
        HostAndPort.parse(address.hosts(), kind.port()),
        service,
        path.isEmpty() ? 0 : number("database", path),
        new Credentials(address.user().orElse(null), address.password().orElse(null)),
        new Credentials(
            address.parameter("sentinel-user").orElse(null),
            address.parameter("sentinel-password").orElse(null)),
        address.parameter("prefix").orElse(DEFAULT_PREFIX),
        address.parameter("timeout").map(RedisSettings::time).orElse(DEFAULT_TIMEOUT),
        address.parameter("replicas").map(Replicas::parse).orElse(Replicas.NONE),
        address.scheme().equals("rediss")
            || address.parameter("tls").map(RedisSettings::truth).orElse(false),
        address.parameter("ca").map(Path::of).orElse(null));
  }

  RedisSettings withCredentials(Credentials credentials) {
    return with(credentials, sentinelCredentials, prefix, timeout, replicas, authority);
  }

  RedisSettings withSentinelCredentials(Credentials sentinelCredentials) {
    return with(credentials, sentinelCredentials, prefix, timeout, replicas, authority);
  }

  RedisSettings withPrefix(String prefix) {
    return with(credentials, sentinelCredentials, prefix, timeout, replicas, authority);
  }

  RedisSettings withTimeout(Duration timeout) {
    return with(credentials, sentinelCredentials, prefix, timeout, replicas, authority);
  }

  RedisSettings withReplicas(Replicas replicas) {
    return with(credentials, sentinelCredentials, prefix, timeout, replicas, authority);
  }

  RedisSettings withAuthority(Path authority) {
    return with(credentials, sentinelCredentials, prefix, timeout, replicas, authority);
  }

  /** All that a builder can change; where the servers are is not among it. */
  private RedisSettings with(
      Credentials credentials,
      Credentials sentinelCredentials,
      String prefix,
      Duration timeout,
      Replicas replicas,
      @Nullable Path authority) {
    return new RedisSettings(
        kind,
        hosts,
        service,
        database,
        credentials,
        sentinelCredentials,
        prefix,
        timeout,
        replicas,
        tls,
        authority);
  }

  private static int number(String what, String text) {
    if (!text.matches("\\d{1,9}")) {
      throw new IllegalArgumentException("'" + what + "' of a Redis address is a number");
    }
    return Integer.parseInt(text);
  }

  private static boolean truth(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("'tls' is true or false, not '" + text + "'");
    };
  }

  private static Duration time(String text) {
    Matcher matcher = TIME.matcher(text.toLowerCase(Locale.ROOT));
    if (matcher.matches()) {
      long number = Long.parseLong(matcher.group(1));
      return matcher.group(2).equals("s") ? Duration.ofSeconds(number) : Duration.ofMillis(number);
    }
    try {
      return Duration.parse(text);
    } catch (DateTimeParseException nonsense) {
      throw new IllegalArgumentException(
          "a time-out is written as 500ms, 2s or PT2S, not as '" + text + "'", nonsense);
    }
  }

  /** The servers, and nothing else. */
  @Override
  public String toString() {
    String scheme =
        switch (kind) {
          case SENTINEL -> "redis-sentinel";
          case CLUSTER -> "redis-cluster";
          case ONE_SERVER -> tls ? "rediss" : "redis";
        };
    return scheme + "://" + String.join(",", hosts.stream().map(HostAndPort::toString).toList());
  }
}
