// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.BackendException;
import io.holdfast.internal.LockFiles.Section;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Requests that change locks, in the order in which they came for each lock. Those that come while
 * the one before them is at work share the next critical section, and so one write.
 */
final class FileRequests {
  private final Path directory;
  private final LockFiles files;
  private final Executor executor;
  private final Audience audience;
  private final Map<String, List<Request<?>>> queues = new ConcurrentHashMap<>();

  /** Those who have an interest in what the requests of others did to them. */
  interface Audience {
    /** The file has changed, and its requests are not answered yet: whoever is next comes first. */
    void beforeAnswers(Section section);

    /** The requests have been answered. */
    void afterAnswers(String name, Section section);
  }

  FileRequests(Path directory, LockFiles files, Executor executor, Audience audience) {
    this.directory = directory;
    this.files = files;
    this.executor = executor;
    this.audience = audience;
  }

  private static final class Request<T> {
    private final Function<Section, T> change;
    private final CompletableFuture<T> answer = new CompletableFuture<>();
    private @Nullable Runnable reply;

    Request(Function<Section, T> change) {
      this.change = change;
    }

    void apply(Section section) {
      T result = change.apply(section);
      reply = () -> answer.complete(result);
    }

    void answer() {
      if (reply != null) {
        reply.run();
      }
    }
  }

  <T> CompletableFuture<T> submit(String name, Function<Section, T> change) {
    Request<T> request = new Request<>(change);
    boolean[] first = new boolean[1];
    queues.compute(
        name,
        (unused, known) -> {
          first[0] = known == null;
          List<Request<?>> queue = known == null ? new ArrayList<>(1) : known;
          queue.add(request);
          return queue;
        });
    if (first[0]) {
      begin(name);
    }
    return request.answer;
  }

  private void begin(String name) {
    try {
      executor.execute(() -> work(name));
    } catch (RejectedExecutionException closed) {
      fail(take(name), FileFailures.closed(directory));
    }
  }

  private void work(String name) {
    for (List<Request<?>> batch = take(name); !batch.isEmpty(); batch = take(name)) {
      run(name, batch);
    }
  }

  /** All that wait now; when none do, the queue is gone, and the next request starts anew. */
  private List<Request<?>> take(String name) {
    List<Request<?>> batch = new ArrayList<>();
    queues.computeIfPresent(
        name,
        (unused, queue) -> {
          batch.addAll(queue);
          queue.clear();
          return batch.isEmpty() ? null : queue;
        });
    return batch;
  }

  private void run(String name, List<Request<?>> batch) {
    Section section;
    try {
      section = files.change(name, found -> batch.forEach(request -> request.apply(found)));
    } catch (IOException failed) {
      fail(batch, FileFailures.ofRequest(directory, failed));
      return;
    } catch (RuntimeException | Error bug) {
      // Those who come next must find a thread that still works.
      fail(batch, BackendException.unknown("the file backend failed: " + bug, bug));
      return;
    }
    Answers.guarded(() -> audience.beforeAnswers(section)).run();
    batch.forEach(Request::answer);
    Answers.guarded(() -> audience.afterAnswers(name, section)).run();
  }

  private static void fail(List<Request<?>> batch, BackendException problem) {
    batch.forEach(request -> request.answer.completeExceptionally(problem));
  }
}
