// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

/**
 * Who asks: what people want to know of a holder when they look at a lock.
 *
 * @param process the random id of one {@link Holdfast}, part of every {@link Holder} it makes
 * @param host the name of the machine
 * @param pid the operating system's process id
 * @param application what the application calls itself
 */
public record Origin(String process, String host, long pid, String application) {}
