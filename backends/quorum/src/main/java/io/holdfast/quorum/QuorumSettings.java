// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.spi.Address;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What all nodes of a quorum have in common.
 *
 * @param timeout how long one node may keep a request waiting
 * @param longestLease the longest lease time: a node that lost its data gives no votes for so long
 * @param founding what becomes of nodes of which none knows anything
 */
record QuorumSettings(Duration timeout, Duration longestLease, Founding founding) {
  static final Duration SHORTEST_LEASE = Duration.ofMillis(500);
  private static final Duration LONGEST_POSSIBLE_LEASE = Duration.ofDays(365);
  private static final Set<String> PARAMETERS = Set.of("timeout", "longest");
  private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s)");

  static final QuorumSettings DEFAULT =
      new QuorumSettings(Duration.ofSeconds(1), Duration.ofSeconds(60), Founding.REST);

  /** Nodes that are new look like nodes that all lost their data at once. */
  enum Founding {
    /** They may have lost it: they rest before the first grant. */
    REST,
    /** They are new: the operator said so, once. */
    AT_ONCE
  }

  QuorumSettings {
    if (timeout.compareTo(Duration.ofMillis(10)) < 0
        || timeout.compareTo(Duration.ofSeconds(2)) > 0) {
      throw new IllegalArgumentException(
          "the time-out of a node is between 10 ms and 2 s, because core gives up on a store after"
              + " 5 s, not "
              + timeout);
    }
    if (longestLease.compareTo(SHORTEST_LEASE) <= 0
        || longestLease.compareTo(LONGEST_POSSIBLE_LEASE) > 0) {
      throw new IllegalArgumentException(
          "the longest lease time of a quorum is more than "
              + SHORTEST_LEASE
              + " and at most "
              + LONGEST_POSSIBLE_LEASE
              + ", not "
              + longestLease);
    }
  }

  static QuorumSettings of(Address address) {
    address.requireOnly(PARAMETERS);
    return new QuorumSettings(
        address.parameter("timeout").map(QuorumSettings::time).orElse(DEFAULT.timeout),
        address.parameter("longest").map(QuorumSettings::time).orElse(DEFAULT.longestLease),
        DEFAULT.founding);
  }

  QuorumSettings withTimeout(Duration timeout) {
    return new QuorumSettings(timeout, longestLease, founding);
  }

  QuorumSettings withLongestLease(Duration longestLease) {
    return new QuorumSettings(timeout, longestLease, founding);
  }

  QuorumSettings withFounding(Founding founding) {
    return new QuorumSettings(timeout, longestLease, founding);
  }

  /** How long a phase waits for the nodes: several fit into a lease. */
  Duration timeoutFor(Duration leaseTime) {
    Duration part = leaseTime.dividedBy(4);
    return part.compareTo(timeout) < 0 ? part : timeout;
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
          "a time of a quorum is written as 500ms, 30s or PT30S", nonsense);
    }
  }
}
