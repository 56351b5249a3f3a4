// SPDX-License-Identifier: Apache-2.0
// What the vector kernels share whatever their basis and transfer: the state of a group of
// FIRN_LANES particles, the law across them, and copies between grid and arenas.
//
// Law, weights and updates run across particles, one in each lane. Scatter and gather run across
// nodes, one particle after the other, a row of four nodes at a time; between the two, values are
// transposed through the `stage`.
#ifndef FIRN_SOLVER_MPM_KERNELS_LANE_H
#define FIRN_SOLVER_MPM_KERNELS_LANE_H

#include <math.h>
#include <string.h>

#include "grid/grid.h"
#include "material/law.h"
#include "math/bspline.h"
#include "math/row.h"
#include "solver/mpm/kernels_plane.h"

#define L FIRN_LANES

// The widest box, 4 cells, a cell of drift on either side, and the stencil, is 9 nodes; and a row
// more to read and write beyond its end. A multiple of 16, so that channels are aligned.
enum { LOCAL_REALS = (9 * 9 * 9 * FIRN_NODE_REALS + MPM_ARENA_PAD + 15) / 16 * 16 };

typedef struct stage {
  _Alignas(64) firn_real row[L][16]; // per particle: what is scattered, or what was gathered
  _Alignas(64) firn_real wz[L][4], dz[L][4];
  _Alignas(64) firn_real wx[4][L], wy[4][L], dx[4][L], dy[4][L];
  _Alignas(64) firn_real wxy[16][L]; // APIC: products of weights along x and y
  _Alignas(64) int32_t first[3][L];  // first node of the stencil, relative to the block's corner
  lane from[3];                      // x_p minus first node, in cells
} stage;

// The weights of one particle's stencil and their derivatives, each `step` reals behind the one
// before; those along z one after the other.
typedef struct spline {
  const firn_real *x, *y, *dx, *dy, *z, *dz;
  const firn_real *xy; // APIC: products along x and y, or NULL where nobody has made them
  size_t step;
} spline;

static inline spline spline_of_lane(const stage *s, int l) {
  return (spline){s->wx[0] + l, s->wy[0] + l, s->dx[0] + l,  s->dy[0] + l,
                  s->wz[l],     s->dz[l],     s->wxy[0] + l, L};
}

// The lanes of a group that lie in one block.
typedef struct segment {
  uint32_t block;
  int begin, end; // lanes
} segment;

// Splits the group that begins at slot into segments; `block` is that of the slot.
static inline int split(const mpm_view *view, const firn_unit *unit, uint32_t slot, uint32_t *block,
                        segment out[L]) {
  uint32_t end = unit->first + unit->count;
  if (end > slot + L) end = slot + L;
  int count = 0;
  for (uint32_t at = slot; at < end;) {
    const firn_block *b = &view->block[*block];
    uint32_t stop = b->first + b->count, until = stop < end ? stop : end;
    if (until > at) out[count++] = (segment){*block, (int)(at - slot), (int)(until - slot)};
    at = until;
    if (at == stop) (*block)++;
  }
  return count;
}

// Keeps the segments that take part in the solve.
static inline int leave_stiff(const mpm_view *view, segment in[L], int count) {
  int kept = 0;
  for (int n = 0; n < count; n++) {
    if (!view->box[in[n].block].soft) in[kept++] = in[n];
  }
  return kept;
}

// Keeps those that have node blocks.
static inline int leave_gridded(const mpm_view *view, segment in[L], int count) {
  int kept = 0;
  for (int n = 0; n < count; n++) {
    if (!view->reach[in[n].block].spray) in[kept++] = in[n];
  }
  return kept;
}

// Notes the largest sound2 of each block.
static inline void tell_sound(const mpm_view *view, const segment *in, int segments, lane sound2) {
  firn_real of[L];
  lane_storeu(of, sound2);
  for (int n = 0; n < segments; n++) {
    firn_real *most = &view->sound2[in[n].block];
    for (int l = in[n].begin; l < in[n].end; l++) *most = of[l] > *most ? of[l] : *most;
  }
}

static inline size_t box_reals(const mpm_box *box) {
  return (size_t)box->n[0] * (size_t)box->n[1] * (size_t)box->n[2] * FIRN_NODE_REALS;
}

// Offset of the first node of lane l's stencil in an arena laid out as box.
static inline size_t arena_offset(const mpm_box *box, const stage *s, int l) {
  int x = s->first[0][l] - box->lo[0], y = s->first[1][l] - box->lo[1],
      z = s->first[2][l] - box->lo[2];
  return FIRN_NODE_REALS * (size_t)((x * box->n[1] + y) * box->n[2] + z);
}

// ---------------------------------------------------------------------------------------- law

static inline __attribute__((always_inline)) firn_law_params group_params(const mpm_view *view,
                                                                          uint32_t slot, int *law,
                                                                          bool *mixed) {
  const uint16_t *material = view->material + slot;
  *mixed = false;
  if (view->material_count > 1) {
    unsigned differ = 0;
    for (int l = 1; l < L; l++) differ |= (unsigned)(material[l] ^ material[0]);
    *mixed = differ != 0;
  }
  const firn_material_row *row = &view->materials[material[0]];
  *law = row->law;
  firn_law_params p;
  if (*mixed) {
    int32_t id[L];
    for (int l = 0; l < L; l++) id[l] = material[l];
    p = firn_law_params_gather(view->materials, ilane_loadu(id));
    bool same = true;
    for (int l = 1; l < L; l++) same = same && view->materials[material[l]].law == *law;
    *mixed = !same;
  } else {
    p = firn_law_params_set1(row);
  }
  if (view->vary[0]) firn_law_params_vary(&p, view->vary, slot);
  return p;
}

// Lanes whose material follows the law; for groups of several laws.
static inline lmask lanes_of_law(const mpm_view *view, uint32_t slot, int law) {
  firn_real is[L];
  for (int l = 0; l < L; l++)
    is[l] = view->materials[view->material[slot + (uint32_t)l]].law == law;
  return lane_gt(lane_loadu(is), lane_zero());
}

// What a unit's law has to tell.
typedef struct law_tally {
  lane sound2_max, spent; // as of mpm_tally, lane by lane
  lane sound2;            // of this group
} law_tally;

// Plastic return and stress of a group; state is read and written back.
static inline void constitute(const mpm_view *view, uint32_t slot, lane tau[6], law_tally *tally) {
  int law;
  bool mixed;
  firn_law_params p = group_params(view, slot, &law, &mixed);
  lane e[6], trial[6], ln_jp = lane_load(view->ln_jp + slot), jp_in = ln_jp, hard, spent;
  for (int i = 0; i < 6; i++) trial[i] = e[i] = lane_load(view->b[i] + slot);
  if (!mixed) {
    firn_law_return(law, &p, e, &ln_jp, tau, &hard, &spent);
  } else {
    lane tau_out[6], jp_out = ln_jp, hard_out = lane_set1(1), spent_out = lane_zero();
    for (int i = 0; i < 6; i++) tau_out[i] = lane_zero();
    for (law = 0; law < FIRN_LAW_COUNT; law++) {
      lmask mask = lanes_of_law(view, slot, law);
      if (!lmask_any(mask)) continue;
      lane e_law[6], jp_law = jp_in;
      memcpy(e_law, trial, sizeof e_law);
      firn_law_return(law, &p, e_law, &jp_law, tau, &hard, &spent);
      for (int i = 0; i < 6; i++) {
        e[i] = lane_select(mask, e_law[i], e[i]);
        tau_out[i] = lane_select(mask, tau[i], tau_out[i]);
      }
      jp_out = lane_select(mask, jp_law, jp_out);
      hard_out = lane_select(mask, hard, hard_out);
      spent_out = lane_select(mask, spent, spent_out);
    }
    memcpy(tau, tau_out, sizeof tau_out);
    ln_jp = jp_out;
    hard = hard_out;
    spent = spent_out;
  }
  if (view->ln_cut && !view->hold) {
    lane cut = firn_law_cut(&p, trial, jp_in, e, ln_jp);
    lane_store(view->ln_cut + slot, lane_load(view->ln_cut + slot) + cut);
  }
  if (!view->hold) {
    for (int i = 0; i < 6; i++) lane_store(view->b[i] + slot, e[i]);
    lane_store(view->ln_jp + slot, ln_jp);
  }
  // Padding has neither mass nor volume; the floor keeps it from being 0/0.
  lane mass = lane_max(lane_load(view->mass + slot), lane_set1(FIRN_R(1e-30)));
  lane volume = lane_load(view->volume + slot);
  lane modulus = lane_fma(lane_set1(2), p.mu, p.lambda) * hard;
  tally->sound2 = modulus * volume / mass;
  tally->sound2_max = lane_max(tally->sound2_max, tally->sound2);
  tally->spent = lane_fma(volume, spent, tally->spent);
  if (!view->implicit) return;
  lane s[6];
  firn_law_stretch(e, s);
  for (int i = 0; i < 6; i++) lane_store(view->s[i] + slot, s[i]);
  lane_store(view->stiff[0] + slot, volume * p.mu * hard);
  lane_store(view->stiff[1] + slot, volume * p.lambda * hard);
}

// A = V0 dP[G S] S^T of a group.
static inline void differential(const mpm_view *view, uint32_t slot, const lane grad[9],
                                lane a[9]) {
  int law;
  bool mixed;
  firn_law_params p = group_params(view, slot, &law, &mixed);
  p.mu = lane_load(view->stiff[0] + slot);
  p.lambda = lane_load(view->stiff[1] + slot);
  lane s[6];
  for (int i = 0; i < 6; i++) s[i] = lane_load(view->s[i] + slot);
  int first = mixed ? 0 : law, last = mixed ? FIRN_LAW_COUNT - 1 : law;
  for (law = first; law <= last; law++) {
    lane out[9];
    firn_law_differential(law, view->psd, &p, s, grad, out);
    if (!mixed) {
      memcpy(a, out, sizeof out);
      continue;
    }
    lmask mask = lanes_of_law(view, slot, law);
    for (int i = 0; i < 9; i++) {
      a[i] = lane_select(mask, out[i], law == first ? lane_zero() : a[i]);
    }
  }
}

// Bounds the norm of dt grad v for some lanes.
static inline void limit_lanes(const mpm_view *view, lmask which, lane grad[9]) {
  lane norm2 = lane_zero(), limit = lane_set1(view->grad_limit / view->dt);
  for (int i = 0; i < 9; i++) norm2 = lane_fma(grad[i], grad[i], norm2);
  lmask over = lmask_and(which, lane_gt(norm2, limit * limit));
  if (!lmask_any(over)) return;
  lane scale = lane_select(over, limit / lane_sqrt(norm2), lane_set1(1));
  for (int i = 0; i < 9; i++) grad[i] = grad[i] * scale;
}

// -------------------------------------------------------------------------------------- boxes

static bool bound(const mpm_view *view, size_t b) {
  const firn_block *block = &view->block[b];
  const mpm_stencil *stencil = &view->stencil;
  mpm_box *box = &view->next_box[b];
  bool inside = true;
  for (int a = 0; a < 3; a++) {
    const firn_real *x = view->x[a] + block->first;
    firn_real lo = x[0], hi = x[0];
    if (block->count < L) {
      firn_real poison = 0; // 0, unless some position is not finite
      for (uint32_t i = 0; i < block->count; i++) {
        lo = lo <= x[i] ? lo : x[i];
        hi = hi >= x[i] ? hi : x[i];
        poison += x[i] - x[i];
      }
      lo += poison;
    } else {
      lane low = lane_loadu(x + block->count - L), high = low, poison = low - low;
      for (uint32_t i = 0; i + L <= block->count; i += L) {
        lane v = lane_loadu(x + i);
        low = lane_min(low, v);
        high = lane_max(high, v);
        poison = poison + (v - v);
      }
      lo = lane_hmin(low) + lane_hsum(poison);
      hi = lane_hmax(high);
    }
    firn_real shift = (firn_real)stencil->shift;
    firn_real first = (firn_real)floor((double)(lo - shift)) + (firn_real)stencil->first;
    firn_real last = (firn_real)floor((double)(hi - shift)) +
                     (firn_real)(stencil->first + stencil->width - 1);
    // Written so that nan is outside.
    if (!(first >= view->reach[b].lo[a] && last <= view->reach[b].hi[a])) {
      inside = false;
      continue;
    }
    box->lo[a] = (int8_t)first;
    box->n[a] = (int8_t)(last - first + 1);
  }
  return inside;
}

// First nodes of the stencils of a unit's particles, by axes.
enum { UNIT_MANY = 2 * FIRN_UNIT_MIN }; // particles at most, of one that has several blocks
typedef struct firsts {
  int32_t of[3][UNIT_MANY + L];
} firsts;

static inline void find_firsts(const mpm_view *view, const firn_unit *unit, firsts *out) {
  const lane shift = lane_set1((firn_real)view->stencil.shift), far = lane_set1(INT8_MIN),
             first = lane_set1((firn_real)view->stencil.first);
  for (uint32_t i = 0; i < unit->count; i += L) {
    for (int a = 0; a < 3; a++) {
      lane node = lane_floor(lane_load(view->x[a] + unit->first + i) - shift) + first;
      // What is far away, or no number, is outside of what any block may reach.
      lmask near = lmask_and(lane_gt(node, far), lane_gt(lane_zero() - far, node));
      ilane_storeu(out->of[a] + i, lane_to_ilane(lane_select(near, node, far)));
    }
  }
}

// As bound, given these; at: the block's first particle.
static inline bool bound_firsts(const mpm_view *view, size_t b, const firsts *f, uint32_t at) {
  const firn_reach *reach = &view->reach[b];
  const int rest = view->stencil.width - 1;
  const uint32_t end = at + view->block[b].count;
  int lo[3], hi[3], least = 0; // least: negative if some number is
  for (int a = 0; a < 3; a++) lo[a] = hi[a] = f->of[a][at];
  while (++at < end) {
    for (int a = 0; a < 3; a++) {
      int node = f->of[a][at];
      lo[a] = node < lo[a] ? node : lo[a];
      hi[a] = node > hi[a] ? node : hi[a];
    }
  }
  for (int a = 0; a < 3; a++) {
    least |= (lo[a] - reach->lo[a]) | (reach->hi[a] - rest - hi[a]);
  }
  if (least < 0) return false;
  mpm_box *box = &view->next_box[b];
  for (int a = 0; a < 3; a++) {
    box->lo[a] = (int8_t)lo[a];
    box->n[a] = (int8_t)(hi[a] - lo[a] + rest + 1);
  }
  return true;
}

// Bounds the blocks of a unit. Where there are several, of few particles each, these are looked at
// all together.
static __attribute__((noinline)) bool bound_unit(const mpm_view *view, const firn_unit *unit) {
  firsts f;
  bool inside = true;
  bool several = unit->block_count > 1 &&
                 unit->count <= UNIT_MANY; // as all have; f has no room for more
  if (several) find_firsts(view, unit, &f);
  for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
    bool its = several ? bound_firsts(view, b, &f, view->block[b].first - unit->first)
                       : bound(view, b);
    inside = inside && its;
  }
  return inside;
}

// Fetches what load_box will read.
static inline void prefetch_box(const mpm_view *view, uint32_t b, const firn_real *field) {
  const mpm_box *box = &view->box[b];
  const uint32_t *target = view->target[b];
  for (int i = 0; i < box->n[0]; i++) {
    int x = box->lo[0] + i, dx = x < 0 ? -1 : x >> 2;
    for (int j = 0; j < box->n[1]; j++) {
      int y = box->lo[1] + j, dy = y < 0 ? -1 : y >> 2;
      const uint32_t *column = target + firn_grid_offset(dx, dy, -1);
      const firn_real *row = field + 16 * (4 * (x & 3) + (y & 3));
      int first = box->lo[2] < 0 ? -1 : box->lo[2] >> 2, last = (box->lo[2] + box->n[2] - 1) >> 2;
      for (int dz = first; dz <= last; dz++) {
        __builtin_prefetch(row + (size_t)column[dz + 1] * FIRN_NODE_BLOCK_REALS);
      }
    }
  }
}

// Copies a box of nodes from a node field, laid out as an arena; lo is its first node, from the
// corner of block b. Pieces of four nodes are copied whole; what is too much is overwritten by the
// next piece, or lies in the padding.
static inline void load_nodes(const mpm_view *view, uint32_t b, const int lo[3], const int count[3],
                              const firn_real *field, firn_real *local) {
  const uint32_t *target = view->target[b];
  int z_end = lo[2] + count[2];
  for (int i = 0; i < count[0]; i++) {
    int x = lo[0] + i, dx = x < 0 ? -1 : x >> 2;
    for (int j = 0; j < count[1]; j++) {
      int y = lo[1] + j, dy = y < 0 ? -1 : y >> 2;
      const uint32_t *column = target + firn_grid_offset(dx, dy, -1);
      size_t row = 16 * (size_t)(4 * (x & 3) + (y & 3));
      for (int z = lo[2]; z < z_end;) {
        int dz = z < 0 ? -1 : z >> 2;
        const firn_real *from = field + (size_t)column[dz + 1] * FIRN_NODE_BLOCK_REALS + row +
                                4 * (size_t)(z & 3);
        row_storeu(local, row_loadu(from));
        int next = 4 * (dz + 1);
        if (next > z_end) next = z_end;
        local += FIRN_NODE_REALS * (next - z);
        z = next;
      }
    }
  }
  // The last row of a quadratic stencil reads a fourth node, with weight 0.
  row_storeu(local, row_zero());
}

static inline void load_box(const mpm_view *view, uint32_t b, const firn_real *field,
                            firn_real *local) {
  const mpm_box *box = &view->box[b];
  const int lo[3] = {box->lo[0], box->lo[1], box->lo[2]}, n[3] = {box->n[0], box->n[1], box->n[2]};
  load_nodes(view, b, lo, n, field, local);
}

// -------------------------------------------------------------------------------------- nodes

// Where the box of a giver overlaps a node block: rows (x, y) and nodes along z, in coordinates of
// the node block.
typedef struct overlap {
  const firn_real *row; // where node 0 of row (0, 0) would be in the giver's arena
  size_t sx, sy, channel;
  int8_t lo[3], hi[3];
  bool asleep, soft;
} overlap;

static inline bool overlap_with(const mpm_view *view, firn_giver giver, overlap *out) {
  static const int8_t shift[3] = {-4, 0, 4};
  const mpm_box *box = &view->box[firn_giver_block(giver)];
  int o = firn_giver_offset(giver);
  int d[3] = {shift[o / 9], shift[o / 3 % 3], shift[o % 3]}, from[3];
  bool outside = false;
  for (int a = 0; a < 3; a++) {
    from[a] = box->lo[a] + d[a];
    int end = from[a] + box->n[a];
    out->lo[a] = (int8_t)(from[a] > 0 ? from[a] : 0);
    out->hi[a] = (int8_t)(end < 4 ? end : 4);
    outside |= out->lo[a] >= out->hi[a];
  }
  if (outside) return false;
  out->asleep = box->asleep;
  out->soft = box->soft;
  out->sy = FIRN_NODE_REALS * (size_t)box->n[2];
  out->sx = out->sy * (size_t)box->n[1];
  out->channel = out->sx * (size_t)box->n[0];
  out->row = view->arena + box->arena - from[0] * (ptrdiff_t)out->sx -
             from[1] * (ptrdiff_t)out->sy - from[2] * (ptrdiff_t)FIRN_NODE_REALS;
  return true;
}

// The givers of g whose boxes reach into it now; thin ones have sown already.
static inline int find_overlaps(const mpm_view *view, size_t g, overlap out[27]) {
  int count = 0;
  for (uint32_t n = view->giver_start[g]; n < view->giver_start[g + 1]; n++) {
    if (view->box[firn_giver_block(view->giver[n])].thin) continue;
    count += overlap_with(view, view->giver[n], &out[count]);
  }
  return count;
}

// In spray, every arena is a few lines somewhere in memory: fetch those of a node block to come.
static inline void prefetch_arenas(const mpm_view *view, size_t g) {
  enum { AHEAD = 2, DENSE = 20 };
  if (g + AHEAD >= view->node_count) return;
  if (view->giver_start[g + AHEAD + 1] - view->giver_start[g + AHEAD] >= DENSE) return;
  overlap in[27];
  int count = find_overlaps(view, g + AHEAD, in);
  for (int n = 0; n < count; n++) {
    for (int i = in[n].lo[0]; i < in[n].hi[0]; i++) {
      for (int j = in[n].lo[1]; j < in[n].hi[1]; j++) {
        const firn_real *p = in[n].row + (size_t)i * in[n].sx + (size_t)j * in[n].sy;
        __builtin_prefetch(p + FIRN_NODE_REALS * in[n].lo[2]);
      }
    }
  }
}

// Adds the arenas that overlap node block g to what has been sown: sum[channel][16 rows][16].
// Returns the rows touched. What blocks asleep hold is multiplied by *asleep. NULL is for products
// of the solve, which has neither those nor soft ones.
static inline unsigned add_arenas(const mpm_view *view, size_t g, const firn_real *const sown[2],
                                  int channels, const row16 *asleep,
                                  firn_real sum[][FIRN_NODE_BLOCK_REALS]) {
  unsigned touched = view->sows ? view->sown[g] : 0;
  overlap in[27];
  prefetch_arenas(view, g);
  for (unsigned left = touched; left; left &= left - 1) {
    int r = 16 * __builtin_ctz(left);
    for (int c = 0; c < channels; c++) row_store(sum[c] + r, row_load(sown[c] + r));
  }
  int count = find_overlaps(view, g, in);
  for (int n = 0; n < count; n++) {
    if (!asleep && (in[n].asleep || in[n].soft)) continue;
    unsigned first = (unsigned)in[n].lo[2], nodes = (unsigned)(in[n].hi[2] - in[n].lo[2]);
    for (int i = in[n].lo[0]; i < in[n].hi[0]; i++) {
      for (int j = in[n].lo[1]; j < in[n].hi[1]; j++) {
        // Nodes outside the box are not read.
        const firn_real *p = in[n].row + (size_t)i * in[n].sx + (size_t)j * in[n].sy;
        int r = 4 * i + j;
        bool fresh = !(touched >> r & 1);
        touched |= 1u << r;
        for (int c = 0; c < channels; c++, p += in[n].channel) {
          row16 add = nodes == 4 ? row_loadu(p) : row_maskz_load(p, first, nodes);
          if (in[n].asleep) add = row_mul(add, *asleep);
          firn_real *to = sum[c] + 16 * r;
          row_store(to, fresh ? add : row_add(row_load(to), add));
        }
      }
    }
  }
  return touched;
}

// Smallest and largest velocity of a block, from rows of minima and maxima over its nodes.
static inline void store_range(const mpm_view *view, size_t g, row16 low, row16 high) {
  firn_real lo[16], hi[16];
  row_storeu(lo, low);
  row_storeu(hi, high);
  for (int a = 0; a < 3; a++) {
    for (int n = 1; n < 4; n++) {
      lo[a] = lo[4 * n + a] < lo[a] ? lo[4 * n + a] : lo[a];
      hi[a] = hi[4 * n + a] > hi[a] ? hi[4 * n + a] : hi[a];
    }
    view->node_lo[3 * g + (size_t)a] = lo[a];
    view->node_hi[3 * g + (size_t)a] = hi[a];
  }
}

// What the solve measures itself by, of the rows of a block.
static inline void store_sums(const mpm_view *view, size_t g, unsigned touched,
                              const firn_real *v) {
  row16 momentum = row_zero(), energy = momentum, mass = momentum;
  for (int r = 0; r < 16; r++) {
    if (!(touched >> r & 1)) continue;
    row16 now = row_load(v + 16 * r), m = row_broadcast_w(now), p = row_mul(m, now);
    momentum = row_add(momentum, p);
    energy = row_fma_row(p, now, energy);
    mass = row_add(mass, m);
  }
  _Alignas(64) firn_real p[16], m[16], e[16];
  row_store(p, momentum);
  row_store(m, mass);
  row_store(e, energy);
  double *sum = view->node_sums[g];
  memset(sum, 0, 5 * sizeof *sum);
  for (int n = 0; n < 16; n += 4) {
    for (int a = 0; a < 3; a++) {
      sum[a] += (double)p[n + a];
      sum[4] += (double)e[n + a];
    }
    sum[3] += (double)m[n];
  }
}

// Steps 1 and 4 on four nodes: from momentum, mass and force to the velocity before and after.
typedef struct node_math {
  row16 floor, zero, gravity;
  lane dt, alpha;
  bool flip;
} node_math;

static inline __attribute__((always_inline)) node_math node_math_of(const mpm_view *view,
                                                                    bool flip) {
  firn_real g[4];
  for (int a = 0; a < 3; a++) g[a] = view->dt * view->gravity[a];
  g[3] = 0;
  return (node_math){row_set1(view->mass_floor), row_zero(), row_splat4(g), lane_set1(view->dt),
                     lane_set1(view->alpha),     flip};
}

static inline row16 accelerate(const node_math *m, row16 momentum, row16 mass,
                               const firn_real *force, row16 *old) {
  row16 inverse = row_select_gt(mass, m->floor, row_div(row_set1(1), mass), m->zero);
  *old = row_blend_w(row_mul(momentum, inverse), m->zero);
  row16 now = row_add(*old, m->gravity);
  if (m->flip) now = row_fma(m->dt, row_mul(row_loadu(force), inverse), now);
  return row_select_gt(mass, m->floor, now, m->zero);
}

// FLIP's difference, from the old velocity in u and the new one.
static inline void blend_rows(const node_math *m, firn_real *u, row16 now) {
  row_store(u, row_fnma(m->alpha, row_load(u), row_blend_w(now, m->zero)));
}

// The same after collisions: nodes that damp, with 1 in component w of u, keep it and their
// velocity alone.
static inline void blend_collided(const node_math *m, firn_real *u, row16 now) {
  row16 old = row_load(u), damps = row_broadcast_w(old);
  row16 alpha = row_scale(m->alpha, row_sub(row_set1(1), damps));
  row_store(u, row_blend_w(row_fnma_row(alpha, old, now), damps));
}

// Collides the nodes of a block with the one plane that is near them, if that is so.
static bool collide_by_plane(const mpm_view *view, size_t g, unsigned touched, firn_real *v) {
  mpm_plane plane;
  if (!mpm_plane_at_nodes(view, g, &plane)) return false;
  const plane_math p = plane_math_of(&plane, view->mass_floor, view->spacing);
  const int32_t corner[3] = {4 * view->node_at[g][0], 4 * view->node_at[g][1],
                             4 * view->node_at[g][2]};
  double height[3][4];
  plane_sums sums = plane_sums_begin();
  for (int a = 0; a < 3; a++) {
    for (int n = 0; n < 4; n++) height[a][n] = plane_height(&p, a, corner[a] + n);
  }
  for (int r = 0; r < 16; r++) {
    double over = height[0][r / 4] + height[1][r % 4];
    unsigned inside = 0;
    for (int k = 0; k < 4; k++) inside |= (unsigned)(over + height[2][k] <= 0) << k;
    if (!inside || !(touched >> r & 1)) continue;
    row16 before = row_load(v + 16 * r), after = plane_collide(&p, inside, before);
    row_store(v + 16 * r, after);
    plane_tell(&sums, row_broadcast_w(before), before, after, (const int[3]){r / 4, r % 4, 0});
    if (!plane.damps) continue;
    firn_real *u = view->node_u + g * FIRN_NODE_BLOCK_REALS + 16 * r;
    row_store(u, row_select_nodes(inside, row_blend_w(row_load(u), row_set1(1)), row_load(u)));
  }
  if (plane.push) plane_end(&p, &sums, corner);
  return true;
}

static inline void nodes_of(const mpm_view *view, size_t g, bool flip) {
  _Alignas(64) firn_real sum[2][FIRN_NODE_BLOCK_REALS];
  // Under APIC what sleeps holds force where others hold momentum.
  firn_real dt = flip ? 1 : view->dt;
  const firn_real scale[4] = {dt, dt, dt, 1};
  const row16 asleep = row_splat4(scale);
  firn_real *v = view->node_v + g * FIRN_NODE_BLOCK_REALS;
  firn_real *u = flip ? view->node_u + g * FIRN_NODE_BLOCK_REALS : NULL;
  const firn_real *const sown[2] = {v, u};
  unsigned touched = add_arenas(view, g, sown, flip ? 2 : 1, &asleep, sum);
  bool near = mpm_nodes_are_near(view, g), solved = mpm_nodes_are_solved(view, g);
  const node_math math = node_math_of(view, flip);
  const row16 huge = row_set1(INFINITY), tiny = row_set1(-INFINITY);
  row16 low = huge, high = tiny;
  for (int r = 0; r < 16; r++) {
    if (!(touched >> r & 1)) {
      // Contact and the solver's vectors run over all nodes; otherwise nobody reads these.
      if (solved || near) row_store(v + 16 * r, math.zero);
      if (solved && flip) row_store(u + 16 * r, math.zero);
      continue;
    }
    row16 momentum = row_load(sum[0] + 16 * r), mass = row_broadcast_w(momentum), old;
    row16 now = accelerate(&math, momentum, mass, sum[1] + 16 * r, &old);
    low = row_min(low, row_select_gt(mass, math.floor, now, huge));
    high = row_max(high, row_select_gt(mass, math.floor, now, tiny));
    row_store(v + 16 * r, row_blend_w(now, momentum));
    if (flip) {
      row_store(u + 16 * r, old);
      if (!near && !solved) blend_rows(&math, u + 16 * r, now);
    }
  }
  store_range(view, g, low, high);
  if (view->implicit && (!near || !touched)) store_sums(view, g, touched, v);
  if (!near || (!touched && !solved)) return;

  // Collisions change velocities, so what depends on them is made again.
  if (!collide_by_plane(view, g, touched, v)) mpm_node_contact(view, g, v);
  low = huge;
  high = tiny;
  for (int r = 0; r < 16; r++) {
    if (!(touched >> r & 1)) continue;
    row16 now = row_load(v + 16 * r), mass = row_broadcast_w(now);
    low = row_min(low, row_select_gt(mass, math.floor, now, huge));
    high = row_max(high, row_select_gt(mass, math.floor, now, tiny));
    if (flip && !solved) blend_collided(&math, u + 16 * r, now);
  }
  store_range(view, g, low, high);
  if (view->implicit) store_sums(view, g, touched, v);
}

static void hessian_nodes(const mpm_view *view, size_t g) {
  _Alignas(64) firn_real sum[1][FIRN_NODE_BLOCK_REALS];
  size_t at = g * FIRN_NODE_BLOCK_REALS;
  const firn_real *const sown[2] = {view->product + at, NULL};
  unsigned touched = add_arenas(view, g, sown, 1, NULL, sum);
  const row16 floor_ = row_set1(view->mass_floor), zero = row_zero();
  const lane factor = lane_set1(view->stiffness_factor);
  for (int r = 0; r < 16; r++, at += 16) {
    // Rows that nothing awake touches may still have the mass of what sleeps.
    row16 mass = row_broadcast_w(row_load(view->node_v + at));
    row16 out = row_mul(mass, row_load(view->direction + at));
    if (touched >> r & 1) out = row_fma(factor, row_load(sum[0] + 16 * r), out);
    out = row_blend_w(row_select_gt(mass, floor_, out, zero), zero);
    row_store(view->product + at, out);
  }
}

static void stiffness_nodes(const mpm_view *view, size_t g) {
  _Alignas(64) firn_real sum[1][FIRN_NODE_BLOCK_REALS];
  size_t at = g * FIRN_NODE_BLOCK_REALS;
  const firn_real *const sown[2] = {view->inverse + at, NULL};
  unsigned touched = add_arenas(view, g, sown, 1, NULL, sum);
  const row16 floor_ = row_set1(view->mass_floor), zero = row_zero();
  const lane factor = lane_set1(view->stiffness_factor);
  for (int r = 0; r < 16; r++, at += 16) {
    row16 mass = row_broadcast_w(row_load(view->node_v + at)), whole = mass;
    if (touched >> r & 1) whole = row_fma(factor, row_load(sum[0] + 16 * r), mass);
    row16 inverse = row_select_gt(mass, floor_, row_div(row_set1(1), whole), zero);
    row_store(view->inverse + at, row_blend_w(inverse, zero));
  }
}

#endif
