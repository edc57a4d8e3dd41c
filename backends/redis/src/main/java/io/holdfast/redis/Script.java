// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The scripts, one for each verb: constants, called by their digests. What they take and reply is
 * in the header of each file.
 */
enum Script {
  ACQUIRE(
      1,
      "time.lua",
      "tokens.lua",
      "acquire_free.lua",
      "current.lua",
      "acquire_behind.lua",
      "prologue.lua",
      "acquire.lua"),
  ACQUIRE_TOGETHER(Script.NOWHERE, "time.lua", "tokens.lua", "acquire_together.lua"),
  RENEW(0, "renew.lua"),
  RENEW_SHARED(0, "renew_shared.lua"),
  KEEP_FENCES(Script.NOWHERE, "keep_fences.lua"),
  RELEASE(
      1,
      "release_alone.lua",
      "time.lua",
      "tokens.lua",
      "release_next.lua",
      "prologue.lua",
      "release.lua"),
  RELEASE_TOGETHER(Script.NOWHERE, "release_together.lua"),
  RELEASE_ONE(1, "release_one.lua"),
  RELEASE_SHARED(1, "release_shared.lua"),
  GIVE_BACK(1, "time.lua", "current.lua", "prologue.lua", "give_back.lua"),
  INSPECT(0, "time.lua", "current.lua", "prologue.lua", "inspect.lua"),
  FORCE_RELEASE(1, "time.lua", "current.lua", "prologue.lua", "force_release.lua");

  private static final int NOWHERE = Integer.MAX_VALUE;

  private final String file;
  private final String source;
  private final String digest;
  private final int timeAt;

  /** The verb's own part is the last one. */
  Script(int timeAt, String... parts) {
    this.file = parts[parts.length - 1];
    this.timeAt = timeAt;
    this.source = Arrays.stream(parts).map(Script::read).collect(Collectors.joining());
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

  /** The server's time in this reply, in microseconds; 0 if it is not there. */
  long timeIn(List<Object> reply) {
    if (reply.size() > timeAt) {
      return number(reply, timeAt);
    }
    boolean granted = reply.size() == 1 && (this == ACQUIRE || this == ACQUIRE_TOGETHER);
    return granted ? number(reply, 0) : 0;
  }

  /** A number in a reply. */
  static long number(List<Object> reply, int index) {
    Object part = reply.get(index);
    return part instanceof Long number ? number : Long.parseLong(part.toString());
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
