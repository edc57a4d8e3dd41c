// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Texts that come with this module. */
final class Resources {
  private Resources() {}

  static String text(String name) {
    try (InputStream text = Resources.class.getResourceAsStream(name)) {
      if (text == null) {
        throw new IllegalStateException("the jar lacks " + name);
      }
      return new String(text.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
