// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.quorum.QuorumSettings.Founding;
import io.holdfast.spi.Address;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import java.util.ArrayList;
import java.util.List;

/**
 * What an operator does with the members of a quorum, once each: founds it, and changes them. Each
 * blocks until it is done, and may be repeated if it fails.
 */
public final class QuorumMembers {
  private static final QuorumListener NOBODY = new QuorumListener() {};

  private QuorumMembers() {}

  /**
   * Makes members of nodes that are new, so that locks are granted at once. Without it, the first
   * client makes them members, and they rest for the longest lease time before the first grant:
   * nodes that are new look like nodes that have all lost their data.
   *
   * @throws BackendException if they are members already, or do not all answer
   */
  public static void found(String address) {
    Address parsed = Address.parse(address);
    QuorumBackend backend =
        new QuorumBackend(
            stores(parsed), QuorumSettings.of(parsed).withFounding(Founding.AT_ONCE), NOBODY);
    Holdfast client = Holdfast.builder(backend).shutdownHook(false).build();
    try {
      if (!backend.hasFounded()) {
        throw BackendException.refused(
            "a quorum is founded once, and nodes of " + parsed + " are members already", null);
      }
    } finally {
      client.close();
    }
  }

  /**
   * Replaces, adds or removes nodes. It takes the longest lease time and a little more. Meanwhile
   * and afterwards clients may use either address, as long as it names a majority of the members.
   *
   * @param from the address with the members that there are
   * @param to the address with those that are to be; a majority of them must be members already
   * @throws BackendException if it cannot be done, or could not be completed: then repeat it
   */
  public static void change(String from, String to) {
    Address target = Address.parse(to);
    List<LockBackend> all = new ArrayList<>(stores(target));
    List<String> members = all.stream().map(Object::toString).toList();
    for (LockBackend store : stores(Address.parse(from))) {
      if (!members.contains(store.toString())) {
        all.add(store);
      }
    }
    QuorumBackend backend = new QuorumBackend(all, QuorumSettings.of(target), NOBODY);
    Holdfast client = Holdfast.builder(backend).shutdownHook(false).build();
    try {
      backend.membershipChange().to(members);
    } finally {
      client.close();
    }
  }

  private static List<LockBackend> stores(Address address) {
    List<LockBackend> stores = new ArrayList<>();
    address.parts().forEach(part -> stores.add(BackendProvider.backendAt(part)));
    return stores;
  }
}
