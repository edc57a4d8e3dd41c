// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import java.util.List;

/** The reply of a script that was carried out, and whether replicas have what it wrote. */
record Acknowledged(List<Object> reply, Acknowledgement acknowledgement) {

  boolean byReplicas() {
    return acknowledgement.isEnough();
  }
}
