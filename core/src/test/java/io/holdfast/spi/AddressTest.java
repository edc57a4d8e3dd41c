// SPDX-License-Identifier: Apache-2.0
package io.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressTest {

  @Nested
  class Parts {
    @Test
    void are_scheme_credentials_hosts_path_and_parameters() {
      Address address = Address.parse("Redis://ann:s%40fe@a:6379,b:6380/2?prefix=l%26k&timeout=1s");
      assertThat(address.scheme()).isEqualTo("redis");
      assertThat(address.user()).contains("ann");
      assertThat(address.password()).contains("s@fe");
      assertThat(address.hosts()).isEqualTo("a:6379,b:6380");
      assertThat(address.path()).isEqualTo("/2");
      assertThat(address.parameter("prefix")).contains("l&k");
      assertThat(address.parameter("timeout")).contains("1s");
      assertThat(address.parameter("other")).isEmpty();
    }

    @Test
    void may_be_a_scheme_and_nothing_more() {
      Address address = Address.parse("memory:");
      assertThat(address.hosts()).isEmpty();
      assertThat(address.path()).isEmpty();
    }

    @Test
    void may_be_a_plain_path() {
      assertThat(Address.parse("file:/var/lib/locks").path()).isEqualTo("/var/lib/locks");
      assertThat(Address.parse("file:///var/lib/locks").path()).isEqualTo("/var/lib/locks");
    }

    @Test
    void may_be_a_password_without_a_user() {
      Address address = Address.parse("redis://:pw@host");
      assertThat(address.user()).isEmpty();
      assertThat(address.password()).contains("pw");
    }

    @Test
    void keep_an_at_sign_in_a_password_that_was_not_encoded() {
      assertThat(Address.parse("redis://u:p@ss@host:1").password()).contains("p@ss");
    }

    @Test
    void keep_a_plus_sign_as_it_is() {
      assertThat(Address.parse("redis://u:a+b@host").password()).contains("a+b");
    }
  }

  @Nested
  class Nonsense {
    @ParameterizedTest
    @ValueSource(strings = {"", ":", "localhost", "//host", "1redis://x", "re dis://x"})
    void without_a_scheme_is_refused(String text) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Address.parse(text))
          .withMessageContaining("begins with a scheme");
    }

    @Test
    void in_the_parameters_is_refused() {
      assertThatIllegalArgumentException().isThrownBy(() -> Address.parse("redis://h?=1"));
    }

    @Test
    void in_the_name_of_a_parameter_is_refused_and_the_known_ones_are_named() {
      Address address = Address.parse("redis://h?prefex=x");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> address.requireOnly(Set.of("prefix")))
          .withMessageContaining("prefex")
          .withMessageContaining("prefix");
    }
  }

  @Nested
  class Secrets {
    private static final String CANARY = "c4n4ry";

    @ParameterizedTest
    @ValueSource(
        strings = {
          "redis://user:c4n4ry@host:6379/0",
          "redis://:c4n4ry@host?timeout=1s",
          "redis://us@er:c4n4ry@host",
          "redis://user:a/c4n4ry@host",
          "redis://user:a#c4n4ry=@host",
          "redis://user:a%3Fc4n4ry%3Db@host",
          "quorum:redis://u:c4n4ry@host,redis://u:a,c4n4ry@b",
        })
    void do_not_show_in_the_text_of_an_address(String text) {
      assertThat(Address.parse(text).toString()).doesNotContain(CANARY).contains("host");
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "redis://user:c4n4ry%@host",
          "redis://user:c4n4ry%zz@host",
          "://user:c4n4ry@host",
          "user:c4n4ry@host",
          "redis://user:c4n4ry@host?c4n4ry",
          "nowhere://user:c4n4ry@host",
          "nowhere://user:a?c4n4ry@host",
          "file://user:a?c4n4ry=b@host",
          "file://user:c4n4ry?a=b@host",
          "file://user:p@a?c4n4ry=b@host/path?x=y",
          "file://user:p@c4n4ry?a=b@host",
          "file://user:a?b=1&c4n4ry=@host",
          "file://user:a#b?c4n4ry=%41@host",
        })
    void do_not_show_in_what_is_thrown(String text) {
      Throwable thrown = catchThrowable(() -> BackendProvider.backendAt(text));
      for (Throwable at = thrown; at != null; at = at.getCause()) {
        assertThat(at.toString()).doesNotContain(CANARY);
      }
      assertThat(thrown).isInstanceOf(IllegalArgumentException.class);
    }
  }
}
