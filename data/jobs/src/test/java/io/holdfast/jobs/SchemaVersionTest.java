// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static io.holdfast.jobs.Queues.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A schema of the version before, which clients of that version go on to use. */
@Tag("postgresql")
class SchemaVersionTest {
  private static final String ENQUEUE =
      "SELECT $.enqueue(ARRAY['q'], ARRAY[0]::smallint[], ARRAY[9]::smallint[], ARRAY[0]::bigint[],"
          + " ARRAY[NULL]::timestamptz[], ARRAY[NULL]::text[], ARRAY['\"old\"'], ARRAY[]::text[])";
  private static final String CLAIM =
      "SELECT count(*) FROM $.claim(%d, 0, 'q', 1, true, (-32768)::smallint, '-infinity', 0)";

  private final Queues queues = new Queues();
  private final Queue<String> seen = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void makeTheOldOne() throws Exception {
    try (InputStream script = getClass().getResourceAsStream("schema-1.sql")) {
      String text = new String(script.readAllBytes(), StandardCharsets.UTF_8);
      queues.run(text.replace("holdfast_jobs", queues.schema()));
    }
  }

  @AfterEach
  void close() {
    queues.close();
  }

  @Test
  void a_schema_of_the_version_before_is_migrated_with_its_jobs_while_its_workers_go_on()
      throws Exception {
    for (int i = 0; i < 4; i++) {
      queues.run(ENQUEUE);
    }
    long old = queues.number("SELECT $.register('q', 'old', 600000000)");
    assertThat(queues.number(CLAIM.formatted(old))).isEqualTo(1);
    long before = queues.number("SELECT max(token) FROM $.job");
    Jobs jobs = queues.jobs();
    assertThat(queues.number("SELECT max(version) FROM $.schema_version")).isEqualTo(2);
    assertThat(queues.number(CLAIM.formatted(old))).isEqualTo(1);
    assertThat(queues.number("SELECT max(token) FROM $.job")).isGreaterThan(before);
    queues.run("SELECT $.complete(ARRAY[id], ARRAY[token], true) FROM $.job WHERE state = 2");
    queues.run("SELECT $.heartbeat(" + old + ", 600000000, ARRAY[]::bigint[], ARRAY[]::bigint[])");
    queues.run(ENQUEUE);
    jobs.enqueue(job("1").group("g"));
    jobs.enqueue(job("2").group("g"));
    queues.start(jobs, job -> seen.add(job.payload()), w -> w.prefetch(3));
    queues.awaitEmpty();
    assertThat(seen).containsOnlyOnce("1", "2").hasSize(5);
    assertThat(queues.number("SELECT count(*) FROM $.finished WHERE state = 3")).isEqualTo(2);
  }

  @Test
  void of_many_clients_that_come_at_once_one_migrates() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(6);
    try {
      List<Callable<Jobs>> opening = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        opening.add(queues::jobs);
      }
      for (Future<Jobs> each : threads.invokeAll(opening)) {
        assertThat(each.get().enqueue(job("1"))).isPresent();
      }
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void whoever_may_not_create_is_told_to_run_the_script() {
    assertThatThrownBy(() -> queues.jobs(queues.dataSource(), b -> b.createSchema(false)))
        .isInstanceOf(UnfitDatabaseException.class)
        .hasMessageContaining("has version 1")
        .hasMessageContaining("Jobs.schema()");
    assertThat(queues.number("SELECT $.version()")).isEqualTo(1);
  }

  @Test
  void a_newer_schema_is_used_if_it_serves_this_client_and_never_taken_back() throws Exception {
    queues.jobs();
    queues.run("INSERT INTO $.schema_version VALUES (3, 2)");
    assertThat(queues.jobs().enqueue(job("1"))).isPresent();
    assertThatThrownBy(() -> queues.run(Jobs.schema(queues.schema())))
        .hasMessageContaining("the schema has version 3");
    queues.run("INSERT INTO $.schema_version VALUES (4, 3)");
    assertThatThrownBy(queues::jobs)
        .isInstanceOf(UnfitDatabaseException.class)
        .hasMessageContaining("version 3 and newer");
  }
}
