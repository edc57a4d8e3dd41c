// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.servers.Eventually;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Old clients and new ones, on schemas of their own version and of others. */
@Tag("postgresql")
class SchemaVersionTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final int VERSION = 3;

  private Database database;

  @BeforeEach
  void start() {
    database = new Database();
  }

  @AfterEach
  void stop() {
    database.close();
  }

  private long version() {
    return database.number("SELECT max(version) FROM holdfast.schema_version");
  }

  /** As the script of a version to come would. */
  private void migrateTo(int version, int oldestClient) {
    database.run("ALTER TABLE holdfast.lease ADD COLUMN added text");
    database.run(
        "INSERT INTO holdfast.schema_version VALUES (" + version + ", " + oldestClient + ")");
  }

  @ParameterizedTest
  @ValueSource(strings = {"advisory", "lease"})
  void a_new_client_migrates_the_schema_of_the_version_before(String mode) throws Exception {
    database.run(PreviousClient.schema());
    Holdfast client = database.client("mode=" + mode, LEASE);
    assertThat(version()).isEqualTo(VERSION);
    assertThat(client.lock("n").acquire(LONG).release()).isTrue();
  }

  @Test
  void what_is_held_by_an_old_client_is_held_after_the_migration_and_tokens_grow()
      throws Exception {
    database.run(PreviousClient.schema());
    try (PreviousClient old = new PreviousClient(database.connect())) {
      long token = old.acquire("n", "old-1").orElseThrow();
      Holdfast client = database.client("mode=lease", LEASE);
      assertThat(client.lock("n").tryAcquire()).isEmpty();
      assertThat(old.renew("n", "old-1")).isTrue();
      assertThat(old.release("n", "old-1")).isTrue();
      assertThat(client.lock("n").acquire(LONG).token().value()).isGreaterThan(token);
    }
  }

  @Test
  void clients_of_neighbouring_versions_exclude_and_follow_each_other() throws Exception {
    Holdfast client = database.client("mode=lease", LEASE);
    try (PreviousClient old = new PreviousClient(database.connect())) {
      Lease held = client.lock("n").acquire(LONG);
      assertThat(old.acquire("n", "old-1")).isEmpty();
      CompletableFuture<Optional<Lease>> waiter =
          database.client("mode=lease", LEASE).lock("n").async().tryAcquire(LONG);
      Eventually.until("both wait", () -> client.inspect("n").waiters().size() == 2);
      held.release();
      long token = old.acquire("n", "old-1").orElseThrow();
      assertThat(token).isGreaterThan(held.token().value());
      assertThat(waiter.isDone()).isFalse();
      assertThat(old.release("n", "old-1")).isTrue();
      Lease next = waiter.get(60, TimeUnit.SECONDS).orElseThrow();
      assertThat(next.token().value()).isGreaterThan(token);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"advisory", "lease"})
  void a_client_goes_on_while_the_schema_is_migrated_to_the_next_version(String mode)
      throws Exception {
    Holdfast client = database.client("mode=" + mode, LEASE);
    Lease held = client.lock("n").acquire(LONG);
    migrateTo(VERSION + 1, VERSION);
    held.renew();
    assertThat(held.release()).isTrue();
    assertThat(client.lock("n").acquire(LONG).release()).isTrue();
    Holdfast later = database.client("mode=" + mode, LEASE);
    assertThat(later.lock("n").acquire(LONG).release()).isTrue();
    assertThat(version()).isEqualTo(VERSION + 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"advisory", "lease"})
  void a_client_that_the_schema_does_not_serve_any_more_is_refused(String mode) {
    database.run(PostgresBackend.schema());
    migrateTo(VERSION + 2, VERSION + 1);
    assertRefused("mode=" + mode, "serves clients of version 4 and newer", "upgrade");
  }

  @Test
  void a_script_does_not_take_a_newer_schema_back() {
    database.run(PostgresBackend.schema());
    migrateTo(VERSION + 1, VERSION);
    assertThatThrownBy(() -> database.run(PostgresBackend.schema()))
        .hasMessageContaining("the schema has version 4");
  }

  @Test
  void an_old_schema_that_may_not_be_changed_is_refused_and_names_both_versions() {
    database.run(PreviousClient.schema());
    assertRefused("create=false", "has version 2", "needs version 3", "create=true");
    database.run("CREATE ROLE app LOGIN; GRANT USAGE ON SCHEMA holdfast TO app");
    String address = database.address("mode=lease").replace("postgres@", "app@");
    assertThatThrownBy(() -> Holdfast.connect(address).close())
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("needs version 3")
        .hasMessageContaining("its owner runs PostgresBackend.schema()");
  }

  @Test
  void a_schema_that_is_older_than_all_releases_is_refused() {
    database.run(PreviousClient.schema().replace("AS 'SELECT 2'", "AS 'SELECT 1'"));
    assertRefused("mode=lease", "has version 1", "drop it");
  }

  @Test
  void clients_that_start_together_migrate_once() throws Exception {
    database.run(PreviousClient.schema());
    CompletableFuture<?>[] starting = new CompletableFuture<?>[6];
    for (int i = 0; i < starting.length; i++) {
      String parameters = i % 2 == 0 ? "mode=lease" : "mode=advisory";
      starting[i] =
          CompletableFuture.runAsync(() -> Holdfast.connect(database.address(parameters)).close());
    }
    CompletableFuture.allOf(starting).get(60, TimeUnit.SECONDS);
    assertThat(version()).isEqualTo(VERSION);
  }

  private void assertRefused(String parameters, String... words) {
    assertThatThrownBy(() -> Holdfast.connect(database.address(parameters)).close())
        .isInstanceOfSatisfying(
            BackendException.class,
            refused -> {
              assertThat(refused.isTransient()).isFalse();
              assertThat(refused.getMessage()).contains(words);
            });
  }
}
