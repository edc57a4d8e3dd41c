// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/**
 * A script with its keys and arguments, which writes itself into the connection's buffer. Lettuce's
 * own arguments take a buffer each and give it back: two dozen for a lock and its release.
 */
final class ScriptArguments extends CommandArgs<String, String> {
  private static final int CRLF = '\r' << 8 | '\n';

  /** The length of an argument, and what stands before and behind it. */
  private static final int FRAME = 16;

  private final String script;
  private final String[] keys;
  private final String[] arguments;

  /**
   * @param script its digest or its source
   */
  ScriptArguments(String script, String[] keys, String[] arguments) {
    super(StringCodec.UTF8);
    this.script = script;
    this.keys = keys;
    this.arguments = arguments;
  }

  @Override
  public int count() {
    return 2 + keys.length + arguments.length;
  }

  @Override
  public void encode(ByteBuf buffer) {
    buffer.ensureWritable(FRAME + size(script) + size(keys) + size(arguments));
    write(script, buffer);
    write(Integer.toString(keys.length), buffer);
    for (String key : keys) {
      write(key, buffer);
    }
    for (String argument : arguments) {
      write(argument, buffer);
    }
  }

  private static int size(String[] texts) {
    int size = 0;
    for (String text : texts) {
      size += size(text);
    }
    return size;
  }

  /** Enough for a text of ASCII; the buffer grows for others. */
  private static int size(String text) {
    return text.length() + FRAME;
  }

  private static void write(String text, ByteBuf buffer) {
    int bytes = ByteBufUtil.utf8Bytes(text);
    buffer.writeByte('$');
    writeNumber(bytes, buffer);
    buffer.writeShort(CRLF);
    ByteBufUtil.reserveAndWriteUtf8(buffer, text, bytes);
    buffer.writeShort(CRLF);
  }

  private static void writeNumber(int number, ByteBuf buffer) {
    if (number >= 10) {
      writeNumber(number / 10, buffer);
    }
    buffer.writeByte('0' + number % 10);
  }
}
