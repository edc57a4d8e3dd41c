// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LossCause;
import io.holdfast.spi.BackendProvider;
import io.holdfast.testkit.servers.Eventually;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The schema that is made by hand, and a user that may do no more than the script says. */
@Tag("postgresql")
class PrivilegesTest {
  private static final Duration LEASE = Duration.ofSeconds(12);
  private static final Duration LONG = Duration.ofMinutes(1);

  private Database database;

  @BeforeEach
  void start() {
    database = new Database();
    database.run("CREATE ROLE app LOGIN");
  }

  @AfterEach
  void stop() {
    database.close();
  }

  private String address(String parameters) {
    return database.address(parameters).replace("postgres@", "app@");
  }

  private void grantWhatTheScriptSays() {
    Matcher grants = Pattern.compile("(?m)^--\\s+(GRANT .*);").matcher(PostgresBackend.schema());
    int count = 0;
    while (grants.find()) {
      database.run(grants.group(1));
      count++;
    }
    assertThat(count).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"advisory", "lease"})
  void the_least_privileges_are_enough_for_everything(String mode) throws Exception {
    database.run(PostgresBackend.schema());
    grantWhatTheScriptSays();
    String address = address("session=20s&create=false&mode=" + mode);
    Holdfast one = database.client(BackendProvider.backendAt(address), LEASE);
    Holdfast other = database.client(BackendProvider.backendAt(address), LEASE);
    Lease lease = one.lock("n").acquire(LONG);
    CompletableFuture<Optional<Lease>> waiter = other.lock("n").async().tryAcquire(LONG);
    Eventually.until("it waits", () -> one.inspect("n").waiters().size() == 1);
    Eventually.untilRenewed(lease);
    assertThat(lease.isHeld()).isTrue();
    assertThat(lease.release()).isTrue();
    Lease next = waiter.get(60, TimeUnit.SECONDS).orElseThrow();
    assertThat(one.list("", 10)).hasSize(1);
    assertThat(one.forceRelease("n", next.token(), "a test")).isTrue();
    assertThat(next.loss().toCompletableFuture().get(60, TimeUnit.SECONDS))
        .isEqualTo(LossCause.FORCED);
    Lease shared = one.lock("n").shared().acquire(LONG);
    assertThat(shared.release()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"advisory", "lease"})
  void without_privileges_it_is_refused_and_says_what_is_missing(String mode) throws Exception {
    Throwable noSchema =
        catchThrowable(() -> Holdfast.connect(address("create=false&mode=" + mode)).close());
    assertThat(noSchema).isInstanceOf(BackendException.class).hasMessageContaining("schema");
    Throwable mayNotCreate =
        catchThrowable(() -> Holdfast.connect(address("mode=" + mode)).close());
    assertRefused(mayNotCreate);
    database.run(PostgresBackend.schema());
    assertRefused(catchThrowable(() -> Holdfast.connect(address("mode=" + mode)).close()));
  }

  private static void assertRefused(Throwable failure) {
    assertThat(failure).isInstanceOf(BackendException.class).hasMessageContaining("GRANT");
    assertThat(((BackendException) failure).isTransient()).isFalse();
  }

  @Test
  void the_script_can_be_run_again_and_makes_a_schema_of_any_name() throws Exception {
    database.run(PostgresBackend.schema("locks"));
    database.run(PostgresBackend.schema("locks"));
    for (String mode : new String[] {"advisory", "lease"}) {
      String parameters = "create=false&schema=locks&mode=" + mode;
      Holdfast holdfast = database.client(parameters, LEASE);
      assertThat(holdfast.lock("n").acquire(LONG).release()).isTrue();
    }
    assertThat(database.number("SELECT count(*) FROM pg_namespace WHERE nspname = 'holdfast'"))
        .isZero();
  }

  @Test
  void clients_that_start_together_make_the_schema_once() throws Exception {
    CompletableFuture<?>[] starting = new CompletableFuture<?>[6];
    for (int i = 0; i < starting.length; i++) {
      String parameters = i % 2 == 0 ? "mode=lease" : "mode=advisory";
      starting[i] =
          CompletableFuture.runAsync(() -> Holdfast.connect(database.address(parameters)).close());
    }
    CompletableFuture.allOf(starting).get(60, TimeUnit.SECONDS);
    assertThat(database.number("SELECT max(version) FROM holdfast.schema_version")).isEqualTo(3);
  }
}
