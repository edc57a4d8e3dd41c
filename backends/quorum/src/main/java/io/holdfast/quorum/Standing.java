// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

/** What a node is to its quorum at present. */
enum Standing {
  UNSEEN("has not answered yet"),
  TAKES_PART("takes part"),
  RESTS("gives no votes until every lease is over that it may have forgotten"),
  LOST_ITS_DATA("lost its data and has not joined again"),
  SILENT("does not answer"),
  NOT_A_MEMBER("is not a member of this quorum"),
  UNFIT("cannot be a node");

  private final String words;

  Standing(String words) {
    this.words = words;
  }

  String words() {
    return words;
  }
}
