// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code completion}: for bash and zsh. */
@Command(
    name = "completion",
    header = "Print a completion script for bash and zsh.",
    footer = {"Examples:", "  source <(holdfast completion)      in ~/.bashrc or ~/.zshrc", ""})
final class CompletionCommand implements Runnable {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  @SuppressWarnings("unused") // Picocli acts on it.
  private boolean help;

  @Override
  public void run() {
    new Screen().own(AutoComplete.bash("holdfast", Main.commandLine()));
  }
}
