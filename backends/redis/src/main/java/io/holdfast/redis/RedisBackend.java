// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.BackendException;
import io.holdfast.Guarantees;
import io.holdfast.LockState;
import io.holdfast.spi.Address;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.Finding;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.QuorumNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Locks in Redis.
 *
 * <p><b>Mechanism.</b> The lock is the plain string of the {@code SET NX PX} recipe, so that
 * clients of that recipe and Holdfast exclude each other. Each verb is one script. Whoever waits
 * stands in a sorted set beside the key; whoever releases makes the first live waiter the holder in
 * the same script, and tells it by a message, or by its reply. Polls, slow ones, find what those
 * missed. Tokens are a hybrid of counter and server time, so that they grow though the counter is
 * lost.
 *
 * <p><b>Guarantees.</b> One holder at a time while the primary keeps its data and its clock is not
 * set. Waiters are served in order of arrival. See {@link RedisGuarantees}.
 *
 * <p><b>What breaks it.</b> Data loss: a fail-over to a replica that had not heard of the grant, a
 * restart without persistence, {@code FLUSHALL}, eviction (refused at the start), a bare {@code
 * DEL}. A server's clock that is set forward ends leases early. Then two holders are possible, and
 * the tokens tell them apart.
 *
 * <p><b>Cost.</b> One command to acquire, one to release; none more to be handed the lock, and one
 * poll in about three seconds while waiting. One command renews {@value Renewer#CHUNK} leases. Two
 * connections to each primary, three with replicas to wait for; those cost one {@code WAIT} for all
 * requests that come together, and one round trip more for a lock that is handed over.
 */
public final class RedisBackend implements LockBackend {
  private final RedisSettings settings;
  private final Keys keys;
  private volatile @Nullable Started started;

  private record Started(
      Connector connector,
      Topology topology,
      Origins origins,
      Acquirer acquirer,
      Renewer renewer,
      Inspector inspector) {}

  RedisBackend(RedisSettings settings) {
    this.settings = settings;
    this.keys = new Keys(settings.prefix());
  }

  /** The locks at this address. Connects when it is started. */
  static RedisBackend at(Address address) {
    return new RedisBackend(RedisSettings.of(address));
  }

  /**
   * Settings for what an address says too, where a password is not to be part of one.
   *
   * @param address with scheme, hosts, path and parameters, as {@code Holdfast.connect} takes it
   */
  public static Builder builder(String address) {
    return new Builder(RedisSettings.of(Address.parse(address)));
  }

  /** Settings; those not given here are those of the address. */
  public static final class Builder {
    private RedisSettings settings;

    private Builder(RedisSettings settings) {
      this.settings = settings;
    }

    /** Who to be, and the password. */
    public Builder credentials(String user, String password) {
      settings = settings.withCredentials(new Credentials(user, password));
      return this;
    }

    /** Who to be at the sentinels, which have users of their own, and the password. */
    public Builder sentinelCredentials(String user, String password) {
      settings = settings.withSentinelCredentials(new Credentials(user, password));
      return this;
    }

    /** The certificates to trust, as a file in the PEM format, instead of those of the JVM. */
    public Builder certificates(Path authority) {
      settings = settings.withAuthority(authority);
      return this;
    }

    /** With what the keys of locks begin: {@code lock:} unless it is said otherwise. */
    public Builder prefix(String prefix) {
      settings = settings.withPrefix(prefix);
      return this;
    }

    /** How long a command may take: one second unless it is said otherwise. */
    public Builder timeout(Duration timeout) {
      settings = settings.withTimeout(timeout);
      return this;
    }

    /**
     * How many replicas must acknowledge a grant and a renewal: none unless it is said otherwise.
     */
    public Builder replicas(int replicas) {
      settings = settings.withReplicas(Replicas.of(replicas));
      return this;
    }

    /**
     * As many replicas as are connected must acknowledge a grant and a renewal; with none nothing
     * is granted.
     */
    public Builder allReplicas() {
      settings = settings.withReplicas(Replicas.ALL);
      return this;
    }

    /** The backend; connects when it is started. */
    public LockBackend build() {
      return new RedisBackend(settings);
    }

    /** No secret. */
    @Override
    public String toString() {
      return settings.toString();
    }
  }

  @Override
  public void start(BackendContext context) {
    Connector connector = new Connector(settings, Topology.sharesCalls(settings));
    Acquirer acquirer =
        new Acquirer(
            context, settings, keys, ear -> Topology.of(settings, connector, context, ear));
    Topology topology = acquirer.topology();
    try {
      await(topology.open());
    } catch (RuntimeException unfit) {
      topology.close();
      connector.close();
      throw unfit;
    }
    Origins origins = new Origins(context, topology);
    started =
        new Started(
            connector,
            topology,
            origins,
            acquirer,
            new Renewer(
                keys, topology, acquirer.claims(), new FenceKeeper(context, keys, topology)),
            new Inspector(keys, topology, origins));
    origins.keep();
  }

  private void await(CompletableFuture<?> opened) {
    try {
      var unused = opened.get(settings.timeout().toMillis() * 4, TimeUnit.MILLISECONDS);
    } catch (ExecutionException failed) {
      throw Failures.ofStart("cannot use " + settings, failed);
    } catch (TimeoutException silent) {
      throw Failures.ofSilence(settings, settings.timeout().multipliedBy(4));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw BackendException.notApplied("interrupted while connecting to " + settings, interrupted);
    }
  }

  @Override
  public CompletionStage<Acquisition> acquire(AcquireRequest request) {
    return parts().acquirer().acquire(request);
  }

  @Override
  public CompletionStage<List<Renewal>> renew(List<Hold> holds) {
    return parts().renewer().renew(holds);
  }

  @Override
  public CompletionStage<Boolean> release(Hold hold) {
    return parts().acquirer().releaser().release(hold);
  }

  @Override
  public CompletionStage<LockState> inspect(String name) {
    return Answers.typed("inspect of '" + name + "' failed", parts().inspector().inspect(name));
  }

  @Override
  public CompletionStage<List<LockState>> list(String prefix, int limit) {
    return Answers.typed(
        "list of '" + prefix + "' failed", parts().inspector().list(prefix, limit));
  }

  @Override
  public CompletionStage<Boolean> forceRelease(String name, long token, String reason) {
    return Answers.typed(
        "force release of '" + name + "' failed",
        parts().acquirer().releaser().force(keys.of(name), token, reason));
  }

  @Override
  public Guarantees guarantees() {
    return RedisGuarantees.of(settings);
  }

  @Override
  public CompletionStage<List<Finding>> checkUp() {
    return Answers.typed("the check-up failed", CheckUp.of(parts().topology(), settings));
  }

  @Override
  public CompletionStage<OptionalLong> executedCommands() {
    return Answers.typed(
        "the commands were not counted", CheckUp.executedCommands(parts().topology()));
  }

  @Override
  public String schema() {
    return AccessRule.of(settings);
  }

  @Override
  public Object lane(String name) {
    Topology topology = parts().topology();
    boolean one = settings.kind() != RedisSettings.Kind.CLUSTER;
    return topology.serverOf(one ? name : keys.of(name).lock()); // One server has all keys.
  }

  /** One server can be a node. What fails over by itself forgets votes without knowing it. */
  @Override
  public Optional<QuorumNode> asQuorumNode() {
    return settings.kind() == RedisSettings.Kind.ONE_SERVER
        ? Optional.of(new RedisNode(settings))
        : Optional.empty();
  }

  @Override
  public void close() {
    Started parts = started;
    started = null;
    if (parts == null) {
      return;
    }
    Answers.handle(
        parts.origins().remove(true),
        (deleted, failure) -> {
          parts.topology().close();
          parts.connector().close();
        });
  }

  private Started parts() {
    Started parts = started;
    if (parts == null) {
      throw new IllegalStateException("the backend is not started, or closed");
    }
    return parts;
  }

  /** Where it is; no secret. */
  @Override
  public String toString() {
    return settings.toString();
  }
}
