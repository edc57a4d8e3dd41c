// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static io.holdfast.jobs.Queues.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.servers.Eventually;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Transactions that enqueue or complete, and stay open. */
@Tag("postgresql")
class ContentionTest extends JobsTest {
  /** Enqueues of this test alone: the server is shared with others. */
  private static final String WAITING =
      "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
          + " AND query LIKE '%$.enqueue(%'";

  private static List<NewJob> inQueues(String... names) {
    return List.of(names).stream().map(name -> NewJob.of(name, "1").uniqueKey("k")).toList();
  }

  @Test
  void two_who_enqueue_one_key_in_the_same_queues_in_another_order_do_not_deadlock()
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (Connection middle = queues.dataSource().getConnection()) {
      middle.setAutoCommit(false);
      jobs.enqueue(middle, inQueues("m"));
      Future<List<OptionalLong>> there =
          threads.submit(() -> jobs.enqueue(inQueues("a", "m", "z")));
      Future<List<OptionalLong>> back = threads.submit(() -> jobs.enqueue(inQueues("z", "m", "a")));
      // Also over if one has failed: then what follows says why.
      Eventually.until(
          "both wait", () -> there.isDone() || back.isDone() || queues.number(WAITING) == 2);
      middle.rollback();
      there.get(60, TimeUnit.SECONDS);
      back.get(60, TimeUnit.SECONDS);
      assertThat(queues.unfinished()).isEqualTo(3);
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void whoever_enqueues_a_key_does_not_wait_for_the_transaction_that_is_about_to_free_it()
      throws Exception {
    jobs.enqueue(job("1").uniqueKey("k"));
    long worker = queues.number("SELECT $.register('q', 'mine', 60000000)");
    queues.run("SELECT " + queues.claim(worker, 1));
    try (Connection handler = queues.dataSource().getConnection();
        Statement statement = handler.createStatement()) {
      handler.setAutoCommit(false);
      statement.execute(
          queues.named("SELECT $.complete(ARRAY[id], ARRAY[token], false) FROM $.job"));
      assertThat(enqueuedWithoutWaiting(job("2").uniqueKey("k"))).isEmpty();
      handler.commit();
    }
    assertThat(enqueuedWithoutWaiting(job("2").uniqueKey("k"))).isPresent();
  }

  private OptionalLong enqueuedWithoutWaiting(NewJob job) throws SQLException {
    try (Connection connection = queues.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("SET lock_timeout = '5s'");
      OptionalLong id = jobs.enqueue(connection, job);
      statement.execute("RESET lock_timeout");
      return id;
    }
  }
}
