// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.testkit.servers.RedisServer;
import io.holdfast.testkit.servers.RedisWire;
import java.util.ArrayList;
import java.util.List;

/** Calls the scripts as a client would, on a bare connection. */
final class ScriptBench implements AutoCloseable {
  static final String LATER = "99999999999999";
  static final int LEASE = 60_000;

  private final RedisServer server;
  final RedisWire wire;
  final Keys.LockKeys keys;
  private final List<RedisWire> subscribers = new ArrayList<>();

  ScriptBench(RedisServer server, String name) {
    this.server = server;
    this.wire = server.connect();
    this.keys = new Keys("lock:").of(name);
  }

  /** One acquisition of client {@code c}. */
  record Asker(String holder, String channel, int lease, int passes, String mode) {
    String entry() {
      return holder + " " + channel + " " + lease + " " + passes + " " + mode + " for a test";
    }
  }

  static Asker exclusive(String client) {
    return new Asker(client + "-1", Keys.CHANNEL + client, LEASE, 0, "exclusive");
  }

  static Asker shared(String client) {
    return new Asker(client + "-1", Keys.CHANNEL + client, LEASE, 0, "shared");
  }

  static Asker permits(String client, int count, int limit) {
    String mode = "permits:" + count + "/" + limit;
    return new Asker(client + "-1", Keys.CHANNEL + client, LEASE, 0, mode);
  }

  /** Asks and does not wait. */
  Reply ask(Asker asker) {
    return acquire(asker, LATER, 0, "0");
  }

  /** Asks and waits; its client hears of grants. */
  Reply stand(Asker asker) {
    return acquire(asker, LATER, 10_000, "0");
  }

  Reply acquire(Asker asker, String refuseAfter, int credibleMs, String ticket) {
    List<Object> reply =
        eval(
            Script.ACQUIRE,
            keys.all(),
            asker.entry(),
            refuseAfter,
            Integer.toString(credibleMs),
            ticket);
    return new Reply(reply.size() == 1 ? inFull(asker, reply) : reply);
  }

  /** What the short reply of the usual case stands for. */
  private static List<Object> inFull(Asker asker, List<Object> reply) {
    long micros = Script.number(reply, 0);
    return List.of("GRANTED", micros, micros, micros + asker.passes());
  }

  boolean release(Asker asker) {
    return new Reply(eval(Script.RELEASE, keys.all(), asker.holder(), asker.entry())).number(0)
        == 1;
  }

  long renew(Asker asker) {
    String[] one = {keys.lock()};
    boolean alone = asker.mode().equals("exclusive");
    List<Object> reply =
        eval(
            alone ? Script.RENEW : Script.RENEW_SHARED,
            alone ? one : keys.shared(),
            asker.holder(),
            Integer.toString(asker.lease()));
    return reply.size() == 1 ? 1 : Script.number(reply, 1);
  }

  Reply forceRelease(long token) {
    String[] all = keys.allAndForced();
    return new Reply(
        eval(Script.FORCE_RELEASE, all, Long.toString(token), Keys.CHANNEL, "because", "0"));
  }

  Reply inspect() {
    return new Reply(eval(Script.INSPECT, keys.all(), "0", "999"));
  }

  List<Object> waiting() {
    return inspect().list(6);
  }

  /** Who holds the plain key. */
  Object owner() {
    return wire.call("GET", keys.lock());
  }

  RedisWire listen(Asker asker) {
    RedisWire subscriber = server.connect();
    subscribers.add(subscriber);
    subscriber.call("SUBSCRIBE", asker.channel());
    return subscriber;
  }

  static String message(RedisWire subscriber) {
    return ((List<?>) subscriber.read()).get(2).toString();
  }

  List<Object> eval(Script script, String[] keys, String... arguments) {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("EVAL", script.source(), Integer.toString(keys.length)));
    command.addAll(List.of(keys));
    command.addAll(List.of(arguments));
    List<Object> reply = new ArrayList<>();
    Object answer = wire.call(command.toArray(String[]::new));
    if (answer instanceof List<?> parts) {
      reply.addAll(parts);
    } else {
      reply.add(answer);
    }
    return reply;
  }

  @Override
  public void close() {
    wire.call("FLUSHALL");
    wire.close();
    subscribers.forEach(RedisWire::close);
  }

  /** What a script answered. */
  record Reply(List<Object> parts) {
    String word() {
      return parts.get(0).toString();
    }

    long number(int index) {
      return Long.parseLong(parts.get(index).toString());
    }

    /** The first token of a grant. */
    long token() {
      if (!word().equals("GRANTED")) {
        throw new AssertionError("not granted: " + parts);
      }
      return number(2);
    }

    List<Object> list(int index) {
      List<Object> list = new ArrayList<>();
      ((List<?>) parts.get(index)).forEach(list::add);
      return list;
    }
  }
}
