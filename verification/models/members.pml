/* SPDX-License-Identifier: Apache-2.0
   A change of the members of a quorum: nodes 0, 1 and 2 become 0, 1 and 3. Each node goes by a configuration: 0 old, 1 joint,
   2 new. A client goes by any that some node has, and a node votes for it only if that is its own. Leases end at any time;
   the wait of the change is one for the end of all leases, and attempts, whose time began before it.

   Property: at most one client holds the lock.

   What the change consists of can be left out, one part at a time, and then it must fail:
     -DNOJOINT       the new configuration follows the old one at once
     -DNOWAIT        it follows the joint one at once
     -DANYVOTE       a node votes for clients that go by another configuration
     -DANYRENEWAL    a node renews for clients that go by another configuration
   Sizes: C clients that ask R times each and renew once; -DPASSED nodes hear of a configuration from clients, too. */
#ifndef C
#define C 2
#endif
#ifndef R
#define R 1
#endif
#define N 4
#define OLD(x) ((((x) & 1) + (((x) >> 1) & 1) + (((x) >> 2) & 1)) >= 2)
#define NEW(x) ((((x) & 1) + (((x) >> 1) & 1) + (((x) >> 3) & 1)) >= 2)
#define ENOUGH(k, x) ((k == 0 && OLD(x)) || (k == 1 && OLD(x) && NEW(x)) || (k == 2 && NEW(x)))
#ifdef ANYVOTE
#define VOTES(k) 1
#else
#define VOTES(k) (by[n] == k)
#endif
#ifdef ANYRENEWAL
#define RENEWS(k) 1
#else
#define RENEWS(k) (by[n] == k)
#endif

byte by[N]; byte vote[N]; byte newest = 0; byte holders = 0;
bool early[C + 1]; /* A lease, or an attempt, whose time began before a majority had the joint configuration. */
bool joined = 0; bool jointly = 0;

inline pick(n, mask) {
  if :: !((mask) & 1) -> n = 0 :: !((mask) & 2) -> n = 1 :: !((mask) & 4) -> n = 2 :: !((mask) & 8) -> n = 3 fi
}
inline choose(k) { if :: k = 0 :: newest >= 1 -> k = 1 :: newest == 2 -> k = 2 fi }
inline giveback() {
  n = 0;
  do :: n < N -> if :: vote[n] == me -> vote[n] = 0 :: else fi; n++ :: n == N -> break od;
  n = 0
}

proctype client(byte me) {
  byte r = 0, k = 0, n = 0, got = 0, tried = 0; bool s = 0;
  do
  :: r < R ->
     atomic { r++; got = 0; tried = 0; choose(k); early[me] = !jointly }
     do
     :: tried != 15 ->
        atomic {
          pick(n, tried); tried = tried | (1 << n);
          if
          :: (n < 3 || joined) && VOTES(k) && vote[n] == 0 -> vote[n] = me; got = got | (1 << n)
          :: skip
          fi
        }
     :: ENOUGH(k, got) || tried == 15 -> break
     od;
     if
     :: ENOUGH(k, got) ->
        atomic { holders++; assert(holders == 1) }
        /* One renewal, by what it has heard of since; if it fails the lease ends. */
        atomic { got = 0; tried = 0; choose(k); s = !jointly }
        do
        :: tried != 15 ->
           atomic {
             pick(n, tried); tried = tried | (1 << n);
             if :: RENEWS(k) && vote[n] == me -> got = got | (1 << n) :: skip fi
           }
        :: tried == 15 -> break
        od;
        if :: atomic { ENOUGH(k, got) -> early[me] = s } :: else fi;
        atomic { holders--; giveback(); early[me] = 0 }
     :: else -> atomic { giveback(); early[me] = 0 }
     fi
  :: r == R -> break
  od
}

#ifdef PASSED
active proctype gossip() {
end:
  do
  :: atomic { by[0] < newest -> by[0] = newest }
  :: atomic { by[1] < newest -> by[1] = newest }
  :: atomic { by[2] < newest -> by[2] = newest }
  :: atomic { joined && by[3] < newest -> by[3] = newest }
  od
}
#endif

/* For the longest lease time. */
inline awaitleases() {
  if :: !early[1] && !early[C] -> skip fi
}

active proctype change() {
#ifdef NOJOINT
  atomic { joined = 1; by[3] = 2; newest = 2 }
#else
  /* A majority of the old members. */
  if
  :: atomic { newest = 1; by[0] = 1 } by[1] = 1
  :: atomic { newest = 1; by[0] = 1 } by[2] = 1
  :: atomic { newest = 1; by[1] = 1 } by[2] = 1
  fi;
  jointly = 1;
  atomic { joined = 1; by[3] = 1 }
  /* A majority of the new ones. */
  if :: by[0] < 1 -> by[0] = 1 :: else fi;
#ifndef NOWAIT
  awaitleases();
#endif
  atomic { newest = 2; by[3] = 2 }
#endif
  if
  :: by[0] = 2
  :: by[1] = 2
  fi
}

init {
  byte i = 1;
  atomic {
    do :: i <= C -> run client(i); i++ :: i > C -> break od
  }
}
