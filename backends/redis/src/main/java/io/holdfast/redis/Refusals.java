// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.BackendException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLException;

/** Why there is no connection, in words that say what to do about it. */
final class Refusals {
  private static final int DEEPEST = 20;

  private Refusals() {}

  /**
   * @param server what to call it
   */
  static BackendException of(
      String server, HostAndPort place, RedisSettings settings, Throwable problem) {
    List<Throwable> causes = causes(problem);
    Optional<BackendException> known = first(causes, BackendException.class);
    if (known.isPresent()) {
      return known.get();
    }
    Optional<RedisCommandExecutionException> reply =
        first(causes, RedisCommandExecutionException.class);
    if (reply.isPresent()) {
      return Failures.of(server + " does not let us in", reply.get());
    }
    if (first(causes, SSLException.class).isPresent()) {
      return ofTls(server, place, causes, problem);
    }
    if (settings.tls() && first(causes, RedisCommandTimeoutException.class).isPresent()) {
      return BackendException.notApplied(
          server + " does not answer; it may not speak TLS on this port", problem);
    }
    return BackendException.notApplied(
        "no connection to " + server + ": " + Reasons.of(causes.get(causes.size() - 1)), problem);
  }

  private static BackendException ofTls(
      String server, HostAndPort place, List<Throwable> causes, Throwable problem) {
    String certificate = "the certificate of " + server;
    String deepest = Reasons.of(causes.get(causes.size() - 1));
    if (first(causes, CertPathBuilderException.class).isPresent()) {
      return BackendException.refused(
          certificate
              + " is not trusted: name its authority's certificate with 'ca=FILE', or add it to the"
              + " trust store of the JVM",
          problem);
    }
    boolean otherHost = deepest.contains("subject alternative") || deepest.contains("No name");
    if (first(causes, CertificateException.class).isPresent() && otherHost) {
      return BackendException.refused(
          certificate
              + " is not for this host: '"
              + place.host()
              + "' is not among the names that it has; connect by one of those",
          problem);
    }
    if (first(causes, CertificateException.class).isPresent()) {
      return BackendException.refused(certificate + " is not trusted: " + deepest, problem);
    }
    return BackendException.notApplied("no TLS connection to " + server + ": " + deepest, problem);
  }

  /** Whether the server refused us before Lettuce (7.7) was ready to hear why. */
  static boolean cameTooEarly(Throwable problem) {
    return first(causes(problem), IllegalStateException.class)
        .filter(failure -> String.valueOf(failure.getMessage()).contains("HandshakeHandler"))
        .isPresent();
  }

  private static List<Throwable> causes(Throwable problem) {
    List<Throwable> causes = new ArrayList<>();
    for (Throwable cause = problem;
        cause != null && causes.size() < DEEPEST;
        cause = cause.getCause()) {
      causes.add(cause);
    }
    return causes;
  }

  private static <T extends Throwable> Optional<T> first(List<Throwable> causes, Class<T> kind) {
    return causes.stream().filter(kind::isInstance).map(kind::cast).findFirst();
  }
}
