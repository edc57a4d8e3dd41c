// SPDX-License-Identifier: Apache-2.0
// Sets the clocks of a process while it runs, for tests. Loaded with LD_PRELOAD; CLOCKSHIM names a file of 4096 bytes
// whose first two 64-bit numbers are added to the wall clock and to the monotonic clock, in nanoseconds.
// Raw system calls only: it is called before the process has set up anything else.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t SECOND = 1000000000;
static volatile int64_t *offsets;

__attribute__((constructor)) static void open_control(void) {
  const char *file = getenv("CLOCKSHIM");
  int descriptor = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
  if (descriptor < 0) return;
  void *page = mmap(0, 4096, PROT_READ, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (page != MAP_FAILED) offsets = page;
}

static int is_wall(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
}

static int is_monotonic(clockid_t clock) {
  return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_MONOTONIC_RAW
      || clock == CLOCK_BOOTTIME;
}

static int64_t nanos(clockid_t clock) {
  struct timespec now;
  syscall(SYS_clock_gettime, clock, &now);
  int64_t true_nanos = now.tv_sec * SECOND + now.tv_nsec;
  if (!offsets) return true_nanos;
  return true_nanos + (is_wall(clock) ? offsets[0] : is_monotonic(clock) ? offsets[1] : 0);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int64_t shown = nanos(clock);
  now->tv_sec = shown / SECOND;
  now->tv_nsec = shown % SECOND;
  return 0;
}

int gettimeofday(struct timeval *now, void *zone) {
  (void)zone;
  int64_t shown = nanos(CLOCK_REALTIME);
  now->tv_sec = shown / SECOND;
  now->tv_usec = shown % SECOND / 1000;
  return 0;
}

time_t time(time_t *now) {
  time_t shown = nanos(CLOCK_REALTIME) / SECOND;
  if (now) *now = shown;
  return shown;
}
