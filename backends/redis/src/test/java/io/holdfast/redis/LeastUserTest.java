// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The user as whom the contract runs is the one that the documentation recommends. */
@Tag("redis")
class LeastUserTest {

  @Test
  void the_documentation_prints_the_rule_that_the_contract_is_tested_with() throws IOException {
    String page = Files.readString(Path.of("..", "..", "docs", "backends", "redis.md"));
    assertThat(page.replaceAll("\\s+\\\\?\\s*", " ")).contains(LeastUser.rule(700));
  }
}
