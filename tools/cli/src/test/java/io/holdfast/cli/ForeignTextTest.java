// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Others write to the store too; what they write is shown, and never acts on the terminal. */
@Tag("file")
class ForeignTextTest extends LookingCases {
  private static final String NAME = "n\u202Eeman\u2069";
  private static final String PURPOSE = "first\u2028second\u2066";
  private static final String APPLICATION = "app\u001b]0;title\u0007\u009b31m\u007f\nnext";
  private static final String WHO = "app\\x1b]0;title\\x07\\x9b31m\\x7f\\x0anext@";

  private Holdfast holdfast;
  private Lease lease;

  @BeforeEach
  void hold() throws InterruptedException {
    holdfast =
        Holdfast.builder(url()).application(APPLICATION).leaseTime(Duration.ofMinutes(5)).build();
    lease = holdfast.lock(NAME).withPurpose(PURPOSE).acquire(Duration.ofMinutes(1));
  }

  @AfterEach
  void close() {
    holdfast.close();
  }

  private String url() {
    return "file:" + directory.resolve("locks");
  }

  private String asked(String... arguments) {
    Answer answer = ask(url(), arguments);
    return harmless(answer.output() + answer.errors());
  }

  private String refused() {
    try (Launched run = Launched.holdfast("run", NAME, "--no-wait", "--url", url(), "--", "true")) {
      assertThat(run.exitCode()).isNotZero();
      return harmless(run.errors());
    }
  }

  private static String harmless(String all) {
    assertThat(all.codePoints().filter(point -> point != '\n').filter(ForeignTextTest::acts))
        .describedAs(all)
        .isEmpty();
    return all;
  }

  private static boolean acts(int point) {
    return Character.isISOControl(point)
        || point == 0x2028
        || (point >= 0x202A && point <= 0x202E)
        || (point >= 0x2066 && point <= 0x2069);
  }

  @Test
  void names_purposes_and_applications_are_printed_with_escapes() {
    assertThat(asked("list")).contains("n\\u{202e}eman\\u{2069} ", "first\\u{2028}second", WHO);
    assertThat(asked("inspect", NAME)).contains("n\\u{202e}eman", "first\\u{2028}second", "\\x1b]");
    assertThat(asked("watch", "--times", "1")).contains("n\\u{202e}eman", WHO);
  }

  @Test
  void a_question_and_a_message_are_printed_with_escapes() {
    assertThat(refused()).contains("is held by " + WHO);
    String token = lease.token().toString();
    Answer forced = ask(url(), "force-release", NAME, "--token", token, "--reason", "a test");
    assertThat(harmless(forced.errors())).contains("is held by " + WHO, "[y/N]");
  }

  @Test
  void json_has_escapes_that_a_parser_turns_back() {
    assertThat(asked("list", "--json"))
        .contains("\"n\\u202eeman\\u2069\"", "\"first\\u2028second\\u2066\"")
        .contains("\"app\\u001b]0;title\\u0007\\u009b31m\\u007f\\nnext\"");
  }
}
