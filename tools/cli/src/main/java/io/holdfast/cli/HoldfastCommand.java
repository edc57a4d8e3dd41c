// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** All commands. */
@Command(
    name = "holdfast",
    footer = {
      "Examples:",
      "  holdfast demo                                 see what it is for",
      "  holdfast run nightly -- ./report.sh           one at a time, on this machine",
      "  HOLDFAST_URL=redis://host holdfast run nightly -n -- ./report.sh",
      "                                                one at a time, on all machines",
      "  holdfast ls                                   who holds what",
      ""
    },
    description = "Runs commands under a lock between machines, and looks at locks.",
    versionProvider = HoldfastCommand.Version.class)
final class HoldfastCommand implements Runnable {
  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  @SuppressWarnings("unused") // Picocli acts on it.
  private boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Show the version.")
  @SuppressWarnings("unused") // Picocli acts on it.
  private boolean version;

  /** Reads the version from the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = HoldfastCommand.class.getPackage().getImplementationVersion();
      return new String[] {
        "holdfast " + (version == null ? "(not from its jar)" : version),
        "Java " + Runtime.version() + ", " + System.getProperty("java.home")
      };
    }
  }

  @Override
  public void run() {
    if (spec != null) {
      throw new ParameterException(spec.commandLine(), "no command was given");
    }
  }
}
