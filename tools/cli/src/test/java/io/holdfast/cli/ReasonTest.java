// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class ReasonTest {
  @Test
  void a_message_is_one_line() {
    assertThat(Reason.of(new IOException("first\nsecond"))).isEqualTo("first");
    assertThat(Reason.of(new IOException("\nfirst\nsecond"))).isEqualTo("first");
  }

  @Test
  void an_exception_without_a_message_is_told_in_words() {
    assertThat(Reason.of(new TimeoutException())).isEqualTo("no answer in time");
    assertThat(Reason.of(new IllegalStateException())).isEqualTo("illegal state");
    assertThat(Reason.of(new RuntimeException() {})).isEqualTo("a failure without a message");
    assertThat(Reason.of(new CompletionException(null, new TimeoutException())))
        .isEqualTo("no answer in time");
    assertThat(Reason.of(new Exception())).isEqualTo("a failure without a message");
  }
}
