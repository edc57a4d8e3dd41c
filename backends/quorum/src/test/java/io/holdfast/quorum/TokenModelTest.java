// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The protocol of the tokens, checked by Spin in small; {@code verification/models/run} has more.
 */
@Tag("quorum")
class TokenModelTest {
  private static final Path RUN = Path.of("..", "..", "verification", "models", "run");
  private static final int CANNOT_RUN = 2;

  @Test
  void the_protocol_holds_and_fails_as_soon_as_one_of_its_conditions_is_left_out()
      throws Exception {
    Process spin =
        new ProcessBuilder(RUN.toString(), "--quick", "tokens").redirectErrorStream(true).start();
    String said = new String(spin.getInputStream().readAllBytes(), UTF_8);
    assertThat(spin.waitFor(1, TimeUnit.MINUTES)).isTrue();
    Assumptions.assumeTrue(
        spin.exitValue() != CANNOT_RUN, "could not run here: spin or gcc is missing");
    System.out.print(said);
    assertThat(spin.exitValue()).as(said).isZero();
    assertThat(said).contains("models: 7 passed, 0 failed");
  }
}
