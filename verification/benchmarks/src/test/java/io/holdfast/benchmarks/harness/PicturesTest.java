// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** What is drawn and said of curves. */
class PicturesTest {

  private static Document parse(String picture) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(picture.getBytes(StandardCharsets.UTF_8)));
  }

  private static Growth growth() {
    Curve flat = new Curve("flat & <even>");
    Curve steep = new Curve("steep");
    for (int size = 1; size <= 10_000; size *= 10) {
      flat.points().put(size, new Metrics().with("a", 50.0).with("b", 0.06));
      steep.points().put(size, new Metrics().with("a", (double) size).with("b", Double.NaN));
    }
    return new Growth("things", List.of("a", "b"), List.of(flat, steep));
  }

  @Test
  void a_picture_of_growth_has_a_line_for_each_cost_of_each_curve_that_was_measured()
      throws Exception {
    NodeList lines = parse(growth().picture("a < b & c")).getElementsByTagName("polyline");
    assertThat(lines.getLength()).isEqualTo(3);
    for (int i = 0; i < lines.getLength(); i++) {
      assertThat(((Element) lines.item(i)).getAttribute("points").split(" ")).hasSize(5);
    }
  }

  @Test
  void every_point_lies_within_the_picture() throws Exception {
    Document picture = parse(growth().picture("title"));
    double width = Double.parseDouble(picture.getDocumentElement().getAttribute("width"));
    double height = Double.parseDouble(picture.getDocumentElement().getAttribute("height"));
    NodeList points = picture.getElementsByTagName("circle");
    assertThat(points.getLength()).isEqualTo(15);
    for (int i = 0; i < points.getLength(); i++) {
      Element point = (Element) points.item(i);
      assertThat(Double.parseDouble(point.getAttribute("cx"))).isBetween(0.0, width);
      assertThat(Double.parseDouble(point.getAttribute("cy"))).isBetween(0.0, height);
    }
  }

  @Test
  void a_picture_of_latencies_has_a_line_for_each_contender() throws Exception {
    Map<String, Metrics> contenders = new LinkedHashMap<>();
    for (int i = 1; i <= 3; i++) {
      Histogram nanos = new Histogram(3);
      nanos.recordValue(1000L * i);
      nanos.recordValue(5_000_000L * i);
      contenders.put("contender " + i, new Metrics().withLatency(nanos));
    }
    Document picture = parse(LinePlot.ofPercentiles("title", contenders));
    assertThat(picture.getElementsByTagName("polyline").getLength()).isEqualTo(3);
  }

  @Test
  void it_is_said_which_curves_are_flat() {
    assertThat(growth().findings())
        .containsExactly(
            "flat & <even>: a: 50.0 at 1, 50.0 at 10,000: flat;"
                + " b: 0.06 at 1, 0.06 at 10,000: flat.",
            "steep: a: 1.00 at 1, 10,000 at 10,000: grows to 10,000 times; b: not measured.");
  }

  @Test
  void a_script_is_recognised_by_its_keys_and_arguments() {
    assertThat(ScriptTimes.kind(words(6, 4))).isEqualTo("acquire");
    assertThat(ScriptTimes.kind(words(6, 2))).isEqualTo("release");
    assertThat(ScriptTimes.kind(words(9, 13))).isEqualTo("acquire");
    assertThat(ScriptTimes.kind(words(6, 3))).isEqualTo("release");
    assertThat(ScriptTimes.kind(words(3, 4))).isEqualTo("renew");
    assertThat(ScriptTimes.kind(words(3, 6))).isEqualTo("renew");
    assertThat(ScriptTimes.kind(words(7, 4))).isEqualTo("other");
    List<String> cut = new ArrayList<>(words(200, 400).subList(0, 31));
    cut.add("... (572 more arguments)");
    assertThat(ScriptTimes.kind(cut)).isEqualTo("renew");
  }

  private static List<String> words(int keys, int arguments) {
    List<String> words = new ArrayList<>(List.of("EVALSHA", "digest", keys + ""));
    for (int i = 0; i < keys + arguments; i++) {
      words.add("word");
    }
    return words;
  }
}
