// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit.servers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports of the loopback interface, for servers of tests. */
public final class Ports {
  private Ports() {}

  /**
   * A port that is free now. Below those that the system gives to outgoing connections, so that a
   * server which is started again finds its port free; and so is a cluster's bus port, 10,000
   * above.
   */
  public static int free() {
    for (int tries = 0; tries < 1000; tries++) {
      int port = ThreadLocalRandom.current().nextInt(10_000, 22_000);
      if (isFree(port) && isFree(port + 10_000)) {
        return port;
      }
    }
    throw new IllegalStateException("no free port between 10,000 and 22,000");
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1);
      return true;
    } catch (IOException taken) {
      return false;
    }
  }
}
