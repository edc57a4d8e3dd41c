// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.AsyncLock;
import io.holdfast.DistributedLock;
import io.holdfast.Election;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseGroup;
import io.holdfast.LockListener;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** On which thread the code of users runs. A new method of the API needs a case here. */
class UserCodeTest {
  private static final Duration WAIT = Duration.ofMinutes(1);
  private static final String CALLBACKS = "callbacks of the user";

  private final BlockingQueue<String> threads = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
  private final ExecutorService executor =
      Executors.newCachedThreadPool(task -> new Thread(task, CALLBACKS));
  private final ThreadedBackend store = new ThreadedBackend("memory:");
  private final Holdfast holdfast =
      Holdfast.builder(store)
          .callbacks(executor)
          .listener(listener())
          .leaseTime(Duration.ofSeconds(10))
          .shutdownHook(false)
          .build();
  private final DistributedLock lock = holdfast.lock("a");

  @AfterEach
  void close() {
    store.open();
    holdfast.close();
    executor.shutdown();
  }

  @FunctionalInterface
  private interface Case {
    void run(UserCodeTest test) throws Exception;
  }

  /** Every method of the API that returns a stage or takes code, with what makes that code run. */
  private static final Map<String, List<Case>> CASES = new TreeMap<>();

  static {
    CASES.put("AsyncLock.tryAcquire()", asked(AsyncLock::tryAcquire));
    CASES.put("AsyncLock.tryAcquire(Duration)", asked(lock -> lock.tryAcquire(WAIT)));
    CASES.put("AsyncLock.acquire(Duration)", asked(lock -> lock.acquire(WAIT)));
    CASES.put("AsyncLock.call(Duration,Function)", List.of(UserCodeTest::seesACall));
    CASES.put(
        "AsyncLock.release(Lease)",
        List.of(test -> test.seesRelease(false), test -> test.seesRelease(true)));
    CASES.put("Lease.loss()", List.of(UserCodeTest::seesALoss));
    CASES.put("LeaseGroup.loss()", List.of(UserCodeTest::seesALossOfAGroup));
    CASES.put("Election.campaign(Leader)", List.of(UserCodeTest::seesALeader));
    CASES.put("Builder.listener(LockListener)", List.of(UserCodeTest::seesAcquired));
    CASES.put("LockListener.acquired(Acquired)", List.of(UserCodeTest::seesAcquired));
    CASES.put("LockListener.released(Released)", List.of(UserCodeTest::seesReleased));
    CASES.put("LockListener.renewed(Renewed)", List.of(UserCodeTest::seesRenewed));
    CASES.put("LockListener.lost(Lost)", List.of(UserCodeTest::seesLost));
    CASES.put("LockListener.rejected(Rejected)", List.of(UserCodeTest::seesRejected));
    CASES.put("LockListener.shuttingDown(ShuttingDown)", List.of(UserCodeTest::seesShuttingDown));
  }

  /** Work that the caller's own thread does. */
  private static final Set<String> ON_THE_CALLERS_THREAD =
      Set.of(
          "DistributedLock.call(Duration,LeasedCall)", "DistributedLock.run(Duration,LeasedRun)");

  static Set<String> methods() {
    return CASES.keySet();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("methods")
  void runs_on_the_executor_for_callbacks(String method) throws Exception {
    for (Case each : CASES.getOrDefault(method, List.of())) {
      UserCodeTest test = new UserCodeTest();
      try {
        each.run(test);
        assertThat(test.threads.poll(30, TimeUnit.SECONDS)).isEqualTo(CALLBACKS);
        assertThat(test.threads).allMatch(CALLBACKS::equals);
      } finally {
        test.close();
      }
    }
  }

  @Test
  void has_a_case_for_every_method_of_the_api_that_returns_a_stage_or_takes_code() {
    Set<String> known = new TreeSet<>(CASES.keySet());
    known.addAll(ON_THE_CALLERS_THREAD);
    assertThat(methodsThatConcernUserCode()).isEqualTo(known);
  }

  @Test
  void runs_on_a_thread_of_its_own_when_the_executor_refuses_it() throws Exception {
    ThreadedBackend other = new ThreadedBackend("memory:");
    try (Holdfast refusing =
        Holdfast.builder(other)
            .callbacks(
                task -> {
                  throw new RejectedExecutionException("on purpose");
                })
            .shutdownHook(false)
            .build()) {
      other.shut();
      CompletableFuture<String> thread = threadOf(refusing.lock("a").async().acquire(WAIT));
      other.open();
      assertThat(thread.get(30, TimeUnit.SECONDS)).startsWith("holdfast-").doesNotContain("timer");
    }
  }

  /** The same twice: the store grants it, and the store fails. */
  private static List<Case> asked(Function<AsyncLock, CompletionStage<?>> method) {
    Case granted =
        test -> {
          test.store.shut();
          test.sees(method.apply(test.lock.async()));
          test.store.open();
        };
    Case failed =
        test -> {
          test.store.fail();
          granted.run(test);
        };
    return List.of(granted, failed);
  }

  private void seesACall() throws Exception {
    CompletableFuture<String> work = new CompletableFuture<>();
    store.shut();
    CompletableFuture<String> result =
        lock.async()
            .call(
                WAIT,
                lease -> {
                  threads.add(Thread.currentThread().getName());
                  return work;
                });
    store.open();
    assertThat(threads.poll(30, TimeUnit.SECONDS)).isEqualTo(CALLBACKS);
    store.shut();
    sees(result);
    work.complete("done");
    store.open();
  }

  private void seesRelease(boolean fails) throws Exception {
    Lease lease = lock.acquire(WAIT);
    if (fails) {
      store.fail();
    }
    store.shut();
    sees(lock.async().release(lease));
    store.open();
  }

  private void seesALoss() throws Exception {
    Lease lease = lock.acquire(WAIT);
    sees(lease.loss());
    holdfast.forceRelease("a", lease.token(), "test");
  }

  private void seesALossOfAGroup() throws Exception {
    LeaseGroup group = holdfast.acquireAll(List.of("a", "b"), WAIT);
    sees(group.loss());
    holdfast.forceRelease("b", group.lease("b").token(), "test");
  }

  private void seesALeader() throws Exception {
    CountDownLatch led = new CountDownLatch(1);
    Election.Candidacy candidacy =
        holdfast
            .election("a")
            .campaign(
                lease -> {
                  threads.add(Thread.currentThread().getName());
                  led.countDown();
                  new CountDownLatch(1).await();
                });
    assertThat(led.await(30, TimeUnit.SECONDS)).isTrue();
    candidacy.close();
  }

  private void seesAcquired() throws Exception {
    lock.acquire(WAIT);
    hears("acquired");
  }

  private void seesReleased() throws Exception {
    lock.acquire(WAIT).release();
    hears("released");
  }

  private void seesRenewed() throws Exception {
    lock.acquire(WAIT).renew();
    hears("renewed");
  }

  private void seesLost() throws Exception {
    holdfast.forceRelease("a", lock.acquire(WAIT).token(), "test");
    hears("lost");
  }

  private void seesRejected() throws Exception {
    lock.acquire(WAIT);
    lock.tryAcquire();
    hears("rejected");
  }

  private void seesShuttingDown() throws Exception {
    Process child =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "-cp",
                System.getProperty("java.class.path"),
                EndingJvm.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      assertThat(child.waitFor(1, TimeUnit.MINUTES)).isTrue();
      // Its log is there too.
      new String(child.getInputStream().readAllBytes(), UTF_8)
          .lines()
          .filter(line -> line.startsWith("told on "))
          .forEach(line -> threads.add(line.substring("told on ".length())));
    } finally {
      child.destroyForcibly();
    }
  }

  /** Ends its JVM while it holds a lock, which its listener releases: the shutdown waits for it. */
  static final class EndingJvm {
    private EndingJvm() {}

    public static void main(String[] arguments) {
      AtomicReference<Lease> lease = new AtomicReference<>();
      Holdfast holdfast =
          Holdfast.builder("memory:")
              .callbacks(Executors.newCachedThreadPool(task -> new Thread(task, CALLBACKS)))
              .shutdownGrace(WAIT)
              .listener(
                  new LockListener() {
                    @Override
                    public void shuttingDown(ShuttingDown event) {
                      System.out.println("told on " + Thread.currentThread().getName());
                      lease.get().release();
                    }
                  })
              .build();
      lease.set(holdfast.lock("a").tryAcquire().orElseThrow());
      System.exit(0);
    }
  }

  private void sees(CompletionStage<?> stage) {
    var unused = threadOf(stage).thenAccept(threads::add);
  }

  private static CompletableFuture<String> threadOf(CompletionStage<?> stage) {
    return stage.handle((value, failure) -> Thread.currentThread().getName()).toCompletableFuture();
  }

  /** Waits until the listener is told of this, and keeps on which thread. */
  private void hears(String event) throws InterruptedException {
    String next = told.poll(30, TimeUnit.SECONDS);
    while (next != null && !next.startsWith(event + " on ")) {
      next = told.poll(30, TimeUnit.SECONDS);
    }
    assertThat(next).as(event).isNotNull();
    threads.add(String.valueOf(next).substring((event + " on ").length()));
  }

  private LockListener listener() {
    return (LockListener)
        Proxy.newProxyInstance(
            LockListener.class.getClassLoader(),
            new Class<?>[] {LockListener.class},
            (proxy, method, arguments) -> {
              told.add(method.getName() + " on " + Thread.currentThread().getName());
              return null;
            });
  }

  private static Set<String> methodsThatConcernUserCode() {
    Set<String> found = new TreeSet<>();
    for (Class<?> type : api()) {
      for (Method method : type.getDeclaredMethods()) {
        boolean isPublic = Modifier.isPublic(method.getModifiers()) && !method.isSynthetic();
        boolean concerns =
            CompletionStage.class.isAssignableFrom(method.getReturnType())
                || Stream.of(method.getParameterTypes()).anyMatch(UserCodeTest::isUsersCode)
                || isImplementedByUsers(type);
        if (isPublic && concerns) {
          found.add(type.getSimpleName() + "." + signature(method));
        }
      }
    }
    return found;
  }

  private static boolean isUsersCode(Class<?> type) {
    return type.isAnnotationPresent(FunctionalInterface.class) || isImplementedByUsers(type);
  }

  /** An interface of which users implement what they want to hear of. */
  private static boolean isImplementedByUsers(Class<?> type) {
    List<Method> methods =
        Stream.of(type.getDeclaredMethods()).filter(method -> !method.isSynthetic()).toList();
    return type.isInterface()
        && type.getPackage() == Holdfast.class.getPackage()
        && !methods.isEmpty()
        && methods.stream().allMatch(Method::isDefault);
  }

  private static String signature(Method method) {
    return Stream.of(method.getParameterTypes())
        .map(Class::getSimpleName)
        .collect(Collectors.joining(",", method.getName() + "(", ")"));
  }

  /** All that can be reached from the entry point. */
  private static Set<Class<?>> api() {
    Set<Class<?>> reached = new LinkedHashSet<>();
    Deque<Class<?>> toDo = new ArrayDeque<>(List.of(Holdfast.class));
    while (!toDo.isEmpty()) {
      Class<?> type = toDo.remove();
      if (type.getPackage() == Holdfast.class.getPackage() && reached.add(type)) {
        for (Method method : type.getDeclaredMethods()) {
          mentioned(method.getGenericReturnType()).forEach(toDo::add);
          for (Type parameter : method.getGenericParameterTypes()) {
            mentioned(parameter).forEach(toDo::add);
          }
        }
      }
    }
    return reached;
  }

  private static Stream<Class<?>> mentioned(Type type) {
    if (type instanceof Class<?> plain) {
      return Stream.of(plain);
    }
    if (type instanceof ParameterizedType generic) {
      return Stream.concat(
          mentioned(generic.getRawType()),
          Stream.of(generic.getActualTypeArguments()).flatMap(UserCodeTest::mentioned));
    }
    return Stream.empty();
  }
}
