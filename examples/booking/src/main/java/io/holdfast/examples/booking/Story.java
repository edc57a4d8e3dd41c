// SPDX-License-Identifier: Apache-2.0
package io.holdfast.examples.booking;

import static io.holdfast.examples.booking.Replica.ASKING;
import static io.holdfast.examples.booking.Replica.CONFIRMED;
import static io.holdfast.examples.booking.Replica.LEASE_TIME;
import static io.holdfast.examples.booking.Replica.REFUSED;

import io.holdfast.examples.booking.BookingService.Answer;
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
  private final Path directory;
  private final List<ReplicaProcess> replicas = new CopyOnWriteArrayList<>();

  /**
   * Sets the stage.
   *
   * @param url where the locks are
   * @param directory where the bookings are
   */
  Story(String url, Path directory) {
    this.url = url;
    this.directory = directory;
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path directory = Path.of(arguments[0]);
    String url = arguments.length > 1 ? arguments[1] : "file:" + directory.resolve("locks");
    System.out.println("Four replicas of a booking service; their locks are at " + url);
    try (Story story = new Story(url, directory)) {
      // Also when the story is interrupted.
      Runtime.getRuntime().addShutdownHook(new Thread(story::close));
      boolean[] allHeld = {true};
      story.tell(
          Duration.ofSeconds(2),
          verdict -> {
            System.out.println(verdict);
            allHeld[0] &= verdict.held();
          });
      System.exit(allHeld[0] ? 0 : 1);
    }
  }

  /**
   * Tells the story, scene by scene.
   *
   * @param raceTime how long each race lasts
   */
  void tell(Duration raceTime, Consumer<Verdict> audience)
      throws IOException, InterruptedException {
    for (int number = 1; number <= 4; number++) {
      replicas.add(ReplicaProcess.start("replica-" + number, url, directory));
    }
    for (ReplicaProcess replica : replicas) {
      replica.hear("ready");
    }
    audience.accept(withoutLock(race("race-without-lock", raceTime)));
    audience.accept(withLock(race("race", raceTime)));
    audience.accept(killed(replicas.get(0), replicas.get(1), replicas.get(2)));
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
        soldTwice(sold) > 0);
  }

  private static Verdict withLock(Map<String, Integer> sold) {
    return new Verdict(
        "The same with a lock for each table.",
        "no double booking",
        seen(sold),
        soldTwice(sold) == 0 && !sold.isEmpty());
  }

  private static String seen(Map<String, Integer> sold) {
    return "%d bookings, of which %d were made twice or more"
        .formatted(sold.size(), soldTwice(sold));
  }

  private static long soldTwice(Map<String, Integer> sold) {
    return sold.values().stream().filter(times -> times > 1).count();
  }

  private Verdict killed(ReplicaProcess victim, ReplicaProcess hasty, ReplicaProcess patient)
      throws InterruptedException {
    victim.tell("book 1");
    victim.hear(ASKING);
    patient.tell("book 1");
    hasty.tell("book-now 1");
    String hastyAnswer = hasty.hear();
    victim.kill();
    long killedNanos = System.nanoTime();
    patient.hear(ASKING);
    Duration waited = Duration.ofNanos(System.nanoTime() - killedNanos);
    patient.tell("yes");
    String patientAnswer = patient.hear();

    // The file store sees that a process is gone. A server has only the lease to go by.
    boolean seesDeath = url.startsWith("file:");
    Duration limit = seesDeath ? LEASE_TIME.dividedBy(2) : LEASE_TIME.multipliedBy(2);
    return new Verdict(
        "One holds a table's lock and is killed (kill -9); one does not wait, one waits.",
        "BUSY for the one; the other is CONFIRMED "
            + (seesDeath ? "at once" : "when the lease of " + LEASE_TIME.toSeconds() + " s ends"),
        "%s; %s, %d ms after the kill".formatted(hastyAnswer, patientAnswer, waited.toMillis()),
        hastyAnswer.equals(Answer.BUSY.toString())
            && patientAnswer.equals(CONFIRMED)
            && waited.compareTo(limit) < 0);
  }

  private Verdict paused(ReplicaProcess sleeper, ReplicaProcess other)
      throws IOException, InterruptedException {
    sleeper.tell("book 2");
    sleeper.hear(ASKING);
    sleeper.pause();
    other.tell("book 2");
    other.hear(ASKING); // Granted when the sleeper's lease is over.
    other.tell("yes");
    String otherAnswer = other.hear();
    sleeper.tell("yes");
    sleeper.resume();
    String sleeperAnswer = sleeper.hear();
    return new Verdict(
        "One is paused (SIGSTOP) until another has booked its table, and then writes.",
        "CONFIRMED for the other; the late write is refused: its token is older",
        otherAnswer + "; " + sleeperAnswer,
        otherAnswer.equals(CONFIRMED) && sleeperAnswer.startsWith(REFUSED));
  }

  /** Ends the replicas, whatever they are doing. */
  @Override
  public void close() {
    replicas.forEach(ReplicaProcess::close);
  }
}
