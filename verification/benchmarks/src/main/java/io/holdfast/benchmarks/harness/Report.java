// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Writes what came out: values for programs, pictures, and the tables of a page of documentation.
 */
public final class Report {
  private final Path directory;

  public Report(Path directory) {
    this.directory = directory;
  }

  /** After each workload, so that a run which is cut off leaves what it has. */
  public void write(Map<Workload, Outcome> outcomes) throws IOException {
    Files.createDirectories(directory);
    Files.writeString(directory.resolve("results.json"), Json.of(outcomes));
    StringBuilder tables = new StringBuilder("## Holdfast beside the figures to reach\n\n");
    tables.append(Text.verdicts(outcomes));
    for (Map.Entry<Workload, Outcome> each : outcomes.entrySet()) {
      Workload workload = each.getKey();
      tables.append("\n### ").append(workload.id()).append(": ").append(workload.title());
      tables.append("\n\n").append(Text.outcome(each.getValue()));
      pictures(workload, each.getValue());
    }
    Files.writeString(directory.resolve("tables.md"), tables);
  }

  private void pictures(Workload workload, Outcome outcome) throws IOException {
    Growth growth = outcome.growth();
    if (growth != null) {
      save(workload.id() + "-cost.svg", growth.picture(workload.title()));
      return;
    }
    Map<String, Metrics> contenders = outcome.contenders();
    if (contenders.values().stream().allMatch(each -> each.get(Metrics.RATE) > 0)) {
      String title = workload.title() + ", per second";
      save(workload.id() + "-rate.svg", Svg.bars(title, contenders, Metrics.RATE));
    }
    if (contenders.values().stream().noneMatch(each -> each.percentiles().isEmpty())) {
      String picture = LinePlot.ofPercentiles(workload.title(), contenders);
      save(workload.id() + "-latency.svg", picture);
    }
  }

  private void save(String file, String text) throws IOException {
    Files.writeString(directory.resolve(file), text);
  }

  /**
   * Puts the tables into a page, between the two lines that say so.
   *
   * @param page with the lines {@code <!-- measured -->} and {@code <!-- end of measured -->}
   */
  public void writeInto(Path page) throws IOException {
    String begin = "<!-- measured -->\n";
    String end = "<!-- end of measured -->\n";
    String text = Files.readString(page);
    int from = text.indexOf(begin);
    int to = text.indexOf(end);
    if (from < 0 || to < from) {
      throw new IOException(page + " has no place for tables: " + begin + end);
    }
    String tables = Files.readString(directory.resolve("tables.md"));
    Files.writeString(
        page, text.substring(0, from) + begin + "\n" + tables + "\n" + text.substring(to));
  }
}
