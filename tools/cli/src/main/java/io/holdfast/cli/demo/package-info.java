// SPDX-License-Identifier: Apache-2.0
/**
 * The demo: a booking service in several processes that share the tables of one restaurant. {@code
 * BookingService} is what a user of Holdfast writes; the other classes stage the story.
 */
@NullMarked
package io.holdfast.cli.demo;

import org.jspecify.annotations.NullMarked;
