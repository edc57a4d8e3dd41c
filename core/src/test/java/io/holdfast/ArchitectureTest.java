// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The rules of the tree, checked. */
class ArchitectureTest {
  private static final JavaClasses CORE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.holdfast");

  @Test
  void what_users_type_does_not_depend_on_the_runtime_but_for_the_builder() {
    noClasses()
        .that()
        .resideInAPackage("io.holdfast")
        .and()
        .doNotHaveFullyQualifiedName("io.holdfast.Holdfast")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.holdfast.internal..")
        .check(CORE);
  }

  @Test
  void what_backend_authors_see_does_not_depend_on_the_runtime() {
    noClasses()
        .that()
        .resideInAPackage("io.holdfast.spi")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.holdfast.internal..")
        .check(CORE);
  }

  @Test
  void time_is_read_in_one_place() {
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName("io.holdfast.internal.SystemTime")
        .should()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(Instant.class, "now")
        .check(CORE);
  }

  @Test
  void nobody_sleeps() {
    noClasses().should().callMethod(Thread.class, "sleep", long.class).check(CORE);
  }

  @Test
  void the_runtime_is_one_flat_package_and_keeps_to_itself() {
    classes()
        .that()
        .resideInAPackage("io.holdfast.internal..")
        .should()
        .resideInAPackage("io.holdfast.internal")
        .check(CORE);
    classes()
        .that()
        .resideInAPackage("io.holdfast.internal")
        .and()
        .haveSimpleNameNotEndingWith("Provider")
        .and()
        .doNotHaveSimpleName("HoldfastBuilder")
        .should()
        .notBePublic()
        .check(CORE);
  }
}
