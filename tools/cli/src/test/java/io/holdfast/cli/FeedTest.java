// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LossCause;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the supervisor and the watchdog read, in which order. */
class FeedTest {
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  private List<String> lines() {
    return said.toString(UTF_8).lines().toList();
  }

  /** The supervisor takes the token from the first line, whatever that is. */
  @Test
  void the_grant_is_the_first_that_is_said_though_a_renewal_or_a_loss_comes_before() {
    try (Holdfast holdfast = Holdfast.connect("memory:")) {
      Lease lease =
          holdfast.lock("a").withLeaseTime(Duration.ofHours(1)).tryAcquire().orElseThrow();
      Feed feed =
          new Feed(lease, Duration.ofSeconds(1), new CommandTree(lease.holder().toString()), said);
      feed.until();
      feed.lost(LossCause.GONE);
      feed.granted("kill");
      feed.until();
      feed.over();
      assertThat(lines()).hasSize(5);
      assertThat(lines().get(0)).startsWith("granted " + lease.token() + " " + lease.holder());
      assertThat(lines().get(1)).isEqualTo("a");
      assertThat(lines().get(2)).isEqualTo("lost gone");
      assertThat(lines().get(3)).startsWith("until ");
      assertThat(lines().get(4)).isEqualTo("over");
    }
  }
}
