// SPDX-License-Identifier: Apache-2.0
import org.jspecify.annotations.NullMarked;

/** What a backend must do, as tests; and time and faults for tests of what uses locks. */
@NullMarked
module io.holdfast.testkit {
  requires transitive io.holdfast;
  requires transitive org.junit.jupiter.api;
  requires org.junit.jupiter.params;
  requires org.assertj.core;

  exports io.holdfast.testkit;
  exports io.holdfast.testkit.broken;
  exports io.holdfast.testkit.servers;

  // The contract's groups are not public; JUnit finds them by reflection.
  opens io.holdfast.testkit to
      org.junit.platform.commons;
}
