// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes JSON, in one line: all that scripts need, and no library. */
final class Json {
  private Json() {}

  /** An object; its members in the order in which they are given, name and value in turn. */
  static Map<String, @Nullable Object> object(@Nullable Object... namesAndValues) {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      object.put(String.valueOf(namesAndValues[i]), namesAndValues[i + 1]);
    }
    return object;
  }

  static String text(@Nullable Object value) {
    StringBuilder json = new StringBuilder();
    write(value, json);
    return json.toString();
  }

  private static void write(@Nullable Object value, StringBuilder json) {
    if (value instanceof Map<?, ?> map) {
      writeObject(map, json);
    } else if (value instanceof List<?> list) {
      writeArray(list, json);
    } else if (value instanceof Optional<?> optional) {
      write(optional.orElse(null), json);
    } else if (value == null || value instanceof Number || value instanceof Boolean) {
      json.append(value);
    } else {
      writeString(value.toString(), json);
    }
  }

  private static void writeObject(Map<?, ?> map, StringBuilder json) {
    String separator = "{";
    for (Map.Entry<?, ?> member : map.entrySet()) {
      json.append(separator);
      writeString(String.valueOf(member.getKey()), json);
      json.append(':');
      write(member.getValue(), json);
      separator = ",";
    }
    json.append(map.isEmpty() ? "{}" : "}");
  }

  private static void writeArray(List<?> list, StringBuilder json) {
    String separator = "[";
    for (Object element : list) {
      json.append(separator);
      write(element, json);
      separator = ",";
    }
    json.append(list.isEmpty() ? "[]" : "]");
  }

  private static void writeString(String text, StringBuilder json) {
    json.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> json.append("\\\"");
        case '\\' -> json.append("\\\\");
        case '\n' -> json.append("\\n");
        case '\t' -> json.append("\\t");
        default -> {
          if (!TerminalText.isPrinted(c) && !Character.isSurrogate(c)) {
            json.append(String.format("\\u%04x", (int) c));
          } else {
            json.append(c);
          }
        }
      }
    }
    json.append('"');
  }
}
