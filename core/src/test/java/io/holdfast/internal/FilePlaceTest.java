// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.holdfast.Guarantees.Exclusion;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.BackendProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("file")
class FilePlaceTest {
  @TempDir private Path folder;

  private static BackendException refusal(Path directory) {
    try (Holdfast holdfast = Holdfast.connect("file:" + directory)) {
      throw new AssertionError("not refused: " + holdfast);
    } catch (BackendException refused) {
      assertThat(refused.outcome()).isEqualTo(Outcome.NOT_APPLIED);
      return refused;
    }
  }

  @Nested
  class AnAddress {
    @Test
    void names_a_directory_which_is_made_for_its_owner_alone() throws IOException {
      Path directory = folder.resolve("new/ä b");
      for (String address : List.of("file:", "file://")) {
        try (Holdfast holdfast =
            Holdfast.connect(address + directory.toString().replace(" ", "%20"))) {
          assertThat(holdfast.lock("a").tryAcquire()).isPresent();
        }
      }
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
          .isEqualTo("rwx------");
    }

    @Test
    void may_name_a_link_to_a_directory() throws IOException {
      Path link =
          Files.createSymbolicLink(
              folder.resolve("link"), Files.createDirectory(folder.resolve("real")));
      try (Holdfast one = Holdfast.connect("file:" + link);
          Holdfast other = Holdfast.connect("file:" + folder.resolve("real"));
          Lease lease = one.lock("a").tryAcquire().orElseThrow()) {
        assertThat(lease.isHeld()).isTrue();
        assertThat(other.lock("a").tryAcquire()).isEmpty();
      }
    }

    @Test
    void without_a_path_means_one_directory_for_all_processes_of_a_user() {
      assertThat(FilePlace.defaultDirectory())
          .isAbsolute()
          .asString()
          .contains("holdfast-")
          .contains(FileNames.escape(System.getProperty("user.name")));
    }

    @Test
    void without_a_path_does_not_trust_what_somebody_else_may_have_put_there() throws IOException {
      Path open = Files.createDirectory(folder.resolve("open"));
      Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
      Path link = Files.createSymbolicLink(folder.resolve("link"), folder);
      for (Path place : List.of(open, link)) {
        assertThatThrownBy(() -> new FilePlace(place, false, false, false, Duration.ZERO).prepare())
            .isInstanceOf(UnfitException.class)
            .hasMessageContaining(place.toString());
      }
      Path own = folder.resolve("own");
      new FilePlace(own, false, false, false, Duration.ZERO).prepare();
      new FilePlace(own, false, false, false, Duration.ZERO).prepare();
      assertThat(own).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "file://host/path",
          "file://user@host/path",
          "file:x?network=perhaps",
          "file:x?netwrk=allow"
        })
    void that_makes_no_sense_is_refused_before_anything_is_made(String address) {
      assertThatThrownBy(() -> BackendProvider.backendAt(address))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Nested
  class ADirectory {
    private final List<Path> mounted = new ArrayList<>();

    @AfterEach
    void unmount() throws Exception {
      for (Path path : mounted) {
        run("umount", path.toString());
      }
    }

    @Test
    void that_is_a_file_is_refused_by_name() throws IOException {
      Path file = Files.createFile(folder.resolve("file"));
      assertThat(refusal(file)).hasMessageContaining(file.toString());
      assertThat(refusal(file.resolve("below"))).hasMessageContaining(file.toString());
    }

    @Test
    void that_cannot_be_made_is_refused_by_name() {
      Path directory = Path.of("/proc/holdfast/locks");
      assertThat(refusal(directory)).hasMessageContaining(directory.toString());
    }

    @Test
    void that_cannot_be_written_to_is_refused_by_name() throws Exception {
      Path directory = Files.createDirectory(folder.resolve("read-only"));
      if (isRoot()) {
        mount(directory, "ro"); // To root, permissions mean nothing.
      } else {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("r-xr-xr-x"));
      }
      assertThat(refusal(directory)).hasMessageContaining(directory.toString());
    }

    @Test
    void that_is_full_grants_nothing_more_but_lets_go_of_what_is_held() throws Exception {
      assumeTrue(isRoot(), "could not run here: only root can mount a small file system to fill");
      Path directory = Files.createDirectory(folder.resolve("full"));
      mount(directory, "size=128k");
      try (Holdfast holdfast = Holdfast.connect("file:" + directory)) {
        Lease lease = holdfast.lock("held").tryAcquire().orElseThrow();
        fill(directory.resolve("rubbish"));
        assertThatThrownBy(() -> holdfast.lock("one more").tryAcquire())
            .isInstanceOf(BackendException.class)
            .hasMessageContaining(directory.toString())
            .hasMessageContaining("space");
        lease.renew();
        assertThat(lease.release()).isTrue();
        assertThat(holdfast.lock("held").tryAcquire()).isPresent();
        Files.delete(directory.resolve("rubbish"));
        assertThat(holdfast.lock("one more").tryAcquire()).isPresent();
      }
    }

    private void fill(Path file) throws IOException {
      byte[] rubbish = new byte[4096];
      try (var out = Files.newOutputStream(file)) {
        for (; ; ) {
          out.write(rubbish);
        }
      } catch (IOException full) {
        assertThat(full).hasMessageContaining("space");
      }
    }

    private void mount(Path directory, String options) throws Exception {
      run("mount", "-t", "tmpfs", "-o", options, "tmpfs", directory.toString());
      mounted.add(directory);
    }

    private static void run(String... command) throws Exception {
      int status = new ProcessBuilder(command).inheritIO().start().waitFor();
      assumeTrue(status == 0, () -> "could not run here: " + Arrays.toString(command) + " failed");
    }

    private static boolean isRoot() {
      return System.getProperty("user.name").equals("root");
    }
  }

  @Nested
  class ANetworkFileSystem {
    @ParameterizedTest
    @ValueSource(strings = {"nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "CIFS", "ceph"})
    void is_known_by_its_type(String type) {
      assertThat(FilePlace.isNetwork(type)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "ext4",
          "xfs",
          "btrfs",
          "tmpfs",
          "overlay",
          "fuse.fuse-overlayfs",
          "apfs",
          "NTFS",
          "fuseblk"
        })
    void is_not_what_a_machine_has_of_its_own(String type) {
      assertThat(FilePlace.isNetwork(type)).isFalse();
    }

    @Test
    void has_weaker_guarantees_and_says_so() {
      assertThat(FileGuarantees.network().exclusion()).isEqualTo(Exclusion.ADVISORY);
      assertThat(FileGuarantees.local(true).exclusion()).isEqualTo(Exclusion.LOCAL);
    }
  }
}
