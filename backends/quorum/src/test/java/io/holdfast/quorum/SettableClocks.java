// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.testkit.servers.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** Redis servers whose wall clocks a test can set while they run. */
final class SettableClocks implements AutoCloseable {
  private static final Path SOURCE = Path.of("..", "..", "verification", "faults", "clockshim.c");

  private final Path directory;
  private final Path shim;
  private int started;

  SettableClocks() {
    try {
      directory = Files.createTempDirectory("holdfast-clocks");
      shim = directory.resolve("clockshim.so");
      run("gcc", "-O2", "-shared", "-fPIC", "-o", shim.toString(), SOURCE.toString());
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private static void run(String... command) {
    try {
      Process process = new ProcessBuilder(command).inheritIO().start();
      Assumptions.assumeTrue(
          process.waitFor() == 0, "could not run here: " + List.of(command) + " failed");
    } catch (IOException missing) {
      Assumptions.abort("could not run here: there is no C compiler (gcc)");
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  /** A server whose clock {@link #set} sets by its number: they count from 0. */
  RedisServer start() {
    int number = started++;
    try {
      Files.write(control(number), new byte[4096]);
      Path script = directory.resolve("redis-server-" + number);
      Files.writeString(
          script,
          "#!/bin/sh\nCLOCKSHIM='%s' LD_PRELOAD='%s' exec '%s' \"$@\"\n"
              .formatted(control(number), shim, RedisServer.binary()));
      if (!script.toFile().setExecutable(true)) {
        throw new IllegalStateException(script + " cannot be made executable");
      }
      return RedisServer.startBinary(script.toString());
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Sets a server's clock so much ahead of the true time. */
  void set(int number, Duration ahead) {
    ByteBuffer nanos = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
    nanos.putLong(ahead.toNanos()).flip();
    try (FileChannel file = FileChannel.open(control(number), StandardOpenOption.WRITE)) {
      file.write(nanos, 0);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private Path control(int number) {
    return directory.resolve("clock-" + number);
  }

  @Override
  public void close() {
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException left) {
      throw new UncheckedIOException(left);
    }
  }
}
