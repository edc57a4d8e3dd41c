// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileNamesTest {

  @Test
  void what_is_plain_stands_for_itself() {
    assertThat(FileNames.of("table-12_a")).isEqualTo("table-12_a.lock");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".", "..", "a/b", "/", "\\", "a b", "con", "Ä", "数据库", "🔒", "%41", "~", "a.lock", "*?"
      })
  void no_name_leaves_the_directory_or_needs_more_than_plain_characters(String name) {
    assertThat(FileNames.of(name)).matches("[a-z0-9_%~-]+\\.lock");
  }

  @Test
  void the_longest_names_fit_into_any_file_system() {
    for (String letter : new String[] {"a", "/", "Ä", "数"}) {
      String name = letter.repeat(255 / letter.getBytes(StandardCharsets.UTF_8).length);
      assertThat(FileNames.of(name)).hasSizeLessThan(256).matches("[a-z0-9_%~-]+\\.lock");
    }
  }

  @Test
  void no_two_names_share_a_file_even_if_the_file_system_ignores_case() {
    Map<String, String> names = new HashMap<>();
    Random random = new Random(7);
    for (int i = 0; i < 50_000; i++) {
      String name = randomName(random);
      String other = names.put(FileNames.of(name).toLowerCase(Locale.ROOT), name);
      assertThat(other).isIn(null, name);
    }
  }

  /** Few letters, and those that the escapes are made of, so that accidents are likely. */
  private static String randomName(Random random) {
    String letters = "aA%u41~/ÄäĀ数\ud83d\udd12";
    int length = random.nextInt(10) == 0 ? 60 + random.nextInt(40) : 1 + random.nextInt(4);
    StringBuilder name = new StringBuilder();
    for (int i = 0; i < length; i++) {
      name.append(letters.charAt(random.nextInt(letters.length())));
    }
    return name.toString();
  }
}
