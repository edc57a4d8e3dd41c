// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli.demo;

/**
 * How a scene ended.
 *
 * @param scene what was tried
 * @param expected what should have been seen
 * @param seen what was seen
 * @param held whether that is what was expected
 * @param timeline what happened when; empty where thousands of things did
 */
public record Verdict(
    String scene, String expected, String seen, boolean held, Timeline timeline) {}
