// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.BackendProvider;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.FaultyProxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The first request after a connection was lost of which nobody knew, on a server that is well. */
@Tag("postgresql")
class IdleConnectionTest {
  private static final Duration LEASE = Duration.ofMinutes(5);
  private static final String SESSIONS =
      " FROM pg_stat_activity WHERE application_name = 'holdfast'";

  private Database database;
  private FaultyProxy network;

  @BeforeEach
  void start() {
    database = new Database();
    network = new FaultyProxy(database.server().port());
  }

  @AfterEach
  void stop() {
    network.close();
    database.close();
  }

  private Holdfast behind(String parameters) {
    String address =
        "postgresql://postgres@" + network.hostAndPort() + "/postgres?mode=lease" + parameters;
    return database.client(BackendProvider.backendAt(address), LEASE);
  }

  private void endAllSessions() {
    database.run("DROP TABLE IF EXISTS ended; CREATE TABLE ended AS SELECT pid" + SESSIONS);
    database.run("SELECT pg_terminate_backend(pid) FROM ended");
    Eventually.until(
        "they have ended",
        () ->
            database.number("SELECT count(*)" + SESSIONS + " AND pid IN (SELECT pid FROM ended)")
                == 0);
  }

  @Test
  void is_carried_out_if_the_server_ended_the_connection() throws Exception {
    Holdfast client = database.client("mode=lease", LEASE);
    endAllSessions();
    assertThat(client.lock("n").tryAcquire()).isPresent();
    endAllSessions();
    assertThat(client.inspect("n").holders()).hasSize(1);
    endAllSessions();
    assertThat(client.list("", 10)).hasSize(1);
  }

  @Test
  void is_carried_out_if_the_network_has_forgotten_the_connection() throws Exception {
    Holdfast client = behind("&timeout=4s");
    network.strand();
    Eventually.pass(Duration.ofSeconds(6)); // As long as it takes to be doubted.
    Optional<Lease> lease = client.lock("n").tryAcquire();
    assertThat(lease).isPresent();
    assertThat(lease.orElseThrow().release()).isTrue();
  }

  /** A server that is away: who said that it shall take less time is told earlier. */
  @Test
  void fails_within_its_timeout_although_it_has_to_connect() throws Exception {
    Holdfast patient = behind("&timeout=4s");
    Holdfast hasty = hasty();
    network.loseEverything();
    network.cut();
    for (Holdfast client : List.of(patient, hasty)) {
      CompletableFuture<Optional<Lease>> first = client.lock("n").async().tryAcquire();
      Eventually.until("it is known that the connection is lost", first::isDone);
    }
    CompletableFuture<Optional<Lease>> later = patient.lock("n").async().tryAcquire();
    CompletableFuture<Optional<Lease>> sooner = hasty.lock("n").async().tryAcquire();
    Eventually.until("the hasty one has failed", sooner::isDone);
    assertThat(later).isNotDone();
    assertThat(sooner).isCompletedExceptionally();
    Eventually.until("the patient one has failed", later::isDone);
  }

  /** On a busy machine it may take some tries to connect. */
  private Holdfast hasty() {
    Holdfast[] client = new Holdfast[1];
    Eventually.until(
        "it is connected",
        () -> {
          try {
            client[0] = behind("&timeout=500ms");
            return true;
          } catch (RuntimeException notYet) {
            return false;
          }
        });
    return client[0];
  }

  @Test
  void a_renewal_goes_on_after_its_connection_was_ended() throws Exception {
    Holdfast client = database.client("mode=lease", Duration.ofSeconds(15));
    Lease lease = client.lock("n").tryAcquire().orElseThrow();
    Eventually.untilRenewed(lease);
    endAllSessions();
    Eventually.untilRenewed(lease);
    assertThat(lease.loss().toCompletableFuture()).isNotDone();
    assertThat(CompletableFuture.supplyAsync(lease::release).get(60, TimeUnit.SECONDS)).isTrue();
  }
}
