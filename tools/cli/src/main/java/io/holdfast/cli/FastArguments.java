// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import java.lang.reflect.Field;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads the arguments of {@code run} and {@code elect} without picocli, whose reading of
 * annotations takes a third of the time that a short command takes. It knows the plain form of each
 * option, and sets the same fields; of anything else, and of anything wrong, it returns nothing,
 * and picocli reads it and says what is wrong. A test compares the two, option by option.
 */
final class FastArguments {
  /** The fields of the options, by all names that they have. */
  private static final Map<String, String> FIELDS =
      Map.ofEntries(
          Map.entry("-w", "wait"),
          Map.entry("--wait", "wait"),
          Map.entry("--timeout", "wait"),
          Map.entry("-n", "noWait"),
          Map.entry("--no-wait", "noWait"),
          Map.entry("--nonblock", "noWait"),
          Map.entry("-s", "shared"),
          Map.entry("--shared", "shared"),
          Map.entry("-E", "conflictExitCode"),
          Map.entry("--conflict-exit-code", "conflictExitCode"),
          Map.entry("--permits", "permits"),
          Map.entry("--lease-time", "leaseTime"),
          Map.entry("--on-lost", "onLost"),
          Map.entry("--grace", "grace"),
          Map.entry("--max-hold", "maxHold"),
          Map.entry("--purpose", "purpose"),
          Map.entry("-o", "close"),
          Map.entry("--close", "close"),
          Map.entry("--url", "url"),
          Map.entry("--password-file", "passwordFile"),
          Map.entry("--json", "json"));

  private final Callable<Integer> command;

  private FastArguments(Callable<Integer> command) {
    this.command = command;
  }

  /** Returns the command with its fields set, or null if picocli has to read the arguments. */
  static @Nullable Callable<Integer> read(List<String> arguments) {
    int dashes = arguments.indexOf("--");
    if (dashes < 2) {
      return null;
    }
    Callable<Integer> command =
        switch (arguments.get(0)) {
          case "run" -> new RunCommand();
          case "elect" -> new ElectCommand();
          default -> null;
        };
    if (command == null) {
      return null;
    }
    try {
      FastArguments fast = new FastArguments(command);
      List<String> words = arguments.subList(dashes + 1, arguments.size());
      boolean isRead = fast.readOptions(arguments.subList(1, dashes));
      return isRead && fast.set("command", words) ? command : null;
    } catch (ReflectiveOperationException | IllegalArgumentException | TypeConversionException no) {
      return null;
    }
  }

  private boolean readOptions(List<String> ours) throws ReflectiveOperationException {
    boolean isNamed = false;
    for (int i = 0; i < ours.size(); i++) {
      String word = ours.get(i);
      String field = FIELDS.get(word);
      if (field == null && (isNamed || word.startsWith("-") || word.isEmpty())) {
        return false;
      }
      if (field == null) {
        isNamed = set("name", List.of(word));
      } else if (isFlag(field)) {
        set(field, List.of("true"));
      } else {
        i++;
        if (i == ours.size() || ours.get(i).startsWith("-") || !set(field, List.of(ours.get(i)))) {
          return false;
        }
      }
    }
    return isNamed;
  }

  private boolean isFlag(String field) throws ReflectiveOperationException {
    return field(field).field.getType() == boolean.class;
  }

  /** Sets a field. Returns false if it has been set before, or there is no value for it. */
  private boolean set(String name, List<String> words) throws ReflectiveOperationException {
    Place place = field(name);
    Object value = value(place.field.getType(), words);
    if (value == null) {
      return false;
    }
    place.field.set(place.object, value);
    return true;
  }

  private static @Nullable Object value(Class<?> type, List<String> words) {
    String text = words.isEmpty() ? "" : words.get(0);
    if (type == String[].class) {
      return words.toArray(String[]::new);
    } else if (type == String.class) {
      return text;
    } else if (type == boolean.class) {
      return true;
    } else if (type == int.class || type == Integer.class) {
      return Integer.valueOf(text);
    } else if (type == Duration.class) {
      return new TimeText().convert(text);
    } else if (type == Path.class) {
      return Path.of(text);
    } else if (type == HoldOptions.OnLost.class) {
      return HoldOptions.OnLost.valueOf(text.toUpperCase(Locale.ROOT));
    }
    return null;
  }

  private record Place(Object object, Field field) {}

  /** Finds a field in the command or in one of its groups of options. */
  private Place field(String name) throws ReflectiveOperationException {
    for (String group : List.of("", "options", "common")) {
      Object object = group.isEmpty() ? command : open(command, group).get(command);
      for (Field field : object.getClass().getDeclaredFields()) {
        if (field.getName().equals(name)) {
          field.setAccessible(true);
          return new Place(object, field);
        }
      }
    }
    throw new NoSuchFieldException(name);
  }

  private static Field open(Object object, String name) throws ReflectiveOperationException {
    Field field = object.getClass().getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }
}
