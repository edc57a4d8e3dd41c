// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.BackendException;
import io.holdfast.Guarantees;
import io.holdfast.internal.FileMutex.Section;
import io.holdfast.spi.BackendContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file backend from its start to its close: its parts, and the threads on which they work. No
 * caller's thread touches a file: it would wait for the disk, and its interrupt would close a file
 * under everybody in this JVM.
 */
final class FileWork implements FileRequests.Audience {
  private static final Logger log = LoggerFactory.getLogger(FileWork.class);

  /** A section takes microseconds; more threads would only wait for each other. */
  private static final int THREADS = 4;

  private static final Duration IDLE_THREAD = Duration.ofSeconds(10);
  private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(10);

  /** Those who delete what has not been used wait for days; some, for hours. */
  private static final Duration TOUCH_INTERVAL = Duration.ofHours(1);

  /** How soon to ask again where nobody leaves word. */
  private static final Duration UNTOLD_RECHECK = Duration.ofMillis(100);

  private final LockDirectory directory;
  private final BackendContext context;
  private final ThreadPoolExecutor executor = executor();
  private final LockFiles files;
  private final FileRequests requests;
  private final FileWaiters waiters;
  private final IdleFiles idleFiles;
  private final @Nullable Inbox inbox;
  private final Guarantees guarantees;
  private volatile boolean closed;

  /** Opens what the place says and enters it. */
  static FileWork begin(FilePlace place, BackendContext context) {
    try {
      return aside("holdfast-file-start", () -> open(place, context));
    } catch (IOException unfit) {
      throw FileFailures.ofStart(place.directory(), unfit);
    }
  }

  private static FileWork open(FilePlace place, BackendContext context) throws IOException {
    place.prepare();
    LockDirectory directory = LockDirectory.open(place.directory());
    try {
      directory.enter(context.origin().process(), place.linger());
      return new FileWork(directory, context, place.isNetwork());
    } catch (IOException failed) {
      directory.aliveLocks().leave(context.origin().process());
      directory.close();
      throw failed;
    }
  }

  private FileWork(LockDirectory directory, BackendContext context, boolean isNetwork)
      throws IOException {
    this.directory = directory;
    this.context = context;
    this.files = new LockFiles(directory, context);
    this.waiters =
        new FileWaiters(context, files, directory.aliveLocks(), this::later, this::changeNothing);
    this.idleFiles = new IdleFiles(context, this::later, files, directory.tokens());
    this.requests = new FileRequests(directory.path(), files, executor, this);
    for (String left : directory.lockFiles()) {
      idleFiles.add(left, context.now());
    }
    this.inbox = inbox();
    this.guarantees = isNetwork ? FileGuarantees.network() : FileGuarantees.local(isTold());
    touchLater();
  }

  private static ThreadPoolExecutor executor() {
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_THREAD.toSeconds(),
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            DaemonThreads.named("holdfast-file"));
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  private @Nullable Inbox inbox() {
    Path folder = directory.aliveLocks().folderOf(context.origin().process());
    try {
      return new Inbox(folder, waiters);
    } catch (IOException noWatch) {
      log.warn("cannot watch {}, so waiters have to ask: {}", folder, noWatch.toString());
      return null;
    }
  }

  BackendContext context() {
    return context;
  }

  FileWaiters waiters() {
    return waiters;
  }

  Guarantees guarantees() {
    return guarantees;
  }

  /** Changes a lock, in its turn. */
  <T> CompletableFuture<T> change(String name, Function<LockFiles.Section, T> change) {
    return closed
        ? CompletableFuture.failedFuture(FileFailures.closed(directory.path()))
        : requests.submit(name, change);
  }

  private void changeNothing(String name) {
    var unused = requests.submit(name, section -> true);
  }

  @Override
  public void beforeAnswers(LockFiles.Section section) {
    waiters.tellOthers(section);
  }

  @Override
  public void afterAnswers(String name, LockFiles.Section section) {
    waiters.tellOurs(name, section);
    if (section.table().isEmpty()) {
      idleFiles.add(section.file(), section.now());
    }
  }

  /** Reads without changing anything. */
  @FunctionalInterface
  interface Look<T> {
    T at(LockFiles files) throws IOException;
  }

  <T> CompletableFuture<T> look(Look<T> look) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    try {
      executor.execute(() -> look(look, answer));
    } catch (RejectedExecutionException rejected) {
      answer.completeExceptionally(FileFailures.closed(directory.path()));
    }
    return answer;
  }

  private <T> void look(Look<T> look, CompletableFuture<T> answer) {
    try {
      answer.complete(look.at(files));
    } catch (IOException failed) {
      answer.completeExceptionally(FileFailures.ofRequest(directory.path(), failed));
    } catch (RuntimeException | Error bug) {
      answer.completeExceptionally(
          BackendException.unknown("the file backend failed: " + bug, bug));
    }
  }

  /** When to ask again, if a signal may fail to come. */
  Duration recheck(Duration proposed) {
    return isTold() || proposed.compareTo(UNTOLD_RECHECK) < 0 ? proposed : UNTOLD_RECHECK;
  }

  boolean isTold() {
    return inbox != null && Inbox.isPrompt();
  }

  private void later(Runnable task) {
    try {
      executor.execute(Answers.guarded(task));
    } catch (RejectedExecutionException tooLate) {
      log.trace("closed", tooLate);
    }
  }

  private void touchLater() {
    context.after(TOUCH_INTERVAL, () -> later(this::touch));
  }

  private void touch() {
    try {
      directory.touch(context.now().wallNanos());
    } catch (Throwable failed) {
      log.warn("could not touch the files in {}: {}", directory.path(), failed.toString());
    }
    touchLater();
  }

  /** Finishes what was begun, and leaves. */
  void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      aside("holdfast-file-close", this::leave);
    } catch (IOException failed) {
      log.warn("could not leave {} in order: {}", directory.path(), failed.toString());
    }
  }

  private boolean leave() throws IOException {
    if (inbox != null) {
      inbox.close();
    }
    executor.shutdown();
    String process = context.origin().process();
    boolean ended = isTerminatedInTime();
    if (ended) {
      try {
        directory.leave(process);
      } finally {
        directory.close();
      }
    } else {
      // To close the mutex under a section that hangs would let others into it.
      log.warn("a request hangs in {}; its files stay open", directory.path());
      directory.aliveLocks().leave(process);
    }
    return ended;
  }

  private boolean isTerminatedInTime() {
    try {
      return executor.awaitTermination(CLOSE_PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException nobodyKnowsThisThread) {
      return false;
    }
  }

  /** Does something on a thread of its own, which nobody interrupts, and waits for it. */
  private static <T> T aside(String thread, Section<T> task) throws IOException {
    CompletableFuture<T> result =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return task.run();
              } catch (IOException failed) {
                throw new UncheckedIOException(failed);
              }
            },
            runnable -> DaemonThreads.named(thread).newThread(runnable).start());
    try {
      return result.join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof UncheckedIOException unchecked) {
        throw unchecked.getCause();
      }
      throw failed;
    }
  }
}
