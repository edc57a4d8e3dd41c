// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

import java.util.Optional;

/** Leader election among processes: whoever holds the lock of this name leads. */
public interface Election {

  /** The name of the lock that the candidates stand for. */
  String name();

  /**
   * Stands for election until the candidacy is closed. Each time it is won, the leader is called on
   * the executor for callbacks, which it occupies for as long as it leads.
   */
  Candidacy campaign(Leader leader);

  /** Who leads now, if anybody. */
  Optional<LockState.Holding> leader();

  /** What to do while leading. */
  @FunctionalInterface
  interface Leader {

    /**
     * Leads until it returns; then the leadership is given up and the campaign goes on. The thread
     * is interrupted when the lease is lost, the candidacy is closed, or the JVM shuts down: come
     * to an end then, because another leader may be at work or waits for its turn.
     *
     * <p>A leader that throws is logged and gives up the leadership. The campaign goes on after a
     * pause, which doubles with each failure, up to 30 s, and is short again after a leader that
     * returned or led for 30 s.
     *
     * @param lease the leadership, with its fencing token
     */
    void lead(Lease lease) throws Exception;
  }

  /** A candidate's part in an election. */
  interface Candidacy extends AutoCloseable {

    /** Whether this candidate leads now, by its own reckoning. */
    boolean isLeader();

    /** Gives up the leadership, if it has it, and stands no more. */
    @Override
    void close();
  }
}
