// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which of the nodes' views of a cluster counts. */
@Tag("redis")
class ClusterSurveyTest {
  private static final HostAndPort ONE = new HostAndPort("one", 1);
  private static final HostAndPort OTHER = new HostAndPort("other", 2);

  private final Map<HostAndPort, CompletableFuture<ClusterView>> asked = new HashMap<>();
  private final List<ClusterView> used = new ArrayList<>();

  private CompletableFuture<ClusterView> ask(long epochInUse, HostAndPort... trusted) {
    return new ClusterSurvey(this::read, epochInUse, Set.of(trusted), used::add)
        .ask(List.of(ONE, OTHER));
  }

  private CompletableFuture<ClusterView> read(HostAndPort place) {
    return asked.computeIfAbsent(place, unused -> new CompletableFuture<>());
  }

  /** A node says that it has all slots. */
  private ClusterView answer(HostAndPort place, long epoch) {
    ClusterView view = new ClusterView(epoch, List.of(new ClusterView.Range(0, 16_383, place)));
    read(place).complete(view);
    return view;
  }

  @Test
  void of_two_views_of_one_epoch_the_first_counts() {
    CompletableFuture<ClusterView> found = ask(0);
    ClusterView first = answer(ONE, 7);
    answer(OTHER, 7);
    assertThat(found).isCompletedWithValue(first);
    assertThat(used).containsExactly(first);
  }

  @Test
  void of_two_views_of_one_epoch_that_of_a_node_to_which_a_redirection_led_counts() {
    CompletableFuture<ClusterView> found = ask(7, OTHER);
    ClusterView first = answer(ONE, 7);
    ClusterView trusted = answer(OTHER, 7);
    assertThat(found).isCompletedWithValue(trusted);
    assertThat(used).containsExactly(first, trusted);
  }

  @Test
  void it_counts_if_it_comes_first_as_well() {
    CompletableFuture<ClusterView> found = ask(7, OTHER);
    ClusterView trusted = answer(OTHER, 7);
    answer(ONE, 7);
    assertThat(found).isCompletedWithValue(trusted);
    assertThat(used).containsExactly(trusted);
  }

  @Test
  void a_newer_view_counts_though_no_redirection_led_to_its_node() {
    CompletableFuture<ClusterView> found = ask(0, ONE);
    ClusterView first = answer(ONE, 7);
    ClusterView newer = answer(OTHER, 8);
    assertThat(found).isCompletedWithValue(newer);
    assertThat(used).containsExactly(first, newer);
  }

  @Test
  void an_older_view_does_not_count_though_a_redirection_led_to_its_node() {
    CompletableFuture<ClusterView> found = ask(8, OTHER);
    ClusterView inUse = answer(ONE, 8);
    answer(OTHER, 7);
    assertThat(found).isCompletedWithValue(inUse);
    assertThat(used).containsExactly(inUse);
  }
}
