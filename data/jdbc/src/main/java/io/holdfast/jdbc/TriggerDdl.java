// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

/** The statements that put a table behind a guard, for writers that never heard of it too. */
final class TriggerDdl {
  private TriggerDdl() {}

  /**
   * For each statement rather than each row: cheaper, and TRUNCATE has no rows.
   *
   * @param resource goes into a literal
   */
  static String of(String resource, String... tables) {
    StringBuilder ddl = new StringBuilder(Resources.text("fence.sql"));
    ddl.append(Resources.text("trigger.sql"));
    for (String table : tables) {
      ddl.append(
          """

          CREATE OR REPLACE TRIGGER holdfast_fence
            BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s
            FOR EACH STATEMENT EXECUTE FUNCTION holdfast.require_token('%s');
          """
              .formatted(Names.checked(table, "a table"), resource.replace("'", "''")));
    }
    return ddl.toString();
  }
}
