/* SPDX-License-Identifier: Apache-2.0
   Votes of three nodes for one lock, by clients that take back the votes of an attempt that failed and try again. What takes
   a vote back may arrive at any time: after the next attempt has the vote of the same node, too.

   Property: at most one client holds the lock.

   Left out, it must fail:
     -DANYBALLOT   a withdrawal takes the vote back, by whichever ballot it was given
   Sizes: two clients that try A times each. */
#ifndef A
#define A 2
#endif
#define N 3
#define BITS(x) (((x) & 1) + (((x) >> 1) & 1) + (((x) >> 2) & 1))
#ifdef ANYBALLOT
#define ISEARLIER(who, n) 1
#else
#define ISEARLIER(who, n) (ballot[n] <= withdrawn[3 * who + n])
#endif

byte vote[N]; byte ballot[N]; byte holders = 0;
byte withdrawn[9]; /* For each client and node: by which ballot the vote is taken back; 0: nothing is under way. */

inline pick(n, mask) { if :: !((mask) & 1) -> n = 0 :: !((mask) & 2) -> n = 1 :: !((mask) & 4) -> n = 2 fi }

proctype client(byte me) {
  byte a = 0, n = 0, got, tried;
  do
  :: a < A ->
     d_step { a++; got = 0; tried = 0 }
     do
     :: tried != 7 ->
        atomic {
          pick(n, tried); tried = tried | (1 << n);
          if
          :: vote[n] == 0 || vote[n] == me -> vote[n] = me; ballot[n] = a; got = got | (1 << n)
          :: vote[n] == 0 || vote[n] == me -> vote[n] = me; ballot[n] = a /* The reply is lost. */
          :: skip
          fi
        }
     :: BITS(got) >= 2 || tried == 7 -> break
     od;
     if
     :: BITS(got) >= 2 ->
        atomic { holders++; assert(holders == 1) }
        atomic {
          holders--; n = 0;
          do :: n < N -> if :: vote[n] == me -> vote[n] = 0 :: else fi; n++ :: n == N -> break od;
          n = 0
        }
        break
     :: else -> d_step { withdrawn[3 * me] = a; withdrawn[3 * me + 1] = a; withdrawn[3 * me + 2] = a }
     fi
  :: a == A -> break
  od
}

/* Delivers in any order, at any time. */
inline deliver(who, n) {
  atomic {
    withdrawn[3 * who + n] != 0 ->
    if :: vote[n] == who && ISEARLIER(who, n) -> vote[n] = 0 :: else fi;
    withdrawn[3 * who + n] = 0
  }
}

active proctype network() {
end:
  do
  :: deliver(1, 0) :: deliver(1, 1) :: deliver(1, 2)
  :: deliver(2, 0) :: deliver(2, 1) :: deliver(2, 2)
  od
}

init { atomic { run client(1); run client(2) } }
