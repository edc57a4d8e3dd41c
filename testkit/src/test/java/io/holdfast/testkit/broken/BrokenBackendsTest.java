// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit.broken;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedClass;

import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.TimeSource;
import io.holdfast.testkit.LockBackendContract;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;

/** The contract accepts what is sound, and rejects what is broken, for the reason that it names. */
class BrokenBackendsTest {
  private static final DiscoverySelector ALL_GROUPS = selectClass(ContractOfAnyStore.class);

  /** Makes the stores that the contract is run on; static, because JUnit makes the instances. */
  private static Supplier<Supplier<LockBackend>> newStore =
      () -> TextbookBackend.newStore(Rules.SOUND);

  /** The build does not find it: it runs inside the tests of this class, and only there. */
  static class ContractOfAnyStore extends LockBackendContract {
    private final Supplier<LockBackend> store = newStore.get();

    @Override
    protected LockBackend openBackend() {
      return store.get();
    }

    @Override
    protected TimeSource time() {
      return new ManualTime();
    }

    /** Longer than a dead waiter is credible; the patience of most rejections ends in vain. */
    @Override
    protected Duration patience() {
      return Duration.ofSeconds(15);
    }
  }

  static List<BrokenBackend> all() {
    return BrokenBackend.all();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("all")
  void the_contract_rejects_a_store_in_which(BrokenBackend broken) {
    Events tests = run(broken::newStore, group(broken.rejectedBy()));
    assertThat(tests.started().count()).isPositive();
    assertThat(rejections(tests)).isNotEmpty();
  }

  @Test
  void there_are_broken_stores_for_every_group_of_the_contract() {
    assertThat(BrokenBackend.all())
        .extracting(BrokenBackend::rejectedBy)
        .contains(
            "MutualExclusion",
            "Expiry",
            "Renewal",
            "Release",
            "WaitingAndOrder",
            "Shared",
            "Permits",
            "Fencing",
            "LostReplies",
            "Loss",
            "Inspection",
            "BadInput");
  }

  @Test
  void a_broken_store_is_found_by_what_is_wrong_with_it() {
    BrokenBackend broken = BrokenBackend.named("tokens repeat");
    assertThat(broken).hasToString("tokens repeat");
    assertThat(broken.rejectedBy()).isEqualTo("Fencing");
  }

  @Test
  void the_contract_accepts_the_memory_backend() {
    assertAccepted(
        () -> {
          String address = "memory:" + UUID.randomUUID();
          return () -> BackendProvider.backendAt(address);
        });
  }

  @Test
  void the_contract_accepts_the_store_that_the_broken_ones_are_made_of() {
    assertAccepted(() -> TextbookBackend.newStore(Rules.SOUND));
  }

  @Test
  void the_contract_accepts_a_sound_store_that_is_slow() {
    Rules slow =
        new Rules() {
          @Override
          public Duration delayOfAnswers() {
            return Duration.ofMillis(3);
          }

          @Override
          public Duration delayOfMessages() {
            return Duration.ofMillis(50);
          }
        };
    assertAccepted(() -> TextbookBackend.newStore(slow));
  }

  private static void assertAccepted(Supplier<Supplier<LockBackend>> sound) {
    Events tests = run(sound, ALL_GROUPS);
    assertThat(rejections(tests)).isEmpty();
    assertThat(tests.succeeded().count()).isGreaterThan(100);
  }

  private static Events run(
      Supplier<Supplier<LockBackend>> tested, DiscoverySelector... selectors) {
    newStore = tested;
    return EngineTestKit.engine("junit-jupiter").selectors(selectors).execute().testEvents();
  }

  private static DiscoverySelector group(String name) {
    return selectNestedClass(
        List.of(ContractOfAnyStore.class.getName()),
        LockBackendContract.class.getName() + "$" + name);
  }

  private static List<String> rejections(Events tests) {
    return tests.failed().stream().map(BrokenBackendsTest::reason).toList();
  }

  private static String reason(Event failed) {
    return failed.getTestDescriptor().getDisplayName()
        + failed
            .getPayload(TestExecutionResult.class)
            .flatMap(TestExecutionResult::getThrowable)
            .map(failure -> ": " + failure)
            .orElse("");
  }
}
