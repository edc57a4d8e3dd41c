// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.Workload;
import io.holdfast.testkit.servers.RedisServer;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The server's own limit, by the tool that comes with it: the recipe's two commands. */
public final class Ceiling implements Workload {
  private static final String SCRIPT =
      "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

  @Override
  public String id() {
    return "ceiling";
  }

  @Override
  public String title() {
    return "redis-benchmark: SET NX PX and compare-and-delete, pairs per second, without any client library";
  }

  @Override
  public Outcome run(Plan plan) throws Exception {
    Map<String, Metrics> results = new LinkedHashMap<>();
    try (RedisServer server = RedisServer.start()) {
      String digest = server.call("SCRIPT", "LOAD", SCRIPT).toString();
      for (int[] shape : new int[][] {{8, 1}, {64, 1}, {8, 16}}) {
        plan.progress().accept(id() + ": " + shape[0] + " connections");
        List<Metrics> rounds = new ArrayList<>();
        for (int round = 0; round < plan.rounds(); round++) {
          rounds.add(pairs(server, digest, shape[0], shape[1], plan.size(200_000, 40_000)));
        }
        String name =
            "redis-benchmark, " + shape[0] + " connections" + (shape[1] > 1 ? ", pipelined" : "");
        results.put(name, Metrics.medians(rounds));
      }
    }
    return new Outcome(results, List.of());
  }

  private static Metrics pairs(
      RedisServer server, String digest, int connections, int pipeline, int count)
      throws IOException {
    String key = "lock:__rand_int__";
    double take =
        rate(server, connections, pipeline, count, "SET", key, "value", "NX", "PX", "30000");
    double give = rate(server, connections, pipeline, count, "EVALSHA", digest, "1", key, "value");
    return new Metrics().with(Metrics.RATE, 1 / (1 / take + 1 / give));
  }

  private static double rate(
      RedisServer server, int connections, int pipeline, int count, String... tested)
      throws IOException {
    List<String> command =
        new ArrayList<>(List.of(binary(), "-p", Integer.toString(server.port())));
    command.addAll(List.of("-c", Integer.toString(connections), "-n", Integer.toString(count)));
    command.addAll(List.of("-P", Integer.toString(pipeline), "-r", "1000000", "--csv"));
    command.addAll(List.of(tested));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    String[] fields = output.substring(output.lastIndexOf('\n') + 1).split("\",\"", -1);
    return Double.parseDouble(fields[1].replace("\"", ""));
  }

  /** Beside the server. */
  private static String binary() {
    File beside = new File(new File(RedisServer.binary()).getParentFile(), "redis-benchmark");
    return beside.canExecute() ? beside.getPath() : "redis-benchmark";
  }
}
