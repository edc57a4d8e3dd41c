// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import io.holdfast.BackendException;
import io.holdfast.LockTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Reads the command line and turns what goes wrong into one line and an exit code. */
public final class Main {
  private static final int HELP_WIDTH = 100;

  /** What bytes become that are not UTF-8. */
  private static final char UNDECODABLE = '\uFFFD';

  private static final List<String> LOG_LEVELS =
      List.of("off", "error", "warn", "info", "debug", "trace");

  /** In the order in which the help shows them. */
  private static final Map<String, Supplier<Object>> COMMANDS = new LinkedHashMap<>();

  private static final Map<String, String> ALIASES = Map.of("ls", "list", "show", "inspect");

  static {
    COMMANDS.put("demo", DemoCommand::new);
    COMMANDS.put("run", RunCommand::new);
    COMMANDS.put("elect", ElectCommand::new);
    COMMANDS.put("list", ListCommand::new);
    COMMANDS.put("inspect", InspectCommand::new);
    COMMANDS.put("watch", WatchCommand::new);
    COMMANDS.put("force-release", ForceReleaseCommand::new);
    COMMANDS.put("guarantees", GuaranteesCommand::new);
    COMMANDS.put("doctor", DoctorCommand::new);
    COMMANDS.put("bench", BenchCommand::new);
    COMMANDS.put("schema", SchemaCommand::new);
    COMMANDS.put("members", MembersCommand::new);
    COMMANDS.put("completion", CompletionCommand::new);
  }

  private Main() {}

  public static void main(String[] arguments) {
    // Before anything logs. What goes wrong is said in one line; the log is for who asks for it.
    List<String> ours = ours(List.of(arguments));
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", logLevel(ours));
    Message.speakAs(ours);
    int code = isSound(ours) ? execute(List.of(arguments)) : ExitCode.USAGE;
    if (Integer.getInteger("holdfast.words", 0) > 0) {
      // For the supervisor: Java's own failures have exit codes too.
      System.out.println("exit " + code);
    }
    System.out.flush();
    // Not exit: what a store's client does at leisure when it is closed concerns nobody any more.
    Runtime.getRuntime().halt(code);
  }

  /** Names are UTF-8: two that differ in bytes which are not would be one lock. */
  private static boolean isSound(List<String> ours) {
    for (String argument : ours) {
      if (argument.indexOf(UNDECODABLE) >= 0) {
        Message.USAGE.say(
            "'" + argument + "' is not UTF-8, as names and options must be; see 'holdfast --help'");
        return false;
      }
    }
    String level = logLevel(ours);
    if (!LOG_LEVELS.contains(level)) {
      Message.USAGE.say(
          "there is no log level '"
              + level
              + "': take error, warn, info or debug; see 'holdfast --help'");
      return false;
    }
    return true;
  }

  static int execute(List<String> arguments) {
    Callable<Integer> command = FastArguments.read(arguments);
    if (command == null) {
      return commandLine(arguments.isEmpty() ? "" : arguments.get(0))
          .execute(arguments.toArray(String[]::new));
    }
    try {
      return command.call();
    } catch (Exception failure) {
      return failed(failure, "holdfast " + arguments.get(0));
    }
  }

  /** Without those of the command that is to be run. */
  private static List<String> ours(List<String> arguments) {
    int command = arguments.indexOf("--");
    return command < 0 ? arguments : arguments.subList(0, command);
  }

  private static String logLevel(List<String> ours) {
    for (int i = 0; i < ours.size(); i++) {
      if (ours.get(i).startsWith("--log=")) {
        return ours.get(i).substring("--log=".length());
      }
      if (ours.get(i).equals("--log") && i + 1 < ours.size()) {
        return ours.get(i + 1);
      }
    }
    return "off";
  }

  /** With all commands. */
  static CommandLine commandLine() {
    return commandLine("");
  }

  /**
   * With this command alone, if it is one: to read the annotations of all takes longer than most
   * commands.
   */
  private static CommandLine commandLine(String name) {
    CommandLine line = new CommandLine(new HoldfastCommand());
    Supplier<Object> chosen = COMMANDS.get(ALIASES.getOrDefault(name, name));
    if (chosen != null) {
      line.addSubcommand(chosen.get());
    } else {
      COMMANDS.values().forEach(command -> line.addSubcommand(command.get()));
    }
    Ansi ansi = new Screen().isColoured() ? Ansi.ON : Ansi.OFF;
    return line.registerConverter(Duration.class, new TimeText())
        .setColorScheme(CommandLine.Help.defaultColorScheme(ansi))
        .setUsageHelpWidth(HELP_WIDTH)
        .setHelpSectionKeys(examplesFirst(line))
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExpandAtFiles(false)
        .setParameterExceptionHandler(Main::wrongUsage)
        .setExecutionExceptionHandler(
            (failure, failing, parsed) ->
                failed(failure, failing.getCommandSpec().qualifiedName()));
  }

  /** Examples are what most people look for; they are the footer of each command. */
  private static List<String> examplesFirst(CommandLine line) {
    List<String> keys = new ArrayList<>(line.getHelpSectionKeys());
    keys.remove(UsageMessageSpec.SECTION_KEY_FOOTER);
    keys.add(0, UsageMessageSpec.SECTION_KEY_FOOTER);
    return keys;
  }

  private static int wrongUsage(ParameterException wrong, String[] arguments) {
    Message.USAGE.say(
        problem(wrong)
            + "; see '"
            + wrong.getCommandLine().getCommandSpec().qualifiedName()
            + " --help'");
    return ExitCode.USAGE;
  }

  private static String problem(ParameterException wrong) {
    if (!(wrong instanceof UnmatchedArgumentException unmatched)) {
      return Reason.of(wrong);
    }
    String word = unmatched.getUnmatched().get(0);
    boolean isCommand = wrong.getCommandLine().getParent() == null;
    if (isCommand && !word.startsWith("-")) {
      List<String> known = new ArrayList<>(COMMANDS.keySet());
      known.addAll(ALIASES.keySet());
      return "there is no command '" + word + "'" + Spelling.hint(word, known);
    }
    String name = word.split("=", 2)[0];
    boolean isRun = wrong.getCommandLine().getCommandName().equals("run");
    Optional<String> instead = isRun ? Spelling.insteadOf(name) : Optional.empty();
    return instead
        .map(text -> "'" + name + "' of flock is not needed here: " + text)
        .orElse(Reason.of(wrong) + optionHint(name, wrong.getCommandLine()));
  }

  private static String optionHint(String name, CommandLine line) {
    List<String> known = new ArrayList<>();
    line.getCommandSpec().options().forEach(option -> known.addAll(List.of(option.names())));
    return name.startsWith("--") ? Spelling.hint(name, known) : "";
  }

  private static int failed(Exception failure, String command) {
    if (failure instanceof IllegalArgumentException) {
      Message.USAGE.say(Reason.of(failure) + "; see '" + command + " --help'");
      return ExitCode.USAGE;
    }
    if (failure instanceof BackendException) {
      Message.UNAVAILABLE.say(Reason.of(failure) + "; try 'holdfast doctor'");
      return ExitCode.UNAVAILABLE;
    }
    if (failure instanceof LockTimeoutException || failure instanceof IllegalStateException) {
      Message.NOT_ACQUIRED.say(Reason.of(failure));
      return ExitCode.NO;
    }
    Message.DEFECT.say("a defect of holdfast: " + failure + "; add '--log debug' to see more");
    return ExitCode.DEFECT;
  }
}
