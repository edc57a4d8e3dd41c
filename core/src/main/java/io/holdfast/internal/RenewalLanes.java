// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.BackendException;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import io.holdfast.spi.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Renewals, in one lane for each server, shard or session: a lane has one call under way, which
 * carries all that fell due meanwhile, in the order of their deadlines. A lane that is slow or dead
 * delays no other. A lane exists while it has something to renew.
 */
final class RenewalLanes {
  private final LockRuntime runtime;
  private final Map<Object, Lane> lanes = new ConcurrentHashMap<>();
  private final RenewalTroubles troubles;

  RenewalLanes(LockRuntime runtime) {
    this.runtime = runtime;
    this.troubles = new RenewalTroubles(runtime);
  }

  /** Takes note of a hold that is due; {@link #flush} sends it. */
  void add(LiveHold hold) {
    Object server;
    try {
      server = runtime.backend().lane(hold.hold().name());
    } catch (Throwable unknown) {
      hold.renewed(Renewal.UNKNOWN, runtime.now());
      troubles.failed(runtime, 1, hold.hold().leaseTime(), unknown);
      return;
    }
    lanes.compute(
        server,
        (key, known) -> {
          Lane lane = known == null ? new Lane(key) : known;
          lane.pending.add(hold);
          return lane;
        });
  }

  /** Sends what has been collected, in every lane that is not under way. */
  void flush() {
    lanes.values().forEach(Lane::send);
  }

  private final class Lane extends Timetable.Entry {
    private final Object key;
    private List<LiveHold> pending = new ArrayList<>();
    private @Nullable List<LiveHold> underWay;
    private long answerDueNanos;

    Lane(Object key) {
      this.key = key;
    }

    private void send() {
      List<LiveHold> batch = nextBatch();
      if (batch == null) {
        return;
      }
      List<Hold> holds = batch.stream().map(LiveHold::hold).toList();
      Moment asked = runtime.now();
      Moment[] sent = {asked};
      answerDueNanos = asked.monotonicNanos() + patienceNanos(holds);
      runtime.<List<Renewal>>answer(
          () -> {
            CompletionStage<List<Renewal>> answers = runtime.backend().renew(holds);
            // A store that goes by this machine's clock has read it in between.
            sent[0] = Times.earlier(asked, runtime.now());
            return answers;
          },
          () -> runtime.timetable().schedule(this, answerDueNanos),
          (answers, problem) -> answered(batch, sent[0], answers, problem));
    }

    /** Short enough that a renewal which was lost on its way can be repeated in time. */
    private static long patienceNanos(List<Hold> holds) {
      long patience = LockRuntime.ANSWER_NANOS;
      for (Hold hold : holds) {
        patience = Math.min(patience, hold.leaseTime().toNanos() / 4);
      }
      return patience;
    }

    /** Under the map's own lock, so that a lane is not dropped while something is added to it. */
    private @Nullable List<LiveHold> nextBatch() {
      List<List<LiveHold>> batch = new ArrayList<>(1);
      lanes.computeIfPresent(
          key,
          (unused, lane) -> {
            if (lane != this || underWay != null) {
              return lane;
            }
            // What ended while it waited for its turn is not to be renewed after its release.
            pending.removeIf(LiveHold::isOver);
            if (pending.isEmpty()) {
              return null;
            }
            underWay = pending;
            pending = new ArrayList<>();
            batch.add(underWay);
            return lane;
          });
      return batch.isEmpty() ? null : batch.get(0);
    }

    /** False if the call was given up before: the timetable then watches over a later one. */
    private boolean over(List<LiveHold> batch) {
      boolean[] current = new boolean[1];
      lanes.computeIfPresent(
          key,
          (unused, lane) -> {
            current[0] = underWay == batch;
            if (current[0]) {
              underWay = null;
              runtime.timetable().cancel(this);
            }
            return lane;
          });
      return current[0];
    }

    private void answered(
        List<LiveHold> batch,
        Moment sent,
        @Nullable List<Renewal> answers,
        @Nullable BackendException problem) {
      List<Renewal> each = answers == null || answers.size() != batch.size() ? List.of() : answers;
      boolean known = false;
      for (int i = 0; i < batch.size(); i++) {
        LiveHold hold = batch.get(i);
        Renewal answer = each.isEmpty() || each.get(i) == null ? Renewal.UNKNOWN : each.get(i);
        known |= answer != Renewal.UNKNOWN;
        Answers.run(() -> hold.renewed(answer, sent));
      }
      if (known) {
        troubles.succeeded(key);
      } else {
        failed(batch, problem);
      }
      if (over(batch)) {
        send();
      }
    }

    private void failed(List<LiveHold> batch, @Nullable Throwable problem) {
      Duration longest = Duration.ZERO;
      for (LiveHold hold : batch) {
        Duration leaseTime = hold.hold().leaseTime();
        longest = leaseTime.compareTo(longest) > 0 ? leaseTime : longest;
      }
      troubles.failed(key, batch.size(), longest, problem);
    }

    /**
     * The store has not answered in time: what waits is tried anew, whatever became of the call.
     */
    @Override
    void due(Moment now) {
      List<LiveHold> late = underWay;
      boolean isLate = now.monotonicNanos() - answerDueNanos >= 0;
      if (late != null && isLate && over(late)) {
        late.forEach(hold -> hold.renewed(Renewal.UNKNOWN, now));
        failed(late, BackendException.unknown("no answer to renew", null));
        send();
      }
    }
  }
}
