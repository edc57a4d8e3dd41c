/* SPDX-License-Identifier: Apache-2.0
   Fencing tokens from three independent nodes, as the quorum backend grants them. There are no clocks: a vote may vanish
   at any time, a message or a reply may be lost, a client may pause for ever. A node may lose its data and join again.

   Property: each token that is granted is new, and greater than every token granted before its acquire began.

   What the protocol consists of can be left out, one part at a time, and then the property must fail:
     -DNOCONFIRM   grant the greatest number without confirming it
     -DANYONE      confirm for a caller that has lost the vote
     -DNOEPOCH     confirm though the node was read by one that joined since it voted
     -DANYEPOCH    count an agreement in one round though an epoch is not the one known before asking
     -DNOREAD      join without reading from the others
     -DNOTICKET    join with what was read before another loss of data
   Sizes: C clients that ask R times each, LOSS losses of data, J attempts of each that mends one, -DEXPIRY votes that
   vanish, -DLOST replies that are lost, -DANYNODE any node may lose its data, not only the first; P the number that all
   clients propose, else 1 or 5. */
#define N 3
#define MAJ 2
#ifndef C
#define C 2
#endif
#ifndef R
#define R 1
#endif
#ifndef LOSS
#define LOSS 0
#endif
#ifndef J
#define J 1
#endif
#ifndef START
#define START 2
#endif
#define MAXT 24

#ifdef LOST
#define REPLYLOST 1
#else
#define REPLYLOST 0
#endif
#ifdef ANYNODE
#define LOSSPICK if :: n = 0 :: n = 1 :: n = 2 fi
#else
#define LOSSPICK n = 0
#endif
#ifdef ANYONE
#define OWNER 1
#else
#define OWNER (vote[n] == me)
#endif
#ifdef NOEPOCH
#define SAMEEPOCH 1
#else
#define SAMEEPOCH (epoch[n] == seen[n])
#endif
#ifdef ANYEPOCH
#define KNOWN 1
#else
#define KNOWN (epoch[n] == known[n])
#endif
#ifdef NOTICKET
#define TICKET 1
#else
#define TICKET (ticket[x] == me)
#endif
/* A node whose count is above the token refuses: its vote was given anew. */
#define CONFIRMS (!lost[n] && OWNER && SAMEEPOCH && count[n] <= t)
#define BITS(x) (((x) & 1) + (((x) >> 1) & 1) + (((x) >> 2) & 1))

byte vote[N]; byte count[N]; byte epoch[N]; bool lost[N]; byte ticket[N];
byte newest = 0; bool used[MAXT]; byte losses = 0; bool ready = 0;

inline pick(n, mask) { if :: !((mask) & 1) -> n = 0 :: !((mask) & 2) -> n = 1 :: !((mask) & 4) -> n = 2 fi }

inline raise() {
  if :: count[n] + 1 < p -> count[n] = p :: else -> count[n] = count[n] + 1 fi
}

inline granted() {
  atomic {
    assert(t < MAXT); assert(t > floor); assert(!used[t]);
    used[t] = 1;
    if :: t > newest -> newest = t :: else fi
  }
}

proctype client(byte me) {
  byte r = 0, n = 0, got, tried, t, acks, floor, p; byte seen[N]; byte known[N]; bool same;
  ready;
  do
  :: r < R ->
     d_step {
       r++; floor = newest; got = 0; tried = 0; t = 0; acks = 0; same = 1;
       seen[0] = 0; seen[1] = 0; seen[2] = 0;
       known[0] = epoch[0]; known[1] = epoch[1]; known[2] = epoch[2]
     }
#ifdef P
     p = P;
#else
     if :: p = 1 :: p = 5 fi;
#endif
     do
     :: tried != 7 ->
        atomic {
          pick(n, tried); tried = tried | (1 << n);
          if
          :: !lost[n] && vote[n] == 0 ->
             vote[n] = me; raise();
             same = same && (got == 0 || count[n] == t) && KNOWN;
             got = got | (1 << n); seen[n] = epoch[n];
             if :: count[n] > t -> t = count[n] :: else fi
          :: REPLYLOST && !lost[n] && vote[n] == 0 -> vote[n] = me; raise()
          :: skip
          fi
        }
     :: BITS(got) >= MAJ || tried == 7 -> break
     od;
     if
     :: BITS(got) < MAJ -> skip
     :: BITS(got) >= MAJ && same -> granted()
     :: BITS(got) >= MAJ && !same ->
#ifndef NOCONFIRM
        tried = 7 & (~got);
        do
        :: tried != 7 ->
           atomic {
             pick(n, tried); tried = tried | (1 << n);
             if
             :: CONFIRMS -> if :: count[n] < t -> count[n] = t :: else fi; acks++
             :: CONFIRMS -> if :: count[n] < t -> count[n] = t :: else fi
             :: skip
             fi
           }
        :: acks >= MAJ || tried == 7 -> break
        od;
#else
        acks = MAJ;
#endif
        if :: acks >= MAJ -> granted() :: else fi
     fi
  :: r == R -> break
  od
}

#ifdef EXPIRY
active proctype expiry() {
  ready;
end:
  do :: vote[0] != 0 -> vote[0] = 0 :: vote[1] != 0 -> vote[1] = 0 :: vote[2] != 0 -> vote[2] = 0 od
}
#endif

#if LOSS > 0
active proctype loss() {
  byte n;
  ready;
end:
  do
  :: losses < LOSS ->
     atomic {
       LOSSPICK;
       if
       :: !lost[n] -> vote[n] = 0; count[n] = 0; ticket[n] = 0; losses++; lost[n] = 1
       :: else
       fi
     }
  od
}

/* Whoever has a node join: two of them, because one may be slow and write what it read before another loss. */
proctype joiner(byte me) {
  byte x, y, z, m, j = 0;
  ready;
end:
  do
  :: atomic {
       j < J && (lost[0] || lost[1] || lost[2]) ->
       j++;
       if :: lost[0] -> x = 0; y = 1; z = 2 :: lost[1] -> x = 1; y = 0; z = 2 :: lost[2] -> x = 2; y = 0; z = 1 fi;
       ticket[x] = me; m = 0
     }
#ifndef NOREAD
     if
     :: atomic { !lost[y] -> m = count[y]; epoch[y] = epoch[y] + 1 }
        if
        :: atomic { !lost[z] -> if :: count[z] > m -> m = count[z] :: else fi; epoch[z] = epoch[z] + 1 }
           atomic {
             if
             :: lost[x] && TICKET ->
                count[x] = m; lost[x] = 0; epoch[x] = epoch[x] + 1; ticket[x] = 0
             :: else
             fi;
             m = 0; x = 0; y = 0; z = 0
           }
        :: atomic { lost[z] -> m = 0; x = 0; y = 0; z = 0 }
        fi
     :: atomic { lost[y] -> m = 0; x = 0; y = 0; z = 0 }
     fi
#else
     atomic { if :: lost[x] -> lost[x] = 0; epoch[x] = epoch[x] + 1 :: else fi; m = 0; x = 0; y = 0; z = 0 }
#endif
  od
}
#endif

init {
  byte i = 0;
#ifdef ANYNODE
  do :: i < N -> if :: count[i] = 0 :: count[i] = START fi; i++ :: i == N -> break od;
#else
  count[0] = START;
#endif
  i = 1;
  do :: i <= C -> run client(i); i++ :: i > C -> break od;
#if LOSS > 0
  run joiner(11);
#if LOSS > 1
  run joiner(12);
#endif
#endif
  ready = 1
}
