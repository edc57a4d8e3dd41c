// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * A network between clients and a server that loses things: it can let requests through and drop
 * what comes back, or hold it back, drop both, hold some requests back, or cut or strand all
 * connections.
 */
public final class FaultyProxy implements AutoCloseable {
  private volatile int target;
  private final ServerSocket listener;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final List<Socket> torn = new CopyOnWriteArrayList<>();
  private final Set<Socket> stranded = ConcurrentHashMap.newKeySet();
  private volatile boolean losesReplies;
  private volatile boolean losesRequests;
  private boolean holdsReplies;
  private List<byte[]> heldRequests = List.of();

  /** Stands before a server on the loopback interface. */
  public FaultyProxy(int target) {
    this.target = target;
    try {
      this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    run(this::accept);
  }

  /** On which port of the loopback interface it listens. */
  public int port() {
    return listener.getLocalPort();
  }

  /** Where clients connect to: {@code 127.0.0.1:port}. */
  public String hostAndPort() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  /** New connections lead to this server of the loopback interface; those that are open stay. */
  public void leadTo(int target) {
    this.target = target;
  }

  /** Requests get through, replies and messages do not. */
  public void loseReplies() {
    losesReplies = true;
  }

  /** Requests get through; replies and messages wait until it is healed. */
  public synchronized void holdReplies() {
    holdsReplies = true;
  }

  /**
   * Requests that contain one of these texts wait until it is healed, or until other texts are
   * given here, and with them what follows on the same connection; all else gets through. They
   * reach the server even if the client has closed the connection meanwhile.
   */
  public synchronized void holdRequestsWith(String... texts) {
    heldRequests = Stream.of(texts).map(text -> text.getBytes(UTF_8)).toList();
    notifyAll();
  }

  /** Nothing gets through in either direction; connections stay open. */
  public void loseEverything() {
    losesReplies = true;
    losesRequests = true;
  }

  /**
   * Nothing gets through any more on the connections that are open, not even that one side has
   * closed its end; new ones are sound. So a server keeps the session of a client that has left.
   */
  public void strand() {
    stranded.addAll(sockets);
  }

  /**
   * What comes from now on gets through, and what was held back; what was lost stays lost. A
   * connection that lost something is closed: a stream with a gap is nothing that a network makes.
   */
  public synchronized void heal() {
    holdsReplies = false;
    heldRequests = List.of();
    notifyAll();
    losesReplies = false;
    losesRequests = false;
    torn.forEach(FaultyProxy::close);
    torn.clear();
  }

  /** Closes all connections. */
  public void cut() {
    sockets.forEach(FaultyProxy::close);
    sockets.clear();
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    heal();
    cut();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(server);
        run(() -> carry(client, server, true));
        run(() -> carry(server, client, false));
      } catch (IOException refused) {
        // The server is down, or the proxy is closed: the client finds out.
      }
    }
  }

  private void carry(Socket from, Socket to, boolean request) {
    byte[] buffer = new byte[1 << 16];
    boolean isTorn = false;
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (request) {
          awaitRequest(buffer, read);
        } else {
          awaitReplies();
        }
        if (stranded.contains(from)) {
          continue;
        }
        if (request ? losesRequests : losesReplies) {
          isTorn = true;
          torn.addAll(List.of(from, to));
        } else if (isTorn) {
          break;
        } else {
          out.write(buffer, 0, read);
        }
      }
    } catch (IOException broken) {
      // The other side hears of it below.
    }
    close(from);
    if (!stranded.contains(to)) {
      close(to);
    }
  }

  private synchronized void awaitReplies() throws IOException {
    awaitWhile(() -> holdsReplies);
  }

  private synchronized void awaitRequest(byte[] bytes, int length) throws IOException {
    awaitWhile(() -> heldRequests.stream().anyMatch(text -> contains(bytes, length, text)));
  }

  private static boolean contains(byte[] bytes, int length, byte[] text) {
    for (int at = 0; at + text.length <= length; at++) {
      if (Arrays.equals(bytes, at, at + text.length, text, 0, text.length)) {
        return true;
      }
    }
    return false;
  }

  private synchronized void awaitWhile(BooleanSupplier held) throws IOException {
    try {
      while (held.getAsBoolean() && !listener.isClosed()) {
        wait();
      }
    } catch (InterruptedException interrupted) {
      throw new InterruptedIOException();
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private static void run(Runnable task) {
    Thread thread = new Thread(task, "faulty-proxy");
    thread.setDaemon(true);
    thread.start();
  }
}
