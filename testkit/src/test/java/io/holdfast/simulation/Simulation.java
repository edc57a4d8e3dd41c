// SPDX-License-Identifier: Apache-2.0
package io.holdfast.simulation;

import io.holdfast.Holdfast;
import io.holdfast.internal.Inside;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One seed, from beginning to end. Users use locks for a while, and things go wrong; then nothing
 * goes wrong any more, users come to their end, and some clients close with things under way. When
 * nothing happens any more, nothing must be left.
 */
final class Simulation {
  /**
   * How it went.
   *
   * @param failure the property that did not hold, if any
   * @param hash of all that happened
   */
  record Outcome(@Nullable String failure, long hash, List<String> trace) {}

  /** One client and what belongs to it. */
  private record Party(
      Client client, SimulatedBackend backend, Holdfast holdfast, List<User> users) {}

  private final World world;
  private final Network network;
  private final Watch watch;
  private final Store store;
  private final List<Party> parties = new ArrayList<>();
  private final Map<String, Client> clients = new TreeMap<>();
  private final Set<Client> closedInTrouble = new LinkedHashSet<>();
  private final List<String> names;
  private final Defects defects;

  private Simulation(long seed, Mutant mutant, Defects defects) {
    this.world = new World(seed);
    this.defects = defects;
    this.watch = new Watch(world);
    this.network = new Network(world, Conditions.drawn(world));
    this.store = new Store(world, network, watch, mutant);
    this.names = List.of("a", "b", "s").subList(0, (int) world.between(1, 3));
    world.note("seed", seed + " " + network.conditions());
  }

  static Outcome run(long seed, Mutant mutant) {
    try (Defects defects = Defects.collected()) {
      Simulation simulation = new Simulation(seed, mutant, defects);
      simulation.run();
      World world = simulation.world;
      Outcome outcome = new Outcome(world.failure(), world.hash(), world.trace());
      simulation.parties.forEach(simulation::bury);
      return outcome;
    }
  }

  private void run() {
    long active = world.about(World.millis(500), World.millis(8_000));
    long clientCount = world.between(2, 5);
    for (int i = 1; i <= clientCount; i++) {
      begin("client " + i);
    }
    misfortune(active);
    world.after(active, this::settleDown);
    Duration longest = User.LONGEST_LEASE.plus(User.LONGEST_WAIT).plusSeconds(30);
    long limit = active + longest.toNanos();
    while (world.failure() == null && world.step()) {
      watch.check(store.table());
      defects.reportTo(world);
      if (world.now() > limit) {
        world.fail("things go on long after everybody has come to an end" + left());
      }
    }
    if (world.failure() == null) {
      end();
    }
  }

  private void begin(String name) {
    Client client = new Client(world, name);
    SimulatedBackend backend = new SimulatedBackend(client, store);
    Conditions conditions = network.conditions();
    SplittableRandom random = world.branch();
    Holdfast holdfast =
        Holdfast.builder(backend)
            .time(client)
            .random(random)
            .callbacks(client.callbacks())
            .shutdownHook(false)
            .application("simulation")
            .leaseTime(Duration.ofSeconds(1))
            .pacing(Duration.ofMillis(20), conditions.longestPoll())
            .localPasses(conditions.passes(), conditions.passTime())
            .listener(watch.listener(client))
            .build();
    List<User> users = new ArrayList<>();
    for (long i = world.between(1, 3); i > 0; i--) {
      users.add(new User(world, client, holdfast, watch, names, conditions));
    }
    users.forEach(User::start);
    parties.add(new Party(client, backend, holdfast, users));
    clients.put(backend.process(), client);
  }

  private void misfortune(long active) {
    for (long i = network.conditions().misfortunes(); i > 0; i--) {
      Party party = world.pick(parties);
      world.after(world.between(0, active), () -> strike(party));
    }
  }

  private void strike(Party party) {
    switch ((int) world.between(0, 9)) {
      case 0, 1, 2 -> party.client.freeze(world.about(World.millis(10), World.millis(15_000)));
      case 3, 4 -> party.client.setWall(world.between(-World.millis(5_000), World.millis(5_000)));
      case 5, 6 -> network.fail(world.about(World.millis(100), World.millis(8_000)));
      case 7 -> close(party);
      case 8 -> party.client.die();
      default -> world.note("world", "nothing happens");
    }
  }

  private void close(Party party) {
    party.client.post(
        0,
        () -> {
          party.client.note("closes");
          if (!network.isCalm()) {
            closedInTrouble.add(party.client);
          }
          party.users.forEach(User::stop);
          party.client.block(party.holdfast::close);
        });
  }

  /** From now on nothing goes wrong, and nobody begins anything new. */
  private void settleDown() {
    world.note("world", "calms down");
    network.calmDown();
    for (Party party : parties) {
      if (world.chance(0.3)) {
        close(party);
      }
      party.users.forEach(User::stop);
    }
  }

  private void end() {
    for (Party party : parties) {
      String left = party.client.isDead() ? "" : Inside.leftOver(party.holdfast);
      if (!left.isEmpty()) {
        world.fail("at the end " + party.client.name() + " has " + left);
      }
    }
    watch.checkEnd(clients);
    for (ReferenceStore.Row row : store.table().rows()) {
      Client client = clients.get(row.holder.process());
      if (client != null && !client.isDead() && !closedInTrouble.contains(client)) {
        world.fail("at the end the store keeps: " + row + " of " + client.name());
      }
    }
    world.pass(User.LONGEST_LEASE.toNanos());
    if (!store.table().rows().isEmpty()) {
      world.fail("the dead stay in the store: " + store.table().rows());
    }
  }

  private String left() {
    StringBuilder left = new StringBuilder();
    for (Party party : parties) {
      left.append("; ").append(party.client.name()).append(" has ");
      left.append(Inside.leftOver(party.holdfast));
    }
    return left.toString();
  }

  /** Threads of calls that a failure or a death has cut short must end. */
  private void bury(Party party) {
    party.client.bury(party.backend::bury);
  }
}
