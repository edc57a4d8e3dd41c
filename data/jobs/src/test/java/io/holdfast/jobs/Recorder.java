// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what it hears. */
final class Recorder implements JobListener {
  private final List<Object> events = new CopyOnWriteArrayList<>();

  <T> List<T> heard(Class<T> type) {
    return events.stream().filter(type::isInstance).map(type::cast).toList();
  }

  @Override
  public void claimed(Claimed event) {
    events.add(event);
  }

  @Override
  public void completed(Completed event) {
    events.add(event);
  }

  @Override
  public void failed(Failed event) {
    events.add(event);
  }

  @Override
  public void snoozed(Snoozed event) {
    events.add(event);
  }

  @Override
  public void buried(Buried event) {
    events.add(event);
  }

  @Override
  public void lost(Lost event) {
    events.add(event);
  }

  @Override
  public void stale(Stale event) {
    events.add(event);
  }

  @Override
  public void rescued(Rescued event) {
    events.add(event);
  }

  @Override
  public void trouble(Trouble event) {
    events.add(event);
  }
}
