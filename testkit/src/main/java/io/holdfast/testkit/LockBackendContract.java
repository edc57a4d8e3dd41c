// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import io.holdfast.spi.LockBackend;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestClassOrder;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * What every backend must do, as tests: each states a guarantee that users rely on. A backend's own
 * test is a subclass of a few lines:
 *
 * <pre>{@code
 * class RedisContractTest extends LockBackendContract {
 *   @Override
 *   protected LockBackend openBackend() {
 *     return BackendProvider.backendAt("redis://localhost:6379");
 *   }
 * }
 * }</pre>
 *
 * <p>What a backend does not claim in its {@link io.holdfast.Guarantees} is not tested, and shows
 * in the report as aborted with "not claimed", never as passed.
 *
 * <p>Some tests speak to the backend itself, as core does; the others use the whole library, with
 * several processes of one store, each behind a {@link FaultyBackend}. After each test its locks
 * are neither held nor waited for, and no thread is left that keeps the JVM alive. Tests use names
 * that begin with {@code contract/} and a random part, and leave others alone.
 *
 * <p>With real time, no test fails because the machine is slow, as long as no pause comes near the
 * {@link #leaseTime()}.
 */
@TestMethodOrder(MethodOrderer.DisplayName.class)
@TestClassOrder(ClassOrderer.OrderAnnotation.class)
@DisplayNameGeneration(Sentences.class)
public abstract class LockBackendContract {
  private @Nullable Bench bench;

  /** For subclasses. */
  protected LockBackendContract() {}

  /** Opens the store under test once more, for another process. Not started yet. */
  protected abstract LockBackend openBackend();

  /**
   * The time of the processes and of the store; asked for once in each test. Real time, unless the
   * store goes by the time of its {@code BackendContext}: then {@link ManualTime} makes the
   * contract take milliseconds.
   */
  protected TimeSource time() {
    return new RealTime();
  }

  /**
   * How long leases are in tests of what happens within a lease time or at its end: one second. In
   * all others they are long. Waiting for their end takes most of the time of a run; but a lease
   * that is not longer than the pauses of the machine is lost now and then.
   */
  protected Duration leaseTime() {
    return Duration.ofSeconds(1);
  }

  /** How long to wait for what must happen in the end. Thirty seconds; generous on purpose. */
  protected Duration patience() {
    return Duration.ofSeconds(30);
  }

  /** Stops the store and starts it again, as after a crash of its machine. */
  protected void restartStore() {
    Assumptions.abort("could not run here: the store cannot be restarted by its test");
  }

  @AfterEach
  void leave_nothing_behind() {
    if (bench != null) {
      bench.close();
    }
  }

  /** Made at the first use, when the subclass has been set up. */
  private Bench openBench() {
    if (bench == null) {
      bench = new Bench(this::openBackend, time(), leaseTime(), patience());
    }
    return bench;
  }

  /** One holder at a time, whoever asks. */
  @Nested
  @Order(1)
  class MutualExclusion extends MutualExclusionGroup {
    MutualExclusion() {
      super(LockBackendContract.this::openBench);
    }
  }

  /** A hold that is not renewed ends, and its holder knows that before the store does. */
  @Nested
  @Order(2)
  class Expiry extends ExpiryGroup {
    Expiry() {
      super(LockBackendContract.this::openBench);
    }
  }

  /** A hold that is renewed goes on; one that is gone does not come back. */
  @Nested
  @Order(3)
  class Renewal extends RenewalGroup {
    Renewal() {
      super(LockBackendContract.this::openBench);
    }
  }

  /** A hold is ended by its own holder, and by nobody else. */
  @Nested
  @Order(4)
  class Release extends ReleaseGroup {
    Release() {
      super(LockBackendContract.this::openBench);
    }
  }

  /** Whoever waits is served, in order; whoever leaves is not. */
  @Nested
  @Order(5)
  class WaitingAndOrder extends WaitingAndOrderGroup {
    WaitingAndOrder() {
      super(LockBackendContract.this::openBench);
    }
  }

  /** Readers together, writers alone, and neither starves. */
  @Nested
  @Order(6)
  class Shared extends SharedGroup {
    Shared() {
      super(LockBackendContract.this::openBench);
    }
  }

  /** As many holders as there are permits. */
  @Nested
  @Order(7)
  class Permits extends PermitsGroup {
    Permits() {
      super(LockBackendContract.this::openBench);
    }
  }

  /** Tokens are unique and grow. */
  @Nested
  @Order(8)
  class Fencing extends FencingGroup {
    Fencing() {
      super(LockBackendContract.this::openBench, LockBackendContract.this::restartStore);
    }
  }

  /** Whatever is lost on the way, requests can be repeated, and nothing is left behind. */
  @Nested
  @Order(9)
  class LostReplies extends LostRepliesGroup {
    LostReplies() {
      super(LockBackendContract.this::openBench);
    }
  }

  /** A holder is told when it has lost its lock, once, and why. */
  @Nested
  @Order(10)
  class Loss extends LossGroup {
    Loss() {
      super(LockBackendContract.this::openBench);
    }
  }

  /** Who holds what, and who waits. */
  @Nested
  @Order(11)
  class Inspection extends InspectionGroup {
    Inspection() {
      super(LockBackendContract.this::openBench);
    }
  }

  /** What makes no sense is refused at once; what is merely unusual works. */
  @Nested
  @Order(12)
  class BadInput extends BadInputGroup {
    BadInput() {
      super(LockBackendContract.this::openBench);
    }
  }
}
