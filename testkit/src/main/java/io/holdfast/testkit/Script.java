// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.function.Consumer;

/** What happens to the next few of something, and to every one after them. */
final class Script<T> {
  private final Consumer<T> none;
  private final Deque<Consumer<T>> next = new ArrayDeque<>();
  private Consumer<T> every;

  Script(Consumer<T> none) {
    this.none = none;
    this.every = none;
  }

  synchronized void next(int count, Consumer<T> fault) {
    next.addAll(Collections.nCopies(count, fault));
  }

  synchronized void every(Consumer<T> fault) {
    every = fault;
  }

  synchronized void forget() {
    next.clear();
    every = none;
  }

  synchronized Consumer<T> take() {
    Consumer<T> scripted = next.poll();
    return scripted == null ? every : scripted;
  }
}
