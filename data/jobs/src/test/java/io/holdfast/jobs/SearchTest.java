// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static io.holdfast.jobs.Queues.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lists of jobs. */
@Tag("postgresql")
class SearchTest extends JobsTest {
  private List<String> payloads(JobFilter filter) throws SQLException {
    return jobs.list(filter).stream().map(JobInfo::payload).toList();
  }

  @Test
  void jobs_are_found_by_what_is_known_of_them() throws Exception {
    jobs.enqueue(job("1").uniqueKey("k").priority(7).maxAttempts(3));
    jobs.enqueue(job("2").group("g"));
    jobs.enqueue(NewJob.of("other", "{\"kind\": \"invoice\", \"n\": 3}"));
    jobs.enqueue(job("4").after(Duration.ofHours(1)));
    jobs.cancel(jobs.enqueue(job("5").uniqueKey("gone")).orElseThrow());
    JobFilter all = JobFilter.all();
    assertThat(jobs.list(all))
        .hasSize(5)
        .isSortedAccordingTo((a, b) -> Long.compare(a.id(), b.id()));
    assertThat(payloads(all.queue("other"))).hasSize(1);
    assertThat(payloads(all.uniqueKey("k"))).containsExactly("1");
    assertThat(payloads(all.group("g"))).containsExactly("2");
    assertThat(payloads(all.state(JobState.WAITING))).containsExactly("2");
    assertThat(payloads(all.state(JobState.READY).queue(Queues.QUEUE))).containsExactly("1");
    assertThat(payloads(all.state(JobState.SCHEDULED))).containsExactly("4");
    assertThat(payloads(all.state(JobState.CANCELLED))).containsExactly("5");
    assertThat(payloads(all.payloadContains("{\"kind\": \"invoice\"}"))).hasSize(1);
    assertThat(payloads(all.payloadContains("{\"kind\": \"x\"}"))).isEmpty();
    assertThatThrownBy(() -> jobs.list(all.payloadContains("secret{")))
        .isInstanceOf(InvalidPayloadException.class);
    JobInfo first = jobs.list(all).get(0);
    assertThat(first.priority()).isEqualTo(7);
    assertThat(first.maxAttempts()).isEqualTo(3);
    assertThat(first.attempts()).isZero();
    assertThat(first.runAt()).isNotNull();
    assertThat(first.finished()).isNull();
    assertThat(first.toString()).doesNotContain("payload");
    assertThat(jobs.list(all.state(JobState.CANCELLED)).get(0).finished()).isNotNull();
  }

  @Test
  void pages_have_every_job_once() throws Exception {
    jobs.enqueue(Queues.jobs(95));
    for (long id = 2; id <= 90; id += 3) {
      jobs.cancel(id);
    }
    List<Long> ids = new ArrayList<>();
    JobFilter filter = JobFilter.all().queue(Queues.QUEUE).limit(10);
    for (List<JobInfo> page = jobs.list(filter);
        !page.isEmpty();
        page = jobs.list(filter.after(ids.get(ids.size() - 1)))) {
      assertThat(page).hasSizeLessThanOrEqualTo(10);
      page.forEach(job -> ids.add(job.id()));
    }
    assertThat(ids).hasSize(95).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void a_list_has_an_end() {
    assertThatThrownBy(() -> JobFilter.all().limit(0)).isInstanceOf(IllegalArgumentException.class);
  }
}
