// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.spi.BackendContext;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Messages on our channel that are not for us: logged when they begin, and when they end. */
final class ForeignMessages {
  private static final Logger LOG = LoggerFactory.getLogger(RedisBackend.class);

  /** They have ended when none came for so long. */
  private static final Duration SILENCE = Duration.ofMinutes(1);

  private final BackendContext context;
  private long ignored;
  private long ignoredBefore;

  ForeignMessages(BackendContext context) {
    this.context = context;
  }

  synchronized void ignore() {
    ignored++;
    if (ignored == 1) {
      LOG.warn("a message on our channel that is not for us was ignored");
      context.after(SILENCE, this::look);
    }
  }

  private synchronized void look() {
    if (ignored > ignoredBefore) {
      ignoredBefore = ignored;
      context.after(SILENCE, this::look);
    } else {
      LOG.info("no more messages that are not for us: {} were ignored", ignored);
      ignored = 0;
      ignoredBefore = 0;
    }
  }
}
