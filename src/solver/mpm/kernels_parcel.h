// SPDX-License-Identifier: Apache-2.0
// The nodes of a parcel of spray, as far as basis and transfer do not matter.
#ifndef FIRN_SOLVER_MPM_KERNELS_PARCEL_H
#define FIRN_SOLVER_MPM_KERNELS_PARCEL_H

#include "solver/mpm/kernels_frame.h"

// Marks the nodes of an own stencil as needed: of these, all four of a row along z, the last of which a quadratic stencil
// reads with weight 0.
static inline void need_stencil(const parcel_frame *f, const int8_t at[3], int width,
                                mpm_parcel_nodes *nodes) {
  uint64_t *column = nodes->needed + at[0] * f->n[1] + at[1];
  for (int i = 0; i < width; i++, column += f->n[1]) {
    for (int j = 0; j < width; j++) column[j] |= UINT64_C(15) << at[2];
  }
}

// Takes the next row of four nodes, some of which are set in a column's bits: its first node, and which of them.
static inline int next_row(uint64_t *column, unsigned *bits) {
  uint64_t left = *column;
  __asm__("" : "+r"(left)); // or gcc counts in registers of masks, which takes longer
  int z = __builtin_ctzll(left) & ~3;
  *bits = (unsigned)(left >> z) & 15;
  left &= ~(UINT64_C(15) << z);
  __asm__("" : "+r"(left));
  *column = left;
  return z;
}

// The velocities of a row of nodes, with their mass.
typedef struct moved_row {
  row16 sums, old, now;
} moved_row;

static inline moved_row moved_of(const node_math *math, const firn_real *v, size_t channel) {
  moved_row row;
  row.sums = row_loadu(v);
  row16 now = accelerate(math, row.sums, row_broadcast_w(row.sums), v + channel, &row.old);
  row.now = row_blend_w(now, row.sums);
  return row;
}

// In place of the sums, for those nodes whose bits are set; damping: of these, the ones that damp.
static inline void put_moved(const node_math *math, const moved_row *row, firn_real *v,
                             size_t channel, unsigned bits, unsigned damping) {
  firn_real *u = v + channel;
  row_storeu(v, row_select_nodes(bits, row->now, row->sums));
  if (!math->flip) return;
  row16 damps = row_select_nodes(damping, row_set1(1), math->zero);
  row16 alpha = row_scale(math->alpha, row_sub(row_set1(1), damps));
  row16 difference = row_fnma_row(alpha, row->old, row_blend_w(row->now, damps));
  row_storeu(u, row_select_nodes(bits, difference, row_loadu(u)));
}

static inline void move_row(const node_math *math, firn_real *v, size_t channel, unsigned bits) {
  moved_row row = moved_of(math, v, channel);
  put_moved(math, &row, v, channel, bits, 0);
}

// Cubes of 4^3 nodes, as node blocks hold them, with their first node at `corner` in the frame. Along z the frame
// has margins that nobody needs, so one that has nodes which somebody does begins inside.
static inline bool begins_inside(const parcel_frame *f, const int corner[3]) {
  return corner[2] >= 0 && corner[2] < f->n[2];
}

// Whether row r of a cube has a column of the frame, and that column's bits of nodes that are still to be moved.
static inline uint64_t *column_of_row(const parcel_frame *f, const int corner[3], int r,
                                      mpm_parcel_nodes *nodes) {
  int x = corner[0] + r / 4, y = corner[1] + r % 4;
  bool inside = x >= 0 && x < f->n[0] && y >= 0 && y < f->n[1];
  return inside ? &nodes->needed[x * f->n[1] + y] : NULL;
}

// Takes the bits of those nodes of a row out of its column.
static inline unsigned take_row(const parcel_frame *f, const int corner[3], int r,
                                mpm_parcel_nodes *nodes) {
  uint64_t *column = column_of_row(f, corner, r, nodes);
  unsigned left = column ? (unsigned)(*column >> corner[2]) & 15 : 0;
  if (left) *column &= ~(UINT64_C(15) << corner[2]);
  return left;
}

static inline size_t offset_of_row(const parcel_frame *f, const int corner[3], int r) {
  return frame_offset(f, corner[0] + r / 4, corner[1] + r % 4, corner[2]);
}

// Needed nodes of a node block, as they have been made; corner is its first node in the frame.
static inline void take_nodes(const mpm_view *view, size_t g, const int corner[3],
                              const parcel_frame *f, bool flip, mpm_parcel_nodes *nodes) {
  const firn_real *v = view->node_v + g * FIRN_NODE_BLOCK_REALS;
  const firn_real *u = flip ? view->node_u + g * FIRN_NODE_BLOCK_REALS : NULL;
  if (!begins_inside(f, corner)) return;
  for (int r = 0; r < 16; r++) {
    unsigned left = take_row(f, corner, r, nodes);
    if (!left) continue;
    firn_real *to = nodes->node + offset_of_row(f, corner, r);
    row_storeu(to, row_select_nodes(left, row_load(v + FIRN_ROW_REALS * r), row_loadu(to)));
    if (!flip) continue;
    to += f->channel;
    row_storeu(to, row_select_nodes(left, row_load(u + FIRN_ROW_REALS * r), row_loadu(to)));
  }
}

// Cubes of a parcel, those that its own blocks reach beyond it among them, a slab of them across x after the other.
enum { CUBES = FIRN_PARCEL_BLOCKS + 2 };
typedef struct cubes {
  uint16_t there[CUBES][CUBES]; // bits along z
} cubes;

// The first node of a cube in the frame.
static inline void corner_of(const parcel_frame *f, int x, int y, int z, int corner[3]) {
  const int at[3] = {x, y, z};
  for (int a = 0; a < 3; a++) corner[a] = 4 * (at[a] - 1) - f->lo[a];
}

// Node blocks around the spray of a parcel.
typedef struct company {
  cubes found;
  uint32_t node_block[CUBES][CUBES][CUBES];
} company;

static inline void find_company(const mpm_view *view, const firn_parcel *parcel, company *out) {
  memset(&out->found, 0, sizeof out->found);
  for (uint32_t b = parcel->first; b < parcel->end; b++) {
    int8_t shift[3];
    if (!view->reach[b].spray) continue;
    shift_in_parcel(view, b, shift);
    for (uint32_t left = view->found[b]; left; left &= left - 1) {
      int o = __builtin_ctz(left);
      int x = shift[0] / 4 + o / 9, y = shift[1] / 4 + o / 3 % 3, z = shift[2] / 4 + o % 3;
      out->found.there[x][y] |= (uint16_t)(1u << z);
      out->node_block[x][y][z] = view->target[b][o];
    }
  }
}

// Takes over what is in node blocks, of one slab.
static inline void take_node_blocks(const mpm_view *view, const company *with, int x,
                                    const parcel_frame *f, bool flip, mpm_parcel_nodes *nodes) {
  for (int y = 0; y < CUBES; y++) {
    for (unsigned left = with->found.there[x][y]; left; left &= left - 1) {
      int z = __builtin_ctz(left), corner[3];
      corner_of(f, x, y, z, corner);
      take_nodes(view, with->node_block[x][y][z], corner, f, flip, nodes);
    }
  }
}

// ---------------------------------------------------------------------------- beside colliders

// Nodes that colliders may touch are moved and collided by cubes, as node blocks are, before anybody gathers from
// them: each once, however many particles share it.

// Moves and collides what is inside a plane, which alone is near; the rest is left as it is. first: the number of the
// frame's first node; begin, end: of the nodes along x.
static void move_by_plane(const node_math *math, const plane_math *p, const parcel_frame *f,
                          const int32_t first[3], int begin, int end, mpm_parcel_nodes *nodes) {
  double deep[MPM_PARCEL_DEPTH], deepest = INFINITY;
  for (int z = 0; z < f->n[2]; z++) {
    deep[z] = plane_height(p, 2, first[2] + z);
    deepest = fmin(deepest, deep[z]);
  }
  for (int c = begin * f->n[1]; c < end * f->n[1]; c++) {
    const int32_t at[3] = {first[0] + c / f->n[1], first[1] + c % f->n[1], first[2]};
    uint64_t left = nodes->needed[c];
    double over = plane_height(p, 0, at[0]) + plane_height(p, 1, at[1]);
    if (!left || over + deepest > 0) continue;
    firn_real *node = nodes->node + frame_offset(f, c / f->n[1], c % f->n[1], 0);
    const firn_real *heavy = nodes->others + frame_node(f, c / f->n[1], c % f->n[1], 0);
    plane_sums sums = plane_sums_begin();
    bool any = false;
    while (left) {
      unsigned bits, inside = 0;
      int z = next_row(&left, &bits);
      firn_real *v = node + FIRN_NODE_REALS * z;
      for (int k = 0; k < 4; k++) inside |= (unsigned)(over + deep[z + k] <= 0) << k;
      inside &= bits;
      if (!inside) continue;
      nodes->needed[c] &= ~((uint64_t)bits << z);
      moved_row row = moved_of(math, v, f->channel);
      row16 before = row.now, after = plane_collide(p, inside, before);
      row.now = after;
      put_moved(math, &row, v, f->channel, bits, p->plane.damps ? inside : 0);
      if (!p->plane.push) continue;
      // Of nodes that nobody needs there may be anything in memory.
      row16 others = row_spread4(heavy + z), none = row_zero();
      row16 mass = row_select_nodes(inside, row_sub(row_broadcast_w(before), others), none);
      plane_tell(&sums, mass, row_select_nodes(inside, before, none),
                 row_select_nodes(inside, after, none), (const int[3]){0, 0, z});
      any = true;
    }
    if (any) plane_end(p, &sums, at);
  }
}

static void collide_cube(const mpm_view *view, const node_math *math, const parcel_frame *f,
                         const int corner[3], mpm_cube *cube, mpm_parcel_nodes *nodes) {
  _Alignas(64) firn_real v[FIRN_NODE_BLOCK_REALS];
  unsigned left[16], found = 0;
  uint64_t damping = 0;
  if (!begins_inside(f, corner)) return;
  for (unsigned rows = mpm_cube_rows(view, cube); rows; rows &= rows - 1) {
    int r = __builtin_ctz(rows);
    left[r] = take_row(f, corner, r, nodes);
    if (!left[r]) continue;
    found |= 1u << r;
    size_t at = offset_of_row(f, corner, r);
    const firn_real *others = nodes->others;
    others += frame_node(f, corner[0] + r / 4, corner[1] + r % 4, corner[2]);
    move_row(math, nodes->node + at, f->channel, left[r]);
    row16 moved = row_loadu(nodes->node + at);
    row_store(v + FIRN_ROW_REALS * r, row_select_nodes(left[r], moved, row_zero()));
    for (int z = 0; z < 4 && cube->told; z++) {
      cube->mass[4 * r + z] = v[FIRN_ROW_REALS * r + 4 * z + 3] - others[z];
    }
  }
  cube->rows = found;
  if (found) damping = mpm_cube_contact(view, cube, v);
  for (unsigned rows = found; rows; rows &= rows - 1) {
    int r = __builtin_ctz(rows);
    firn_real *to = nodes->node + offset_of_row(f, corner, r), *u = to + f->channel;
    row16 before = row_loadu(to);
    row16 after = row_select_nodes(left[r], row_load(v + FIRN_ROW_REALS * r), before);
    row_storeu(to, after);
    if (!math->flip) continue;
    row16 difference = row_add(row_loadu(u), row_sub(after, before));
    unsigned damps = (unsigned)(damping >> 4 * r) & left[r];
    row_storeu(u, row_select_nodes(damps, row_blend_w(after, row_set1(1)), difference));
  }
}

// What a parcel has to do with colliders.
typedef struct touching {
  bool flat; // it is one plane alone
  mpm_cube cube;
  plane_math plane;
  cubes reached;     // where it is not
  int32_t corner[3]; // the number of the parcel's first cube
} touching;

static inline void find_reached(const mpm_view *view, const firn_parcel *parcel, cubes *out) {
  memset(out, 0, sizeof *out);
  for (uint32_t b = parcel->first; b < parcel->end; b++) {
    const mpm_box *box = &view->box[b];
    int8_t shift[3];
    if (!view->reach[b].spray || !box->touched) continue;
    shift_in_parcel(view, b, shift);
    for (int o = 0; o < 27; o++) {
      const int d[3] = {o / 9, o / 3 % 3, o % 3};
      bool reached = true;
      for (int a = 0; a < 3; a++) {
        reached = reached && box->lo[a] < 4 * d[a] && box->lo[a] + box->n[a] > 4 * d[a] - 4;
      }
      if (!reached) continue;
      uint16_t bit = (uint16_t)(1u << (shift[2] / 4 + d[2]));
      out->there[shift[0] / 4 + d[0]][shift[1] / 4 + d[1]] |= bit;
    }
  }
}

static inline void find_touching(const mpm_view *view, const firn_parcel *parcel, touching *out) {
  mpm_plane plane;
  out->cube = mpm_cube_of(view, parcel);
  out->flat = mpm_plane_at_parcel(view, &out->cube, &plane);
  for (int a = 0; a < 3; a++) {
    out->corner[a] = (view->block[parcel->first].at[a] & ~(FIRN_PARCEL_BLOCKS - 1)) - 1;
  }
  if (out->flat)
    out->plane = plane_math_of(&plane, view->mass_floor, view->spacing);
  else
    find_reached(view, parcel, &out->reached);
}

// Moves and collides what colliders may touch, of one slab.
static __attribute__((noinline)) void collide_slab(const mpm_view *view, const node_math *math,
                                                   touching *with, int x, const parcel_frame *f,
                                                   mpm_parcel_nodes *nodes) {
  if (with->flat) {
    int begin = 4 * (x - 1) - f->lo[0], end = begin + 4;
    int32_t first[3];
    for (int a = 0; a < 3; a++) first[a] = 4 * (with->corner[a] + 1) + f->lo[a];
    if (begin < 0) begin = 0;
    if (end > f->n[0]) end = f->n[0];
    move_by_plane(math, &with->plane, f, first, begin, end, nodes);
    return;
  }
  for (int y = 0; y < CUBES; y++) {
    for (unsigned left = with->reached.there[x][y]; left; left &= left - 1) {
      const int at[3] = {x, y, __builtin_ctz(left)};
      int corner[3];
      corner_of(f, at[0], at[1], at[2], corner);
      for (int a = 0; a < 3; a++) with->cube.corner[a] = 4.0 * (with->corner[a] + at[a]);
      collide_cube(view, math, f, corner, &with->cube, nodes);
    }
  }
}

#endif
