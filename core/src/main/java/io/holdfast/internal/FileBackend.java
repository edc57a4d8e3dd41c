// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.Guarantees;
import io.holdfast.LockState;
import io.holdfast.internal.LockFiles.Section;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.Finding;
import io.holdfast.spi.LockBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Locks between the processes of one machine, in the files of a directory.
 *
 * <p><b>Mechanism.</b> A {@link LockTable} per name, in a file ({@link StateFile}) that is changed
 * under a mutex of the operating system, held for microseconds. Each process keeps a lock of the
 * system on a file of its own ({@link AliveLocks}), which ends with it: what a dead process held is
 * free at once. Whoever is granted a lock by another process finds word in its {@link Inbox}.
 *
 * <p><b>Guarantees.</b> One holder at a time among processes that use one local directory, whatever
 * the wall clock does ({@link LockFiles}) and whoever is killed at whatever moment. Tokens never go
 * back, not even if the power fails and the clock is wrong afterwards ({@link FileTokens}).
 *
 * <p><b>What breaks it.</b> Files that are deleted while they are in use; code in a holder's JVM
 * that opens and closes them, which ends the JVM's locks on them; a network file system.
 *
 * <p><b>Cost.</b> A request is one critical section: one file read and one page overwritten, with
 * no sync but one every ten seconds of use. A renewal is one such write for every hold. A hand-over
 * wakes one process. Waiting costs a look at the living processes ten times a second; idle,
 * nothing.
 */
final class FileBackend implements LockBackend {
  private final FilePlace place;
  private volatile @Nullable FileWork work;

  FileBackend(FilePlace place) {
    this.place = place;
  }

  @Override
  public void start(BackendContext context) {
    work = FileWork.begin(place, context);
  }

  @Override
  public CompletionStage<Acquisition> acquire(AcquireRequest request) {
    return work().change(request.hold().name(), section -> acquire(request, section));
  }

  private Acquisition acquire(AcquireRequest request, Section section) {
    Hold hold = request.hold();
    Acquisition answer =
        section
            .table()
            .acquire(
                request,
                work().context().origin(),
                section.time(),
                Times.earlier(request.sent(), section.now()),
                section.touched()::add);
    if (answer instanceof Acquisition.Held held && !request.patience().isZero()) {
      work().waiters().add(hold, section);
      return new Acquisition.Held(work().recheck(held.recheck()));
    }
    work().waiters().remove(hold);
    return answer;
  }

  @Override
  public CompletionStage<List<Renewal>> renew(List<Hold> holds) {
    List<CompletableFuture<Renewal>> answers = new ArrayList<>(holds.size());
    long asked = LockFiles.storeTime(work().context().now());
    for (Hold hold : holds) {
      answers.add(
          work()
              .change(hold.name(), section -> section.table().renew(hold, asked, section.time())));
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
        .handle((done, failed) -> failed)
        .thenCompose(failed -> renewals(answers, failed));
  }

  /** What failed for one name is unknown for that name; what failed for all of them, failed. */
  private static CompletionStage<List<Renewal>> renewals(
      List<CompletableFuture<Renewal>> answers, @Nullable Throwable failed) {
    if (failed != null && answers.stream().allMatch(CompletableFuture::isCompletedExceptionally)) {
      return CompletableFuture.failedFuture(failed.getCause() == null ? failed : failed.getCause());
    }
    return CompletableFuture.completedFuture(
        answers.stream()
            .map(answer -> answer.exceptionally(unanswered -> Renewal.UNKNOWN).join())
            .toList());
  }

  @Override
  public CompletionStage<Boolean> release(Hold hold) {
    work().waiters().remove(hold);
    return work()
        .change(
            hold.name(),
            section ->
                section.table().release(hold.holder(), section.time(), section.touched()::add));
  }

  @Override
  public CompletionStage<LockState> inspect(String name) {
    return work().look(files -> orFree(files.inspect(FileNames.of(name)), name));
  }

  private static LockState orFree(@Nullable LockState state, String name) {
    return state == null ? LockState.free(name) : state;
  }

  @Override
  public CompletionStage<List<LockState>> list(String prefix, int limit) {
    return work().look(files -> files.list(prefix, limit));
  }

  @Override
  public CompletionStage<Boolean> forceRelease(String name, long token, String reason) {
    return work().change(name, section -> forceRelease(token, section));
  }

  private static boolean forceRelease(long token, Section section) {
    Row ended = section.table().forceRelease(token, section.time(), section.touched()::add);
    if (ended != null) {
      section.touched().add(ended);
    }
    return ended != null;
  }

  @Override
  public Guarantees guarantees() {
    FileWork started = work;
    return started == null ? FileGuarantees.local(Inbox.isPrompt()) : started.guarantees();
  }

  @Override
  public CompletionStage<List<Finding>> checkUp() {
    return work().look(files -> FileCheckUp.of(place, work().isTold()));
  }

  @Override
  public void close() {
    FileWork started = work;
    if (started != null) {
      started.close();
    }
  }

  private FileWork work() {
    FileWork started = work;
    if (started == null) {
      throw new IllegalStateException("the backend has not been started");
    }
    return started;
  }
}
