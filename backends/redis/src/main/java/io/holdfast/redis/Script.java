// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The scripts, one for each verb: constants, called by their digests. What they take and reply is
 * in the header of each file.
 */
enum Script {
  ACQUIRE("acquire.lua", true, 1),
  RENEW("renew.lua", false, 0),
  RENEW_SHARED("renew_shared.lua", false, 0),
  RELEASE("release.lua", true, 1),
  RELEASE_ONE("release_one.lua", false, 1),
  INSPECT("inspect.lua", true, 0),
  FORCE_RELEASE("force_release.lua", true, 1);

  private final String file;
  private final String source;
  private final String digest;
  private final int timeAt;

  Script(String file, boolean withPrologue, int timeAt) {
    this.file = file;
    this.timeAt = timeAt;
    this.source = withPrologue ? read("prologue.lua") + read(file) : read(file);
    this.digest = sha1(source);
  }

  String file() {
    return file;
  }

  String source() {
    return source;
  }

  String digest() {
    return digest;
  }

  /** At which place of the reply the server's time is, in microseconds. */
  int timeAt() {
    return timeAt;
  }

  static String read(String file) {
    try (InputStream in = Script.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException("the script " + file + " is not in the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static String sha1(String text) {
    try {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
