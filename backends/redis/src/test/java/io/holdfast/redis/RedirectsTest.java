// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("redis")
class RedirectsTest {

  @ParameterizedTest
  @CsvSource({
    "MOVED 1234 10.0.0.1:7001, true, 10.0.0.1, 7001",
    "ASK 1234 10.0.0.1:7001, false, 10.0.0.1, 7001",
    "MOVED 1234 :7001, true, asked, 7001",
    "ASK 1234 ?:7001, false, asked, 7001",
    "MOVED 1234 ::1:7001, true, ::1, 7001"
  })
  void a_redirection_without_a_host_leads_to_the_host_of_the_node_that_says_it(
      String reply, boolean forGood, String host, int port) {
    Redirects redirect = requireNonNull(Redirects.of(new RedisCommandExecutionException(reply)));
    assertThat(redirect.forGood()).isEqualTo(forGood);
    assertThat(redirect.place(new HostAndPort("asked", 1))).isEqualTo(new HostAndPort(host, port));
  }
}
