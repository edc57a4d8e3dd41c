// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * An authority of one's own that issues certificates to test servers, with the JDK's {@code
 * keytool}. Its files are in a directory of the caller's.
 */
public final class TestAuthority {
  private static final String PASSWORD = "for-a-test";
  private static final String SELF = "authority";

  private final Path directory;
  private final Path store;
  private int issued;

  /**
   * A certificate and its private key, as files in the PEM format.
   *
   * @param certificate its own
   * @param key its private key
   * @param authority that of the authority that issued it
   */
  public record Issued(Path certificate, Path key, Path authority) {

    /** The options of a Redis server that also listens with TLS, on this port. */
    public String[] serverOptions(int port) {
      List<String> options = new ArrayList<>(List.of("--tls-port", Integer.toString(port)));
      options.addAll(List.of("--tls-cert-file", certificate.toString()));
      options.addAll(List.of("--tls-key-file", key.toString()));
      options.addAll(List.of("--tls-ca-cert-file", authority.toString()));
      options.addAll(List.of("--tls-auth-clients", "no"));
      return options.toArray(String[]::new);
    }
  }

  /** Makes an authority that keeps its files in this directory. */
  public TestAuthority(Path directory) {
    this.directory = directory;
    this.store = directory.resolve("authority.p12");
    keytool(SELF, "-dname", "CN=" + directory.getFileName(), "-ext", "bc:c");
    write(certificate(), "CERTIFICATE", entry(SELF, false));
  }

  /** The certificate of the authority itself: what a client has to trust. */
  public Path certificate() {
    return directory.resolve("authority.pem");
  }

  /**
   * Issues a certificate.
   *
   * @param names for which hosts, such as {@code dns:localhost,ip:127.0.0.1}
   */
  public Issued issue(String names) {
    issued++;
    String alias = "server-" + issued;
    keytool(alias, "-dname", "CN=" + alias, "-signer", SELF, "-ext", "san=" + names);
    Path certificate = directory.resolve(alias + ".pem");
    Path key = directory.resolve(alias + ".key");
    write(certificate, "CERTIFICATE", entry(alias, false));
    write(key, "PRIVATE KEY", entry(alias, true));
    return new Issued(certificate, key, certificate());
  }

  private void keytool(String alias, String... options) {
    Path tool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    List<String> command = new ArrayList<>(List.of(tool.toString(), "-genkeypair"));
    command.addAll(List.of("-alias", alias, "-keyalg", "EC", "-groupname", "secp256r1"));
    command.addAll(List.of("-validity", "2", "-storetype", "PKCS12", "-storepass", PASSWORD));
    command.addAll(List.of("-keystore", store.toString()));
    command.addAll(List.of(options));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IllegalStateException("keytool failed: " + said);
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", interrupted);
    }
  }

  private byte[] entry(String alias, boolean key) {
    try (InputStream in = Files.newInputStream(store)) {
      KeyStore known = KeyStore.getInstance("PKCS12");
      known.load(in, PASSWORD.toCharArray());
      return key
          ? known.getKey(alias, PASSWORD.toCharArray()).getEncoded()
          : known.getCertificate(alias).getEncoded();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (GeneralSecurityException failed) {
      throw new IllegalStateException(failed);
    }
  }

  private static void write(Path file, String what, byte[] bytes) {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    try {
      Files.writeString(
          file, "-----BEGIN " + what + "-----\n" + body + "\n-----END " + what + "-----\n");
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
