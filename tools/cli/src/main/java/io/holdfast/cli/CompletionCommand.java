// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code completion}: for bash, zsh and fish. */
@Command(
    name = "completion",
    header = "Print a completion script for bash, zsh or fish.",
    footer = {
      "Examples:",
      "  source <(holdfast completion)               in ~/.bashrc",
      "  source <(holdfast completion zsh)           in ~/.zshrc, after compinit",
      "  holdfast completion fish | source           in ~/.config/fish/config.fish",
      ""
    })
final class CompletionCommand implements Runnable {
  /** Whose language the script is in. */
  enum Shell {
    BASH,
    ZSH,
    FISH;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Parameters(
      arity = "0..1",
      paramLabel = "SHELL",
      description = "bash, zsh or fish. Default: bash.")
  private Shell shell = Shell.BASH;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  @SuppressWarnings("unused") // Picocli acts on it.
  private boolean help;

  @Override
  public void run() {
    Completions completions = new Completions(Main.commandLine());
    new Screen()
        .own(
            switch (shell) {
              case BASH -> completions.bash();
              case ZSH -> completions.zsh();
              case FISH -> completions.fish();
            });
  }
}
