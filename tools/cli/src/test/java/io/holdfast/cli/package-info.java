// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.holdfast.cli;

import org.jspecify.annotations.NullMarked;
