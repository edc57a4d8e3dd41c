// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.internal.HammerJournal.Visit;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Eight processes hammer one lock for ten seconds while they are killed at random, and others take
 * their places. The seed decides who is killed when, and can be set: {@code -Dholdfast.seed=N}.
 */
@Tag("file")
class HammerTest {
  private static final int PROCESSES = 8;
  private static final Duration TIME = Duration.ofSeconds(10);
  private static final long SEED = Long.getLong("holdfast.seed", 20250101L);

  /** One that has been ready for this long has had its turn, also on a busy machine. */
  private static final Duration LONG_ENOUGH = Duration.ofSeconds(3);

  private record Hammerer(String who, ChildJvm jvm, long readyNanos) {}

  @TempDir private Path folder;
  private final Random random = new Random(SEED);
  private final List<Hammerer> hammering = new ArrayList<>();
  private final Set<String> killed = new HashSet<>();
  private final Set<String> livedLongEnough = new HashSet<>();
  private int started;

  @AfterEach
  void end() {
    hammering.forEach(hammerer -> hammerer.jvm.close());
  }

  @Test
  void nobody_overlaps_no_update_is_lost_tokens_grow_and_nobody_waits_for_ever() throws Exception {
    Files.createFile(folder.resolve("journal"));
    Files.write(folder.resolve("counter"), new byte[Long.BYTES]);
    while (hammering.size() < PROCESSES) {
      startOne();
    }
    killAtRandom();
    stop();

    HammerJournal journal = new HammerJournal(folder.resolve("journal"));
    System.out.println(summary(journal.visits()));
    journal.assertThatVisitsDoNotOverlap();
    journal.assertThatOnlyTheKilledDidNotLeave(killed);
    journal.assertThatTokensGrow();
    journal.assertThatNoUpdateIsLost(counter());
    assertThat(journal.visits()).extracting(Visit::who).containsAll(livedLongEnough);
    assertThatAllOthersEndedWell();
    assertThatNothingIsLeft(journal.visits().get(journal.visits().size() - 1).token());
  }

  private void startOne() throws IOException {
    String who = "p" + started++;
    ChildJvm jvm = ChildJvm.start(HammerChild.class, folder, who, random.nextInt());
    // A machine that does nothing but start processes would not get to hammering.
    assertThat(jvm.line()).isEqualTo("ready");
    hammering.add(new Hammerer(who, jvm, System.nanoTime()));
  }

  private void killAtRandom() throws Exception {
    long start = System.nanoTime();
    while (System.nanoTime() - start < TIME.toNanos()) {
      LockSupport.parkNanos(Duration.ofMillis(random.nextInt(200)).toNanos());
      Hammerer victim = random.nextBoolean() ? anyone() : whoeverIsInside();
      hammering.remove(victim);
      killed.add(victim.who);
      noteAge(victim);
      victim.jvm.kill();
      startOne();
    }
  }

  private Hammerer anyone() {
    return hammering.get(random.nextInt(PROCESSES));
  }

  /** Or was, a moment ago. */
  private Hammerer whoeverIsInside() throws IOException {
    String last = "";
    for (int i = 0; i < 1_000 && !last.startsWith("read "); i++) {
      last = lastLine();
    }
    String line = last;
    return hammering.stream()
        .filter(hammerer -> line.contains(" " + hammerer.who + " "))
        .findFirst()
        .orElseGet(this::anyone);
  }

  private String lastLine() throws IOException {
    try (RandomAccessFile journal = new RandomAccessFile(folder.resolve("journal").toFile(), "r")) {
      journal.seek(Math.max(0, journal.length() - 200));
      String line = "";
      for (String next = line; next != null; next = journal.readLine()) {
        line = next;
      }
      return line;
    }
  }

  private void noteAge(Hammerer hammerer) {
    if (System.nanoTime() - hammerer.readyNanos > LONG_ENOUGH.toNanos()) {
      livedLongEnough.add(hammerer.who);
    }
  }

  private void stop() throws Exception {
    Files.createFile(folder.resolve("stop"));
    for (Hammerer hammerer : hammering) {
      noteAge(hammerer);
      hammerer.jvm.exitCode();
    }
  }

  /** Those who were left have come out of their waits by themselves, and say that all was well. */
  private void assertThatAllOthersEndedWell() throws Exception {
    for (Hammerer hammerer : hammering) {
      assertThat(hammerer.jvm.rest())
          .as("the last words of %s", hammerer)
          .containsExactly("stopped");
      assertThat(hammerer.jvm.exitCode()).as("the exit code of %s", hammerer).isZero();
    }
  }

  private long counter() throws IOException {
    return ByteBuffer.wrap(Files.readAllBytes(folder.resolve("counter"))).getLong();
  }

  private void assertThatNothingIsLeft(long lastToken) {
    try (Holdfast holdfast = Holdfast.connect("file:" + folder.resolve("locks"))) {
      assertThat(holdfast.list("", 10)).isEmpty();
      assertThat(holdfast.lock("hammered").tryAcquire().orElseThrow().token().value())
          .isGreaterThan(lastToken);
    }
    assertThat(folder.resolve("locks/locks")).isEmptyDirectory();
    assertThat(folder.resolve("locks/processes")).isEmptyDirectory();
  }

  private String summary(List<Visit> visits) {
    Map<String, Long> each =
        visits.stream().collect(Collectors.groupingBy(Visit::who, Collectors.counting()));
    return "seed %d: %d visits by %d processes, %d of %d killed inside, longest wait %d ms, %s"
        .formatted(
            SEED,
            visits.size(),
            started,
            visits.stream().filter(visit -> !visit.left()).count(),
            killed.size(),
            Duration.ofNanos(visits.stream().mapToLong(Visit::waitedNanos).max().orElse(0))
                .toMillis(),
            each);
  }
}
