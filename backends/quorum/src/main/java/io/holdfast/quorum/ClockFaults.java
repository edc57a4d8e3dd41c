// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What follows when it is known whose clock moved.
 *
 * @param lane the lane of all leases
 */
record ClockFaults(Roster roster, Object lane) implements ClockJudge.Consequences {
  private static final Logger LOG = LoggerFactory.getLogger(QuorumBackend.class);

  /**
   * Set forward, it ended votes early; set back, it ends them late. Neither is to be counted on.
   */
  @Override
  public void nodeWasSet(Node node, long micros) {
    Duration longest = roster.settings().longestLease();
    LOG.warn(
        "quorum: the clock of node {} was set by at least {} ms; it gives no votes for {}",
        node,
        micros / 1000,
        longest);
    node.leaveOutFor(longest);
    Futures.ignore(() -> node.store().rest(longest));
    roster.stands(node, Standing.RESTS, ": its clock was set");
  }

  @Override
  public void processFellBehind(Duration by) {
    roster.context().shortened(lane, by);
  }
}
