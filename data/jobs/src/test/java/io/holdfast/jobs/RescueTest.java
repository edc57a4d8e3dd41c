// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who gets the jobs of workers that are dead, and when. */
@Tag("postgresql")
class RescueTest extends JobsTest {
  private static final String MINUTE = "60000000";

  private long worker() {
    return queues.number("SELECT $.register('q', 'mine', " + MINUTE + ")");
  }

  private void claim(long worker, int count) {
    queues.run("SELECT " + queues.claim(worker, count));
  }

  private void expire() {
    queues.run("UPDATE $.worker SET until = now()");
  }

  /** How many jobs were taken from the dead, by a rescue that does not wait for locks. */
  private long rescued() {
    try (Connection connection = queues.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("SET lock_timeout = '5s'");
      long count = Queues.number(statement, queues.named("SELECT count(*) FROM $.rescue()"));
      statement.execute("RESET lock_timeout");
      return count;
    } catch (SQLException failed) {
      throw new AssertionError(failed);
    }
  }

  @Test
  void an_open_transaction_of_a_handler_keeps_its_own_job_from_a_rescue_and_no_other()
      throws Exception {
    jobs.enqueue(Queues.jobs(4));
    claim(worker(), 2);
    claim(worker(), 2);
    try (Connection handler = queues.dataSource().getConnection();
        Statement statement = handler.createStatement()) {
      handler.setAutoCommit(false);
      statement.execute(
          queues.named(
              "SELECT $.complete(ARRAY[id], ARRAY[token], false) FROM $.job ORDER BY id LIMIT 1"));
      expire();
      assertThat(rescued()).isEqualTo(3);
      assertThat(rescued()).isZero();
      assertThat(queues.number("SELECT count(*) FROM $.worker")).isEqualTo(1);
      handler.rollback();
    }
    assertThat(rescued()).isEqualTo(1);
    assertThat(queues.number("SELECT count(*) FROM $.job WHERE state = 1")).isEqualTo(4);
    assertThat(queues.number("SELECT count(*) FROM $.worker")).isZero();
  }

  @Test
  void a_worker_whose_jobs_are_being_rescued_neither_claims_nor_comes_back() throws Exception {
    jobs.enqueue(Queues.jobs(2));
    long worker = worker();
    claim(worker, 1);
    try (Connection handler = queues.dataSource().getConnection();
        Statement statement = handler.createStatement()) {
      handler.setAutoCommit(false);
      statement.execute(queues.named("SELECT FROM $.job WHERE state = 2 FOR UPDATE"));
      expire();
      assertThat(rescued()).isZero();
      queues.run("UPDATE $.worker SET until = now() + interval '1 hour'");
      assertThat(queues.number("SELECT count(*) FROM " + queues.claim(worker, 1))).isZero();
      assertThat(isHeldByHeartbeat(worker)).isFalse();
      queues.run("SELECT $.disown(" + worker + ", ARRAY[]::bigint[])");
      assertThat(queues.number("SELECT count(*) FROM " + queues.claim(worker, 1))).isZero();
      handler.commit();
    }
    assertThat(rescued()).isEqualTo(1);
  }

  private boolean isHeldByHeartbeat(long worker) {
    return queues.number(
            "SELECT count($.heartbeat(%d, %s, ARRAY[]::bigint[], ARRAY[]::bigint[]))"
                .formatted(worker, MINUTE))
        == 1;
  }
}
