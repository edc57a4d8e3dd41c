// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static io.holdfast.jobs.Queues.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The schema that is made by hand, and users that may do no more than the script says. */
@Tag("postgresql")
class PrivilegesTest {
  private final Queues queues = new Queues();

  @BeforeEach
  void prepare() {
    queues.run("CREATE ROLE $_app LOGIN");
    queues.run("CREATE ROLE $_producer LOGIN");
    queues.run(Jobs.schema(queues.schema()));
    Matcher grants =
        Pattern.compile("(?m)^--\\s+(GRANT .*) TO (\\w+);").matcher(Jobs.schema(queues.schema()));
    int count = 0;
    while (grants.find()) {
      queues.run(grants.group(1) + " TO $_" + grants.group(2));
      count++;
    }
    assertThat(count).isEqualTo(6);
  }

  @AfterEach
  void close() {
    queues.close();
  }

  private Jobs as(String user) throws SQLException {
    DataSource pool = queues.pool(queues.server().port(), queues.schema() + "_" + user);
    return queues.jobs(
        pool, builder -> builder.createSchema(false).keepFinished(Duration.ofHours(1)));
  }

  @Test
  void the_least_privileges_are_enough_for_everything() throws Exception {
    Jobs producer = as("producer");
    Jobs app = as("app");
    producer.enqueue(job("1").maxAttempts(1));
    producer.enqueue(job("2").after(Duration.ofMillis(10)).uniqueKey("k"));
    producer.enqueue(job("3").after(Duration.ofHours(1)));
    AtomicInteger failures = new AtomicInteger(1);
    queues.start(
        app,
        job -> {
          if (failures.getAndDecrement() > 0) {
            throw new IllegalStateException();
          }
        });
    queues.awaitNumber("SELECT count(*) FROM $.job WHERE state < 2", count -> count == 1);
    queues.awaitNumber("SELECT count(*) FROM $.job", count -> count == 1);
    for (DeadLetter letter : app.deadLetters("q").list(10)) {
      assertThat(app.deadLetters("q").redrive(letter.id())).isTrue();
    }
    assertThat(app.cancel(queues.number("SELECT id FROM $.job WHERE payload = '3'"))).isPresent();
    queues.awaitEmpty();
    assertThat(app.health().workers()).isEqualTo(1);
    assertThat(app.cleanUp()).isZero();
  }

  @Test
  void whoever_only_enqueues_can_neither_take_jobs_nor_see_what_was() throws Exception {
    Jobs producer = as("producer");
    long id = producer.enqueue(job("1")).orElseThrow();
    assertThatThrownBy(() -> producer.cancel(id)).hasMessageContaining("permission denied");
    assertThatThrownBy(() -> producer.deadLetters("q").list(1))
        .hasMessageContaining("permission denied");
    assertThat(queues.unfinished()).isEqualTo(1);
  }

  /** Otherwise a role that may create in the caller's path gets its code run as the caller. */
  @Test
  void every_function_names_its_search_path() throws Exception {
    String functions =
        "SELECT count(*) FROM pg_proc WHERE pronamespace = '" + queues.schema() + "'::regnamespace";
    assertThat(queues.number(functions)).isPositive();
    String theirPath = "'search_path=pg_catalog, pg_temp' = ANY (proconfig)";
    assertThat(queues.number(functions + " AND NOT coalesce(" + theirPath + ", false)")).isZero();
  }
}
