// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static io.holdfast.jobs.Queues.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Jobs that are enqueued in transactions of two phases, as XA has them. */
@Tag("postgresql")
class PreparedTransactionTest {
  private final Queues queues = new Queues(PostgresServer.start("max_prepared_transactions=5"));

  @AfterEach
  void close() {
    queues.close();
  }

  private void enqueueInTwoPhases(Jobs jobs, String name) throws SQLException {
    try (Connection connection = queues.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      jobs.enqueue(connection, job("1"));
      statement.execute("PREPARE TRANSACTION '" + name + "'");
      connection.rollback();
      connection.setAutoCommit(true);
      statement.execute("COMMIT PREPARED '" + name + "'");
    }
  }

  @Test
  void without_hints_every_enqueue_can_be_prepared() throws Exception {
    Jobs jobs = queues.jobs(queues.dataSource(), builder -> builder.hints(false));
    for (int i = 0; i < 20; i++) {
      enqueueInTwoPhases(jobs, "t" + i);
    }
    assertThat(queues.unfinished()).isEqualTo(20);
  }

  @Test
  void with_hints_the_server_refuses_to_prepare_and_says_why() throws Exception {
    Jobs jobs = queues.jobs();
    assertThatThrownBy(() -> enqueueInTwoPhases(jobs, "t"))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("NOTIFY");
  }
}
