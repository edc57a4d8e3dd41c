// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli.demo;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.cli.demo.Bookings.StaleTokenException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Books tables, each for an evening. Several of these run at once and know nothing of each other.
 */
final class BookingService {
  private static final Duration WAIT = Duration.ofSeconds(10);

  /** What a guest is told. */
  enum Answer {
    CONFIRMED,
    /** The table is somebody else's on that evening. */
    TAKEN,
    /** Somebody else is booking the table right now. */
    BUSY,
    /** We held the table's lock for too short a time, and do not have the table. */
    TOO_LATE
  }

  /** The guest, who thinks a little before saying yes. */
  interface Guest {
    void decides() throws IOException;
  }

  private final String name;
  private final Holdfast holdfast;
  private final String restaurant;
  private final Path directory;

  BookingService(String name, Holdfast holdfast, String restaurant, Path directory) {
    this.name = name;
    this.holdfast = holdfast;
    this.restaurant = restaurant;
    this.directory = directory;
  }

  /** Looks, thinks and writes. Between the look and the write, anybody else may do the same. */
  Answer bookWithoutLock(int table, int evening, Guest guest) throws IOException {
    Bookings bookings = bookings(table);
    if (!bookings.isFree(evening)) {
      return Answer.TAKEN;
    }
    guest.decides();
    bookings.write(evening, name);
    return Answer.CONFIRMED;
  }

  /**
   * The same under the table's lock, for which it waits its turn.
   *
   * @throws StaleTokenException if a later holder of the lock was faster; nothing was written
   */
  Answer book(int table, int evening, Guest guest) throws IOException, InterruptedException {
    try {
      return lock(table).call(WAIT, lease -> book(table, evening, guest, lease));
    } catch (LeaseLostException lost) {
      // The work was done, but the lock was not ours until its end. The bookings refuse a holder
      // that was overtaken, so what they say counts.
      return bookings(table).isBookedBy(evening, name) ? Answer.CONFIRMED : Answer.TOO_LATE;
    }
  }

  /** For a guest who does not wait: that somebody holds the lock is an answer like any other. */
  Answer bookNow(int table, int evening, Guest guest) throws IOException {
    Optional<Lease> granted = lock(table).tryAcquire();
    if (granted.isEmpty()) {
      return Answer.BUSY;
    }
    try (Lease lease = granted.get()) {
      return book(table, evening, guest, lease);
    }
  }

  private Answer book(int table, int evening, Guest guest, Lease lease) throws IOException {
    Bookings bookings = bookings(table);
    if (!bookings.isFree(evening)) {
      return Answer.TAKEN;
    }
    guest.decides();
    bookings.write(evening, name, lease);
    return Answer.CONFIRMED;
  }

  private DistributedLock lock(int table) {
    return holdfast.lock(restaurant + ":table:" + table).withPurpose("booking");
  }

  private Bookings bookings(int table) {
    return new Bookings(directory.resolve("table-" + table));
  }
}
