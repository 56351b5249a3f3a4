// SPDX-License-Identifier: Apache-2.0
// The nodes of a parcel of spray, as far as basis and transfer do not matter.
#ifndef FIRN_SOLVER_MPM_KERNELS_PARCEL_H
#define FIRN_SOLVER_MPM_KERNELS_PARCEL_H

#include "solver/mpm/kernels_grain.h"

// The box of nodes that a parcel works on: those that its own stencils cover now. Along z there is room
// for the rest of rows that have some of these, and columns are made of whole rows.
enum { FRAME_MARGIN = 3 };
// Particles that may share nodes with one, on the mean, for it to look them up one by one.
enum { MEETINGS = 1 };
typedef struct parcel_frame {
  int lo[3], n[3]; // first node from the parcel's corner, and nodes
  size_t sx, sy;   // reals from node to node
} parcel_frame;

// From the corner of its parcel to that of block b, in nodes.
static inline void shift_in_parcel(const mpm_view *view, uint32_t b, int8_t shift[3]) {
  for (int a = 0; a < 3; a++) {
    shift[a] = (int8_t)(4 * (view->block[b].at[a] & (FIRN_PARCEL_BLOCKS - 1)));
  }
}

static inline parcel_frame frame_of(const mpm_view *view, const firn_parcel *parcel) {
  int lo[3] = {INT8_MAX, INT8_MAX, INT8_MAX}, hi[3] = {INT8_MIN, INT8_MIN, INT8_MIN};
  for (uint32_t b = parcel->first; b < parcel->end; b++) {
    const mpm_box *box = &view->box[b];
    int8_t shift[3];
    if (!view->reach[b].spray) continue;
    shift_in_parcel(view, b, shift);
    for (int a = 0; a < 3; a++) {
      int from = box->lo[a] + shift[a], to = from + box->n[a];
      lo[a] = from < lo[a] ? from : lo[a];
      hi[a] = to > hi[a] ? to : hi[a];
    }
  }
  parcel_frame f;
  for (int a = 0; a < 3; a++) {
    int margin = a == 2 ? FRAME_MARGIN : 0;
    f.lo[a] = lo[a] - margin;
    f.n[a] = hi[a] - lo[a] + 2 * margin;
  }
  f.n[2] = (f.n[2] + 3) & ~3;
  f.sy = FIRN_NODE_REALS * (size_t)f.n[2];
  f.sx = f.sy * (size_t)f.n[1];
  return f;
}

// The first node of a grain in the frame; false where none of its rows has room there.
static inline bool frame_finds(const parcel_frame *f, const mpm_grain *grain, const int8_t shift[3],
                               int at[3]) {
  bool some = true;
  for (int a = 0; a < 3; a++) {
    int reach = a == 2 ? 0 : 3;
    at[a] = grain->first[a] + shift[a] - f->lo[a];
    some = some && at[a] >= -reach && at[a] <= f->n[a] - 4 + reach;
  }
  return some;
}

static inline size_t frame_offset(const parcel_frame *f, const int at[3]) {
  return (size_t)at[0] * f->sx + (size_t)at[1] * f->sy + FIRN_NODE_REALS * (size_t)at[2];
}

// Clears the nodes of an own stencil and marks them as needed. Of other nodes nobody reads what they hold,
// but the last of a row of four, which a quadratic stencil reads with weight 0.
static inline void need_stencil(const parcel_frame *f, const int at[3], int width, int channels,
                                mpm_parcel_nodes *nodes) {
  uint64_t *column = nodes->column + at[0] * f->n[1] + at[1];
  firn_real *node = nodes->node + frame_offset(f, at);
  for (int i = 0; i < width; i++, column += f->n[1]) {
    for (int j = 0; j < width; j++) {
      unsigned had = (unsigned)(column[j] >> at[2]) & 15;
      if (had == 15) continue;
      firn_real *row = node + (size_t)i * f->sx + (size_t)j * f->sy;
      for (int c = 0; c < channels; c++, row += MPM_PARCEL_REALS) {
        row_storeu(row, row_select_nodes(had, row_loadu(row), row_zero()));
      }
      column[j] |= UINT64_C(15) << at[2];
    }
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

// In place of the sums, for those nodes whose bits are set.
static inline void put_moved(const node_math *math, const moved_row *row, firn_real *v,
                             size_t channel, unsigned bits) {
  firn_real *u = v + channel;
  row_storeu(v, row_select_nodes(bits, row->now, row->sums));
  if (!math->flip) return;
  row16 difference = row_fnma(math->alpha, row->old, row_blend_w(row->now, math->zero));
  row_storeu(u, row_select_nodes(bits, difference, row_loadu(u)));
}

static inline void move_row(const node_math *math, firn_real *v, size_t channel, unsigned bits) {
  moved_row row = moved_of(math, v, channel);
  put_moved(math, &row, v, channel, bits);
}

// Moves what still has to be of the nodes of an own stencil.
static inline void move_stencil(const node_math *math, const parcel_frame *f, const int at[3],
                                int width, mpm_parcel_nodes *nodes) {
  uint64_t *column = nodes->column + at[0] * f->n[1] + at[1];
  firn_real *node = nodes->node + frame_offset(f, at);
  for (int i = 0; i < width; i++, column += f->n[1]) {
    for (int j = 0; j < width; j++) {
      unsigned left = (unsigned)(column[j] >> at[2]) & 15;
      if (!left) continue;
      move_row(math, node + (size_t)i * f->sx + (size_t)j * f->sy, MPM_PARCEL_REALS, left);
      column[j] &= ~(UINT64_C(15) << at[2]);
    }
  }
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
  return inside ? &nodes->column[x * f->n[1] + y] : NULL;
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
  return frame_offset(f, (const int[3]){corner[0] + r / 4, corner[1] + r % 4, corner[2]});
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
    to += MPM_PARCEL_REALS;
    row_storeu(to, row_select_nodes(left, row_load(u + FIRN_ROW_REALS * r), row_loadu(to)));
  }
}

// Takes over what is in node blocks.
static inline void take_node_blocks(const mpm_view *view, const firn_parcel *parcel,
                                    const parcel_frame *f, bool flip, mpm_parcel_nodes *nodes) {
  enum { EDGE = FIRN_PARCEL_BLOCKS + 2 };
  bool taken[EDGE * EDGE * EDGE] = {false};
  for (uint32_t b = parcel->first; b < parcel->end; b++) {
    int8_t shift[3];
    if (!view->reach[b].spray) continue;
    shift_in_parcel(view, b, shift);
    for (uint32_t left = view->found[b]; left; left &= left - 1) {
      int o = __builtin_ctz(left);
      uint32_t g = view->target[b][o];
      int d[3] = {o / 9 - 1, o / 3 % 3 - 1, o % 3 - 1}, corner[3], place = 0;
      for (int a = 0; a < 3; a++) {
        corner[a] = shift[a] + 4 * d[a] - f->lo[a];
        place = EDGE * place + shift[a] / 4 + d[a] + 1;
      }
      if (!taken[place]) take_nodes(view, g, corner, f, flip, nodes);
      taken[place] = true;
    }
  }
}

static inline void prefetch_grains(const mpm_view *view, uint32_t b) {
  const char *p = (const char *)grains_of(view, &view->box[b]);
  for (size_t i = 0; i < view->block[b].count * sizeof(mpm_grain); i += 64)
    __builtin_prefetch(p + i);
}

// ------------------------------------------------------------------------------- few neighbours

// The nodes of one particle's stencil.
typedef struct patch {
  _Alignas(64) firn_real v[FIRN_NODE_BLOCK_REALS]; // [4 x][4 y][4 z][4], as a node block
  _Alignas(64) firn_real u[FIRN_NODE_BLOCK_REALS]; // FLIP: the difference
} patch;

// Where the neighbours of a parcel are, in blocks from its corner, and where their stencils begin, in nodes
// from there: what lies far away in memory is looked at only if it does meet.
enum { BESIDE = 2, AROUND = FIRN_PARCEL_BLOCKS + 2 * BESIDE };
typedef struct bystander {
  uint16_t number;
  int8_t lo[3], hi[3];
} bystander;
typedef struct surroundings {
  uint16_t there[AROUND][AROUND]; // bits along z
  bystander at[AROUND][AROUND][AROUND];
} surroundings;

static inline void survey_parcel(const mpm_view *view, const firn_parcel *parcel,
                                 surroundings *out) {
  const firn_neighbour *n = view->neighbour + parcel->neighbour;
  memset(out->there, 0, sizeof out->there);
  for (uint32_t i = 0; i < parcel->neighbours; i++, n++) {
    int x = n->shift[0] / 4 + BESIDE, y = n->shift[1] / 4 + BESIDE, z = n->shift[2] / 4 + BESIDE;
    const mpm_box *box = &view->box[n->block];
    bystander *to = &out->at[x][y][z];
    out->there[x][y] |= (uint16_t)(1u << z);
    to->number = (uint16_t)i;
    for (int a = 0; a < 3; a++) {
      to->lo[a] = (int8_t)(box->lo[a] + n->shift[a]);
      to->hi[a] = (int8_t)(to->lo[a] + box->n[a] - view->stencil.width);
    }
  }
}

// Whether some stencil of the block may share nodes with one of a given width.
static inline bool stands_near(const bystander *by, const int first[3], int width) {
  int apart = 0;
  for (int a = 0; a < 3; a++) {
    apart |= (first[a] + width - 1 - by->lo[a]) | (by->hi[a] + width - 1 - first[a]);
  }
  return apart >= 0;
}

// Whether a node of the parcel is touched by so few particles that each of these better adds up its own
// nodes, in registers, than all of them together those of the parcel, which is more than a cache has. That knows
// of neither node blocks nor colliders.
static inline bool is_sparse(const mpm_view *view, const firn_parcel *parcel,
                             const parcel_frame *f) {
  const size_t wide = 2 * (size_t)view->stencil.width - 1;
  size_t cells = (size_t)f->n[0] * (size_t)f->n[1] * (size_t)(f->n[2] - 2 * FRAME_MARGIN), own = 0;
  for (uint32_t b = parcel->first; b < parcel->end; b++) {
    if (!view->reach[b].spray) continue;
    if (view->found[b] || view->box[b].touched) return false;
    own += view->block[b].count;
  }
  return own * wide * wide * wide <= MEETINGS * cells;
}

// Blocks, from the parcel's corner, whose particles may share nodes along an axis with a stencil that begins
// at a node: theirs begin from a cell of drift below the block to one above.
static inline void blocks_beside(const mpm_stencil *stencil, int node, int out[2]) {
  int first = node - stencil->first, reach = stencil->width - 1;
  out[0] = ((first - reach - 4 + 3 + 64) >> 2) - 16;
  out[1] = ((first + reach + 1 + 64) >> 2) - 16;
  if (out[0] < -BESIDE) out[0] = -BESIDE;
  if (out[1] >= AROUND - BESIDE) out[1] = AROUND - BESIDE - 1;
}

// ---------------------------------------------------------------------------- beside colliders

// Nodes that colliders may touch are moved and collided by cubes, as node blocks are, before anybody gathers from
// them: each once, however many particles share it.

// Moves what still has to be, and collides it with a plane, which alone is near. first: the number of the frame's
// first node.
static void move_by_plane(const node_math *math, const plane_math *p, const parcel_frame *f,
                          const int32_t first[3], mpm_parcel_nodes *nodes) {
  double deep[MPM_PARCEL_DEPTH];
  for (int z = 0; z < f->n[2]; z++) deep[z] = plane_height(p, 2, first[2] + z);
  for (int c = 0; c < f->n[0] * f->n[1]; c++) {
    firn_real *node = nodes->node + (size_t)c * f->sy;
    const int32_t at[3] = {first[0] + c / f->n[1], first[1] + c % f->n[1], first[2]};
    uint64_t left = nodes->column[c];
    if (!left) continue;
    double over = plane_height(p, 0, at[0]) + plane_height(p, 1, at[1]);
    plane_sums sums = plane_sums_begin();
    bool any = false;
    nodes->column[c] = 0;
    while (left) {
      unsigned bits, inside = 0;
      int z = next_row(&left, &bits);
      firn_real *v = node + FIRN_NODE_REALS * z;
      for (int k = 0; k < 4; k++) inside |= (unsigned)(over + deep[z + k] <= 0) << k;
      inside &= bits;
      moved_row row = moved_of(math, v, MPM_PARCEL_REALS);
      if (!inside) {
        put_moved(math, &row, v, MPM_PARCEL_REALS, bits);
        continue;
      }
      row16 before = row.now, after = plane_collide(p, inside, before);
      row.now = after;
      put_moved(math, &row, v, MPM_PARCEL_REALS, bits);
      if (!p->plane.push) continue;
      row16 others = row_spread4(nodes->others + (v - nodes->node) / FIRN_NODE_REALS);
      plane_tell(&sums, row_sub(row_broadcast_w(before), others), before, after,
                 (const int[3]){0, 0, z});
      any = true;
    }
    if (any) plane_end(p, &sums, at);
  }
}

static void collide_cube(const mpm_view *view, const node_math *math, const parcel_frame *f,
                         const int corner[3], mpm_cube *cube, mpm_parcel_nodes *nodes) {
  _Alignas(64) firn_real v[FIRN_NODE_BLOCK_REALS];
  unsigned left[16], found = 0;
  if (!begins_inside(f, corner)) return;
  for (unsigned rows = mpm_cube_rows(view, cube); rows; rows &= rows - 1) {
    int r = __builtin_ctz(rows);
    left[r] = take_row(f, corner, r, nodes);
    if (!left[r]) continue;
    found |= 1u << r;
    size_t at = offset_of_row(f, corner, r);
    move_row(math, nodes->node + at, MPM_PARCEL_REALS, left[r]);
    row16 moved = row_loadu(nodes->node + at);
    row_store(v + FIRN_ROW_REALS * r, row_select_nodes(left[r], moved, row_zero()));
    for (int z = 0; z < 4 && cube->told; z++) {
      cube->mass[4 * r + z] = v[FIRN_ROW_REALS * r + 4 * z + 3] -
                              nodes->others[at / FIRN_NODE_REALS + (size_t)z];
    }
  }
  cube->rows = found;
  if (found) mpm_cube_contact(view, cube, v);
  for (unsigned rows = found; rows; rows &= rows - 1) {
    int r = __builtin_ctz(rows);
    firn_real *to = nodes->node + offset_of_row(f, corner, r), *u = to + MPM_PARCEL_REALS;
    row16 before = row_loadu(to);
    row16 after = row_select_nodes(left[r], row_load(v + FIRN_ROW_REALS * r), before);
    row_storeu(to, after);
    if (math->flip) row_storeu(u, row_add(row_loadu(u), row_sub(after, before)));
  }
}

// The mass that grains of other parcels have of nodes that may be touched, times a factor. Those parcels
// collide such nodes again for themselves, and each tells colliders of its own part.
static void weigh_others(const mpm_view *view, const firn_parcel *parcel, const parcel_frame *f,
                         firn_real factor, mpm_parcel_nodes *nodes) {
  const firn_neighbour *from = view->neighbour + parcel->neighbour;
  int width = view->stencil.width;
  for (uint32_t n = 0; n < parcel->neighbours; n++, from++) {
    const mpm_grain *grain = grains_of(view, &view->box[from->block]);
    bool own = from->block >= parcel->first && from->block < parcel->end;
    if (own || !view->box[from->block].touched) continue;
    for (uint32_t i = 0; i < view->block[from->block].count; i++, grain++) {
      int at[3];
      firn_real along[4];
      if (!frame_finds(f, grain, from->shift, at)) continue;
      for (int z = 0; z < 4; z++) along[z] = grain->row[3] * grain->wz[3 + z];
      for (int row = 0; row < width * width; row++) {
        int x = at[0] + row / width, y = at[1] + row % width;
        if (x < 0 || x >= f->n[0] || y < 0 || y >= f->n[1]) continue;
        const int node[3] = {x, y, at[2]};
        firn_real *others = nodes->others + frame_offset(f, node) / FIRN_NODE_REALS;
        firn_real sides = grain->wx[row / width] * grain->wy[row % width];
        for (int z = 0; z < 4; z++) others[z] = factor * (others[z] + sides * along[z]);
      }
    }
  }
}

// Any colliders, cube by cube.
static void collide_cubes(const mpm_view *view, const node_math *math, const firn_parcel *parcel,
                          const parcel_frame *f, mpm_cube *cube, mpm_parcel_nodes *nodes) {
  enum { EDGE = FIRN_PARCEL_BLOCKS + 2 };
  bool done[EDGE * EDGE * EDGE] = {false};
  for (uint32_t b = parcel->first; b < parcel->end; b++) {
    const mpm_box *box = &view->box[b];
    if (!view->reach[b].spray || !box->touched) continue;
    for (int o = 0; o < 27; o++) {
      int d[3] = {o / 9 - 1, o / 3 % 3 - 1, o % 3 - 1}, corner[3], place = 0;
      bool reached = true;
      for (int a = 0; a < 3; a++) {
        int in_parcel = (view->block[b].at[a] & (FIRN_PARCEL_BLOCKS - 1)) + d[a];
        reached = reached && box->lo[a] < 4 * d[a] + 4 && box->lo[a] + box->n[a] > 4 * d[a];
        corner[a] = 4 * in_parcel - f->lo[a];
        cube->corner[a] = 4.0 * (view->block[b].at[a] + d[a]);
        place = EDGE * place + in_parcel + 1;
      }
      if (!reached || done[place]) continue;
      done[place] = true;
      collide_cube(view, math, f, corner, cube, nodes);
    }
  }
}

// Moves and collides nodes that colliders may touch.
static __attribute__((noinline)) void collide_parcel(const mpm_view *view, const node_math *math,
                                                     const firn_parcel *parcel,
                                                     const parcel_frame *f,
                                                     mpm_parcel_nodes *nodes) {
  mpm_cube cube = mpm_cube_of(view, parcel);
  mpm_plane plane;
  if (cube.told) weigh_others(view, parcel, f, 1, nodes);
  if (mpm_plane_at_parcel(view, &cube, &plane)) {
    const plane_math p = plane_math_of(&plane, view->mass_floor, view->spacing);
    int32_t first[3];
    for (int a = 0; a < 3; a++) {
      first[a] = 4 * (view->block[parcel->first].at[a] & ~(FIRN_PARCEL_BLOCKS - 1)) + f->lo[a];
    }
    move_by_plane(math, &p, f, first, nodes);
  } else {
    collide_cubes(view, math, parcel, f, &cube, nodes);
  }
  if (cube.told) weigh_others(view, parcel, f, 0, nodes); // all zero again
}

static inline bool is_touched(const mpm_view *view, const firn_parcel *parcel) {
  bool touched = false;
  for (uint32_t b = parcel->first; b < parcel->end && !touched; b++) {
    touched = view->reach[b].spray && view->box[b].touched;
  }
  return touched;
}

#endif
