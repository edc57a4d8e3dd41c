// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.FaultyProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** What is logged of a server whose connections break again and again. */
@Tag("postgresql")
class UnsteadyServerTest {
  private static final int CUTS = 5;

  private final ManualTime time = new ManualTime();
  private final Logger logger =
      (Logger) LoggerFactory.getLogger(UnsteadyServerTest.class.getPackageName());
  private final Lines lines = new Lines();

  @BeforeEach
  void listen() {
    lines.start();
    logger.setLevel(Level.DEBUG);
    logger.addAppender(lines);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(lines);
    logger.setLevel(null);
  }

  @ParameterizedTest
  @ValueSource(strings = {"advisory", "lease"})
  void its_trouble_is_one_line_when_it_begins_and_one_when_it_ends(String mode) {
    try (Database database = new Database();
        FaultyProxy network = new FaultyProxy(database.server().port());
        Holdfast holdfast = client(network, mode)) {
      for (int i = 0; i < CUTS; i++) {
        network.cut();
        awaitService(holdfast);
        time.advance(ConnectionTrouble.QUIET.dividedBy(2));
        awaitService(holdfast);
      }
      assertThat(lines.from(Level.INFO))
          .singleElement()
          .satisfies(
              line -> {
                assertThat(line.getLevel()).isEqualTo(Level.WARN);
                assertThat(line.getFormattedMessage()).contains("lost a connection to postgresql:");
                assertThat(line.getThrowableProxy()).isNull();
              });
      assertThat(lines.all).anyMatch(line -> line.getThrowableProxy() != null);

      time.advance(ConnectionTrouble.QUIET);
      awaitService(holdfast);
      Eventually.until("its end is told", () -> lines.from(Level.INFO).size() > 1);
      assertThat(lines.from(Level.INFO))
          .hasSize(2)
          .last()
          .satisfies(line -> assertThat(line.getFormattedMessage()).contains("are steady again"));
    }
  }

  private Holdfast client(FaultyProxy network, String mode) {
    String address =
        "postgresql://postgres@" + network.hostAndPort() + "/postgres?timeout=4s&mode=" + mode;
    return Holdfast.builder(address)
        .time(time)
        .localPasses(0, Duration.ZERO)
        .shutdownHook(false)
        .build();
  }

  private static void awaitService(Holdfast holdfast) {
    Eventually.until(
        "the server answers",
        () -> {
          try {
            holdfast.inspect("n");
            return true;
          } catch (BackendException notYet) {
            return false;
          }
        });
  }

  private static final class Lines extends AppenderBase<ILoggingEvent> {
    private final List<ILoggingEvent> all = new CopyOnWriteArrayList<>();

    @Override
    protected void append(ILoggingEvent line) {
      all.add(line);
    }

    private List<ILoggingEvent> from(Level level) {
      return all.stream().filter(line -> line.getLevel().isGreaterOrEqual(level)).toList();
    }
  }
}
