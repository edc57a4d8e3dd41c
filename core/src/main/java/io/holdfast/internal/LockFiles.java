// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.LockState;
import io.holdfast.internal.LockTable.Mint;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.Moment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the {@link LockTable} of a lock from its file, and changes it there in one critical
 * section.
 *
 * <p><b>Time</b> in a file is the wall clock's, because it is the one clock that all processes of a
 * machine, and all its containers, read alike. It may be set, and that does no harm: a holder
 * counts its lease time by whichever of its clocks says more ({@link Moment}), so by the wall clock
 * at least, from a moment no later than the file's. Whenever the file's time is over for the
 * others, it is over for the holder. Set forward, the clock ends leases early; set back, it lets
 * the hold of a process that hangs last longer. A process that died is known by other means.
 */
final class LockFiles {
  private static final Logger log = LoggerFactory.getLogger(LockFiles.class);

  private final LockDirectory directory;
  private final BackendContext context;
  private final FileIdentity alive;

  /** For a process that has entered the directory. */
  LockFiles(LockDirectory directory, BackendContext context) throws IOException {
    this.directory = directory;
    this.context = context;
    this.alive = directory.aliveLocks().identityOf(context.origin().process());
  }

  static long storeTime(Moment moment) {
    return moment.wallNanos();
  }

  /**
   * A critical section.
   *
   * @param touched those whom it granted something, or took something from by force
   */
  record Section(String file, LockTable table, Moment now, List<Row> touched) {
    long time() {
      return storeTime(now);
    }

    /** Those who hold, and the first who waits, whom nobody may overtake. */
    Stream<Row> inTheWay() {
      return Stream.concat(table.holding().stream(), table.waiting().stream().limit(1));
    }
  }

  /** Applies changes to a lock, all of them or none. */
  Section change(String name, Consumer<Section> changes) throws IOException {
    String file = FileNames.of(name);
    try {
      return directory.mutex().in(FileMutex.placeOf(file), () -> change(name, file, changes));
    } catch (UncheckedIOException failed) {
      throw failed.getCause();
    }
  }

  private Section change(String name, String file, Consumer<Section> changes) throws IOException {
    // Without it the others take us for dead, and take whatever we are granted.
    alive.requireOriginal();
    StateFile state = directory.stateFile(file);
    StateRecord found = state.read();
    StateRecord before = found == null ? unused(name) : found;
    requireSameName(before, name, file);
    Moment now = context.now();
    FileMint mint = new FileMint(before.lastToken(), found == null, storeTime(now));
    Section section = new Section(file, before.table(mint), now, new ArrayList<>(1));
    Map<String, Boolean> alive = new HashMap<>();
    buryTheDead(section, alive);
    changes.accept(section);
    buryTheDead(section, alive);
    StateRecord after = StateRecord.of(name, mint.last, section.table);
    if (!after.equals(before)) {
      state.write(after);
    }
    return section;
  }

  private static StateRecord unused(String name) {
    return new StateRecord(name, 0, List.of(), List.of(), List.of());
  }

  private void requireSameName(StateRecord record, String name, String file) throws IOException {
    if (!record.name().equals(name)) {
      throw new UnfitException(
          directory.path().resolve(file), "belongs to lock '" + record.name() + "'");
    }
  }

  /**
   * Drops the dead, until nobody who is in the way is dead. Those behind are not looked at before
   * their turn comes.
   */
  private void buryTheDead(Section section, Map<String, Boolean> alive) {
    List<Row> served = new ArrayList<>(1);
    Set<String> dead = new HashSet<>();
    do {
      served.clear();
      dead.clear();
      section
          .inTheWay()
          .map(row -> row.holder().process())
          .filter(process -> !alive.computeIfAbsent(process, directory.aliveLocks()::isAlive))
          .forEach(dead::add);
      section.table.drop(row -> dead.contains(row.holder().process()), section.time(), served::add);
      section.touched.addAll(served);
    } while (!dead.isEmpty() || !served.isEmpty());
  }

  /** What a file says at this moment; null if there is no file. */
  @Nullable StateRecord peek(String file) throws IOException {
    return directory.stateFile(file).peek();
  }

  /** Who holds and waits in a file, of those that live; null if there is no file. */
  @Nullable LockState inspect(String file) throws IOException {
    StateRecord record = peek(file);
    if (record == null) {
      return null;
    }
    Map<String, Boolean> alive = new HashMap<>();
    LockTable table =
        new LockTable(
            count -> {
              throw new IllegalStateException("to look at a lock grants nothing");
            },
            living(record.holding(), alive),
            living(record.waiting(), alive),
            List.of());
    return table.inspect(record.name(), storeTime(context.now()));
  }

  /** All that are held or waited for, in the order of their names. */
  List<LockState> list(String prefix, int limit) throws IOException {
    List<LockState> states = new ArrayList<>();
    for (String file : directory.lockFiles()) {
      try {
        LockState state = inspect(file);
        if (state != null && state.name().startsWith(prefix) && isInUse(state)) {
          states.add(state);
        }
      } catch (UnfitException damaged) {
        log.warn("left out of the list: {}", damaged.getMessage());
      }
    }
    states.sort(Comparator.comparing(LockState::name));
    return states.stream().limit(limit).toList();
  }

  private static boolean isInUse(LockState state) {
    return !state.isFree() || !state.waiters().isEmpty();
  }

  private List<Row> living(List<Row> rows, Map<String, Boolean> alive) {
    return rows.stream()
        .filter(
            row -> alive.computeIfAbsent(row.holder().process(), directory.aliveLocks()::isAlive))
        .toList();
  }

  /** Removes a file that nobody needs: its lock is free, and its tokens are not above the floor. */
  boolean removeIfUnused(String file, long floor) throws IOException {
    return directory
        .mutex()
        .in(
            FileMutex.placeOf(file),
            () -> {
              StateFile state = directory.stateFile(file);
              StateRecord record = state.read();
              boolean unused = record == null || (isUnused(record) && record.lastToken() <= floor);
              if (unused) {
                state.delete();
              }
              return unused;
            });
  }

  private boolean isUnused(StateRecord record) {
    long now = storeTime(context.now());
    return Stream.of(record.holding(), record.waiting(), record.forced())
        .flatMap(List::stream)
        .allMatch(
            row -> row.until() <= now || !directory.aliveLocks().isAlive(row.holder().process()));
  }

  /** Takes tokens from the directory's clock, above the last one of this lock. */
  private final class FileMint implements Mint {
    private long last;
    private boolean fromFloor;
    private final long wallNanos;

    FileMint(long last, boolean fromFloor, long wallNanos) {
      this.last = last;
      this.fromFloor = fromFloor;
      this.wallNanos = wallNanos;
    }

    @Override
    public long next(int count) {
      try {
        if (fromFloor) {
          last = directory.tokens().floor();
          fromFloor = false;
        }
        long first = directory.tokens().next(last, count, wallNanos);
        last = first + count - 1;
        return first;
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      }
    }
  }
}
