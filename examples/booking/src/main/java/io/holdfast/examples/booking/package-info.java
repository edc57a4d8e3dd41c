// SPDX-License-Identifier: Apache-2.0
/**
 * A booking service in several processes that share the tables of one restaurant. {@code
 * BookingService} is what a user of Holdfast writes; the other classes stage the story.
 */
@NullMarked
package io.holdfast.examples.booking;

import org.jspecify.annotations.NullMarked;
