// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Writes the manual pages from the help texts of the commands, when the package is built. */
public final class ManPages {
  private ManPages() {}

  /** Takes the directory to write to, and the version. */
  public static void main(String[] arguments) throws IOException {
    Path directory = Files.createDirectories(Path.of(arguments[0]));
    CommandLine line = Main.commandLine();
    Files.writeString(directory.resolve("holdfast.1"), page(line, arguments[1]), UTF_8);
    // A command has one line under several names.
    for (CommandLine command : new LinkedHashSet<>(line.getSubcommands().values())) {
      String file = "holdfast-" + command.getCommandName() + ".1";
      Files.writeString(directory.resolve(file), page(command, arguments[1]), UTF_8);
    }
  }

  static String page(CommandLine line, String version) {
    CommandSpec spec = line.getCommandSpec();
    UsageMessageSpec help = spec.usageMessage();
    String name = spec.qualifiedName("-");
    StringBuilder page = new StringBuilder();
    page.append(".TH \"%s\" \"1\" \"\" \"Holdfast %s\"\n".formatted(text(name), text(version)));
    section(page, "NAME", text(name + " - " + summary(help)));
    section(page, "SYNOPSIS", text(synopsis(spec)));
    section(page, "DESCRIPTION", paragraphs(help.description()));
    StringBuilder options = new StringBuilder();
    for (PositionalParamSpec parameter : spec.positionalParameters()) {
      entry(options, parameter.paramLabel(), parameter.description());
    }
    for (OptionSpec option : spec.options()) {
      if (!option.hidden()) {
        entry(options, label(option), option.description());
      }
    }
    section(page, "OPTIONS", options.toString());
    section(page, "COMMANDS", commands(line));
    StringBuilder codes = new StringBuilder();
    help.exitCodeList().forEach((code, meaning) -> entry(codes, code, meaning));
    section(page, "EXIT STATUS", codes.toString());
    section(page, "EXAMPLES", examples(help.footer()));
    section(page, "SEE ALSO", ".BR holdfast (1),\n.BR flock (1)\n");
    return page.toString();
  }

  private static String summary(UsageMessageSpec help) {
    String[] words = help.header().length > 0 ? help.header() : help.description();
    return String.join(" ", words).strip().replaceFirst("\\.$", "");
  }

  private static String synopsis(CommandSpec spec) {
    String[] own = spec.usageMessage().customSynopsis();
    if (own.length > 0) {
      return String.join(" ", own);
    }
    String parameters =
        spec.positionalParameters().stream()
            .map(one -> one.required() ? one.paramLabel() : "[" + one.paramLabel() + "]")
            .collect(Collectors.joining(" "));
    boolean isAll = !spec.subcommands().isEmpty();
    return spec.qualifiedName() + (isAll ? " COMMAND …" : " " + parameters + " [OPTIONS]");
  }

  private static String label(OptionSpec option) {
    String names = String.join(", ", option.names());
    return option.arity().max() > 0 ? names + " " + option.paramLabel() : names;
  }

  private static String commands(CommandLine line) {
    StringBuilder commands = new StringBuilder();
    for (CommandLine command : new LinkedHashSet<>(line.getSubcommands().values())) {
      UsageMessageSpec help = command.getCommandSpec().usageMessage();
      entry(commands, command.getCommandSpec().qualifiedName("-") + "(1)", help.header());
    }
    return commands.toString();
  }

  private static void section(StringBuilder page, String title, String body) {
    if (!body.isBlank()) {
      page.append(".SH ").append(title).append('\n').append(body.stripTrailing()).append('\n');
    }
  }

  private static void entry(StringBuilder list, String label, String... description) {
    list.append(".TP\n\\fB").append(text(label)).append("\\fR\n");
    list.append(text(String.join(" ", description).replace("$$", "$"))).append('\n');
  }

  private static String paragraphs(String[] lines) {
    return Stream.of(lines).map(ManPages::text).collect(Collectors.joining("\n"));
  }

  /** The first line says that these are examples. */
  private static String examples(String[] footer) {
    List<String> lines = List.of(footer);
    String body =
        lines.stream()
            .skip(1)
            .map(ManPages::text)
            .collect(Collectors.joining("\n"))
            .stripTrailing();
    return body.isEmpty() ? "" : ".nf\n" + body + "\n.fi\n";
  }

  /** A backslash, a dash and a line that begins like a request mean something else to roff. */
  private static String text(String words) {
    String escaped = words.strip().isEmpty() ? "" : words;
    escaped = escaped.replace("\\", "\\e").replace("-", "\\-").replace("…", "...");
    return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
  }
}
