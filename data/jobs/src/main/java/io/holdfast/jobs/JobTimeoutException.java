// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.io.Serial;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What an attempt ends with if its handler ran for longer than {@link Worker.Builder#timeout}. */
public final class JobTimeoutException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  JobTimeoutException(long id, Duration timeout, @Nullable Throwable cause) {
    super("job %d ran for longer than %s".formatted(id, timeout), cause);
  }
}
