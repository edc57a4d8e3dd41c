// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.Holder;
import io.holdfast.LossCause;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.Moment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the scripts of others tell us: that we were granted a lock, or ended by force. */
final class Messages implements Server.Ear {
  private final BackendContext context;
  private final Claims claims;
  private final boolean acknowledged;
  private final Unwanted unwanted;
  private final ForeignMessages foreign;

  /** Told of a grant whose holder has left. */
  @FunctionalInterface
  interface Unwanted {
    void granted(Keys.LockKeys lock, Claim claim, String token);
  }

  /**
   * @param acknowledged whether a grant counts only when replicas have acknowledged it
   */
  Messages(BackendContext context, Claims claims, boolean acknowledged, Unwanted unwanted) {
    this.context = context;
    this.claims = claims;
    this.acknowledged = acknowledged;
    this.unwanted = unwanted;
    this.foreign = new ForeignMessages(context);
  }

  @Override
  public void message(String message) {
    if (message.equals(Wire.HELLO)) {
      return;
    }
    String[] words = message.split(" ", 6);
    Holder holder = words.length < 2 ? null : holder(words[1]);
    if (holder == null || !holder.process().equals(context.origin().process())) {
      foreign.ignore();
    } else if (words[0].equals("granted") && words.length == 6) {
      granted(holder, words);
    } else if (words[0].equals("forced")) {
      claims.forget(holder);
      context.lost(holder, LossCause.FORCED);
    }
  }

  private void granted(Holder holder, String[] words) {
    Claim claim = claims.find(holder);
    if (claim == null) {
      return; // A clone of this process waits for it, or its release came after the grant.
    }
    if (claim.hasLeft()) {
      unwanted.granted(new Keys.LockKeys(words[5]), claim, words[2]);
      return;
    }
    Granted grant =
        claim.told(Long.parseLong(words[2]), Long.parseLong(words[3]), Long.parseLong(words[4]));
    if (grant != null) {
      context.granted(holder, acknowledged ? asHint(claim.hold(), grant) : grant);
    }
  }

  /**
   * Replicas need not have heard of a grant that another client's command made. With no time left
   * of it core asks again, and that is a write of our own for which we can wait.
   */
  private static Granted asHint(Hold hold, Granted grant) {
    Moment past = grant.since().plusNanos(-hold.leaseTime().toNanos());
    return new Granted(grant.token(), grant.passes(), past);
  }

  private static @Nullable Holder holder(String text) {
    int dash = text.lastIndexOf('-');
    try {
      long number = Long.parseLong(text.substring(dash + 1));
      return dash <= 0 ? null : new Holder(text.substring(0, dash), number);
    } catch (NumberFormatException notOurs) {
      return null;
    }
  }

  @Override
  public Set<String> channelsInUse() {
    return claims.channelsInUse();
  }

  @Override
  public void listensAgain() {
    claims.namesWaitedFor().forEach(context::retry);
  }
}
