// SPDX-License-Identifier: Apache-2.0
/** Tests of the packages. */
@org.jspecify.annotations.NullMarked
package io.holdfast.packaging;
