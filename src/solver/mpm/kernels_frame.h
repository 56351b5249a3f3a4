// SPDX-License-Identifier: Apache-2.0
// The frame of a parcel of spray, and the grains that have nodes in it.
#ifndef FIRN_SOLVER_MPM_KERNELS_FRAME_H
#define FIRN_SOLVER_MPM_KERNELS_FRAME_H

#include "solver/mpm/kernels_grain.h"

// The box of nodes that a parcel works on: those that its own stencils cover now. Along z there is room
// for the rest of rows that have some of these, and columns are made of whole rows, those of one channel behind
// those of the other. Planes across x take turns in memory, so that the cache may hold what there is of them.
enum { FRAME_MARGIN = 3 };
typedef struct parcel_frame {
  int lo[3], n[3];    // first node from the parcel's corner, and nodes
  size_t sy, channel; // reals from column to column, and from a node's momentum to its force
  int planes;         // that there are at a time
  uint8_t plane[MPM_PARCEL_EDGE]; // of nodes, by their place along x
  bool told;                      // some collider wants to know its forces
} parcel_frame;

// From the corner of its parcel to that of block b, in nodes.
static inline void shift_in_parcel(const mpm_view *view, uint32_t b, int8_t shift[3]) {
  for (int a = 0; a < 3; a++) {
    shift[a] = (int8_t)(4 * (view->block[b].at[a] & (FIRN_PARCEL_BLOCKS - 1)));
  }
}

// What a parcel's own spray is like, which is asked of its blocks all at once.
typedef struct parcel_own {
  int lo[3], hi[3]; // nodes of its stencils, from the parcel's corner
  size_t count;     // of its particles
  bool gridded;     // some have node blocks around them
  bool touched;     // some have nodes that a collider is close to
} parcel_own;

static inline parcel_own own_of(const mpm_view *view, const firn_parcel *parcel) {
  parcel_own own = {.lo = {INT8_MAX, INT8_MAX, INT8_MAX}, .hi = {INT8_MIN, INT8_MIN, INT8_MIN}};
  for (uint32_t b = parcel->first; b < parcel->end; b++) {
    const mpm_box *box = &view->box[b];
    int8_t shift[3];
    if (!view->reach[b].spray) continue;
    shift_in_parcel(view, b, shift);
    for (int a = 0; a < 3; a++) {
      int from = box->lo[a] + shift[a], to = from + box->n[a];
      own.lo[a] = from < own.lo[a] ? from : own.lo[a];
      own.hi[a] = to > own.hi[a] ? to : own.hi[a];
    }
    own.count += view->block[b].count;
    own.gridded |= view->found[b] != 0;
    own.touched |= box->touched;
  }
  return own;
}

static inline parcel_frame frame_of(const parcel_own *own, int channels) {
  parcel_frame f = {.told = false};
  for (int a = 0; a < 3; a++) {
    int margin = a == 2 ? FRAME_MARGIN : 0;
    f.lo[a] = own->lo[a] - margin;
    f.n[a] = own->hi[a] - own->lo[a] + 2 * margin;
  }
  f.n[2] = (f.n[2] + 3) & ~3;
  f.channel = FIRN_NODE_REALS * (size_t)f.n[2];
  f.sy = (size_t)channels * f.channel;
  return f;
}

// A column's place in memory, which its plane need not be in; y may be before the first or behind the last.
static inline size_t frame_column(const parcel_frame *f, int x, int y) {
  return (size_t)(f->plane[x] * (f->n[1] + 2 * MPM_PARCEL_SIDE) + y + MPM_PARCEL_SIDE);
}

// A node's place in memory.
static inline size_t frame_offset(const parcel_frame *f, int x, int y, int z) {
  return frame_column(f, x, y) * f->sy + FIRN_NODE_REALS * (size_t)z;
}

// The same in `made` and `others`.
static inline size_t frame_node(const parcel_frame *f, int x, int y, int z) {
  return frame_column(f, x, y) * (size_t)f->n[2] + (size_t)z;
}

// --------------------------------------------------------------------------------------- guests

// Guests are sorted by their first node along x, then by the cube of four along y that it is in, then by their
// blocks' x, y and z. That is the order in which a node is added up, whichever parcel does that: so it is the same. lo: the
// frame's first node along y.
static inline uint32_t list_of(int lo, int x, int y) {
  return (uint32_t)((x + 3) * MPM_PARCEL_FOURS + ((y + lo + 8) >> 2));
}

// What is asked of every guest. Copies, since the compiler takes it that bytes of guests might be anything.
typedef struct reception {
  const mpm_box *box;
  const firn_real *arena;
  firn_real shift;
  int first, rest; // of stencils: their first node, and how many come after it
  int lo[3], n[3]; // of the frame
} reception;

static inline reception reception_of(const mpm_view *view, const parcel_frame *f) {
  const mpm_stencil *s = &view->stencil;
  return (reception){view->box,
                     view->arena,
                     (firn_real)s->shift,
                     s->first,
                     s->width - 1,
                     {f->lo[0], f->lo[1], f->lo[2]},
                     {f->n[0], f->n[1], f->n[2]}};
}

// 1 if some row of a stencil has room in the frame, else 0. Not by branches, which nobody could foretell.
static inline uint32_t frame_finds(const reception *r, const int at[3]) {
  int least = (at[0] + r->rest) | (r->n[0] - 1 - at[0]) | (at[1] + r->rest) |
              (r->n[1] - 1 - at[1]) | at[2] | (r->n[2] - 4 - at[2]); // negative if one of these is
  return ~(uint32_t)least >> 31;
}

// In one store: the compiler would make five of it.
_Static_assert(sizeof(mpm_guest) == 8 && offsetof(mpm_guest, at) == 4 &&
                   offsetof(mpm_guest, own) == 7,
               "put_guest");
static inline void put_guest(uint32_t grain, const int at[3], bool own, mpm_guest *out) {
  uint64_t all = grain | (uint64_t)own << 56;
  for (int a = 0; a < 3; a++) all |= (uint64_t)(uint8_t)at[a] << (32 + 8 * a);
  memcpy(out, &all, sizeof all);
}

// Those of one block, as they come.
static inline uint32_t welcome(const reception *r, const firn_neighbour *from, bool own,
                               mpm_parcel_nodes *nodes, uint32_t count) {
  const mpm_box *box = &r->box[from->block];
  uint32_t grain = (uint32_t)(box->arena / FIRN_ROW_REALS), of = box->grains;
  int corner[3];
  for (int a = 0; a < 3; a++) corner[a] = from->shift[a] - r->lo[a];
  for (uint32_t i = 0; i < of; i++, grain += sizeof(mpm_grain) / sizeof(firn_real[16])) {
    int at[3];
    for (int a = 0; a < 3; a++) at[a] = corner[a] + box->lo[a]; // of one alone
    for (int a = 0; a < 3 && of > 1; a++) {
      firn_real x = r->arena[FIRN_ROW_REALS * (size_t)grain + 7 + 4 * (size_t)a] - r->shift;
      at[a] = corner[a] + (int)floor((double)x) + r->first;
    }
    uint32_t found = frame_finds(r, at);
    put_guest(grain, at, own, &nodes->come[count]);
    nodes->list[list_of(r->lo[1], at[0], at[1]) & -found] += found;
    count += found;
  }
  return count;
}

// Neighbours lie here and there in memory: first what is known of their blocks is fetched, then their grains.
static inline __attribute__((always_inline)) void expect(const reception *r,
                                                         const firn_neighbour *from,
                                                         uint32_t left) {
  enum { SOON = 12, LATER = 24 };
  if (left > LATER) __builtin_prefetch(&r->box[from[LATER].block]);
  if (left <= SOON) return;
  // Most that are not alone in their block are two.
  const firn_real *grain = r->arena + r->box[from[SOON].block].arena;
  __builtin_prefetch(grain);
  __builtin_prefetch(grain + sizeof(mpm_grain) / sizeof *grain);
}

// Lists all grains that have nodes in the frame, in order. Returns how many there are.
static __attribute__((noinline)) uint32_t list_guests(const mpm_view *view,
                                                      const firn_parcel *parcel,
                                                      const parcel_frame *f,
                                                      mpm_parcel_nodes *nodes) {
  const firn_neighbour *from = view->neighbour + parcel->neighbour;
  const reception r = reception_of(view, f);
  uint32_t count = 0, lists = (uint32_t)(f->n[0] + 3) * MPM_PARCEL_FOURS, begin = 0;
  memset(nodes->list, 0, lists * sizeof *nodes->list);
  for (uint32_t n = 0; n < parcel->neighbours; n++, from++) {
    bool own = from->block >= parcel->first && from->block < parcel->end;
    expect(&r, from, parcel->neighbours - n);
    count = welcome(&r, from, own, nodes, count);
  }
  for (uint32_t i = 0; i < lists; i++) {
    uint32_t of = nodes->list[i];
    nodes->list[i] = begin;
    begin += of;
  }
  for (uint32_t i = 0; i < count; i++) {
    const mpm_guest *guest = &nodes->come[i];
    nodes->guest[nodes->list[list_of(r.lo[1], guest->at[0], guest->at[1])]++] = *guest;
  }
  // Each list has been filled up to where the next one begins.
  memmove(nodes->list + 1, nodes->list, lists * sizeof *nodes->list);
  nodes->list[0] = 0;
  return count;
}

#endif
