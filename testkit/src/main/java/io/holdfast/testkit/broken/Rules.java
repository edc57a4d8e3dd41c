// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit.broken;

import io.holdfast.Holder;
import io.holdfast.Mode;
import io.holdfast.spi.LockBackend.Renewal;
import io.holdfast.spi.Moment;
import io.holdfast.testkit.broken.TextbookLock.Row;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

/** The rules by which a textbook store keeps its locks. As they stand here, they are sound. */
interface Rules {
  Rules SOUND = new Rules() {};

  Duration CREDIBLE = Duration.ofSeconds(10);

  /** Under what a lock is kept. */
  default String key(String name) {
    return name;
  }

  /** Whether an acquire is a repeat by the one who holds the lock. */
  default boolean isRepeat(Holder holding, Holder asking) {
    return holding.equals(asking);
  }

  default boolean repeatExtends() {
    return true;
  }

  default long tokenOfRepeat(long token, LongSupplier next) {
    return token;
  }

  default boolean repeatKeepsPlace() {
    return true;
  }

  /** What shares a row of tokens. */
  default Object tokensOf(Holder holder) {
    return "all";
  }

  /** The last token that is spent when a hold gets the tokens after this one. */
  default long spent(long last, int passes) {
    return last + 1 + passes;
  }

  default Duration kept(Duration leaseTime) {
    return leaseTime;
  }

  /** How long answers are under way. */
  default Duration delayOfAnswers() {
    return Duration.ZERO;
  }

  /** How long messages are under way: they may have a connection of their own. */
  default Duration delayOfMessages() {
    return Duration.ZERO;
  }

  default Moment sinceOfAnswer(Moment asked, Moment answered) {
    return asked;
  }

  default Moment sinceOfMessage(Moment handedOver, Moment told) {
    return handedOver;
  }

  default boolean isSameKind(Mode one, Mode other) {
    return one instanceof Mode.Permits permits
        ? other instanceof Mode.Permits others && permits.limit() == others.limit()
        : !(other instanceof Mode.Permits);
  }

  default boolean fits(List<Row> holding, Mode wanted) {
    if (wanted instanceof Mode.Permits permits) {
      int taken = holding.stream().mapToInt(row -> ((Mode.Permits) row.mode).count()).sum();
      return taken + permits.count() <= permits.limit();
    }
    return holding.isEmpty()
        || (wanted instanceof Mode.Shared && holding.get(0).mode instanceof Mode.Shared);
  }

  /** Whether whoever comes may go in at once if it fits. */
  default boolean mayEnter(List<Row> waiting, Mode wanted) {
    return waiting.isEmpty();
  }

  /** For how long a waiter counts from when it last asked; zero: it gets no place. */
  default Duration credibleFor(Duration patience) {
    return patience.compareTo(CREDIBLE) < 0 ? patience : CREDIBLE;
  }

  /** Whether a waiter whose turn it is becomes the holder now, while that holder asks. */
  default boolean serves(Row next, Holder asking) {
    return true;
  }

  default Row next(List<Row> waiting) {
    return waiting.get(0);
  }

  default boolean isCredible(long until, long now) {
    return now < until;
  }

  default boolean leavesQueue() {
    return true;
  }

  default boolean mayRelease(Holder holding, Holder asking) {
    return holding.equals(asking);
  }

  default boolean answerToRelease(boolean held) {
    return held;
  }

  default boolean renewalExtends() {
    return true;
  }

  /** The answer to the renewal of a hold that is not there. */
  default Renewal renewGone(TextbookLock lock, Runnable creation) {
    return lock.isFree() ? Renewal.GONE : Renewal.TAKEN;
  }

  default List<Renewal> answers(List<Renewal> inOrder) {
    return inOrder;
  }

  default boolean mayForce(Row row, long token) {
    return row.token <= token && token <= row.token + row.passes;
  }

  default boolean tellsOfForce() {
    return true;
  }

  default boolean shows(Row row, long now) {
    return now < row.until;
  }

  default boolean lists(String name, String prefix) {
    return name.startsWith(prefix);
  }
}
