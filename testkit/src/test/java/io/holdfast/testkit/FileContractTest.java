// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

@Tag("file")
class FileContractTest extends LockBackendContract {
  @TempDir Path directory;

  @Override
  protected LockBackend openBackend() {
    return BackendProvider.backendAt("file:" + directory);
  }

  /** There is no server: what the files keep is all there is. */
  @Override
  protected void restartStore() {}
}
