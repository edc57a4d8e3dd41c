// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

/**
 * Loads what most commands load, for the archive of classes that the {@code holdfast} script makes:
 * with it, a command starts in half the time.
 */
public final class Training {
  private Training() {}

  /** Takes the address of a file store that nobody else uses; its input says "done". */
  public static void main(String[] arguments) {
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "off");
    String url = arguments[0];
    execute("run", "training", "--url", url, "--", "true");
    execute("list", "--url", url);
    execute("inspect", "training", "--url", url);
    // A server that is not there: enough to load the client.
    execute("list", "--url", "redis://127.0.0.1:1");
  }

  private static void execute(String... arguments) {
    Main.commandLine().execute(arguments);
  }
}
