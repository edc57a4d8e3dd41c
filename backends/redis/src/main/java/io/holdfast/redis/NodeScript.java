// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The steps of a node of a quorum, each one script; the header of its file says what it takes. */
enum NodeScript {
  VOTE("vote.lua"),
  CONFIRM("confirm.lua"),
  RENEW("renew.lua"),
  RELEASE("release.lua"),
  WITHDRAW("withdraw.lua"),
  FORCE_RELEASE("force_release.lua"),
  REST("rest.lua"),
  ASK_TO_JOIN("ask_to_join.lua"),
  RAISE_EPOCH("raise_epoch.lua"),
  JOIN("join.lua"),
  CLAIM("claim.lua"),
  ADOPT("adopt.lua");

  private final String source;
  private final String digest;

  NodeScript(String file) {
    this.source = Script.read("node/prologue.lua") + Script.read("node/" + file);
    this.digest = sha1(source);
  }

  String source() {
    return source;
  }

  String digest() {
    return digest;
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
