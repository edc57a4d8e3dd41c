// SPDX-License-Identifier: Apache-2.0
/**
 * The command line: one class for each command, and what they share. {@code holdfast run} is Java
 * and a shell together; the shell's half is {@code src/main/bash/supervise.bash}.
 */
@NullMarked
package io.holdfast.cli;

import org.jspecify.annotations.NullMarked;
