// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.Holder;
import io.holdfast.Mode;
import io.holdfast.Origin;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A {@link StateRecord} as bytes: magic, version of the record, length, content, checksum of all
 * that. A record that was not written to its end does not decode.
 */
final class StateCodec {
  /** {@code HFL1}: another layout gets another number. */
  private static final int MAGIC = 0x48464c31;

  private static final int HEADER_BYTES = Integer.BYTES + Long.BYTES + Integer.BYTES;
  private static final int CHECKSUM_BYTES = Integer.BYTES;

  /** A record and how many changes came before it. */
  record Versioned(StateRecord record, long version) {}

  private StateCodec() {}

  static byte[] encode(StateRecord record, long version) {
    byte[] content = content(record);
    ByteBuffer buffer = ByteBuffer.allocate(HEADER_BYTES + content.length + CHECKSUM_BYTES);
    buffer.putInt(MAGIC).putLong(version).putInt(content.length).put(content);
    return buffer.putInt(checksum(buffer.array(), 0, buffer.position())).array();
  }

  /** The record that begins there; null if there is none, or not all of it. */
  static @Nullable Versioned decode(byte[] bytes, int from, int to) {
    if (to - from < HEADER_BYTES + CHECKSUM_BYTES) {
      return null;
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes, from, to - from);
    int magic = buffer.getInt();
    long version = buffer.getLong();
    int length = buffer.getInt();
    if (magic != MAGIC || length < 0 || length > buffer.remaining() - CHECKSUM_BYTES) {
      return null;
    }
    int start = buffer.position();
    if (buffer.getInt(start + length) != checksum(bytes, from, HEADER_BYTES + length)) {
      return null;
    }
    return new Versioned(record(new ByteArrayInputStream(bytes, start, length)), version);
  }

  private static int checksum(byte[] bytes, int from, int length) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, from, length);
    return (int) checksum.getValue();
  }

  private static byte[] content(StateRecord record) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      writeText(out, record.name());
      out.writeLong(record.lastToken());
      writeRows(out, record.holding());
      writeRows(out, record.waiting());
      writeRows(out, record.forced());
    } catch (IOException impossible) {
      throw new IllegalStateException("the heap does not fail", impossible);
    }
    return bytes.toByteArray();
  }

  private static StateRecord record(ByteArrayInputStream bytes) {
    try (DataInputStream in = new DataInputStream(bytes)) {
      return new StateRecord(readText(in), in.readLong(), readRows(in), readRows(in), readRows(in));
    } catch (IOException impossible) {
      throw new IllegalStateException("the checksum was right, and the content is not", impossible);
    }
  }

  private static void writeRows(DataOutputStream out, List<Row> rows) throws IOException {
    out.writeInt(rows.size());
    for (Row row : rows) {
      writeText(out, row.holder().process());
      out.writeLong(row.holder().number());
      writeMode(out, row.mode());
      out.writeLong(row.leaseNanos());
      out.writeInt(row.passes());
      out.writeBoolean(row.purpose() != null);
      writeText(out, row.purpose() == null ? "" : row.purpose());
      writeOrigin(out, row.origin());
      out.writeLong(row.token());
      out.writeLong(row.since());
      out.writeLong(row.until());
    }
  }

  private static List<Row> readRows(DataInputStream in) throws IOException {
    int count = in.readInt();
    List<Row> rows = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      rows.add(
          new Row(
              new Holder(readText(in), in.readLong()),
              readMode(in),
              in.readLong(),
              in.readInt(),
              readPurpose(in),
              readOrigin(in),
              in.readLong(),
              in.readLong(),
              in.readLong()));
    }
    return rows;
  }

  private static void writeMode(DataOutputStream out, Mode mode) throws IOException {
    if (mode instanceof Mode.Permits permits) {
      out.writeByte('p');
      out.writeInt(permits.count());
      out.writeInt(permits.limit());
    } else {
      out.writeByte(mode instanceof Mode.Shared ? 's' : 'x');
    }
  }

  private static Mode readMode(DataInputStream in) throws IOException {
    return switch (in.readByte()) {
      case 'x' -> Mode.EXCLUSIVE;
      case 's' -> Mode.SHARED;
      case 'p' -> Mode.permits(in.readInt(), in.readInt());
      default -> throw new IOException("a mode that this version does not know");
    };
  }

  private static @Nullable String readPurpose(DataInputStream in) throws IOException {
    boolean present = in.readBoolean();
    String purpose = readText(in);
    return present ? purpose : null;
  }

  private static void writeOrigin(DataOutputStream out, Origin origin) throws IOException {
    writeText(out, origin.process());
    writeText(out, origin.host());
    out.writeLong(origin.pid());
    writeText(out, origin.application());
  }

  private static Origin readOrigin(DataInputStream in) throws IOException {
    return new Origin(readText(in), readText(in), in.readLong(), readText(in));
  }

  /** Char by char: the encodings that are shorter either lose half surrogates or end at 64 KiB. */
  private static void writeText(DataOutputStream out, String text) throws IOException {
    out.writeInt(text.length());
    out.writeChars(text);
  }

  private static String readText(DataInputStream in) throws IOException {
    char[] text = new char[in.readInt()];
    for (int i = 0; i < text.length; i++) {
      text[i] = in.readChar();
    }
    return new String(text);
  }
}
