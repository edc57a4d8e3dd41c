// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories that an address names and that other users may have made or may write to. */
@Tag("file")
class FileTrustTest {
  private static final String ANOTHER_USER = "nobody";

  @TempDir private Path folder;

  /** As {@code /tmp} is. */
  private Path open;

  @BeforeEach
  void makeAnOpenPlace() throws Exception {
    open = Files.createDirectory(folder.resolve("open"));
    chmod("1777", open);
    chmod("0755", folder);
  }

  private static void chmod(String mode, Path path) throws Exception {
    run("chmod", mode, path.toString());
  }

  private static void run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
  }

  private static Path given(Path path) throws IOException {
    requireRoot();
    Files.getFileAttributeView(path, FileOwnerAttributeView.class, LinkOption.NOFOLLOW_LINKS)
        .setOwner(
            path.getFileSystem()
                .getUserPrincipalLookupService()
                .lookupPrincipalByName(ANOTHER_USER));
    return path;
  }

  private static void requireRoot() {
    assumeTrue(
        System.getProperty("user.name").equals("root"),
        "could not run here: only root can give a file to another user");
  }

  private static void assertAccepted(String address) {
    try (Holdfast holdfast = Holdfast.connect(address)) {
      assertThat(holdfast.lock("a").tryAcquire()).isPresent();
    }
  }

  /** Refused with what is to be done, and accepted if that is done. */
  private static void assertRefused(Path directory, String reason) {
    assertThatThrownBy(() -> assertAccepted("file:" + directory))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining(directory.toString())
        .hasMessageContaining(reason)
        .hasMessageContaining("?shared=allow");
    assertAccepted("file:" + directory + "?shared=allow");
  }

  @Test
  void one_that_another_user_made_where_anybody_may_write_is_refused() throws Exception {
    Path theirs = given(Files.createDirectory(open.resolve("theirs")));
    assertRefused(theirs, "must be owned by this user");
  }

  @Test
  void one_that_another_user_made_where_only_its_owner_may_write_is_accepted() throws Exception {
    Path home = given(Files.createDirectory(folder.resolve("home")));
    assertAccepted("file:" + given(Files.createDirectory(home.resolve("theirs"))));
  }

  @Test
  void one_that_anybody_may_write_to_is_refused() throws Exception {
    Path mode777 = Files.createDirectory(folder.resolve("mode777"));
    chmod("0777", mode777);
    assertRefused(mode777, "its mode is 777");
  }

  @Test
  void one_that_a_group_may_write_to_is_refused_unless_it_is_the_owners_own() throws Exception {
    Path mode770 = Files.createDirectory(folder.resolve("mode770"));
    chmod("0770", mode770);
    assertAccepted("file:" + mode770);
    given(mode770);
    assertRefused(mode770, "its mode is 770");
  }

  @Test
  void one_that_another_user_and_its_group_of_the_same_name_may_write_to_is_refused()
      throws Exception {
    requireRoot();
    Path theirs = Files.createDirectory(folder.resolve("theirs"));
    chmod("0770", theirs);
    // Every Linux has this user and this group.
    run("chown", "daemon:daemon", theirs.toString());
    assertRefused(theirs, "its mode is 770");
  }

  @Test
  void one_with_the_sticky_bit_is_accepted_if_no_other_user_came_first() throws Exception {
    assertAccepted("file:" + open);
    given(open.resolve("tokens"));
    assertRefused(open, "another user (65534) made 'tokens' in it");
  }

  @Test
  void a_link_in_the_place_of_a_file_is_refused_where_anybody_may_write() throws Exception {
    Path precious = Files.writeString(folder.resolve("precious"), "data");
    Files.createSymbolicLink(open.resolve("mutex"), precious);
    assertThatThrownBy(() -> assertAccepted("file:" + open))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("'mutex'");
    assertThat(precious).hasContent("data");
  }

  @Test
  void one_behind_a_link_of_another_user_is_refused_where_anybody_may_write() throws Exception {
    Path own = Files.createDirectories(folder.resolve("own/locks"));
    Path link = given(Files.createSymbolicLink(open.resolve("link"), own.getParent()));
    assertRefused(link.resolve("locks"), "made by another user");
    Path first = Files.createSymbolicLink(folder.resolve("first"), Path.of("open/../open/link"));
    assertRefused(first.resolve("locks"), "made by another user");
  }

  @Test
  void one_behind_links_of_this_user_or_of_the_system_is_accepted() throws Exception {
    Path own = Files.createDirectories(folder.resolve("own/locks"));
    Path link = Files.createSymbolicLink(open.resolve("link"), own.getParent());
    Path first = Files.createSymbolicLink(folder.resolve("first"), Path.of("open/../open/link"));
    assertAccepted("file:" + link.resolve("locks"));
    assertAccepted("file:" + first.resolve("../link/locks"));
    assertAccepted("file:" + first.resolve("locks"));
  }
}
