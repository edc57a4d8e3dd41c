/* SPDX-License-Identifier: Apache-2.0
 *
 * A guard at a resource: holders read, compute and write, and may be paused for longer than their
 * lease before each step, so that the next one is granted the lock at any time.
 *
 * Holds: every write that was acknowledged is still in the value at the end.
 * -DWRITESONLY   the guard looks at writes alone, and not at the read: an update is lost.
 * -DSTRICT       the guard refuses a token that it has seen: a holder cannot write twice.
 * -DN=3          holders; -DR=2 times that each reads and writes under one token.
 */
#ifndef N
#define N 3
#endif
#ifndef R
#define R 2
#endif

byte granted;        /* the newest token that the lock has given out */
byte newest;         /* the newest token that the resource has seen */
byte value;          /* what the resource holds: one more with each write */
byte acknowledged;   /* how many writes were told that they happened */
byte done;           /* holders that are through */
byte refused;        /* holders that were refused although nobody came after them */

#ifdef STRICT
#define FRESH(t) (t > newest)
#else
#define FRESH(t) (t >= newest)
#endif

active [N] proctype holder() {
  byte token, seen, round;

  /* The lock. A lease may have ended whenever the next one is asked for: nothing is waited for. */
  atomic { granted++; token = granted };

  do
  :: round < R ->
    /* Enters and reads, in one step: a row that is locked until the transaction ends. */
    atomic {
#ifdef WRITESONLY
      seen = value;
#else
      if
      :: FRESH(token) -> newest = token; seen = value;
      :: else -> refused = refused + (token == granted && newest <= token); goto stale;
      fi;
#endif
    };
    /* Paused here, perhaps. The transaction may have been ended meanwhile: the write looks again. */
    atomic {
      if
      :: token >= newest -> newest = token; value = seen + 1; acknowledged++;
      :: else -> goto stale;
      fi;
    };
    round++;
  :: else -> break;
  od;
stale:
  done++;
}

/* Nothing is lost, and whoever is the newest holder is let in. */
active proctype judge() {
  (done == N) -> assert(value == acknowledged && refused == 0);
}
