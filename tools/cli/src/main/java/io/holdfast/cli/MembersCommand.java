// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import io.holdfast.quorum.QuorumMembers;
import io.holdfast.spi.Address;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code members}: what an operator does with the members of a quorum. */
@Command(
    name = "members",
    header = "Found a quorum, or replace, add and remove its nodes.",
    footer = {
      "Examples:",
      "  holdfast members --url quorum:redis://a,redis://b,redis://c --found",
      "  holdfast members --url quorum:redis://a,redis://b,redis://c \\",
      "                   --to quorum:redis://a,redis://b,redis://d",
      ""
    },
    description = {
      "A change takes the longest lease time, a minute by default, and locks can be used meanwhile.",
      "If it fails or is interrupted, run it again."
    })
final class MembersCommand implements Callable<Integer> {
  @Option(
      names = "--found",
      description = "The nodes are new: they need not rest before the first grant.")
  private boolean found;

  @Option(
      names = "--to",
      paramLabel = "URL",
      description = "The address with the nodes that are to be the members.")
  private @Nullable String target;

  @Mixin private final Common common = new Common();

  @Override
  public Integer call() {
    if (!common.scheme().equals("quorum") || found == (target != null)) {
      throw new IllegalArgumentException(
          "'members' needs a 'quorum:' address, and either '--found' or '--to'");
    }
    if (target == null) {
      QuorumMembers.found(common.address());
      common.screen().line("founded: " + common.place());
    } else {
      QuorumMembers.change(common.address(), target);
      common.screen().line("changed: the members are those of " + Address.parse(target));
    }
    return ExitCode.DONE;
  }
}
