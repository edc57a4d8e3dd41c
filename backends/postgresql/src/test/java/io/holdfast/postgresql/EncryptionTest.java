// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.Finding;
import io.holdfast.spi.Finding.Verdict;
import io.holdfast.spi.LockBackend;
import io.holdfast.testkit.servers.TestAuthority;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A server without TLS, and addresses that ask for it. */
@Tag("postgresql")
class EncryptionTest {
  private static Database database;

  @TempDir static Path directory;

  @BeforeAll
  static void start() {
    database = new Database();
  }

  @AfterAll
  static void stop() {
    database.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"sslmode=require", "channelBinding=require", "sslpassword=secret"})
  void what_only_tls_has_is_not_done_without_it(String parameter) {
    assertThatThrownBy(() -> Holdfast.connect(database.address(parameter)))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("SSL")
        .hasMessageNotContaining("secret");
  }

  @Test
  void a_server_that_shows_no_certificate_is_refused_if_the_address_names_an_authority() {
    String authority = new TestAuthority(directory).certificate().toString();
    assertThatThrownBy(() -> Holdfast.connect(database.address("sslrootcert=" + authority)))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("SSL");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sslmode=sometimes",
        "channelBinding=perhaps",
        "sslmode=prefer&sslrootcert=/root.pem",
        "sslmode=disable&channelBinding=require"
      })
  void an_address_that_contradicts_itself_is_refused(String parameters) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BackendProvider.backendAt(database.address(parameters)));
  }

  @Test
  void a_check_up_says_how_the_connection_is_encrypted() throws Exception {
    try (LockBackend backend = BackendProvider.backendAt(database.address("mode=lease"))) {
      List<Finding> findings = backend.checkUp().toCompletableFuture().get(60, TimeUnit.SECONDS);
      assertThat(findings)
          .filteredOn(finding -> finding.subject().equals("encryption"))
          .singleElement()
          .satisfies(
              finding ->
                  assertThat(finding.seen()).contains("none, on this machine", "sslmode=prefer"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'', prefer, CAUTION",
    "'', , CAUTION",
    "TLSv1.3, prefer, CAUTION",
    "TLSv1.3, verify-full, GOOD",
    "TLSv1.3, , GOOD"
  })
  void on_another_machine_what_may_be_read_or_changed_on_the_way_is_a_caution(
      String version, String mode, Verdict verdict) {
    assertThat(Encryption.finding(version, false, mode).verdict()).isEqualTo(verdict);
  }
}
