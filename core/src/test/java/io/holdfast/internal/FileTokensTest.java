// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileTokensTest {
  private static final long NOON = Duration.ofDays(20_000).toNanos();
  private static final long NOON_TOKEN = NOON / 1_000;

  @TempDir private Path folder;
  private FileMutex mutex;

  @BeforeEach
  void open() throws IOException {
    mutex = new FileMutex(folder.resolve("mutex"));
  }

  @AfterEach
  void close() throws IOException {
    mutex.close();
  }

  private FileTokens tokens() throws IOException {
    FileTokens tokens = new FileTokens(folder.resolve("tokens"), folder.resolve("draft"), mutex);
    tokens.refresh();
    return tokens;
  }

  @Nested
  class Tokens {
    @Test
    void are_the_time_in_microseconds() throws IOException {
      assertThat(tokens().next(0, 1, NOON)).isEqualTo(NOON_TOKEN);
    }

    @Test
    void are_above_the_last_one_when_the_clock_is_not() throws IOException {
      assertThat(tokens().next(NOON_TOKEN + 5, 3, NOON)).isEqualTo(NOON_TOKEN + 6);
      assertThat(tokens().next(0, 1, 0)).isEqualTo(1);
    }

    @Test
    void are_below_a_limit_that_is_on_the_disk_before_they_are_granted() throws IOException {
      FileTokens tokens = tokens();
      long last = 0;
      for (int second = 0; second < 60; second++) {
        last = tokens.next(last, 1_000, NOON + Duration.ofSeconds(second).toNanos()) + 999;
        FileTokens afterPowerLoss = tokens();
        afterPowerLoss.settle(Long.MAX_VALUE);
        assertThat(afterPowerLoss.floor()).isGreaterThanOrEqualTo(last);
      }
    }

    @Test
    void need_one_sync_for_many() throws IOException {
      FileTokens tokens = tokens();
      long last = tokens.next(0, 1, NOON);
      Object file = fileKey();
      for (int i = 0; i < 10_000; i++) {
        last = tokens.next(last, 1, NOON + i);
      }
      assertThat(fileKey()).isEqualTo(file);
    }

    private Object fileKey() throws IOException {
      return Files.getAttribute(folder.resolve("tokens"), "fileKey");
    }
  }

  @Nested
  class TheFloor {
    @Test
    void only_rises() throws IOException {
      FileTokens tokens = tokens();
      tokens.raiseFloor(10);
      tokens.raiseFloor(5);
      assertThat(tokens().floor()).isEqualTo(10);
    }

    @Test
    void is_no_higher_than_the_last_token_if_that_is_known() throws IOException {
      FileTokens tokens = tokens();
      long last = tokens.next(0, 1, NOON);
      tokens.settle(last);
      assertThat(tokens().floor()).isEqualTo(last);
      assertThat(tokens().next(tokens().floor(), 1, 0)).isEqualTo(last + 1);
    }
  }

  @Test
  void a_damaged_file_is_reported_rather_than_taken_for_an_empty_one() throws IOException {
    FileTokens tokens = tokens();
    tokens.next(0, 1, NOON);
    byte[] bytes = Files.readAllBytes(folder.resolve("tokens"));
    for (int length = 0; length < bytes.length; length++) {
      Files.write(folder.resolve("tokens"), java.util.Arrays.copyOf(bytes, length));
      assertThatThrownBy(tokens::floor)
          .isInstanceOf(UnfitException.class)
          .hasMessageContaining("tokens");
    }
  }
}
