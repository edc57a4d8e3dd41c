// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

/** The statements that put a table behind a guard, for writers that never heard of it too. */
final class TriggerDdl {
  private TriggerDdl() {}

  /**
   * @param resource goes into a literal
   */
  static String of(String resource, String... tables) {
    StringBuilder ddl = new StringBuilder(Resources.text("fence.sql"));
    ddl.append(Resources.text("trigger.sql"));
    String literal = resource.replace("'", "''");
    for (String table : tables) {
      ddl.append(
          "%nSELECT holdfast.guard_table('%s', '%s');%n"
              .formatted(Names.checked(table, "a table"), literal));
    }
    return ddl.toString();
  }
}
