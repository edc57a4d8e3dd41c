// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import io.holdfast.spi.LockBackend;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code schema}: what an administrator runs before the store is used. */
@Command(
    name = "schema",
    header = "Print the SQL or the access rule that the store needs.",
    footer = {
      "Examples:",
      "  holdfast schema --url redis://host:6379       an ACL rule: the least that Holdfast needs",
      "  holdfast schema --url postgresql://host/db    tables and functions",
      ""
    })
final class SchemaCommand implements Callable<Integer> {
  @Mixin private final Common common = new Common();

  @Override
  public Integer call() {
    try (LockBackend backend = common.backend()) {
      String schema = backend.schema();
      if (common.json()) {
        common.screen().json(Json.object("store", common.place(), "schema", schema));
      } else if (schema.isBlank()) {
        Message.NOTE.say(common.place() + " needs no preparation");
      } else {
        common.screen().own(schema.stripTrailing());
      }
      return ExitCode.DONE;
    }
  }
}
