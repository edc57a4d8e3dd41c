// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Who believed to hold what, when, and with which token; by one monotonic clock. */
final class History {

  /**
   * One lease.
   *
   * @param asked when it was asked for
   * @param from when it was first seen to be held
   * @param until when it was last seen to be held
   */
  record Held(String name, String client, long token, long asked, long from, long until) {
    boolean meets(long begin, long end) {
      return from <= end && until >= begin;
    }
  }

  /** A time during which something was out of order. */
  record Span(long begin, long end) {}

  private final List<Held> leases = new ArrayList<>();
  private int failures;

  synchronized void add(Held lease) {
    leases.add(lease);
  }

  synchronized void failed() {
    failures++;
  }

  synchronized int grants() {
    return leases.size();
  }

  private synchronized Map<String, List<Held>> byName() {
    return leases.stream()
        .sorted(Comparator.comparingLong(Held::from))
        .collect(Collectors.groupingBy(Held::name));
  }

  /** Equal tokens, and those that are not greater than one that was granted before the request. */
  List<String> tokensThatDidNotGrow() {
    List<String> offences = new ArrayList<>();
    for (List<Held> ofOne : byName().values()) {
      for (Held one : ofOne) {
        for (Held other : ofOne) {
          boolean equal = !one.equals(other) && one.token() == other.token();
          if (equal || (one.from() < other.asked() && one.token() >= other.token())) {
            offences.add(one + " and " + other);
          }
        }
      }
    }
    return offences;
  }

  /** Leases that were held at the same time, though neither met one of these spans. */
  List<String> overlapsExceptDuring(List<Span> spans) {
    List<String> offences = new ArrayList<>();
    for (List<Held> ofOne : byName().values()) {
      for (int i = 0; i < ofOne.size(); i++) {
        for (int j = i + 1; j < ofOne.size(); j++) {
          Held one = ofOne.get(i);
          Held other = ofOne.get(j);
          boolean excused =
              spans.stream()
                  .anyMatch(
                      span ->
                          one.meets(span.begin(), span.end())
                              || other.meets(span.begin(), span.end()));
          if (one.meets(other.from(), other.until()) && !excused) {
            offences.add(one + " and " + other);
          }
        }
      }
    }
    return offences;
  }

  @Override
  public synchronized String toString() {
    return leases.size()
        + " grants, "
        + failures
        + " failures, "
        + overlapsExceptDuring(List.of()).size()
        + " overlaps in all";
  }
}
