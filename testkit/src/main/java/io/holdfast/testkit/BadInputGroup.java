// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.holdfast.DistributedLock;
import io.holdfast.Guarantees;
import io.holdfast.Guarantees.Capability;
import io.holdfast.Lease;
import io.holdfast.LockState;
import io.holdfast.Mode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What makes no sense is refused at once; what is merely unusual works. */
abstract class BadInputGroup extends ContractGroup {
  private static final List<String> UNUSUAL =
      List.of(
          "a",
          "A",
          "a ",
          " a",
          "a b",
          "a/b",
          "a//b",
          "a/./b",
          "a/../b",
          "b",
          "..",
          ".",
          "a.",
          "a{b}",
          "{a}b",
          "{}",
          "a%b",
          "a%62",
          "a%2562",
          "a+b",
          "a:b",
          "a'b",
          "a\"b",
          "a\\b",
          "a*",
          "a?",
          "a[b]",
          "a\u00e9",
          "ae\u0301",
          "\u00c9",
          "\u0130",
          "i",
          "I",
          "\u00df",
          "ss",
          "\ud83d\udd12",
          "\u65e5\u672c",
          "con",
          "a|b",
          "a$b",
          "a;b",
          "a,b",
          "a=b",
          "a#b",
          "-a");

  BadInputGroup(Supplier<Bench> bench) {
    super(bench);
  }

  @ParameterizedTest(name = "\"{0}\"")
  @ValueSource(strings = {"", " ", "\u2003"})
  void a_blank_name_is_refused(String blank) {
    Peer peer = peer();
    assertThatIllegalArgumentException().isThrownBy(() -> peer.lock(blank));
    assertThatIllegalArgumentException().isThrownBy(() -> peer.holdfast().semaphore(blank, 1));
  }

  @Test
  void a_name_with_control_characters_or_lone_surrogates_is_refused() {
    Peer peer = peer();
    for (char control : new char[] {0, '\n', '\t', '\r', 0x1b, 0x7f, 0x85, 0xd800, 0xdfff}) {
      assertThatIllegalArgumentException().isThrownBy(() -> peer.lock("a" + control + "b"));
    }
  }

  @Test
  void a_name_of_more_than_255_bytes_is_refused() {
    Peer peer = peer();
    assertThatIllegalArgumentException().isThrownBy(() -> peer.lock("x".repeat(256)));
    assertThatIllegalArgumentException().isThrownBy(() -> peer.lock("\u00e9".repeat(128)));
  }

  @ParameterizedTest(name = "of {0}")
  @ValueSource(strings = {"x", "/", "%", "\u00e9", "\ud83d\udd12"})
  void a_name_of_255_bytes_works(String character) {
    String first = longestName(character, "x");
    String second = longestName(character, "y");
    assertThat(first.getBytes(StandardCharsets.UTF_8)).hasSize(255);
    Peer peer = peer();
    peer.take(first);
    peer.take(second);
    assertThat(peer().tryTake(first)).isEmpty();
    assertThat(peer.inspect(second).name()).isEqualTo(second);
  }

  private String longestName(String character, String filler) {
    int bytes = character.getBytes(StandardCharsets.UTF_8).length;
    int free = 255 - name("").getBytes(StandardCharsets.UTF_8).length;
    // At least one filler, at the end: what cuts names short confuses the two.
    int repeats = (free - 1) / bytes;
    return name("") + character.repeat(repeats) + filler.repeat(free - repeats * bytes);
  }

  @Test
  void unusual_names_are_distinct_locks() {
    Peer holder = peer();
    Peer other = peer();
    List<Lease> leases = new ArrayList<>();
    for (String unusual : UNUSUAL) {
      leases.add(holder.take(name(unusual)));
    }
    assertThat(leases).allMatch(Lease::isHeld);
    for (int i = 0; i < UNUSUAL.size(); i++) {
      LockState state = other.inspect(name(UNUSUAL.get(i)));
      assertThat(state.holders().get(0).token()).contains(leases.get(i).token());
      assertThat(other.tryTake(name(UNUSUAL.get(i)))).isEmpty();
    }
    assertThat(other.list(bench().prefix(), 1000))
        .extracting(LockState::name)
        .containsExactlyInAnyOrderElementsOf(UNUSUAL.stream().map(this::name).toList());
    leases.forEach(holder::release);
    for (String unusual : UNUSUAL) {
      assertThat(other.inspect(name(unusual)).isFree()).isTrue();
    }
  }

  @Test
  void a_lease_time_that_cannot_be_honoured_is_refused() {
    DistributedLock lock = peer().lock(name());
    Guarantees guarantees = bench().guarantees();
    for (Duration bad :
        List.of(
            Duration.ZERO,
            Duration.ofSeconds(-1),
            guarantees.shortestLeaseTime().minusNanos(1),
            guarantees.longestLeaseTime().plusNanos(1))) {
      assertThatIllegalArgumentException().isThrownBy(() -> lock.withLeaseTime(bad));
    }
  }

  @Test
  void the_shortest_and_the_longest_lease_time_are_honoured() {
    Guarantees guarantees = bench().guarantees();
    Peer peer = peer();
    DistributedLock lock = peer.lock(name());
    peer.release(peer.take(lock.withLeaseTime(guarantees.longestLeaseTime())));
    // By the SPI: before the lease reaches the caller it may have ended.
    RawPeer raw = raw();
    raw.take(raw.holder(name(), Mode.EXCLUSIVE, guarantees.shortestLeaseTime()));
  }

  @Test
  void a_negative_wait_is_refused() {
    DistributedLock lock = peer().lock(name());
    Duration negative = Duration.ofMillis(-1);
    assertThatIllegalArgumentException().isThrownBy(() -> lock.tryAcquire(negative));
    assertThatIllegalArgumentException().isThrownBy(() -> lock.acquire(negative));
  }

  @Test
  void a_semaphore_without_permits_is_refused() {
    Peer peer = peer();
    assertThatIllegalArgumentException().isThrownBy(() -> peer.holdfast().semaphore(name(), 0));
    assertThatIllegalArgumentException().isThrownBy(() -> peer.holdfast().semaphore(name(), -1));
  }

  @Test
  void modes_are_refused_where_they_are_not_claimed() {
    Peer peer = peer();
    DistributedLock lock = peer.lock(name());
    if (!bench().guarantees().claims(Capability.SHARED)) {
      assertThatIllegalArgumentException().isThrownBy(lock::shared);
    }
    if (!bench().guarantees().claims(Capability.PERMITS)) {
      assertThatIllegalArgumentException().isThrownBy(() -> peer.holdfast().semaphore(name(), 2));
    }
  }
}
