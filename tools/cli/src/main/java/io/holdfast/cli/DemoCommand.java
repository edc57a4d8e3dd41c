// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.Holdfast;
import io.holdfast.cli.demo.Picture;
import io.holdfast.cli.demo.Story;
import io.holdfast.cli.demo.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code demo}: the story that the product exists for. */
@Command(
    name = "demo",
    header = "See what it is for: four replicas of a booking service race for tables.",
    footer = {
      "Examples:",
      "  holdfast demo                              with files of its own, no server",
      "  holdfast demo --url redis://host:6379      the same on a server",
      "  holdfast demo --svg demo.svg               with a picture of the timeline",
      ""
    },
    exitCodeListHeading = "%nExit code:%n",
    exitCodeList = {"0:every scene ended as it should", "1:one did not"})
final class DemoCommand implements Callable<Integer> {
  @Option(names = "--svg", paramLabel = "FILE", description = "Draw the timeline into this file.")
  private @Nullable Path svg;

  @Option(
      names = "--race-time",
      paramLabel = "DURATION",
      description = "How long each race lasts. Default: 2s.")
  private Duration raceTime = Duration.ofSeconds(2);

  @Mixin private final Common common = new Common();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (raceTime.isZero()) {
      throw new IllegalArgumentException(
          "a race takes some time: '--race-time' is longer than zero");
    }
    String restaurant = "demo-" + shortId();
    // Fails now, with a good reason, rather than in four replicas.
    try (Holdfast holdfast = common.connect()) {
      new Waiting(common, holdfast, restaurant).untilReady();
    }
    Path directory = Files.createTempDirectory("holdfast-demo");
    Story story = new Story(common.address(), restaurant, directory);
    // Also when the story is interrupted.
    Thread clearing = new Thread(() -> clear(story, directory));
    Runtime.getRuntime().addShutdownHook(clearing);
    List<Verdict> verdicts = new ArrayList<>();
    say("Four replicas of a booking service; their locks are at " + common.place());
    try {
      story.tell(
          raceTime,
          verdict -> {
            verdicts.add(verdict);
            show(verdict, verdicts.size());
          });
    } finally {
      clear(story, directory);
    }
    return report(verdicts);
  }

  private static String shortId() {
    return UUID.randomUUID().toString().substring(0, 8);
  }

  private void say(String line) {
    if (!common.json()) {
      common.screen().own(line);
    }
  }

  private void show(Verdict verdict, int number) {
    Screen screen = common.screen();
    say("");
    say(screen.in(Screen.Tone.STRONG, number + ". " + verdict.scene()));
    Picture.lines(verdict.timeline()).forEach(line -> say("     " + line));
    say("   expected  " + verdict.expected());
    say("   seen      " + TerminalText.of(verdict.seen()));
    say(
        "   verdict   "
            + (verdict.held()
                ? screen.in(Screen.Tone.GOOD, "as expected")
                : screen.in(Screen.Tone.BAD, "NOT AS EXPECTED")));
  }

  private int report(List<Verdict> verdicts) throws IOException {
    boolean allHeld = verdicts.stream().allMatch(Verdict::held);
    if (svg != null) {
      Files.writeString(svg, Picture.svg(verdicts, TerminalText.of(common.place())), UTF_8);
    }
    if (common.json()) {
      common.screen().json(verdicts.stream().map(DemoCommand::json).toList());
    }
    say("");
    say(common.screen().in(Screen.Tone.QUIET, Picture.legend()));
    say(svg == null ? "Draw it with '--svg FILE'." : "Drawn in " + svg + ".");
    return allHeld ? ExitCode.DONE : ExitCode.NO;
  }

  private static Object json(Verdict verdict) {
    return Json.object(
        "scene", verdict.scene(),
        "expected", verdict.expected(),
        "seen", verdict.seen(),
        "held", verdict.held());
  }

  private static void clear(Story story, Path directory) {
    story.close();
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException gone) {
      // Cleared before, or left to the system, whose directory for such things it is in.
      return;
    }
  }
}
