// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.Holder;
import io.holdfast.Mode;
import io.holdfast.Origin;
import org.jspecify.annotations.Nullable;

/**
 * One holder or waiter in a {@link LockTable}.
 *
 * @param token the first of its tokens; 0 while it waits
 * @param since when it was granted, or began to wait
 * @param until when it ends if nothing more is heard of it
 */
record Row(
    Holder holder,
    Mode mode,
    long leaseNanos,
    int passes,
    @Nullable String purpose,
    Origin origin,
    long token,
    long since,
    long until) {

  Row until(long until) {
    return new Row(holder, mode, leaseNanos, passes, purpose, origin, token, since, until);
  }

  Row granted(long token, long now) {
    return new Row(holder, mode, leaseNanos, passes, purpose, origin, token, now, now + leaseNanos);
  }

  boolean hasToken(long wanted) {
    return token <= wanted && wanted <= token + passes;
  }
}
