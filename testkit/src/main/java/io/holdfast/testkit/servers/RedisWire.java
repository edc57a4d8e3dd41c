// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit.servers;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serial;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A bare connection to a Redis server, for tests that must not depend on a client library: commands
 * in, replies out, one at a time. A reply is a {@code String}, a {@code Long}, a {@code List}, or
 * {@link #NIL}.
 */
public final class RedisWire implements AutoCloseable {
  /** The reply that means "nothing". */
  public static final Object NIL = "(nil)";

  private final Socket socket = new Socket();
  private final InputStream in;

  /** An error reply. */
  public static final class ErrorReply extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    ErrorReply(String message) {
      super(message);
    }
  }

  /** Connects to a server on the loopback interface. */
  public RedisWire(int port) {
    try {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 5_000);
      socket.setSoTimeout(60_000);
      socket.setTcpNoDelay(true);
      in = new BufferedInputStream(socket.getInputStream());
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /**
   * Sends a command and reads its reply.
   *
   * @throws ErrorReply if the server answers with an error
   */
  public Object call(String... command) {
    send(command);
    return read();
  }

  /** Sends a command and does not wait for its reply. */
  public void send(String... command) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    write(bytes, "*" + command.length);
    for (String word : command) {
      byte[] utf8 = word.getBytes(StandardCharsets.UTF_8);
      write(bytes, "$" + utf8.length);
      bytes.writeBytes(utf8);
      write(bytes, "");
    }
    try {
      socket.getOutputStream().write(bytes.toByteArray());
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Reads the next reply, or the next message of a subscription. */
  public Object read() {
    try {
      return reply();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private static void write(ByteArrayOutputStream bytes, String line) {
    bytes.writeBytes((line + "\r\n").getBytes(StandardCharsets.UTF_8));
  }

  private Object reply() throws IOException {
    String line = line();
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+' -> rest;
      case ':' -> Long.valueOf(rest);
      case '-' -> throw new ErrorReply(rest);
      case '$' -> text(Integer.parseInt(rest));
      case '*' -> list(Integer.parseInt(rest));
      default -> throw new IOException("not a reply: " + line);
    };
  }

  private Object text(int length) throws IOException {
    if (length < 0) {
      return NIL;
    }
    String text = new String(in.readNBytes(length), StandardCharsets.UTF_8);
    in.skipNBytes(2);
    return text;
  }

  private Object list(int length) throws IOException {
    if (length < 0) {
      return NIL;
    }
    List<Object> replies = new ArrayList<>(length);
    for (int i = 0; i < length; i++) {
      replies.add(reply());
    }
    return replies;
  }

  private String line() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\r'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("the server closed the connection");
      }
      bytes.write(next);
    }
    in.skipNBytes(1);
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
