// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The plans of what is asked all the time, as the server really runs them inside its functions. */
@Tag("postgresql")
class PlansTest {
  private final Queues queues = new Queues();
  private long worker;

  @BeforeEach
  void open() throws SQLException {
    queues.jobs();
    worker = queues.number("SELECT $.register('q', 'mine', 600000000)");
  }

  @AfterEach
  void close() {
    queues.close();
  }

  /** Jobs of the queue, and of others in all states. */
  private void fill(int ready, int others) {
    String insert =
        """
        INSERT INTO $.job (id, queue, state, rank, max_attempts, run_at, enqueued_at, worker, token, payload)
        SELECT nextval('$.job_id'),
        """;
    String upTo = "FROM generate_series(1, COUNT) AS i";
    String readyOnes =
        """
         'q', 1, i % 3, 10, now() - interval '1 hour' + i * interval '1 ms', now(), NULL, NULL, '{}'
        """;
    String otherOnes =
        """
         CASE i % 2 WHEN 0 THEN 'q' ELSE 'other' || i % 7 END, (i * 3 / 2) % 3, 0, 10,
         now() + interval '1 day', now(), 99, i, '{}'
        """;
    queues.run(insert + readyOnes + upTo.replace("COUNT", Integer.toString(ready)));
    queues.run(insert + otherOnes + upTo.replace("COUNT", Integer.toString(others)));
    queues.run("UPDATE $.job SET state = 0 WHERE queue = 'q' AND state = 1 AND worker = 99");
  }

  /** What the server did for this statement and for those inside of its functions. */
  private List<String> plans(String sql) throws SQLException {
    try (Connection connection = queues.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("LOAD 'auto_explain'");
      statement.execute("SET auto_explain.log_min_duration = 0");
      statement.execute("SET auto_explain.log_nested_statements = on");
      statement.execute("SET auto_explain.log_analyze = on");
      statement.execute("SET auto_explain.log_timing = off");
      statement.execute("SET auto_explain.log_level = notice");
      statement.execute("SET plan_cache_mode = force_generic_plan");
      statement.clearWarnings();
      try (ResultSet rows = statement.executeQuery(queues.named(sql))) {
        while (rows.next()) {
          assertThat(rows.getObject(1)).isNotNull();
        }
        List<String> plans = new ArrayList<>();
        for (SQLWarning each = statement.getWarnings();
            each != null;
            each = each.getNextWarning()) {
          plans.add(each.getMessage());
        }
        return plans;
      } finally {
        statement.execute("SET auto_explain.log_min_duration = -1");
      }
    }
  }

  private static String planOf(List<String> plans, String words) {
    return plans.stream().filter(plan -> plan.contains(words)).findFirst().orElseThrow();
  }

  @ParameterizedTest(name = "with {0} ready jobs and {1} others, analyzed {2}")
  @CsvSource({
    "0, 0, false",
    "0, 0, true",
    "1000, 2000, true",
    "100000, 10000, false",
    "20, 100000, true"
  })
  void a_claim_walks_its_partial_index_at_any_depth(int ready, int others, boolean analyzed)
      throws Exception {
    fill(ready, others);
    if (analyzed) {
      queues.run("ANALYZE $.job");
    }
    List<String> plans = plans("SELECT id FROM " + queues.claim(worker, 10));
    String claim = planOf(plans, "WITH self");
    assertThat(claim).contains("Index Scan using job_ready", "Index Scan using job_pkey");
    assertThat(claim).doesNotContain("Seq Scan", "Sort", "Bitmap", "Hash", "JIT");
    String due = planOf(plans, "WITH due");
    assertThat(due).contains("Index Scan using job_due");
    assertThat(due).doesNotContain("Seq Scan", "Sort", "Bitmap", "Hash", "JIT");
    assertThat(queues.number("SELECT count(*) FROM $.job WHERE worker = " + worker))
        .isEqualTo(Math.min(ready, 10));
  }

  @Test
  void a_claim_behind_a_place_does_not_read_what_is_before_it() throws Exception {
    fill(10_000, 0);
    String behind =
        "SELECT c.id FROM (SELECT * FROM $.job WHERE state = 1 ORDER BY rank, run_at, id OFFSET 8000"
            + " LIMIT 1) AS j, $.claim("
            + worker
            + ", 0, 'q', 10, 10, false, j.rank, j.run_at, j.id) AS c";
    String claim = planOf(plans(behind), "WITH self");
    assertThat(claim).contains("ROW(").contains("Index Cond");
    assertThat(claim).doesNotContain("Rows Removed by Filter", "Seq Scan", "Sort");
  }

  @Test
  void completions_and_rescues_use_indexes_too() throws Exception {
    fill(100, 10_000);
    queues.run("SELECT " + queues.claim(worker, 10));
    String complete =
        planOf(
            plans(
                "SELECT * FROM $.complete((SELECT array_agg(id) FROM $.job WHERE worker = 1),"
                    + " (SELECT array_agg(token) FROM $.job WHERE worker = 1), false)"),
            "DELETE FROM");
    assertThat(complete).contains("Index Scan using job_pkey").doesNotContain("Seq Scan", "Hash");
    queues.run("UPDATE $.worker SET until = now()");
    for (String plan : plans("SELECT job_id FROM $.rescue()")) {
      if (plan.contains(".job WHERE") || plan.contains(".job SET")) {
        assertThat(plan)
            .containsAnyOf("job_held", "job_pkey", "job_waiting")
            .doesNotContain("Seq Scan on job");
      }
    }
  }

  @ParameterizedTest(name = "analyzed {0}")
  @ValueSource(booleans = {false, true})
  void groups_are_looked_for_by_their_indexes(boolean analyzed) throws Exception {
    fill(1000, 10_000);
    queues.run(
        "UPDATE $.job SET group_key = 'g' || id % 50, state = 6 WHERE state = 1 AND id % 2 = 0");
    queues.run(
        "UPDATE $.job SET group_key = 'g' || id % 50, state = 7 WHERE state = 0 AND id % 2 = 0");
    if (analyzed) {
      queues.run("ANALYZE $.job");
    }
    List<String> plans = plans("SELECT id FROM " + queues.claim(worker, 10));
    assertThat(planOf(plans, "WITH arrived")).contains("job_arrived");
    assertThat(planOf(plans, "WITH first")).contains("job_waiting");
    assertThat(plans).anySatisfy(plan -> assertThat(plan).contains("job_admitted"));
    for (String plan : plans) {
      assertThat(plan).doesNotContain("Seq Scan on job", "Bitmap", "JIT");
    }
  }

  @Test
  void a_key_that_is_taken_is_looked_for_by_its_index() throws Exception {
    fill(1000, 10_000);
    String enqueue =
        "SELECT coalesce(id, 0) FROM $.enqueue(ARRAY['q'], ARRAY[0]::smallint[], ARRAY[9]::smallint[],"
            + " ARRAY[0]::bigint[], ARRAY[NULL]::timestamptz[], ARRAY['k'], ARRAY['1'],"
            + " ARRAY[NULL]::text[], ARRAY[]::text[]) AS id";
    String plan = planOf(plans(enqueue), "WITH asked");
    assertThat(plan).contains("job_unique").doesNotContain("Seq Scan on job", "hashed SubPlan");
  }
}
