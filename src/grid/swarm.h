// SPDX-License-Identifier: Apache-2.0
// Swarms: for how long many bodies keep apart, found without a sort and without cells.
//
// A body is somewhere in a box of places and moves with a velocity of a box of velocities. Bodies that are
// neighbours in memory are neighbours in space, more or less: boxes around 16 of them in a row, around 16
// of these and so on make a tree. Whoever is far from another, or goes away from it, is passed over together
// with all that is around it.
//
// Times are tried from the longest on: spans, each with a time and with how far two bodies may drift
// against each other in it beyond what their velocities say. A longer span must hold the shorter ones.
// What comes out hangs on the bodies alone; their order in memory and the number of threads only cost time.
#ifndef FIRN_GRID_SWARM_H
#define FIRN_GRID_SWARM_H

#include "base/memory.h"

// Places in cells, velocities in cells/s.
typedef struct firn_swept {
  double lo[3], hi[3];
  double slow[3], fast[3];
} firn_swept;

typedef void (*firn_body_fn)(const void *user, size_t body, firn_swept *out);

enum { FIRN_SWARM_WIDE = 16, FIRN_SWARM_DEEP = 8 };
typedef struct firn_swarm {
  firn_context *context;
  size_t count; // bodies
  firn_body_fn body;
  const void *user;
  int levels;
  size_t nodes[FIRN_SWARM_DEEP];
  firn_swept *node[FIRN_SWARM_DEEP]; // [levels][nodes]: of 16 bodies, of 16 of these, ...
} firn_swarm;

typedef struct firn_span {
  double time;         // s
  double lo[3], hi[3]; // cells, of the second body against the first
} firn_span;

typedef struct firn_meeting {
  double apart;          // cells: two that keep this far apart along some axis do not meet
  double period[3];      // cells; 0: none along this axis
  const firn_span *span; // the shortest first
} firn_meeting;

// The tree of `count` bodies; its memory is `buffer`.
firn_status firn_swarm_build(firn_context *context, size_t count, firn_body_fn body,
                             const void *user, firn_buffer *buffer, firn_swarm *out);

// The longest span, up to `span`, in which no body of one swarm meets one of the other, or any two of one
// if both are the same. -1: there is none.
int firn_swarms_part(const firn_swarm *a, const firn_swarm *b, const firn_meeting *m, int span);

// The longest in which meets(user, box, span) says so of no body; a box that does not meet holds none that
// does.
typedef bool (*firn_swept_fn)(const void *user, const firn_swept *box, int span);
int firn_swarm_clear(const firn_swarm *swarm, firn_swept_fn meets, const void *user, int span);

#endif
