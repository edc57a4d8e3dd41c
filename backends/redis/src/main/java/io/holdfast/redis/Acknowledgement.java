// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import org.jspecify.annotations.Nullable;

/**
 * Whether as many replicas as are required have acknowledged a write.
 *
 * @param failure why the server did not say so; null if it did
 */
record Acknowledgement(boolean isEnough, @Nullable Throwable failure) {
  static final Acknowledgement ENOUGH = new Acknowledgement(true, null);
  static final Acknowledgement TOO_FEW = new Acknowledgement(false, null);

  /** The write was carried out all the same: without an answer too few have acknowledged it. */
  static Acknowledgement failed(Throwable failure) {
    return new Acknowledgement(false, failure);
  }
}
