// SPDX-License-Identifier: Apache-2.0
package io.holdfast.models;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The models, checked by Spin in small; {@code verification/models/run} has more. */
class ModelsTest {
  private static final int CANNOT_RUN = 2;
  private static final Pattern VERDICT = Pattern.compile("models: (\\d+) passed, 0 failed");

  @ParameterizedTest(name = "{0}")
  @CsvSource({"handover, 14", "tokens, 7", "votes, 2", "members, 6", "fence, 3"})
  void what_must_hold_holds_and_fails_as_soon_as_a_condition_is_left_out(String model, String runs)
      throws Exception {
    Process spin = new ProcessBuilder("./run", "--quick", model).redirectErrorStream(true).start();
    String said = new String(spin.getInputStream().readAllBytes(), UTF_8);
    int exit = spin.waitFor();
    Assumptions.assumeTrue(exit != CANNOT_RUN, "could not run here: spin or gcc is missing");
    Matcher verdict = VERDICT.matcher(said);
    assertThat(verdict.find()).as(said).isTrue();
    assertThat(verdict.group(1)).isEqualTo(runs);
    assertThat(exit).isZero();
  }
}
