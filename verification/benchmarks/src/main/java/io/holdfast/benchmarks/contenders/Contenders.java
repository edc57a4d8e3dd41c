// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.contenders;

import io.holdfast.benchmarks.contenders.RedissonContender.Kind;
import io.holdfast.benchmarks.harness.Contender;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** Everybody who locks in Redis. */
public final class Contenders {
  private Contenders() {}

  /** Those who can do without waiting. */
  public static List<Contender> all() {
    return List.of(
        HoldfastContender.redis(),
        HoldfastContender.queueing(),
        HoldfastContender.withoutPasses(),
        new RedissonContender(Kind.LOCK),
        new RedissonContender(Kind.FAIR),
        new RedissonContender(Kind.FENCED),
        new RedissonContender(Kind.SPIN),
        new SpringContender(RedisLockType.SPIN_LOCK),
        new SpringContender(RedisLockType.PUB_SUB_LOCK),
        new ShedLockContender(),
        new LettuceContender(),
        new JedisContender());
  }

  /** The contender of this name, for a process of its own. */
  public static Contender named(String name) {
    return Stream.concat(all().stream(), Stream.of(new AloneContender()))
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no contender '" + name + "'"));
  }

  /** By their names. */
  public static Map<String, Contender> byName(List<Contender> contenders) {
    Map<String, Contender> map = new LinkedHashMap<>();
    contenders.forEach(each -> map.put(each.name(), each));
    return map;
  }
}
