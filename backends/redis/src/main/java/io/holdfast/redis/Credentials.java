// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import org.jspecify.annotations.Nullable;

/**
 * Who to be, and the password for it. Prints neither.
 *
 * @param user null: the default user
 * @param password null: does not log in
 */
record Credentials(@Nullable String user, @Nullable String password) {
  static final Credentials NONE = new Credentials(null, null);

  /** No secret, and no name of an account. */
  @Override
  public String toString() {
    return password == null ? "nobody" : "a user";
  }
}
