// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.nio.charset.Charset;
import java.time.Duration;

/** A process with another default charset; it takes locks whose names are not in that charset. */
final class AsciiHolder {
  /** The satellites of the second one are named by its slot. */
  static final String[] NAMES = {"\u043a\u043b\u044e\u0447", "\u043a\u043b}\u044e\u0447"};

  private AsciiHolder() {}

  public static void main(String[] arguments) throws Exception {
    System.out.println("charset " + Charset.defaultCharset());
    try (Holdfast holdfast = Holdfast.connect(arguments[0])) {
      for (String name : NAMES) {
        Lease lease = holdfast.lock(name).acquire(Duration.ofSeconds(30));
        System.out.println("released " + lease.release());
      }
    } catch (RuntimeException failed) {
      System.out.println("failed " + failed.getMessage());
    }
  }
}
