// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many clients ask the nodes for one lock at the same moment, and no one has a majority. */
@Tag("quorum")
class SplitVoteTest {
  private static final int CLIENTS = 20;
  private static final int TURNS = 5;

  @Test
  void twenty_clients_that_split_the_votes_all_make_progress() throws Exception {
    Witness witness = new Witness();
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    List<Holdfast> clients = new ArrayList<>();
    try (RedisNodes nodes = new RedisNodes(5)) {
      nodes.found("longest=60s");
      for (int client = 0; client < CLIENTS; client++) {
        clients.add(
            Holdfast.builder(QuorumBackend.builder(nodes.stores()).listener(witness).build())
                .leaseTime(Duration.ofSeconds(30))
                .build());
      }
      CyclicBarrier together = new CyclicBarrier(CLIENTS);
      List<Long> tokens = new ArrayList<>();
      List<Future<?>> turns = new ArrayList<>();
      for (Holdfast client : clients) {
        turns.add(
            threads.submit(
                () -> {
                  together.await(60, TimeUnit.SECONDS);
                  for (int turn = 0; turn < TURNS; turn++) {
                    try (Lease lease = client.lock("wanted").acquire(Duration.ofMinutes(2))) {
                      synchronized (tokens) {
                        tokens.add(lease.token().value());
                      }
                    }
                  }
                  return turns;
                }));
      }
      for (Future<?> each : turns) {
        each.get(3, TimeUnit.MINUTES);
      }
      assertThat(tokens).hasSize(CLIENTS * TURNS).isSorted().doesNotHaveDuplicates();
      System.out.printf(
          Locale.ROOT,
          "quorum: %d clients, %d grants, %.2f votes per grant, %d second rounds%n",
          CLIENTS,
          witness.grants(),
          (double) witness.votes() / witness.grants(),
          witness.secondRounds());
    } finally {
      threads.shutdownNow();
      clients.forEach(Holdfast::close);
    }
  }
}
