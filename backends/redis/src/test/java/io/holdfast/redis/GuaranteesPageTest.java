// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.spi.BackendProvider;
import io.holdfast.testkit.GuaranteesPage;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page and the code say the same. */
@Tag("redis")
class GuaranteesPageTest {
  private static final Path PAGE = Path.of("..", "..", "docs", "guarantees.md");

  @ParameterizedTest
  @ValueSource(strings = {"redis://host", "redis-sentinel://host/m", "redis-cluster://host"})
  void the_page_says_what_the_backend_says(String address) throws IOException {
    new GuaranteesPage(PAGE).assertSays(BackendProvider.backendAt(address).guarantees());
  }
}
