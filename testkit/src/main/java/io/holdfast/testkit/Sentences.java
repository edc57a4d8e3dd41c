// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGenerator;

/** Names of tests as the sentences that they are, without the types of their parameters. */
public final class Sentences extends DisplayNameGenerator.ReplaceUnderscores {

  /** For JUnit. */
  public Sentences() {}

  @Override
  public String generateDisplayNameForMethod(
      List<Class<?>> enclosingInstanceTypes, Class<?> testClass, Method testMethod) {
    return testMethod.getName().replace('_', ' ');
  }
}
