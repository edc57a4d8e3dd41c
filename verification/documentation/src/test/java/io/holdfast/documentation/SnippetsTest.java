// SPDX-License-Identifier: Apache-2.0
package io.holdfast.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the documentation shows compiles, and what it links to exists. */
class SnippetsTest {
  private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();
  private static final Pattern JAVA = Pattern.compile("(?ms)^```java\n(.*?)^```$");
  private static final Pattern LINK = Pattern.compile("\\]\\((?!http)([^)#]+)(#[^)]*)?\\)");

  /** What a reader of a snippet takes for granted. */
  private static final String AROUND =
      """
      import io.holdfast.*;
      import io.holdfast.jdbc.*;
      import io.holdfast.jobs.*;
      import io.holdfast.postgresql.*;
      import io.holdfast.redis.*;
      import io.holdfast.spi.*;
      import io.holdfast.testkit.*;
      import java.sql.*;
      import java.time.*;
      import java.util.*;
      import java.util.concurrent.*;
      import javax.sql.DataSource;

      abstract class Snippet {
        record Booking() {}
        String guest;
        Holdfast holdfast;
        DistributedLock lock;
        Lease lease;
        DataSource dataSource;
        Connection connection;
        Jobs jobs;
        abstract Booking book(String guest, FencingToken token);
        abstract void stopWorking(LossCause cause);
        abstract boolean moreToDo();
        abstract void writeNext(FencingToken token);
        abstract void transfer(FencingToken from, FencingToken to);
        abstract void runJobs(FencingToken token);
        abstract void send(String payload);
        JobHandler handler;
        abstract boolean isOpen(String payload);
        abstract boolean exists(String payload);
        abstract boolean isCurrent(String payload);
        abstract long readComputeAndWrite(Connection connection) throws SQLException;
      %s
      }
      """;

  @TempDir Path classes;

  record Snippet(String place, String code) {
    @Override
    public String toString() {
      return place;
    }
  }

  static List<Snippet> snippets() throws IOException {
    List<Snippet> snippets = new ArrayList<>();
    for (Path page : pages()) {
      String text = Files.readString(page);
      Matcher matcher = JAVA.matcher(text);
      while (matcher.find()) {
        long line = text.substring(0, matcher.start()).lines().count() + 1;
        snippets.add(new Snippet(ROOT.relativize(page) + ":" + line, matcher.group(1)));
      }
    }
    return snippets;
  }

  static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    try (Stream<Path> top = Files.list(ROOT);
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      Stream.concat(top, docs).filter(path -> path.toString().endsWith(".md")).forEach(pages::add);
    }
    return pages;
  }

  @ParameterizedTest
  @MethodSource("snippets")
  void every_snippet_compiles(Snippet snippet) throws IOException {
    boolean isType = snippet.code.startsWith("class ");
    String members =
        isType ? snippet.code : "void snippet() throws Exception {\n" + snippet.code + "\n}";
    assertThat(errorsIn(AROUND.formatted(members))).as(snippet.code).isEmpty();
  }

  @Test
  void a_snippet_with_a_mistake_would_be_noticed() throws IOException {
    assertThat(errorsIn(AROUND.formatted("void snippet() { lock.acquier(); }"))).hasSize(1);
  }

  @ParameterizedTest
  @MethodSource("pages")
  void every_link_leads_to_a_file_that_exists(Path page) throws IOException {
    Matcher matcher = LINK.matcher(Files.readString(page));
    while (matcher.find()) {
      assertThat(page.resolveSibling(matcher.group(1)).normalize()).exists();
    }
  }

  private List<String> errorsIn(String code) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    List<String> options = List.of("-proc:none", "-d", classes.toString());
    try (var files = compiler.getStandardFileManager(found, null, StandardCharsets.UTF_8)) {
      compiler.getTask(null, files, found, options, null, List.of(new Source(code))).call();
    }
    return found.getDiagnostics().stream()
        .filter(diagnostic -> diagnostic.getKind() == javax.tools.Diagnostic.Kind.ERROR)
        .map(Object::toString)
        .toList();
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String code;

    Source(String code) {
      super(URI.create("string:///Snippet.java"), Kind.SOURCE);
      this.code = code;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return code;
    }
  }
}
