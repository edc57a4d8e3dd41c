// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.LossCause;
import io.holdfast.internal.LockFiles.Section;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.Moment;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Those of this backend who wait, and how they and the others learn what became of them.
 *
 * <p>A waiter learns of its grant in one of four ways, of which each covers for the one before:
 * from the request of this backend that granted it; by a word in the inbox from the process that
 * did; from the {@link DeathWatch}, if that process died; and when core asks again.
 */
final class FileWaiters implements Inbox.Reader {
  private static final Logger log = LoggerFactory.getLogger(FileWaiters.class);

  private final BackendContext context;
  private final LockFiles files;
  private final AliveLocks aliveLocks;
  private final FileWaits waits = new FileWaits();
  private final DeathWatch deathWatch;

  /**
   * For one backend.
   *
   * @param change goes through a lock's file once more, by which its dead are dropped
   */
  FileWaiters(
      BackendContext context,
      LockFiles files,
      AliveLocks aliveLocks,
      Executor executor,
      Consumer<String> change) {
    this.context = context;
    this.files = files;
    this.aliveLocks = aliveLocks;
    this.deathWatch =
        new DeathWatch(
            context,
            executor,
            aliveLocks,
            () -> !waits.isEmpty(),
            () -> waits.names().forEach(change));
  }

  /** From now on it waits. Called before the file says so: the grant may follow at once. */
  void add(Hold hold, Section section) {
    waits.add(hold.name(), hold.holder());
    section.inTheWay().forEach(row -> deathWatch.watch(row.holder().process()));
  }

  void remove(Hold hold) {
    waits.remove(hold.name(), hold.holder());
  }

  /** Leaves word for those of other processes. */
  void tellOthers(Section section) {
    section.touched().stream()
        .map(row -> row.holder().process())
        .filter(process -> !process.equals(context.origin().process()))
        .distinct()
        .forEach(process -> Inbox.leaveWord(aliveLocks.folderOf(process), section.file()));
  }

  void tellOurs(String name, Section section) {
    tellOurs(name, section.table().holding(), section.table().forced());
  }

  @Override
  public void changed(String file) {
    try {
      StateRecord record = files.peek(file);
      if (record != null) {
        tellOurs(record.name(), record.holding(), record.forced());
      }
    } catch (IOException failed) {
      log.debug("could not read {}: {}", file, failed.toString());
    }
  }

  @Override
  public void changed() {
    waits.names().forEach(name -> changed(FileNames.of(name)));
  }

  private void tellOurs(String name, List<Row> holding, List<Row> forced) {
    Moment now = context.now();
    for (Row row : holding) {
      if (isOurs(row) && waits.remove(name, row.holder())) {
        context.granted(row.holder(), new Granted(row.token(), row.passes(), since(row, now)));
      }
    }
    for (Row row : forced) {
      if (isOurs(row)) {
        context.lost(row.holder(), LossCause.FORCED);
      }
    }
  }

  private boolean isOurs(Row row) {
    return row.holder().process().equals(context.origin().process());
  }

  /** When it was granted, in our own time: by the wall clock, which is the file's, exactly. */
  private static Moment since(Row row, Moment now) {
    long elapsed = Math.max(0, now.wallNanos() - row.since());
    return new Moment(now.monotonicNanos() - elapsed, row.since());
  }
}
