// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit.broken;

import io.holdfast.Holder;
import io.holdfast.Mode;
import io.holdfast.spi.LockBackend.Renewal;
import io.holdfast.spi.Moment;
import io.holdfast.testkit.broken.TextbookLock.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/** What can be wrong with a store: each breaks one rule, in a way that has happened to somebody. */
enum Defect implements Rules {
  TWO_HOLDERS_OF_ONE_PROCESS_GET_IN("MutualExclusion") {
    @Override
    public boolean isRepeat(Holder holding, Holder asking) {
      return holding.process().equals(asking.process());
    }
  },
  NAMES_ARE_COMPARED_WITHOUT_CASE("BadInput") {
    @Override
    public String key(String name) {
      return name.toLowerCase(Locale.ROOT);
    }
  },
  NAMES_ARE_CUT_SHORT("BadInput") {
    @Override
    public String key(String name) {
      return name.substring(0, Math.min(name.length(), 100));
    }
  },
  HOLDS_NEVER_EXPIRE("Expiry") {
    @Override
    public Duration kept(Duration leaseTime) {
      return Duration.ofDays(1);
    }
  },
  HOLDS_EXPIRE_TOO_EARLY("Expiry") {
    @Override
    public Duration kept(Duration leaseTime) {
      return leaseTime.multipliedBy(19).dividedBy(20);
    }
  },
  THE_DEADLINE_COUNTS_FROM_THE_REPLY("Expiry") {
    @Override
    public Duration delayOfAnswers() {
      return Duration.ofMillis(30);
    }

    @Override
    public Moment sinceOfAnswer(Moment asked, Moment answered) {
      return answered;
    }
  },
  THE_DEADLINE_COUNTS_FROM_THE_MESSAGE("Expiry") {
    @Override
    public Duration delayOfMessages() {
      return Duration.ofMillis(30);
    }

    @Override
    public Moment sinceOfMessage(Moment handedOver, Moment told) {
      return told;
    }
  },
  RENEWAL_RE_CREATES("Renewal") {
    @Override
    public Renewal renewGone(TextbookLock lock, Runnable creation) {
      creation.run();
      return Renewal.RENEWED;
    }
  },
  RENEWAL_OF_A_GONE_HOLD_IS_CONFIRMED("Renewal") {
    @Override
    public Renewal renewGone(TextbookLock lock, Runnable creation) {
      return Renewal.RENEWED;
    }
  },
  RENEWAL_DOES_NOT_EXTEND("Renewal") {
    @Override
    public boolean renewalExtends() {
      return false;
    }
  },
  RENEWALS_ARE_ANSWERED_IN_ANOTHER_ORDER("Renewal") {
    @Override
    public List<Renewal> answers(List<Renewal> inOrder) {
      List<Renewal> sorted = new ArrayList<>(inOrder);
      Collections.sort(sorted);
      return sorted;
    }
  },
  RELEASE_DOES_NOT_CHECK_THE_OWNER("Release") {
    @Override
    public boolean mayRelease(Holder holding, Holder asking) {
      return true;
    }
  },
  RELEASE_CONFIRMS_TO_A_STRANGER("Release") {
    @Override
    public boolean answerToRelease(boolean held) {
      return true;
    }
  },
  A_WAITER_THAT_LEFT_STAYS_QUEUED("Release") {
    @Override
    public boolean leavesQueue() {
      return false;
    }
  },
  WAITERS_ARE_NEVER_WOKEN("WaitingAndOrder") {
    @Override
    public boolean serves(Row next, Holder asking) {
      return false;
    }
  },
  THE_LAST_WAITER_IS_SERVED_FIRST("WaitingAndOrder") {
    @Override
    public Row next(List<Row> waiting) {
      return waiting.get(waiting.size() - 1);
    }
  },
  ASKING_AGAIN_LOSES_THE_PLACE("WaitingAndOrder") {
    @Override
    public boolean repeatKeepsPlace() {
      return false;
    }
  },
  WHOEVER_DOES_NOT_WAIT_IS_QUEUED("WaitingAndOrder") {
    @Override
    public Duration credibleFor(Duration patience) {
      return CREDIBLE;
    }
  },
  A_DEAD_WAITER_BLOCKS_THE_QUEUE("WaitingAndOrder") {
    @Override
    public boolean serves(Row next, Holder asking) {
      return next.holder.equals(asking);
    }

    @Override
    public boolean isCredible(long until, long now) {
      return true;
    }
  },
  A_WRITER_GETS_IN_BESIDE_READERS("Shared") {
    @Override
    public boolean fits(List<Row> holding, Mode wanted) {
      return holding.stream().allMatch(row -> row.mode instanceof Mode.Shared)
          || SOUND.fits(holding, wanted);
    }
  },
  A_READER_GETS_IN_BESIDE_A_WRITER("Shared") {
    @Override
    public boolean fits(List<Row> holding, Mode wanted) {
      return wanted instanceof Mode.Shared || SOUND.fits(holding, wanted);
    }
  },
  READERS_OVERTAKE_A_WRITER("Shared") {
    @Override
    public boolean mayEnter(List<Row> waiting, Mode wanted) {
      return wanted instanceof Mode.Shared || waiting.isEmpty();
    }
  },
  MORE_HOLDERS_THAN_PERMITS("Permits") {
    @Override
    public boolean fits(List<Row> holding, Mode wanted) {
      return wanted instanceof Mode.Permits permits
          ? holding.size() <= permits.limit()
          : SOUND.fits(holding, wanted);
    }
  },
  EACH_HOLD_COUNTS_AS_ONE_PERMIT("Permits") {
    @Override
    public boolean fits(List<Row> holding, Mode wanted) {
      return wanted instanceof Mode.Permits permits
          ? holding.size() < permits.limit()
          : SOUND.fits(holding, wanted);
    }
  },
  ANOTHER_LIMIT_IS_ACCEPTED("Permits") {
    @Override
    public boolean isSameKind(Mode one, Mode other) {
      return one.getClass().equals(other.getClass()) || SOUND.isSameKind(one, other);
    }
  },
  TOKENS_REPEAT("Fencing") {
    @Override
    public long spent(long last, int passes) {
      return last;
    }
  },
  TOKENS_ARE_COUNTED_BY_PROCESS("Fencing") {
    @Override
    public Object tokensOf(Holder holder) {
      return holder.process();
    }
  },
  PASSES_OVERLAP_WITH_THE_NEXT_TOKEN("Fencing") {
    @Override
    public long spent(long last, int passes) {
      return last + 1;
    }
  },
  A_REPEATED_ACQUIRE_IS_REFUSED("LostReplies") {
    @Override
    public boolean isRepeat(Holder holding, Holder asking) {
      return false;
    }
  },
  A_REPEATED_ACQUIRE_GETS_A_NEW_TOKEN("LostReplies") {
    @Override
    public long tokenOfRepeat(long token, LongSupplier next) {
      return next.getAsLong();
    }
  },
  A_REPEATED_ACQUIRE_DOES_NOT_EXTEND("LostReplies") {
    @Override
    public boolean repeatExtends() {
      return false;
    }
  },
  FORCE_IGNORES_THE_EXPECTED_TOKEN("Loss") {
    @Override
    public boolean mayForce(Row row, long token) {
      return true;
    }
  },
  WHOEVER_IS_DRIVEN_OUT_IS_NOT_TOLD("Loss") {
    @Override
    public boolean tellsOfForce() {
      return false;
    }
  },
  LIST_IGNORES_THE_PREFIX("Inspection") {
    @Override
    public boolean lists(String name, String prefix) {
      return true;
    }
  },
  HOLDS_THAT_RAN_OUT_ARE_SHOWN("Inspection") {
    @Override
    public boolean shows(Row row, long now) {
      return true;
    }
  };

  private final String property;

  Defect(String property) {
    this.property = property;
  }

  /** The property that it violates, by the name of its group in the contract. */
  String property() {
    return property;
  }
}
