// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.sql.SQLException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What tests of workers begin with: queues of their own, and somebody who listens. */
abstract class JobsTest {
  final Recorder recorder = new Recorder();

  /** For workers whose time the test lets pass. */
  final ManualWorkerTime time = new ManualWorkerTime();

  /** What handlers tell. */
  final Queue<String> seen = new ConcurrentLinkedQueue<>();

  Queues queues;
  Jobs jobs;

  @BeforeEach
  void open() throws SQLException {
    queues = new Queues();
    jobs = queues.jobs(recorder);
  }

  @AfterEach
  void close() {
    queues.close();
  }
}
