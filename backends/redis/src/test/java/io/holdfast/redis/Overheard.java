// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import org.slf4j.LoggerFactory;

/**
 * Everything that anybody logs in this JVM, ours to the last detail and others' for debugging,
 * through SLF4J and {@code java.util.logging}, and what is thrown.
 */
final class Overheard implements AutoCloseable {
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  private final Logger ours = (Logger) LoggerFactory.getLogger("io.holdfast");
  private final java.util.logging.Logger julRoot = LogManager.getLogManager().getLogger("");
  private final Level before = root.getLevel();
  private final java.util.logging.Level julBefore = julRoot.getLevel();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          String pairs = String.valueOf(event.getKeyValuePairs());
          String thrown = ThrowableProxyUtil.asString(event.getThrowableProxy());
          lines.add(event.getFormattedMessage() + " " + pairs + event.getMDCPropertyMap() + thrown);
        }
      };
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          lines.add(line.getMessage() + List.of(String.valueOf(line.getThrown())));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  Overheard() {
    appender.setContext(root.getLoggerContext());
    appender.start();
    root.addAppender(appender);
    root.setLevel(Level.DEBUG);
    ours.setLevel(Level.TRACE);
    julRoot.addHandler(handler);
    julRoot.setLevel(java.util.logging.Level.FINE);
  }

  /** Adds what was thrown, with all its causes and what was suppressed. */
  void add(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text));
    lines.add(text.toString());
  }

  void add(Object shown) {
    lines.add(shown.toString());
  }

  List<String> lines() {
    return lines;
  }

  @Override
  public void close() {
    root.detachAppender(appender);
    root.setLevel(before);
    ours.setLevel(null);
    julRoot.removeHandler(handler);
    julRoot.setLevel(julBefore);
  }
}
