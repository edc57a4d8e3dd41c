// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.util.Arrays;

/**
 * Numbers in the order of their times: a heap in which each number knows its place, so that adding,
 * moving and taking out are O(log n). A number that was taken out is given to the next.
 *
 * <p>Each place has four children, whose times are found together. There are arrays of numbers and
 * nothing else: of 100,000 entries hardly any is in the processor's cache, and a reference that
 * changes is work for the garbage collector, so neither is touched by what moves up or down.
 */
final class DueHeap {
  private static final int CHILDREN = 4;
  private static final int LEAST = 64;

  private long[] dueNanos = new long[LEAST]; // By place.
  private int[] numbers = new int[LEAST]; // By place; behind the last place those that are free.
  private int[] places = new int[LEAST]; // By number.
  private int size;
  private int used;

  int size() {
    return size;
  }

  /** The one that is due first, if there is any. */
  int first() {
    return numbers[0];
  }

  /** When the first is due, if there is any. */
  long firstNanos() {
    return dueNanos[0];
  }

  /** Returns its number. */
  int add(long nanos) {
    if (size == used) {
      makeRoom();
      numbers[used] = used++;
    }
    int number = numbers[size++];
    settle(number, nanos, size - 1);
    return number;
  }

  void move(int number, long nanos) {
    settle(number, nanos, places[number]);
  }

  void remove(int number) {
    int last = numbers[--size];
    numbers[size] = number;
    if (last != number) {
      settle(last, dueNanos[size], places[number]);
    }
  }

  private void makeRoom() {
    if (used == numbers.length) {
      int more = used + used / 8;
      dueNanos = Arrays.copyOf(dueNanos, more);
      numbers = Arrays.copyOf(numbers, more);
      places = Arrays.copyOf(places, more);
    }
  }

  /** Puts the number where it belongs, beginning at a place that is free or its own. */
  private void settle(int number, long nanos, int from) {
    int place = from;
    while (place > 0 && nanos - dueNanos[(place - 1) / CHILDREN] < 0) {
      place = shift((place - 1) / CHILDREN, place);
    }
    for (int child = firstDue(place); child > 0; child = firstDue(place)) {
      if (dueNanos[child] - nanos >= 0) {
        break;
      }
      place = shift(child, place);
    }
    put(number, nanos, place);
  }

  /** Moves what is at one place to a free one; returns the place that this frees. */
  private int shift(int from, int to) {
    put(numbers[from], dueNanos[from], to);
    return from;
  }

  private void put(int number, long nanos, int place) {
    numbers[place] = number;
    dueNanos[place] = nanos;
    places[number] = place;
  }

  /** Which of the children is due first; negative if there are none. */
  private int firstDue(int place) {
    int first = CHILDREN * place + 1;
    if (first >= size) {
      return -1;
    }
    int end = Math.min(first + CHILDREN, size);
    int earliest = first;
    for (int child = first + 1; child < end; child++) {
      earliest = dueNanos[child] - dueNanos[earliest] < 0 ? child : earliest;
    }
    return earliest;
  }
}
