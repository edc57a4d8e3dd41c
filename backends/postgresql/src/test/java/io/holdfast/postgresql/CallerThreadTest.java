// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.BackendProvider;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.FaultyProxy;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** What a thread that sends the requests of others brings with it must not be theirs to bear. */
@Tag("postgresql")
class CallerThreadTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration LONG = Duration.ofMinutes(5);

  private Database database;
  private FaultyProxy network;

  @BeforeEach
  void start() {
    database = new Database();
    network = new FaultyProxy(database.server().port());
  }

  @AfterEach
  void stop() {
    network.close();
    database.close();
  }

  private Holdfast behind(String parameters) {
    String address = "postgresql://postgres@" + network.hostAndPort() + "/postgres?" + parameters;
    return database.client(BackendProvider.backendAt(address), LEASE);
  }

  /** The JDK closes the socket that a virtual thread reads from when that is interrupted. */
  @Test
  void an_interrupt_of_a_virtual_thread_ends_no_session() throws Exception {
    ExecutorService threads = virtualThreads();
    Holdfast client = behind("mode=advisory&timeout=4s");
    Lease held = client.lock("n").shared().tryAcquire().orElseThrow();
    Lease other = client.lock("n").shared().tryAcquire().orElseThrow();
    network.holdReplies();
    Future<?> releasing = threads.submit(other::release);
    Eventually.until(
        "the server has carried it out",
        () -> database.number("SELECT count(*) FROM holdfast.advisory") == 1);
    releasing.cancel(true);
    network.heal();
    held.renew();
    assertThat(held.isHeld()).isTrue();
    threads.shutdown();
  }

  private static ExecutorService virtualThreads() throws IllegalAccessException {
    try {
      return (ExecutorService)
          Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (NoSuchMethodException | InvocationTargetException older) {
      return Assumptions.abort(
          "could not run here: Java " + Runtime.version().feature() + " has no virtual threads");
    }
  }

  /** Each statement would have one made, and wait for it in vain. */
  @Test
  void a_caller_makes_no_connections_to_a_server_that_is_silent() throws Exception {
    Holdfast client = behind("mode=lease&timeout=1s");
    Queue<Thread> callers = new ConcurrentLinkedQueue<>();
    List<Runnable> requests = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Lease lease = client.lock("n").shared().acquire(LONG);
      requests.add(lease::release);
      requests.add(() -> client.lock("n").tryAcquire());
    }
    network.loseEverything();
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (Runnable request : requests) {
      asked.add(
          CompletableFuture.runAsync(request, task -> callers.add(startedThread(task)))
              .exceptionally(failed -> null));
    }
    Set<Thread> connecting = new HashSet<>();
    Eventually.until(
        "all have heard that there is no answer",
        () -> {
          callers.stream().filter(CallerThreadTest::isConnecting).forEach(connecting::add);
          return asked.stream().allMatch(CompletableFuture::isDone);
        });
    assertThat(connecting).isEmpty();
  }

  private static boolean isConnecting(Thread thread) {
    return Stream.of(thread.getStackTrace())
        .anyMatch(frame -> frame.getClassName().equals(Connections.class.getName()));
  }

  private static Thread startedThread(Runnable task) {
    Thread thread = new Thread(task);
    thread.start();
    return thread;
  }

  /** One that goes by the thread has a transaction, or a tenant, for those of its users. */
  @ParameterizedTest
  @ValueSource(strings = {"advisory", "lease"})
  void a_data_source_is_never_asked_by_a_thread_that_uses_locks(String mode) throws Exception {
    PGSimpleDataSource server = server();
    Queue<Thread> users = new ConcurrentLinkedQueue<>();
    DataSource source =
        source(
            (method, with) -> {
              users.add(Thread.currentThread());
              return method.invoke(server, with);
            });
    Holdfast client = client(source, mode);
    users.clear();
    for (int i = 0; i < 20; i++) {
      Lease lease = client.lock("lock/" + i).acquire(LONG);
      assertThat(client.lock("lock/" + i).tryAcquire()).isEmpty();
      assertThat(lease.release()).isTrue();
    }
    assertThat(users).doesNotContain(Thread.currentThread());
  }

  @ParameterizedTest
  @ValueSource(strings = {"advisory", "lease"})
  void an_error_on_the_way_fails_its_requests_and_ends_the_connection(String mode)
      throws Exception {
    AtomicBoolean fails = new AtomicBoolean();
    PGSimpleDataSource server = server();
    DataSource source =
        source(
            (method, with) -> {
              Object answer = method.invoke(server, with);
              return answer instanceof Connection opened ? failing(opened, fails) : answer;
            });
    Holdfast client = client(source, mode);
    assertThat(client.lock("n").acquire(LONG).release()).isTrue();
    fails.set(true);
    List<CompletableFuture<Optional<Lease>>> asked = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      asked.add(client.lock("n").async().tryAcquire());
    }
    assertThat(catchThrowable(() -> client.lock("n").tryAcquire()))
        .hasRootCauseInstanceOf(StackOverflowError.class);
    for (CompletableFuture<Optional<Lease>> each : asked) {
      assertThat(catchThrowable(() -> each.get(60, TimeUnit.SECONDS)))
          .hasRootCauseInstanceOf(StackOverflowError.class);
    }
    fails.set(false);
    assertThat(client.lock("n").async().acquire(LONG).get(60, TimeUnit.SECONDS).isHeld()).isTrue();
  }

  private static Connection failing(Connection opened, AtomicBoolean fails) {
    return proxy(
        Connection.class,
        (method, with) -> {
          if (fails.get() && method.getName().equals("prepareStatement")) {
            throw new StackOverflowError("of the test");
          }
          return method.invoke(opened, with);
        });
  }

  private Holdfast client(DataSource source, String mode) {
    PostgresBackend.Builder builder = PostgresBackend.builder(source);
    builder = mode.equals("advisory") ? builder.advisory() : builder.lease();
    return database.client(builder.build(), LEASE);
  }

  private PGSimpleDataSource server() {
    PGSimpleDataSource server = new PGSimpleDataSource();
    server.setUrl(database.server().jdbcUrl());
    return server;
  }

  private interface Behaviour {
    Object of(Method method, Object[] arguments) throws Exception;
  }

  private static DataSource source(Behaviour behaviour) {
    return proxy(DataSource.class, behaviour);
  }

  private static <T> T proxy(Class<T> type, Behaviour behaviour) {
    return type.cast(
        Proxy.newProxyInstance(
            CallerThreadTest.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              try {
                return behaviour.of(method, arguments);
              } catch (InvocationTargetException failed) {
                throw failed.getCause();
              }
            }));
  }
}
