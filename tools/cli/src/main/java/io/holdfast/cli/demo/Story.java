// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli.demo;

import static io.holdfast.cli.demo.Replica.ASKING;
import static io.holdfast.cli.demo.Replica.CONFIRMED;
import static io.holdfast.cli.demo.Replica.LEASE_TIME;
import static io.holdfast.cli.demo.Replica.REFUSED;

import io.holdfast.cli.demo.BookingService.Answer;
import io.holdfast.cli.demo.Timeline.Activity;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Four replicas of a booking service and one restaurant: what goes wrong, and what a lock does. */
public final class Story implements AutoCloseable {
  private final String url;
  private final String restaurant;
  private final Path directory;
  private final List<ReplicaProcess> replicas = new CopyOnWriteArrayList<>();

  /**
   * Sets the stage.
   *
   * @param url where the locks are
   * @param restaurant what the locks' names begin with: nobody else's
   * @param directory where the bookings are
   */
  public Story(String url, String restaurant, Path directory) {
    this.url = url;
    this.restaurant = restaurant;
    this.directory = directory;
  }

  /**
   * Tells the story, scene by scene.
   *
   * @param raceTime how long each race lasts
   */
  public void tell(Duration raceTime, Consumer<Verdict> audience)
      throws IOException, InterruptedException {
    for (int number = 1; number <= 4; number++) {
      replicas.add(ReplicaProcess.start("replica-" + number, url, restaurant, directory));
    }
    for (ReplicaProcess replica : replicas) {
      replica.hear("ready");
    }
    audience.accept(withoutLock(race("race-without-lock", raceTime)));
    audience.accept(withLock(race("race", raceTime)));
    audience.accept(refused(replicas.get(0), replicas.get(1)));
    audience.accept(killed(replicas.get(0), replicas.get(2)));
    audience.accept(paused(replicas.get(1), replicas.get(2)));
  }

  /** All replicas sell the same tables at once; returns how often each was sold. */
  private Map<String, Integer> race(String how, Duration time) throws InterruptedException {
    for (ReplicaProcess replica : replicas) {
      replica.tell(how + " " + time.toMillis());
    }
    Map<String, Integer> sold = new HashMap<>();
    for (ReplicaProcess replica : replicas) {
      for (String line = replica.hear(); !line.equals("done"); line = replica.hear()) {
        sold.merge(line, 1, Integer::sum);
      }
    }
    return sold;
  }

  private static Verdict withoutLock(Map<String, Integer> sold) {
    return new Verdict(
        "They look, think and write, without a lock.",
        "double bookings",
        seen(sold),
        soldTwice(sold) > 0,
        new Timeline());
  }

  private static Verdict withLock(Map<String, Integer> sold) {
    return new Verdict(
        "The same with a lock for each table.",
        "no double booking",
        seen(sold),
        soldTwice(sold) == 0 && !sold.isEmpty(),
        new Timeline());
  }

  private static String seen(Map<String, Integer> sold) {
    return "%d bookings, of which %d were made twice or more"
        .formatted(sold.size(), soldTwice(sold));
  }

  private static long soldTwice(Map<String, Integer> sold) {
    return sold.values().stream().filter(times -> times > 1).count();
  }

  private static Verdict refused(ReplicaProcess holder, ReplicaProcess hasty)
      throws InterruptedException {
    Timeline timeline = new Timeline();
    holder.tell("book 1");
    holder.hear(ASKING);
    long held = timeline.now();
    hasty.tell("book-now 1");
    String hastyAnswer = hasty.hear();
    timeline.event(hasty, '✗', hastyAnswer);
    holder.tell("yes");
    String holderAnswer = holder.hear();
    timeline.span(holder, Activity.HOLDS, held);
    timeline.event(holder, '✓', holderAnswer);
    return new Verdict(
        "One holds a table's lock; another one does not want to wait.",
        "CONFIRMED for the one, BUSY for the other: a normal answer, and no error",
        holderAnswer + "; " + hastyAnswer,
        holderAnswer.equals(CONFIRMED) && hastyAnswer.equals(Answer.BUSY.toString()),
        timeline);
  }

  private Verdict killed(ReplicaProcess victim, ReplicaProcess patient)
      throws InterruptedException {
    Timeline timeline = new Timeline();
    victim.tell("book 3");
    victim.hear(ASKING);
    long held = timeline.now();
    patient.tell("book 3");
    long waits = timeline.now();
    victim.kill();
    long killed = timeline.now();
    timeline.span(victim, Activity.HOLDS, held);
    timeline.event(victim, '✗', "killed");
    patient.hear(ASKING);
    timeline.span(patient, Activity.WAITS, waits);
    long granted = timeline.now();
    patient.tell("yes");
    String answer = patient.hear();
    timeline.span(patient, Activity.HOLDS, granted);
    timeline.event(patient, '✓', answer);

    // The file store sees that a process is gone, and an advisory lock ends with its connection.
    // Other
    // servers have only the lease to go by.
    boolean seesDeath =
        url.startsWith("file:") || (url.startsWith("postgresql:") && url.contains("mode=advisory"));
    Duration limit = seesDeath ? LEASE_TIME : LEASE_TIME.multipliedBy(4);
    return new Verdict(
        "One holds a table's lock and is killed (kill -9); another one waits.",
        "CONFIRMED for the other "
            + (seesDeath ? "at once" : "when the lease of " + LEASE_TIME.toSeconds() + " s ends"),
        "%s, %d ms after the kill".formatted(answer, granted - killed),
        answer.equals(CONFIRMED) && granted - killed < limit.toMillis(),
        timeline);
  }

  private static Verdict paused(ReplicaProcess sleeper, ReplicaProcess other)
      throws IOException, InterruptedException {
    Timeline timeline = new Timeline();
    sleeper.tell("book 2");
    sleeper.hear(ASKING);
    long held = timeline.now();
    sleeper.pause();
    timeline.span(sleeper, Activity.HOLDS, held);
    long paused = timeline.now();
    other.tell("book 2");
    long waits = timeline.now();
    other.hear(ASKING); // Granted when the sleeper's lease is over.
    timeline.span(other, Activity.WAITS, waits);
    long granted = timeline.now();
    other.tell("yes");
    String otherAnswer = other.hear();
    timeline.span(other, Activity.HOLDS, granted);
    timeline.event(other, '✓', otherAnswer);
    sleeper.tell("yes");
    sleeper.resume();
    String sleeperAnswer = sleeper.hear();
    timeline.span(sleeper, Activity.PAUSED, paused);
    timeline.event(sleeper, '✗', sleeperAnswer.split(":", 2)[0]);
    return new Verdict(
        "One is paused (SIGSTOP) until another has booked its table, and then writes.",
        "CONFIRMED for the other; the late write is refused: its token is older",
        otherAnswer + "; " + sleeperAnswer,
        otherAnswer.equals(CONFIRMED) && sleeperAnswer.startsWith(REFUSED),
        timeline);
  }

  /** Ends the replicas, whatever they are doing. */
  @Override
  public void close() {
    replicas.forEach(ReplicaProcess::close);
  }
}
