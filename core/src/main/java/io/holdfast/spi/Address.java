// SPDX-License-Identifier: Apache-2.0
package io.holdfast.spi;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a store is: {@code scheme:rest}, of which the rest is {@code //user:password@hosts/path} or
 * a plain path, and may end in {@code ?parameters}; or other addresses, joined by commas. Parsed
 * here, because the exceptions of {@code java.net.URI} print the whole address, password included;
 * nothing that this class prints or throws contains a secret.
 */
public final class Address {
  private static final Pattern NESTED = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+://");

  /** Passwords and lists of hosts contain commas: one ends a part if an address follows it. */
  private static final Pattern BETWEEN_NESTED =
      Pattern.compile(",(?=[A-Za-z][A-Za-z0-9+.-]+://|\\?)");

  private final String scheme;
  private final @Nullable String user;
  private final @Nullable String password;
  private final String hosts;
  private final String path;
  private final Map<String, String> parameters;
  private final List<String> parts;

  private Address(
      String scheme,
      @Nullable String user,
      @Nullable String password,
      String hosts,
      String path,
      Map<String, String> parameters,
      List<String> parts) {
    this.scheme = scheme;
    this.user = user;
    this.password = password;
    this.hosts = hosts;
    this.path = path;
    this.parameters = parameters;
    this.parts = parts;
  }

  /**
   * Reads an address.
   *
   * @throws IllegalArgumentException if it has no scheme, or its parameters are malformed
   */
  public static Address parse(String text) {
    int colon = text.indexOf(':');
    if (colon <= 0 || !text.substring(0, colon).matches("[A-Za-z][A-Za-z0-9+.-]*")) {
      throw new IllegalArgumentException(
          "an address begins with a scheme and a colon, as in 'redis://host:6379' or 'file:'");
    }
    String scheme = text.substring(0, colon).toLowerCase(Locale.ROOT);
    String rest = text.substring(colon + 1);
    if (NESTED.matcher(rest).lookingAt()) {
      return compound(scheme, rest);
    }
    int question = rest.indexOf('?');
    Map<String, String> parameters =
        question < 0 ? Map.of() : parameters(rest.substring(question + 1));
    String place = question < 0 ? rest : rest.substring(0, question);
    if (!place.startsWith("//")) {
      return new Address(scheme, null, null, "", decode(place), parameters, List.of());
    }
    return authority(scheme, place.substring(2), parameters);
  }

  private static Address authority(String scheme, String place, Map<String, String> parameters) {
    // The last '@' before the path ends the credentials: passwords contain '@' and '/' in real
    // life.
    int at = place.lastIndexOf('@');
    String credentials = at < 0 ? "" : place.substring(0, at);
    String target = place.substring(at + 1);
    int slash = target.indexOf('/');
    String hosts = slash < 0 ? target : target.substring(0, slash);
    String path = slash < 0 ? "" : decode(target.substring(slash));
    int colon = credentials.indexOf(':');
    String user = colon < 0 ? credentials : credentials.substring(0, colon);
    String password = colon < 0 ? "" : credentials.substring(colon + 1);
    return new Address(
        scheme,
        user.isEmpty() ? null : decode(user),
        password.isEmpty() ? null : decode(password),
        hosts,
        path,
        parameters,
        List.of());
  }

  private static Address compound(String scheme, String rest) {
    List<String> parts = new ArrayList<>(List.of(BETWEEN_NESTED.split(rest)));
    String last = parts.get(parts.size() - 1);
    Map<String, String> parameters = Map.of();
    if (last.startsWith("?")) {
      parameters = parameters(last.substring(1));
      parts.remove(parts.size() - 1);
    }
    return new Address(scheme, null, null, "", "", parameters, List.copyOf(parts));
  }

  private static Map<String, String> parameters(String query) {
    // Or the '?' stands in a password, and the rest of it would be taken for parameters.
    if (query.contains("@")) {
      throw new IllegalArgumentException(
          "an address has no '@' behind a '?': write '?' in a password as %3F, and '@' in a"
              + " parameter as %40");
    }
    Map<String, String> parameters = new LinkedHashMap<>();
    for (String pair : query.split("&", -1)) {
      int equals = pair.indexOf('=');
      if (equals <= 0) {
        throw new IllegalArgumentException(
            "the parameters of an address are name=value pairs joined by '&'");
      }
      parameters.put(decode(pair.substring(0, equals)), decode(pair.substring(equals + 1)));
    }
    return parameters;
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException malformed) {
      // Without its cause: that message quotes the text, and the text may be a password.
      throw new IllegalArgumentException(
          "a '%' in an address is followed by two hexadecimal digits; write '%' itself as %25");
    }
  }

  /** What stands before the first colon, in lower case. */
  public String scheme() {
    return scheme;
  }

  /** The user, if any. */
  public Optional<String> user() {
    return Optional.ofNullable(user);
  }

  /** The password, if any. */
  public Optional<String> password() {
    return Optional.ofNullable(password);
  }

  /** What stands between the credentials and the path: a host and port, or several with commas. */
  public String hosts() {
    return hosts;
  }

  /** The path; with its leading slash after a host, or all that follows the scheme without one. */
  public String path() {
    return path;
  }

  /**
   * The addresses that this one is made of, as in {@code quorum:redis://a,redis://b?timeout=1s};
   * each has credentials and parameters of its own, and a last {@code ,?name=value} has those of
   * the whole.
   */
  public List<Address> parts() {
    return parts.stream().map(Address::parse).toList();
  }

  /** One of the parameters. */
  public Optional<String> parameter(String name) {
    return Optional.ofNullable(parameters.get(name));
  }

  /**
   * Refuses parameters that the backend does not know: a misspelt setting must not pass silently.
   *
   * @throws IllegalArgumentException if there is one; it names the parameter and those that exist
   */
  public void requireOnly(Set<String> known) {
    for (String name : parameters.keySet()) {
      if (!known.contains(name)) {
        throw new IllegalArgumentException(
            "the address of a " + scheme + " store has no parameter '" + name + "', only " + known);
      }
    }
  }

  /** The address without credentials and parameters. */
  @Override
  public String toString() {
    if (!parts.isEmpty()) {
      return scheme + ":" + String.join(",", parts().stream().map(Address::toString).toList());
    }
    return hosts.isEmpty() ? scheme + ":" + path : scheme + "://" + hosts + path;
  }
}
