// SPDX-License-Identifier: Apache-2.0
package io.holdfast.spi;

import io.holdfast.Holder;
import io.holdfast.LockState;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A store as one of the nodes of a quorum: it votes, and alone decides nothing. Each step is atomic
 * in the store; stages fail with {@link io.holdfast.BackendException} only, in bounded time.
 *
 * <p>A node counts for each lock the numbers that it gave out, and keeps the newest number of all
 * its locks; where a lock's count is missing, it goes on from that. It has an <em>epoch</em>, which
 * is raised whenever another node that lost its data reads from it. A node that does not know its
 * epoch, or that was started anew since it last did, has lost its data: it takes no part until it
 * has joined again.
 */
public interface QuorumNode extends AutoCloseable {

  /** Called once, before any request. Connects in the background, and again whenever it must. */
  void start(BackendContext context);

  /** Asks for the node's vote; a repeat by the same holder finds the same one, and extends it. */
  CompletionStage<Vote> vote(Ballot ballot);

  /**
   * Raises the count of a lock to a token, if the holder has the vote, the node's epoch is this
   * one, and its count is not above the token. True if all that is so.
   */
  CompletionStage<Boolean> confirm(String name, Holder holder, long token, long epoch);

  /**
   * Extends votes; answers in the same order. Never re-creates one that is gone.
   *
   * @param generation of the configuration that the caller goes by; a node that has another one
   *     extends nothing, and answers {@link Renewal#UNKNOWN} for what it has
   */
  CompletionStage<List<Renewal>> renew(List<Hold> holds, long generation);

  /**
   * Takes the vote back from this holder, which does not wait any more either, and tells the first
   * waiter. Returns true if the holder had the vote. The holder asks for no vote after that.
   */
  CompletionStage<Boolean> release(Hold hold);

  /**
   * Takes back a vote that was of no use, and tells no waiter. The holder may have asked again
   * before this arrives, so only the vote of this ballot or of an earlier one is taken.
   *
   * @param ballot the number that the ballot {@linkplain Ballot#proposed proposed}
   */
  CompletionStage<Boolean> withdraw(Hold hold, long ballot);

  /** Takes the vote back from this holder, and tells it that this was done by force. */
  CompletionStage<Boolean> forceRelease(String name, String holder, String reason);

  /** Who has the node's vote. */
  CompletionStage<LockState> inspect(String name);

  /** The locks that somebody has the node's vote for, in the order of their names. */
  CompletionStage<List<LockState>> list(String prefix, int limit);

  /** What the node knows of itself. */
  CompletionStage<State> state();

  /** What whoever operates the node should know of it; nothing, if it looks at nothing. */
  default CompletionStage<List<Finding>> checkUp() {
    return CompletableFuture.completedFuture(List.of());
  }

  /**
   * Returns what an administrator runs at the node before it is used: for example the rules of a
   * user of its own. Empty if nothing needs to be done. Needs no {@link #start}, and contains no
   * secret.
   */
  default String schema() {
    return "";
  }

  /** The node gives no vote for so long. */
  CompletionStage<Boolean> rest(Duration time);

  /**
   * Announces that the node is about to join. False if it is a member, or another process is at it:
   * the ticket begins with the process's id and a slash, and replaces one of the same process. It
   * is forgotten with the node's other data, so that a {@link #join} that was prepared before
   * another loss of data comes to nothing.
   */
  CompletionStage<Boolean> askToJoin(String ticket);

  /** Reads from a member on behalf of one that joins: raises its epoch in the same step. */
  CompletionStage<State> raiseEpoch();

  /** Makes the node a member. False if its ticket is not this one. */
  CompletionStage<Boolean> join(String ticket, Membership membership);

  /**
   * Promises to adopt no configuration of a change with a smaller number. False if it has promised
   * this number or a greater one before, or is not a member.
   */
  CompletionStage<Boolean> claim(long change);

  /**
   * Makes a member go by this configuration from now on: it votes for callers that go by it, too,
   * and for no others. Raises its epoch, so that what was voted before is not confirmed after.
   * False if the node has a newer one, has promised itself to a later change, or is not a member.
   */
  CompletionStage<Boolean> adopt(Configuration configuration);

  @Override
  void close();

  /**
   * A request for a vote.
   *
   * @param hold who wants what for how long
   * @param proposed the number that the caller would like: greater than any that it has seen, and
   *     than that of any earlier ballot of this holder
   * @param ticket its place among those who wait, the smaller the earlier; the first is told, by
   *     {@link BackendContext#retry}, when it may ask again; 0: it does not wait
   * @param longestLease the longest lease time of the quorum, which the node remembers
   * @param generation of the configuration that the caller goes by
   * @param purpose what for, shown to whoever inspects the lock
   */
  record Ballot(
      Hold hold,
      long proposed,
      long ticket,
      Duration longestLease,
      long generation,
      @Nullable String purpose) {}

  /** The answer to a request for a vote, with the node's clock in microseconds. */
  sealed interface Vote {
    long clockMicros();

    /**
     * The holder has the vote.
     *
     * @param number the lock's count, which no earlier vote of this node for this lock has
     * @param epoch the node's epoch when it voted
     */
    record Granted(long number, long epoch, long clockMicros) implements Vote {}

    /**
     * Somebody else has it, or is expected to take it.
     *
     * @param holder who has it; empty if nobody does
     * @param remaining for how much longer
     */
    record Held(String holder, Duration remaining, long clockMicros) implements Vote {}

    /**
     * The node does not vote.
     *
     * @param reason why not
     * @param remaining for how much longer, if that is known
     */
    record Abstained(Abstention reason, Duration remaining, long clockMicros) implements Vote {}
  }

  /** Why a node does not vote. */
  enum Abstention {
    /** It lost its data, and has not joined again. */
    LOST_ITS_DATA,
    /** It cannot be relied on until every lease that it may have forgotten is over. */
    RESTS,
    /** It goes by another configuration than the caller. */
    OTHER_MEMBERS,
    /** The request came so late that its sender has given up. */
    CAME_TOO_LATE
  }

  /**
   * What a node knows of itself.
   *
   * @param identity an id of the running server, equal for two ways to one server
   * @param knowledge whether it is a member
   * @param epoch its epoch; 0 if it is not a member
   * @param newest the greatest number that it ever gave out or was told, as far as it knows
   * @param rest for how much longer it gives no votes
   * @param longestLease the longest lease time that it was told of
   * @param clockMicros its clock
   * @param name by which name it is a member; empty if it is not known
   * @param configuration the configuration that it goes by; {@link Configuration#NONE} if it knows
   *     none
   */
  record State(
      String identity,
      Knowledge knowledge,
      long epoch,
      long newest,
      Duration rest,
      Duration longestLease,
      long clockMicros,
      String name,
      Configuration configuration) {
    /** Whether it is a member. */
    public boolean isMember() {
      return knowledge == Knowledge.MEMBER;
    }
  }

  /** What a node knows of its quorum. */
  enum Knowledge {
    /** It keeps everything since it joined. */
    MEMBER,
    /** It was a member, and may have lost what it knew. */
    DOUBTFUL,
    /** Nothing: it is new, or lost everything. */
    NONE
  }

  /**
   * With what a node joins.
   *
   * @param newest no token that was granted before is above it
   * @param epoch its new epoch
   * @param rest for how long it gives no votes, because it may have forgotten some
   * @param longestLease the longest lease time of the quorum
   * @param name by which name it is a member
   * @param configuration the configuration that it goes by
   */
  record Membership(
      long newest,
      long epoch,
      Duration rest,
      Duration longestLease,
      String name,
      Configuration configuration) {}

  /**
   * Who the members of a quorum are. While they are changed there are two lists, and a majority of
   * each is needed for everything.
   *
   * @param generation greater than that of every earlier configuration; even while members are
   *     changed, odd otherwise
   * @param members the names of the members
   * @param next the names of those that are to be the members; empty if nothing is changed
   * @param floor every token that was granted by an earlier configuration without a majority of
   *     these members is at most this
   */
  record Configuration(long generation, List<String> members, List<String> next, long floor) {
    /** What a node goes by that was never told. */
    public static final Configuration NONE = new Configuration(0, List.of(), List.of(), 0);

    public Configuration {
      members = List.copyOf(members);
      next = List.copyOf(next);
    }

    /** The number of the change that made it. */
    public long change() {
      return generation / 2;
    }

    /** Whether the members are being changed. */
    public boolean isJoint() {
      return !next.isEmpty();
    }

    /** The lists of which a majority is needed, each. */
    public List<List<String>> lists() {
      return isJoint() ? List.of(members, next) : List.of(members);
    }
  }
}
