// SPDX-License-Identifier: Apache-2.0
package io.holdfast.spi;

import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;

/** Opens the backend of an address; found by {@link java.util.ServiceLoader}. */
public interface BackendProvider {

  /** The schemes that this provider opens, in lower case and without the colon. */
  Set<String> schemes();

  /**
   * Opens a backend, which core starts next. Need not connect yet.
   *
   * @throws IllegalArgumentException if the address makes no sense; the message names the part and
   *     the rule, and no secret
   */
  LockBackend open(Address address);

  /**
   * Opens the backend of an address, whoever provides it.
   *
   * @throws IllegalArgumentException if the address makes no sense, or no provider has its scheme
   */
  static LockBackend backendAt(String address) {
    return backendAt(Address.parse(address));
  }

  /**
   * Opens the backend of an address that was read before: a part of another, for example.
   *
   * @throws IllegalArgumentException if the address makes no sense, or no provider has its scheme
   */
  static LockBackend backendAt(Address address) {
    Set<String> known = new TreeSet<>();
    for (BackendProvider provider : ServiceLoader.load(BackendProvider.class)) {
      if (provider.schemes().contains(address.scheme())) {
        return provider.open(address);
      }
      known.addAll(provider.schemes());
    }
    throw new IllegalArgumentException(
        "no backend has the scheme '"
            + address.scheme()
            + "'; those present are "
            + known
            + ": is its module on the class path?");
  }
}
