// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Loads what most commands load, for the archive of classes that the {@code holdfast} script makes:
 * with it, a command starts in half the time.
 */
public final class Training {
  /** Of clients of stores all classes: there is no server here that would have them loaded. */
  private static final String CLIENTS = ".*/(netty|lettuce|reactor|postgresql|holdfast)[^/]*\\.jar";

  private Training() {}

  /** Takes the address of a file store that nobody else uses; its input says "done". */
  public static void main(String[] arguments) throws IOException {
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "off");
    String url = arguments[0];
    execute("run", "training", "--url", url, "--", "true");
    execute("list", "--url", url);
    execute("inspect", "training", "--url", url);
    // A server that is not there: enough to load what the client is made of besides its own.
    execute("list", "--url", "redis://127.0.0.1:1");
    execute("list", "--url", "postgresql://127.0.0.1:1/none");
    for (String file : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (file.matches(CLIENTS)) {
        load(file);
      }
    }
    Runtime.getRuntime().halt(0);
  }

  private static void execute(String... arguments) {
    Main.execute(List.of(arguments));
  }

  private static void load(String file) throws IOException {
    try (JarFile jar = new JarFile(file)) {
      jar.stream().map(JarEntry::getName).filter(Training::isClass).forEach(Training::loadEntry);
    }
  }

  private static boolean isClass(String name) {
    return name.endsWith(".class") && !name.startsWith("META-INF") && !name.contains("-info");
  }

  private static void loadEntry(String entry) {
    String name = entry.substring(0, entry.length() - ".class".length()).replace('/', '.');
    try {
      Class.forName(name, false, Training.class.getClassLoader());
    } catch (ClassNotFoundException | LinkageError optional) {
      // Made for a library that is not here.
      return;
    }
  }
}
