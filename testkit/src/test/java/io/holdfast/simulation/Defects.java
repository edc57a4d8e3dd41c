// SPDX-License-Identifier: Apache-2.0
package io.holdfast.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What the runtime logs as an error: it survives its defects, but the simulation must not. */
final class Defects extends AppenderBase<ILoggingEvent> implements AutoCloseable {
  private final Logger logger = (Logger) LoggerFactory.getLogger("io.holdfast");
  private final List<String> errors = new ArrayList<>();

  static Defects collected() {
    Defects defects = new Defects();
    defects.setContext(defects.logger.getLoggerContext());
    defects.start();
    defects.logger.setLevel(Level.ERROR);
    defects.logger.setAdditive(false);
    defects.logger.addAppender(defects);
    return defects;
  }

  @Override
  protected void append(ILoggingEvent event) {
    String cause =
        event.getThrowableProxy() == null
            ? ""
            : "\n" + ThrowableProxyUtil.asString(event.getThrowableProxy());
    errors.add(event.getFormattedMessage() + cause);
  }

  void reportTo(World world) {
    errors.forEach(world::fail);
  }

  @Override
  public void close() {
    logger.detachAppender(this);
    logger.setAdditive(true);
    logger.setLevel(null);
    stop();
  }
}
