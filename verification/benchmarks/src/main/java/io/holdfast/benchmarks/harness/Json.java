// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.util.Map;
import java.util.StringJoiner;

/** Results for programs. */
public final class Json {
  private Json() {}

  /** All values and figures, by workload. */
  public static String of(Map<Workload, Outcome> outcomes) {
    StringJoiner all = new StringJoiner(",\n", "{\n", "\n}\n");
    outcomes.forEach(
        (workload, outcome) -> {
          StringJoiner contenders = new StringJoiner(",\n    ", "{\n    ", "}");
          outcome
              .contenders()
              .forEach((name, metrics) -> contenders.add(string(name) + ": " + object(metrics)));
          StringJoiner verdicts = new StringJoiner(",\n    ", "[\n    ", "]").setEmptyValue("[]");
          outcome.verdicts().forEach(verdict -> verdicts.add(object(verdict)));
          all.add(
              string(workload.id())
                  + ": {\"title\": "
                  + string(workload.title())
                  + ",\n  \"contenders\": "
                  + contenders
                  + ",\n  \"figures\": "
                  + verdicts
                  + "}");
        });
    return all.toString();
  }

  private static String object(Metrics metrics) {
    StringJoiner fields = new StringJoiner(", ", "{", "}");
    metrics.values().forEach((name, value) -> fields.add(string(name) + ": " + number(value)));
    return fields.toString();
  }

  private static String object(Verdict verdict) {
    return "{\"what\": "
        + string(verdict.what())
        + ", \"value\": "
        + number(verdict.value())
        + (verdict.atLeast() ? ", \"atLeast\": " : ", \"atMost\": ")
        + number(verdict.wanted())
        + ", \"reached\": "
        + verdict.isReached()
        + "}";
  }

  private static String number(double value) {
    return Double.isFinite(value) ? Double.toString(value) : "null";
  }

  private static String string(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
