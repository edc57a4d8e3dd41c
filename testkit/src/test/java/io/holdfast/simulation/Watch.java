// SPDX-License-Identifier: Apache-2.0
package io.holdfast.simulation;

import io.holdfast.Holder;
import io.holdfast.Lease;
import io.holdfast.LockListener;
import io.holdfast.LossCause;
import io.holdfast.Mode;
import io.holdfast.internal.Inside;
import io.holdfast.simulation.ReferenceStore.Row;
import io.holdfast.spi.LockBackend.Hold;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Sees everything that callers see, all at the same true instant, and says what must not be. */
final class Watch {
  /** How much later than its wait a caller may be answered: late timers, callbacks, rates. */
  private static final long ALLOWANCE = World.millis(300);

  /** A lease that a caller was given. */
  private record Given(Client client, Lease lease, Hold hold, long until) {}

  /**
   * What the terms of a lease say of its end.
   *
   * @param lasts whether nothing goes wrong that it could be lost by
   * @param atMost the longest time that it can be held for if its caller does not renew it
   */
  record Promise(boolean lasts, Duration atMost) {
    static final Promise NONE = new Promise(false, Duration.ofDays(1));
  }

  /** A hold that was ended by force: until its holder hears of it, it overlaps with the next. */
  private record Forced(Row row, long at) {}

  /** How a lease ended, as far as anybody was told. */
  private static final class Story {
    boolean acquired;
    boolean released;
    boolean lost;
  }

  private final World world;
  private final List<Given> given = new ArrayList<>();
  private final Map<String, Map<Long, Holder>> tokens = new TreeMap<>();
  private final Map<String, Long> newest = new HashMap<>();
  private final Map<Holder, Story> stories = new HashMap<>();
  private final List<Forced> forced = new ArrayList<>();
  private final Set<Holder> left = new LinkedHashSet<>();
  private final Set<Asked> unanswered = new LinkedHashSet<>();

  Watch(World world) {
    this.world = world;
  }

  /** A caller's request, until its answer. */
  final class Asked {
    private final Client client;
    private final String name;
    private final Duration wait;
    private final Promise promise;
    private final long began;
    private final long newestBefore;

    private Asked(Client client, String name, Duration wait, Promise promise) {
      this.client = client;
      this.name = name;
      this.wait = wait;
      this.promise = promise;
      this.began = client.activeNanos();
      this.newestBefore = newest.getOrDefault(name, 0L);
    }

    void answered() {
      unanswered.remove(this);
      long most = wait.isZero() ? User.SILENCE.toNanos() : wait.toNanos() + World.millis(200);
      long took = client.activeNanos() - began;
      if (took > most + ALLOWANCE) {
        world.fail(this + " was answered after " + took / 1_000_000 + " ms");
      }
    }

    /** Whether its caller may renew the lease without breaking the promise. */
    boolean mayRenew() {
      return promise.atMost.equals(Promise.NONE.atMost);
    }

    void granted(Lease lease) {
      long token = lease.token().value();
      Hold hold = Inside.holdInStore(lease);
      client.note("has " + name + " " + lease.holder().abbreviated() + " token " + token);
      given.add(new Given(client, lease, hold, world.now() + promise.atMost.toNanos()));
      if (token <= newestBefore && forcedAt(hold, token) < 0) {
        world.fail("token " + token + " of " + name + " is older than " + newestBefore);
      }
      newest.merge(name, token, Math::max);
      unique(name, token, lease.holder());
      lease.loss().thenAccept(cause -> lost(lease, cause));
    }

    private void lost(Lease lease, LossCause cause) {
      told(client, lease, cause);
      if (promise.lasts && cause != LossCause.FORCED && cause != LossCause.CLOSED) {
        world.fail("a lease was lost though nothing went wrong: " + lease.holder() + " " + cause);
      }
    }

    @Override
    public String toString() {
      return client.name() + " asking for " + name + " with a wait of " + wait.toMillis() + " ms";
    }
  }

  Asked asked(Client client, String name, Duration wait, Promise promise) {
    Asked asked = new Asked(client, name, wait, promise);
    unanswered.add(asked);
    return asked;
  }

  private void unique(String name, long token, Holder holder) {
    Holder other =
        tokens.computeIfAbsent(name, unused -> new HashMap<>()).putIfAbsent(token, holder);
    if (other != null && !other.equals(holder)) {
      world.fail("token " + token + " of " + name + " was given twice");
    }
  }

  private void told(Client client, Lease lease, LossCause cause) {
    client.note("loses " + lease.name() + " " + lease.holder().abbreviated() + ": " + cause);
    if (Inside.isHeld(lease, client.now())) {
      world.fail("a loss was told before isHeld() was false");
    }
    if (story(lease.holder()).released) {
      world.fail("a lease that was released is said to be lost: " + lease.holder());
    }
  }

  /** What release answered: true must not be followed by a loss, false must. */
  void released(Client client, Lease lease, boolean wasOurs) {
    client.note("has released " + lease.holder().abbreviated() + ": " + wasOurs);
    if (Inside.isHeld(lease, client.now())) {
      world.fail("a lease is held after its release");
    }
    if (wasOurs && story(lease.holder()).lost) {
      world.fail("release says that it was ours, and it was said to be lost: " + lease.holder());
    }
  }

  void forced(Row row) {
    forced.add(new Forced(row, world.now()));
  }

  /** When this hold was ended by force; -1 if it was not. */
  private long forcedAt(Hold hold, long token) {
    for (Forced each : forced) {
      if (each.row.holder.equals(hold.holder()) && each.row.hasToken(token)) {
        return each.at;
      }
    }
    return -1;
  }

  /** The runtime asks the store to release this. */
  void releasing(Hold hold) {
    left.add(hold.holder());
  }

  void renewing(Client client, List<Hold> holds) {
    for (Hold hold : holds) {
      if (left.contains(hold.holder())) {
        world.fail(client.name() + " renews what it has released: " + hold.holder());
      }
    }
  }

  /** Called whenever anything has happened. */
  void check(ReferenceStore store) {
    given.removeIf(each -> !Inside.isHeld(each.lease, each.client.now()));
    for (int i = 0; i < given.size(); i++) {
      Given one = given.get(i);
      long forcedAt = forcedAt(one);
      if (world.now() > one.until) {
        world.fail("held longer than it was to be: " + shown(one));
      }
      if (forcedAt < 0) {
        checkExclusion(one);
        checkStore(one, store);
      } else if (world.now() - forcedAt > one.hold.leaseTime().toNanos()) {
        world.fail("long after it was released by force, " + shown(one) + " is held");
      }
    }
  }

  private long forcedAt(Given one) {
    return forcedAt(one.hold, one.lease.token().value());
  }

  /** While a lease says that it is held, the store keeps it: what exclusion rests on. */
  private void checkStore(Given one, ReferenceStore store) {
    if (!store.keeps(one.hold, one.lease.token().value())) {
      world.fail("the store does not keep what says that it is held: " + shown(one));
    }
  }

  private void checkExclusion(Given one) {
    int together = 0;
    for (Given other : given) {
      if (other.lease.name().equals(one.lease.name()) && forcedAt(other) < 0) {
        together++;
        if (!other.equals(one) && excludes(one.lease.mode(), other.lease.mode())) {
          world.fail("two hold " + one.lease.name() + ": " + shown(one) + " and " + shown(other));
        }
      }
    }
    if (one.lease.mode() instanceof Mode.Permits permits && together > permits.limit()) {
      world.fail(together + " hold permits of " + one.lease.name());
    }
  }

  private static boolean excludes(Mode one, Mode other) {
    return one instanceof Mode.Exclusive || other instanceof Mode.Exclusive;
  }

  private static String shown(Given given) {
    return given.client.name()
        + " "
        + given.lease.holder().abbreviated()
        + " token "
        + given.lease.token().value();
  }

  /** What one client's listener is told. */
  LockListener listener(Client client) {
    return new LockListener() {
      @Override
      public void acquired(Acquired event) {
        Story story = story(event.subject().holder());
        if (story.acquired || story.released || story.lost) {
          world.fail("acquired is told twice or late: " + event);
        }
        story.acquired = true;
        unique(event.subject().name(), event.token().value(), event.subject().holder());
      }

      @Override
      public void released(Released event) {
        Story story = story(event.subject().holder());
        if (!story.acquired || story.released || story.lost) {
          world.fail("released is told twice, or after a loss: " + event);
        }
        story.released = true;
      }

      @Override
      public void lost(Lost event) {
        client.note("tells of a loss: " + event.subject().holder().abbreviated());
        Story story = story(event.subject().holder());
        if (!story.acquired || story.released || story.lost) {
          world.fail("lost is told twice, or after a release: " + event);
        }
        story.lost = true;
      }
    };
  }

  private Story story(Holder holder) {
    return stories.computeIfAbsent(holder, unused -> new Story());
  }

  /** At the end, when nothing happens any more. */
  void checkEnd(Map<String, Client> processes) {
    for (Asked asked : unanswered) {
      if (!asked.client.isDead()) {
        world.fail(asked + " was never answered");
      }
    }
    stories.forEach(
        (holder, story) -> {
          Client client = processes.get(holder.process());
          boolean over = story.released || story.lost;
          if (client != null && !client.isDead() && story.acquired && !over) {
            world.fail("nobody was told how a lease ended: " + holder);
          }
        });
  }
}
