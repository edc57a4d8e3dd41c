// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.servers.PgBouncer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Behind a pooler that lends a connection for a transaction only. */
@Tag("postgresql")
class PoolerTest {

  @Test
  void jobs_run_behind_a_transaction_pooler_without_hints() throws Exception {
    Queue<String> ran = new ConcurrentLinkedQueue<>();
    try (Queues queues = new Queues();
        PgBouncer pooler = PgBouncer.start(queues.server(), "transaction")) {
      PGSimpleDataSource source = new PGSimpleDataSource();
      source.setUrl(
          "jdbc:postgresql://"
              + pooler.hostAndPort()
              + "/postgres?user=postgres&prepareThreshold=0");
      Jobs jobs = queues.jobs(source, builder -> builder.hints(false));
      jobs.enqueue(Queues.jobs(60));
      try (Worker worker =
          queues.start(
              jobs,
              job -> {
                if (job.attempt() == 1 && job.id() % 10 == 0) {
                  throw new IllegalStateException("once more");
                }
                ran.add(job.payload());
              })) {
        queues.awaitEmpty();
        assertThat(worker.toString()).contains(Queues.QUEUE);
      }
      assertThat(ran).hasSize(60);
    }
  }
}
