// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("file")
class FileFailuresTest {
  static Stream<Arguments> problems() {
    return Stream.of(
        Arguments.of(new IOException(), "d: reading or writing failed"),
        Arguments.of(new IOException("No space left on device"), "d: No space left on device"),
        Arguments.of(new ClosedByInterruptException(), "d: it was interrupted"),
        Arguments.of(new ClosedChannelException(), "d: it was closed meanwhile"),
        Arguments.of(new FileSystemException("f"), "f: the file system gave no reason"),
        Arguments.of(new DirectoryNotEmptyException("f"), "f: the file system gave no reason"),
        Arguments.of(
            new FileSystemException("f", null, "Stale file handle"), "f: Stale file handle"));
  }

  @ParameterizedTest
  @MethodSource("problems")
  void a_failure_says_in_words_what_it_was(IOException problem, String words) {
    assertThat(FileFailures.ofRequest(Path.of("d"), problem))
        .hasMessage("file store in d: " + words)
        .hasCause(problem);
  }
}
