// SPDX-License-Identifier: Apache-2.0

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Prints JUnit's reports as a specification, then the slowest classes, then what did not run or
 * failed, then the totals.
 *
 * <p>A test that was skipped must say why: "not claimed: …" if its backend does not promise this,
 * "could not run here: …" if the machine lacks something. Any other reason is a failure, and so is
 * a test that never ended, a test class that should have run and is in no report, and a run without
 * tests.
 */
final class Report {
  enum Outcome {
    PASSED("✓"),
    NOT_CLAIMED("–"),
    COULD_NOT_RUN("?"),
    FAILED("✗");

    final String mark;

    Outcome(String mark) {
      this.mark = mark;
    }
  }

  /** A test, or a group of tests. */
  static final class Node {
    final String name;
    final String path;
    final List<Node> children = new ArrayList<>();
    String id = "";
    boolean isTest;
    boolean ended;
    Outcome outcome = Outcome.FAILED;
    String reason = "it began and never ended";
    Instant began = Instant.EPOCH;
    Duration time = Duration.ZERO;

    Node(String name, String path) {
      this.name = name;
      this.path = path;
    }

    /** A group counts if it ended badly itself, for then tests in it were not begun. */
    boolean counts() {
      return isTest || (outcome != Outcome.PASSED && (ended || children.isEmpty()));
    }

    /** One method, run many times: a parameterized test, or a factory of tests. */
    boolean isRepeated() {
      return id.matches(".*/\\[test-(template|factory):[^/]*");
    }

    boolean isClass() {
      return id.matches("\\[engine:[^/]*/\\[class:[^/]*");
    }

    /** The name of the test class, with its package. */
    String className() {
      return id.replaceFirst(".*\\[class:", "").replaceFirst("]$", "");
    }

    Stream<Node> all() {
      return Stream.concat(Stream.of(this), children.stream().flatMap(Node::all));
    }
  }

  private static final PrintStream out =
      new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);

  /**
   * Takes "yes" if Maven was content with the build, else "no"; "all" if every test of the modules
   * should have run, else "some"; and the modules: "core", or "core:io/holdfast" for the tests in a
   * package and below.
   */
  public static void main(String[] args) throws IOException {
    boolean built = args[0].equals("yes");
    List<Node> roots = new ArrayList<>();
    for (Path file : reports()) {
      roots.addAll(read(file));
    }
    List<Node> counted = roots.stream().flatMap(Node::all).filter(Node::counts).toList();
    List<Node> classes = roots.stream().flatMap(Node::all).filter(Node::isClass).toList();
    List<String> missing = new ArrayList<>();
    if (args[1].equals("all")) {
      for (String module : List.of(args).subList(2, args.length)) {
        missing.addAll(missing(module, classes));
      }
    }
    long passed = count(counted, Outcome.PASSED);
    long notClaimed = count(counted, Outcome.NOT_CLAIMED);
    long couldNotRun = count(counted, Outcome.COULD_NOT_RUN);
    long failed = count(counted, Outcome.FAILED);

    roots.forEach(root -> root.children.forEach(Report::printClass));
    printSlowest(classes);
    printList("Could not run here:", counted, Outcome.COULD_NOT_RUN);
    printList("Failed:", counted, Outcome.FAILED);
    if (!missing.isEmpty()) {
      out.println();
      out.println("Did not run:");
      missing.forEach(what -> out.println("  " + what));
    }
    out.println();
    if (!built) {
      out.println("The build failed, for the reason that Maven gives above.");
    }
    if (counted.isEmpty()) {
      out.println("No test ran.");
    }
    out.printf("%d not claimed, %d could not run here%n", notClaimed, couldNotRun);
    out.printf("%d passed, %d failed, %d skipped%n", passed, failed, notClaimed + couldNotRun);
    boolean complete = built && missing.isEmpty() && !counted.isEmpty();
    System.exit(complete && failed == 0 ? 0 : 1);
  }

  /** The test classes of a module that are in no report; or the module, if none of them is. */
  private static List<String> missing(String module, List<Node> classes) throws IOException {
    String[] parts = module.split(":");
    Path sources = Path.of(parts[0], "src", "test", "java");
    if (!Files.exists(sources)) {
      return List.of();
    }
    List<String> packages = List.of(parts).subList(1, parts.length);
    List<String> expected = new ArrayList<>();
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : files.filter(path -> path.toString().endsWith("Test.java")).toList()) {
        String name = sources.relativize(file).toString().replace('\\', '/');
        boolean isSelected = packages.isEmpty() || packages.stream().anyMatch(name::startsWith);
        if (isSelected && !Files.readString(file).contains("\nabstract class ")) {
          expected.add(name.replaceFirst("\\.java$", "").replace('/', '.'));
        }
      }
    }
    List<String> missing = new ArrayList<>(expected);
    missing.removeAll(classes.stream().map(Node::className).toList());
    if (!missing.isEmpty() && missing.size() == expected.size()) {
      return List.of(parts[0] + " (test classes: " + missing.size() + ")");
    }
    return missing.stream().sorted().map(name -> parts[0] + ", " + name).toList();
  }

  private static void printSlowest(List<Node> classes) {
    out.println();
    out.println("Slowest classes:");
    classes.stream()
        .sorted(Comparator.comparing((Node node) -> node.time).reversed())
        .limit(10)
        .forEach(node -> out.printf("%5d s  %s%n", node.time.toSeconds(), node.className()));
  }

  private static List<Path> reports() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("."))) {
      return files.filter(file -> file.endsWith("open-test-report.xml")).sorted().toList();
    }
  }

  /** Reads one report: a list of events, which breaks off if the JVM that wrote it died. */
  private static List<Node> read(Path file) throws IOException {
    List<Node> roots = new ArrayList<>();
    Map<String, Node> nodes = new HashMap<>();
    Node node = null;
    try (InputStream in = Files.newInputStream(file)) {
      XMLStreamReader xml = XMLInputFactory.newFactory().createXMLStreamReader(in);
      while (xml.hasNext()) {
        if (xml.next() != XMLStreamReader.START_ELEMENT) {
          continue;
        }
        switch (xml.getLocalName()) {
          case "started" -> {
            String name = xml.getAttributeValue(null, "name");
            Node parent = nodes.get(xml.getAttributeValue(null, "parentId"));
            node = new Node(name, path(parent, name));
            (parent == null ? roots : parent.children).add(node);
            node.began = Instant.parse(xml.getAttributeValue(null, "time"));
            nodes.put(xml.getAttributeValue(null, "id"), node);
          }
          case "finished" -> {
            node = nodes.get(xml.getAttributeValue(null, "id"));
            Instant ended = Instant.parse(xml.getAttributeValue(null, "time"));
            node.time = Duration.between(node.began, ended);
          }
          case "uniqueId" -> node.id = xml.getElementText();
          case "type" -> node.isTest = !xml.getElementText().equals("CONTAINER");
          case "result" -> end(node, xml.getAttributeValue(null, "status"));
          case "reason", "throwable" -> explain(node, xml.getElementText());
          default -> {}
        }
      }
    } catch (XMLStreamException e) {
      Node died = new Node(file.toString(), file.toString());
      died.reason = "the report breaks off: the JVM that ran the tests died";
      roots.add(died);
    }
    return roots;
  }

  private static String path(Node parent, String name) {
    boolean isEngine = parent == null;
    boolean isClass = !isEngine && parent.path.isEmpty();
    return isEngine ? "" : isClass ? name : parent.path + " > " + name;
  }

  private static void end(Node node, String status) {
    node.ended = true;
    node.outcome = status.equals("SUCCESSFUL") ? Outcome.PASSED : Outcome.FAILED;
    node.reason = status.toLowerCase(Locale.ROOT);
  }

  private static void explain(Node node, String text) {
    String message = text.split("\n\tat ", 2)[0].replaceAll("\\s+", " ").strip();
    boolean skipped = !node.reason.equals("failed");
    if (skipped) {
      message = message.replaceFirst("^\\S*TestAbortedException: (Assumption failed: )?", "");
    }
    if (skipped && message.startsWith("not claimed:")) {
      node.outcome = Outcome.NOT_CLAIMED;
    } else if (skipped && message.startsWith("could not run here:")) {
      node.outcome = Outcome.COULD_NOT_RUN;
    } else if (skipped) {
      message = "skipped without a good reason: " + message;
    }
    node.reason = message.length() > 200 ? message.substring(0, 200) + "…" : message;
  }

  private static long count(List<Node> nodes, Outcome outcome) {
    return nodes.stream().filter(node -> node.outcome == outcome).count();
  }

  private static void printClass(Node node) {
    out.println();
    print(node, "");
  }

  private static void print(Node node, String indent) {
    boolean isLeaf = node.counts() || node.isRepeated();
    String text = node.isTest || node.isRepeated() ? node.name : words(node, indent);
    out.println(indent + (isLeaf ? node.outcome.mark + " " : "") + text + remark(node));
    for (Node child : node.children) {
      if (!node.isRepeated() || child.outcome != Outcome.PASSED) {
        print(child, indent + "  ");
      }
    }
  }

  /** MutualExclusion reads "Mutual exclusion"; the test class itself keeps its name. */
  private static String words(Node group, String indent) {
    if (indent.isEmpty()) {
      return group.name;
    }
    String words = group.name.replaceAll("(?<=[a-z])(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
    return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
  }

  private static String remark(Node node) {
    if (node.counts() && node.outcome != Outcome.PASSED) {
      return " (" + node.reason + ")";
    }
    return node.isRepeated() ? " (" + node.children.size() + " cases)" : "";
  }

  private static void printList(String title, List<Node> nodes, Outcome outcome) {
    List<Node> chosen = nodes.stream().filter(node -> node.outcome == outcome).toList();
    if (!chosen.isEmpty()) {
      out.println();
      out.println(title);
      chosen.forEach(node -> out.println("  " + node.path + ": " + node.reason));
    }
  }
}
