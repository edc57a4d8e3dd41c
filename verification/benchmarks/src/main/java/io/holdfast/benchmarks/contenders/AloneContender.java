// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.contenders;

import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import java.time.Duration;

/** No lock at all, for one thread that nobody disturbs: what the section itself takes. */
public record AloneContender() implements Contender {

  @Override
  public String name() {
    return "one thread, no lock";
  }

  @Override
  public Client connect(String hostAndPort) {
    return new Client() {
      @Override
      public Taken take(String name, Duration wait) {
        return () -> {};
      }

      @Override
      public void close() {}
    };
  }
}
