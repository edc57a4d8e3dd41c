// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

/** A user with the least privileges, as {@code holdfast schema} prints them. */
final class LeastUser {
  static final String NAME = "holdfast";
  static final String PASSWORD = "least-privileges";

  private LeastUser() {}

  /** With which a server starts that knows this user. */
  static String[] options(int version) {
    return ("--user " + NAME + " >" + PASSWORD + " " + rule(version)).split(" ");
  }

  /** As {@code ACL SETUSER name} takes it, after the password. */
  static String rule(int version) {
    return AccessRule.of("lock:", version);
  }
}
