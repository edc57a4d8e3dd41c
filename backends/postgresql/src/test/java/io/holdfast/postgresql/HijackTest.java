// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
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

/**
 * A role that may create in a schema of everybody's search path. What it puts there fits an
 * operator or a function better than the server's own, and is preferred where names are looked up.
 */
@Tag("postgresql")
class HijackTest {
  private static final Duration LEASE = Duration.ofSeconds(20);
  private static final Duration LONG = Duration.ofMinutes(1);

  private static final String TRAPS =
      """
      CREATE TABLE public.caught (by text);
      GRANT INSERT ON public.caught TO PUBLIC;
      CREATE FUNCTION public.trap() RETURNS void LANGUAGE sql AS
        'INSERT INTO public.caught VALUES (current_user)';
      CREATE FUNCTION public.times(numeric, integer) RETURNS numeric LANGUAGE plpgsql AS
        'BEGIN PERFORM public.trap(); RETURN $1 OPERATOR(pg_catalog.*) $2::numeric; END';
      CREATE FUNCTION public.times(interval, integer) RETURNS interval LANGUAGE plpgsql AS
        'BEGIN PERFORM public.trap(); RETURN $1 OPERATOR(pg_catalog.*) $2::float8; END';
      CREATE FUNCTION public.times(bigint, interval) RETURNS interval LANGUAGE plpgsql AS
        'BEGIN PERFORM public.trap(); RETURN $1::float8 OPERATOR(pg_catalog.*) $2; END';
      CREATE OPERATOR public.* (FUNCTION = public.times, LEFTARG = numeric, RIGHTARG = integer);
      CREATE OPERATOR public.* (FUNCTION = public.times, LEFTARG = interval, RIGHTARG = integer);
      CREATE OPERATOR public.* (FUNCTION = public.times, LEFTARG = bigint, RIGHTARG = interval);
      CREATE FUNCTION public.concat_ws(text, text, text, bigint, integer, bigint) RETURNS text
        LANGUAGE plpgsql AS
        'BEGIN PERFORM public.trap(); RETURN pg_catalog.concat_ws($1, $2, $3, $4, $5, $6); END';
      CREATE FUNCTION public.starts_with(text, character varying) RETURNS boolean
        LANGUAGE plpgsql AS
        'BEGIN PERFORM public.trap(); RETURN pg_catalog.starts_with($1, $2::text); END';
      CREATE OPERATOR public.= (
        FUNCTION = public.starts_with, LEFTARG = text, RIGHTARG = character varying);
      CREATE OPERATOR public.>= (
        FUNCTION = public.starts_with, LEFTARG = text, RIGHTARG = character varying);
      CREATE FUNCTION public.calls() RETURNS bigint LANGUAGE plpgsql AS
        'BEGIN PERFORM public.trap(); RETURN 1; END';
      CREATE VIEW public.pg_stat_statements AS
        SELECT public.calls() AS calls, oid AS dbid FROM pg_database;
      GRANT SELECT ON public.pg_stat_statements TO PUBLIC;
      """;

  private Database database;

  @BeforeEach
  void start() {
    database = new Database();
    database.run("CREATE ROLE attacker; GRANT CREATE ON SCHEMA public TO attacker");
    database.run(TRAPS);
    for (String function : new String[] {"trap()", "calls()"}) {
      database.run("ALTER FUNCTION public." + function + " OWNER TO attacker");
    }
  }

  @AfterEach
  void stop() {
    database.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"advisory", "lease", "lease&notify=false"})
  void a_role_that_may_create_in_public_does_not_get_its_code_run_by_our_callers(String mode)
      throws Exception {
    LockBackend backend = BackendProvider.backendAt(database.address("mode=" + mode));
    Holdfast one = database.client(backend, LEASE);
    Holdfast other = database.client("mode=" + mode, LEASE);
    Lease lease = one.lock("n").withPurpose("a test").acquire(LONG);
    CompletableFuture<Optional<Lease>> waiter = other.lock("n").async().tryAcquire(LONG);
    Eventually.until("it waits", () -> one.inspect("n").waiters().size() == 1);
    lease.renew();
    assertThat(lease.release()).isTrue();
    Lease next = waiter.get(60, TimeUnit.SECONDS).orElseThrow();
    assertThat(one.list("", 10)).hasSize(1);
    assertThat(one.forceRelease("n", next.token(), "a test")).isTrue();
    backend.checkUp().toCompletableFuture().get(60, TimeUnit.SECONDS);
    backend.executedCommands().toCompletableFuture().get(60, TimeUnit.SECONDS);
    assertThat(database.number("SELECT count(*) FROM public.caught")).isZero();
  }

  @Test
  void every_function_names_its_search_path() {
    database.run(PostgresBackend.schema());
    String functions = "SELECT count(*) FROM pg_proc WHERE pronamespace = 'holdfast'::regnamespace";
    assertThat(database.number(functions)).isPositive();
    assertThat(
            database.number(
                functions
                    + " AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false)"))
        .isZero();
  }
}
