// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static io.holdfast.jobs.Queues.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.servers.Eventually;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is thrown and is no exception that anybody expected: a worker goes on. */
@Tag("postgresql")
class ErrorsTest extends JobsTest {
  @Test
  void an_error_of_a_listener_stops_no_thread_of_a_worker() throws Exception {
    AtomicInteger heard = new AtomicInteger();
    JobListener broken =
        new JobListener() {
          @Override
          public void claimed(Claimed event) {
            heard.incrementAndGet();
            throw new LinkageError("as of a class that is missing");
          }

          @Override
          public void completed(Completed event) {
            heard.incrementAndGet();
            throw new LinkageError("as of a class that is missing");
          }
        };
    Jobs listened = queues.jobs(broken);
    listened.enqueue(Queues.jobs(50));
    queues.start(listened, job -> seen.add(job.payload()), w -> w.concurrency(5));
    queues.awaitEmpty();
    assertThat(seen).hasSize(50);
    Eventually.until("it was told", () -> heard.get() > 50);
  }

  /** A data source that fails with an error at every third connection, once it is told so. */
  private DataSource brokenNowAndThen(AtomicBoolean isBroken) {
    AtomicInteger calls = new AtomicInteger();
    return (DataSource)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              if (isBroken.get()
                  && method.getName().equals("getConnection")
                  && calls.incrementAndGet() % 3 == 0) {
                throw new LinkageError("as of a class that is missing");
              }
              try {
                return method.invoke(queues.dataSource(), arguments);
              } catch (InvocationTargetException failed) {
                throw failed.getCause();
              }
            });
  }

  @Test
  void an_error_of_the_data_source_is_trouble_that_ends() throws Exception {
    jobs.enqueue(Queues.jobs(50));
    AtomicBoolean isBroken = new AtomicBoolean();
    Jobs broken = queues.jobs(brokenNowAndThen(isBroken), b -> b.hints(false), recorder);
    isBroken.set(true);
    queues.start(broken, job -> seen.add(job.payload()), w -> w.concurrency(5));
    queues.awaitEmpty();
    assertThat(seen.stream().distinct()).hasSize(50);
    assertThat(recorder.heard(JobListener.Trouble.class)).isNotEmpty();
  }

  @Test
  void an_error_of_a_handler_is_a_failed_attempt_even_if_it_cannot_say_what_it_is()
      throws Exception {
    jobs.enqueue(Queues.jobs(5));
    queues.start(
        jobs,
        job -> {
          seen.add(job.payload());
          if (job.attempt() == 1) {
            throw new SpeechlessError();
          }
        });
    queues.awaitEmpty();
    assertThat(seen).hasSize(10);
    Eventually.until("told", () -> recorder.heard(JobListener.Failed.class).size() == 5);
  }

  private static final class SpeechlessError extends Error {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new StackOverflowError();
    }
  }

  @Test
  void an_interrupt_from_elsewhere_stops_no_thread_of_a_worker() throws Exception {
    queues.start(jobs, job -> seen.add(job.payload()), w -> w.concurrency(2));
    jobs.enqueue(job("1"));
    queues.awaitEmpty();
    Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("holdfast-jobs-" + Queues.QUEUE))
        .forEach(Thread::interrupt);
    jobs.enqueue(Queues.jobs(10));
    queues.awaitEmpty();
    assertThat(seen).hasSize(11);
  }
}
