// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What {@code supervise.bash} tells the keeper, line by line; its death ends the input. */
final class Supervisor {
  /** Why the keeper has no more to keep. */
  enum End {
    /** The command has ended. What it left behind may go on. */
    DONE,
    /** All that is left of the command is to be ended. */
    END,
    /** The supervisor was killed. */
    GONE
  }

  private final BufferedReader input;
  private final BlockingQueue<End> ends = new LinkedBlockingQueue<>();
  private final CompletableFuture<Void> left = new CompletableFuture<>();
  private final CompletableFuture<Consumer<CommandTree.Child>> keeper = new CompletableFuture<>();

  Supervisor(InputStream input) {
    this.input = new BufferedReader(new InputStreamReader(input, UTF_8));
    Thread thread = new Thread(this::listen, "holdfast-supervisor");
    thread.setDaemon(true);
    thread.start();
  }

  private void listen() {
    try {
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        heard(line);
      }
    } catch (IOException gone) {
      // As if it had ended.
    }
    if (ends.isEmpty()) {
      left.complete(null);
    }
    ends.add(End.GONE);
  }

  private void heard(String line) {
    switch (line) {
      case "leave" -> left.complete(null);
      case "done" -> ends.add(End.DONE);
      case "end" -> ends.add(End.END);
      default -> keeper.join().accept(CommandTree.Child.parse(line));
    }
  }

  /** Completed when the lock is not wanted any more; it may have been granted all the same. */
  CompletionStage<Void> left() {
    return left;
  }

  /** Takes the command when it begins, which it does only after the grant was told. */
  void onChild(Consumer<CommandTree.Child> listener) {
    keeper.complete(listener);
  }

  /** Waits for the next end, for so long. Null: there was none. */
  @Nullable End poll(Duration time) {
    try {
      return ends.poll(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return End.GONE;
    }
  }
}
