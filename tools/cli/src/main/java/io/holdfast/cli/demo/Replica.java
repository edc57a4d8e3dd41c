// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.LockException;
import io.holdfast.cli.demo.BookingService.Answer;
import io.holdfast.cli.demo.BookingService.Guest;
import io.holdfast.cli.demo.Bookings.StaleTokenException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * One replica of the booking service, in a process of its own. It does what it is told on standard
 * input, one line at a time, and answers on standard output; its guests are there too. It ends with
 * its input, and so with the process that started it.
 */
public final class Replica {
  static final Duration LEASE_TIME = Duration.ofSeconds(3);
  static final String URL_VARIABLE = "HOLDFAST_DEMO_URL";
  static final String ASKING = "asking";
  static final String CONFIRMED = Answer.CONFIRMED.toString();
  static final String REFUSED = "refused: ";

  /** An evening far beyond those that the races sell. */
  static final int GALA = 1_000_000;

  private static final int PATIENCE = 10;
  private static final int TABLES = 5;
  private static final long THINKING_NANOS = Duration.ofMillis(2).toNanos();

  private final BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8));
  private final BookingService service;

  private Replica(BookingService service) {
    this.service = service;
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "off"); // The story tells itself.
    String name = arguments[0];
    // Not an argument: the address may have a password, and arguments are shown to everybody.
    String url = System.getenv(URL_VARIABLE);
    try (Holdfast holdfast = connect(url)) {
      Path directory = Path.of(arguments[2]);
      new Replica(new BookingService(name, holdfast, arguments[1], directory)).serve();
    }
  }

  /** Patiently: four replicas that start at once are a load. */
  private static Holdfast connect(String url) {
    for (int tries = 1; ; tries++) {
      try {
        return Holdfast.builder(url).leaseTime(LEASE_TIME).build();
      } catch (BackendException unreachable) {
        if (tries == PATIENCE || !unreachable.isTransient()) {
          throw unreachable;
        }
      }
    }
  }

  private void serve() throws IOException, InterruptedException {
    say("ready");
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] words = line.split(" ", -1);
      int number = Integer.parseInt(words[1]);
      switch (words[0]) {
        case "race-without-lock" -> race(1, number, service::bookWithoutLock);
        case "race" -> race(100_001, number, service::book);
        case "book" -> say(answer(service::book, number, GALA, this::askOnThePhone));
        case "book-now" -> say(answer(service::bookNow, number, GALA, this::askOnThePhone));
        default -> throw new IllegalArgumentException(line);
      }
    }
  }

  private interface Booking {
    Answer book(int table, int evening, Guest guest) throws IOException, InterruptedException;
  }

  /** Books every table, evening after evening, as all other replicas do at the same time. */
  private void race(int firstEvening, int millis, Booking booking)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + Duration.ofMillis(millis).toNanos();
    for (int evening = firstEvening; System.nanoTime() - end < 0; evening++) {
      for (int table = 1; table <= TABLES; table++) {
        String answer =
            answer(booking, table, evening, () -> LockSupport.parkNanos(THINKING_NANOS));
        if (answer.equals(CONFIRMED)) {
          say("table " + table + " on evening " + evening);
        }
      }
    }
    say("done");
  }

  private static String answer(Booking booking, int table, int evening, Guest guest)
      throws IOException, InterruptedException {
    try {
      return booking.book(table, evening, guest).toString();
    } catch (StaleTokenException refused) {
      return REFUSED + refused.getMessage();
    } catch (LockException failed) {
      // The guest is told to come again; whatever may be held is released in the background.
      return "FAILED: " + failed.getMessage();
    }
  }

  /** A guest who says yes whenever the story says so: the next line of the input. */
  private void askOnThePhone() throws IOException {
    say(ASKING);
    input.readLine();
  }

  private static void say(Object line) {
    System.out.println(line);
  }
}
