// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages say in words why there is no connection, also where the exception has no message. */
@Tag("redis")
class ReasonsTest {

  private static String messageOf(String address) {
    BackendException failure =
        catchThrowableOfType(BackendException.class, () -> Holdfast.connect(address).close());
    return String.valueOf(failure.getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis://127.0.0.1:%d", "redis-sentinel://127.0.0.1:%d/mymaster"})
  void a_port_at_which_connections_are_closed_at_once(String address) throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread closing = new Thread(() -> closeAll(listener), "closing");
      closing.setDaemon(true);
      closing.start();
      assertThat(messageOf(address.formatted(listener.getLocalPort()) + "?timeout=4s"))
          .doesNotContain("null")
          .doesNotContain("Exception")
          .contains("127.0.0.1:" + listener.getLocalPort());
    }
  }

  private static void closeAll(ServerSocket listener) {
    while (!listener.isClosed()) {
      try (Socket accepted = listener.accept()) {
        accepted.setSoLinger(true, 0);
      } catch (IOException closed) {
        return;
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis://127.0.0.1:%d", "redis-sentinel://127.0.0.1:%d/mymaster"})
  void a_port_at_which_nothing_is_answered(String address) throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      assertThat(messageOf(address.formatted(silent.getLocalPort()) + "?timeout=300ms"))
          .doesNotContain("null")
          .doesNotContain("Exception")
          .contains("127.0.0.1:" + silent.getLocalPort());
    }
  }

  @Test
  void an_exception_without_a_message_is_put_into_words() {
    assertThat(Reasons.of(new ClosedChannelException()))
        .isEqualTo("the connection was closed by the other end");
    assertThat(Reasons.of(new TimeoutException())).isEqualTo("no answer in time");
    assertThat(Reasons.of(new IllegalStateException()))
        .isEqualTo("IllegalStateException without a message");
  }
}
