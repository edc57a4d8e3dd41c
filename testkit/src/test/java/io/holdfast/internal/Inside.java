// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.Moment;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What a simulation has to see of the runtime and no user may: looking changes nothing. */
public final class Inside {
  private static final Field STATE = field(RenewingLease.class, "state");
  private static final Field HOLD = field(RenewingLease.class, "hold");
  private static final Field RUNTIME = field(OpenHoldfast.class, "runtime");
  private static final Field LANES = field(RenewalLanes.class, "lanes");

  private Inside() {}

  /** What {@code isHeld()} would say at this moment; it would also tell of the loss. */
  public static boolean isHeld(Lease lease, Moment now) {
    return read(STATE, lease).toString().equals("HELD")
        && ((LiveHold) read(HOLD, lease)).remainingNanos(now) > 0;
  }

  /** What the store knows it as: a lease that was passed on has another holder of its own. */
  public static Hold holdInStore(Lease lease) {
    return ((LiveHold) read(HOLD, lease)).hold();
  }

  /** What is left of all that was under way; empty if nothing is. */
  public static String leftOver(Holdfast holdfast) {
    LockRuntime runtime = runtime(holdfast);
    int lanes = ((Map<?, ?>) read(LANES, runtime.lanes())).size();
    String left =
        count(runtime.timetable().size(), " timetable entries ")
            + count(runtime.router().size(), " attempts or holds ")
            + count(runtime.localQueues().size(), " local queues ")
            + count(runtime.departures().size(), " departures ")
            + count(runtime.leaders().size(), " leaders ")
            + count(lanes, " lanes");
    return left.isEmpty() ? left : left.strip() + " " + holders(runtime);
  }

  private static List<String> holders(LockRuntime runtime) {
    return runtime.router().all().stream().map(Inside::shown).toList();
  }

  private static String shown(Timetable.Entry place) {
    Hold hold = place instanceof Attempt attempt ? attempt.hold() : ((LiveHold) place).hold();
    return place.getClass().getSimpleName() + " " + hold.name() + " " + hold.holder().abbreviated();
  }

  private static String count(int number, String what) {
    return number == 0 ? "" : number + what;
  }

  private static LockRuntime runtime(Holdfast holdfast) {
    return (LockRuntime) read(RUNTIME, holdfast);
  }

  private static Field field(Class<?> type, String name) {
    try {
      Field field = type.getDeclaredField(name);
      field.setAccessible(true);
      return field;
    } catch (NoSuchFieldException renamed) {
      throw new AssertionError(renamed);
    }
  }

  private static Object read(Field field, Object of) {
    try {
      return Objects.requireNonNull(field.get(of));
    } catch (IllegalAccessException closed) {
      throw new AssertionError(closed);
    }
  }
}
