// SPDX-License-Identifier: Apache-2.0
// The MPM step in plain C, one particle and one node at a time, any basis and transfer. It is what
// runs where there is no AVX2, and the oracle that the fast kernels are tested against; so it
// stays close to the formulas.
#include <math.h>
#include <string.h>

#include "material/law.h"
#include "math/bspline.h"
#include "solver/mpm/contact.h"
#include "solver/mpm/kernels_clump.h"

// The nodes around one particle, in the order x, y, z fastest. The gradient that carries force and
// velocity gradient is that of the weights (Eq. 4, 6) or, under APIC, w (x_i - x_p) / (D h^2).
typedef struct stencil {
  int first[3];       // node, relative to the block's corner
  int count;          // 64 or 27
  int8_t at[64][3];   // steps from the first node
  firn_real w[64];    // weights
  firn_real g[64][3]; // 1/m
  firn_real r[64][3]; // x_i - x_p, m
} stencil;

static void axis_weights(const mpm_view *view, firn_real x, int *first, firn_real w[4],
                         firn_real dw[4]) {
  firn_real f;
  if (view->stencil.width == 4) {
    *first = (int)firn_bspline_cubic_base(x, &f);
    firn_bspline_cubic(f, w, dw);
  } else {
    *first = (int)firn_bspline_quadratic_base(x, &f);
    firn_bspline_quadratic(f, w, dw);
  }
}

static void stencil_at(const mpm_view *view, size_t slot, stencil *s) {
  firn_real w[3][4] = {{0}}, dw[3][4] = {{0}}, from[3];
  firn_real per_h = 1 / view->h, per_dh = 1 / ((firn_real)view->stencil.d * view->h * view->h);
  for (int a = 0; a < 3; a++) {
    axis_weights(view, view->x[a][slot], &s->first[a], w[a], dw[a]);
    from[a] = view->x[a][slot] - (firn_real)s->first[a];
  }
  int n = view->stencil.width, m = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < n; k++, m++) {
        firn_real wij = w[0][i] * w[1][j];
        s->w[m] = wij * w[2][k];
        s->r[m][0] = ((firn_real)i - from[0]) * view->h;
        s->r[m][1] = ((firn_real)j - from[1]) * view->h;
        s->r[m][2] = ((firn_real)k - from[2]) * view->h;
        if (view->apic) {
          for (int a = 0; a < 3; a++) s->g[m][a] = s->w[m] * per_dh * s->r[m][a];
        } else {
          s->g[m][0] = per_h * dw[0][i] * w[1][j] * w[2][k];
          s->g[m][1] = per_h * w[0][i] * dw[1][j] * w[2][k];
          s->g[m][2] = per_h * wij * dw[2][k];
        }
        s->at[m][0] = (int8_t)i;
        s->at[m][1] = (int8_t)j;
        s->at[m][2] = (int8_t)k;
      }
    }
  }
  s->count = m;
}

// ------------------------------------------------------------------------------------- arenas

static size_t box_reals(const mpm_box *box) {
  return (size_t)box->n[0] * (size_t)box->n[1] * (size_t)box->n[2] * FIRN_NODE_REALS;
}

// The arena's node number m of the stencil.
static firn_real *arena_node(const mpm_view *view, const mpm_box *box, const stencil *s, int m) {
  int x = s->first[0] + s->at[m][0] - box->lo[0], y = s->first[1] + s->at[m][1] - box->lo[1],
      z = s->first[2] + s->at[m][2] - box->lo[2];
  return view->arena + box->arena + FIRN_NODE_REALS * (size_t)((x * box->n[1] + y) * box->n[2] + z);
}

static bool bound(const mpm_view *view, size_t b) {
  const firn_block *block = &view->block[b];
  mpm_box *box = &view->next_box[b];
  bool inside = true;
  for (int a = 0; a < 3; a++) {
    firn_real lo = INFINITY, hi = -INFINITY, poison = 0; // 0, unless some position is not finite
    for (uint32_t i = 0; i < block->count; i++) {
      firn_real x = view->x[a][block->first + i];
      lo = x < lo ? x : lo;
      hi = x > hi ? x : hi;
      poison += x - x;
    }
    firn_real shift = (firn_real)view->stencil.shift;
    double first = floor((double)(lo + poison - shift)) + view->stencil.first;
    double last = floor((double)(hi - shift)) + view->stencil.first + view->stencil.width - 1;
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

// ------------------------------------------------------------------------------------ scatter

static firn_law_params law_params(const mpm_view *view, size_t slot) {
  firn_law_params p = firn_law_params_set1(&view->materials[view->material[slot]]);
  if (view->vary[0]) firn_law_params_vary(&p, view->vary, slot);
  return p;
}

// Plastic return (section 7) and Kirchhoff stress of one particle.
static void constitute(const mpm_view *view, size_t b, size_t slot, firn_real tau[6],
                       mpm_tally *tally) {
  int law = view->materials[view->material[slot]].law;
  firn_law_params params = law_params(view, slot);
  firn_real e[6], trial[6], hard, spent, mass = view->mass[slot], volume = view->volume[slot];
  firn_real ln_jp = view->ln_jp[slot];
  for (int i = 0; i < 6; i++) trial[i] = e[i] = view->b[i][slot];
  firn_law_return(law, &params, e, &ln_jp, tau, &hard, &spent);
  if (view->ln_cut && !view->hold) {
    view->ln_cut[slot] += firn_law_cut(&params, trial, view->ln_jp[slot], e, ln_jp);
  }
  if (!view->hold) {
    for (int i = 0; i < 6; i++) view->b[i][slot] = e[i];
    view->ln_jp[slot] = ln_jp;
  }
  double sound2 = (double)((params.lambda + 2 * params.mu) * hard * volume / mass);
  if (sound2 > tally->sound2_max) tally->sound2_max = sound2;
  if (sound2 > (double)view->sound2[b]) view->sound2[b] = (firn_real)sound2;
  tally->spent += (double)(volume * spent);
  if (!view->implicit) return;
  firn_real s[6];
  firn_law_stretch(e, s);
  for (int i = 0; i < 6; i++) view->s[i][slot] = s[i];
  view->stiff[0][slot] = volume * params.mu * hard;
  view->stiff[1][slot] = volume * params.lambda * hard;
}

// row r of the symmetric matrix t (xx yy zz xy xz yz) times g
static firn_real sym_row(const firn_real t[6], int r, const firn_real g[3]) {
  static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  return t[at[r][0]] * g[0] + t[at[r][1]] * g[1] + t[at[r][2]] * g[2];
}

// Step 1, and step 3: the force of Eq. 6, in which the J of V^n and that of the Cauchy stress cancel,
// f_i = -sum V^0 tau grad w.
static void scatter_one(const mpm_view *view, size_t b, size_t slot, mpm_tally *tally) {
  const mpm_box *box = &view->box[b];
  firn_real tau[6], mass = view->mass[slot], volume = view->volume[slot], v[3];
  constitute(view, b, slot, tau, tally);
  for (int a = 0; a < 3; a++) v[a] = view->v[a][slot];
  stencil s;
  stencil_at(view, slot, &s);
  size_t force = mpm_channel_reals(view, box);
  for (int m = 0; m < s.count; m++) {
    firn_real w = s.w[m], *node = arena_node(view, box, &s, m);
    const firn_real *g = s.g[m], *r = s.r[m];
    for (int a = 0; a < 3; a++) {
      firn_real f = -volume * sym_row(tau, a, g);
      if (view->apic) {
        firn_real affine = view->c[3 * a][slot] * r[0] + view->c[3 * a + 1][slot] * r[1] +
                           view->c[3 * a + 2][slot] * r[2];
        node[a] += w * mass * (v[a] + affine) + view->dt * f;
      } else {
        node[a] += w * mass * v[a];
        node[force + (size_t)a] += f;
      }
    }
    node[3] += w * mass;
  }
}

static void scatter(const mpm_view *view, size_t u, mpm_tally *tally) {
  const firn_unit *unit = &view->unit[u];
  int channels = view->apic ? 1 : 2;
  for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
    const firn_block *block = &view->block[b];
    const mpm_box *box = &view->box[b];
    size_t channel = view->patch_channel;
    for (int c = 0; c < (channel ? channels : 1); c++) {
      memset(view->arena + box->arena + (size_t)c * channel, 0,
             mpm_arena_reals(box, channel ? 1 : channels, channel ? 0 : block->count) *
                 sizeof(firn_real));
    }
    view->sound2[b] = 0;
    for (uint32_t i = 0; i < block->count; i++) scatter_one(view, b, block->first + i, tally);
  }
}

// -------------------------------------------------------------------------------------- nodes

// The part of giver o's box that lies in this node block: [lo, hi) along each axis, in node
// coordinates of the node block; `from` is the box's first node there.
typedef struct overlap {
  int lo[3], hi[3], from[3];
} overlap;

static bool overlap_with(const mpm_box *box, int o, overlap *out) {
  int d[3] = {o / 9 - 1, o / 3 % 3 - 1, o % 3 - 1};
  for (int a = 0; a < 3; a++) {
    out->from[a] = box->lo[a] + 4 * d[a];
    out->lo[a] = out->from[a] > 0 ? out->from[a] : 0;
    int end = out->from[a] + box->n[a];
    out->hi[a] = end < 4 ? end : 4;
    if (out->lo[a] >= out->hi[a]) return false;
  }
  return true;
}

// Adds channel c of every overlapping arena to sum[64][4], in the order of the 27 offsets. Vectors
// of blocks asleep are multiplied by `asleep`; 0 is for products of the solve, which has neither
// those nor soft ones.
static void add_arenas(const mpm_view *view, size_t g, int c, firn_real asleep, firn_real *sum) {
  for (uint32_t n = view->giver_start[g]; n < view->giver_start[g + 1]; n++) {
    uint32_t b = firn_giver_block(view->giver[n]);
    overlap in;
    const mpm_box *box = &view->box[b];
    if (!overlap_with(box, firn_giver_offset(view->giver[n]), &in)) continue;
    if (asleep == 0 && (box->asleep || box->soft)) continue;
    firn_real scale = box->asleep ? asleep : 1;
    const firn_real *arena = view->arena + box->arena + (size_t)c * box_reals(box);
    for (int i = in.lo[0]; i < in.hi[0]; i++) {
      for (int j = in.lo[1]; j < in.hi[1]; j++) {
        for (int k = in.lo[2]; k < in.hi[2]; k++) {
          size_t at = (size_t)(((i - in.from[0]) * box->n[1] + j - in.from[1]) * box->n[2] + k -
                               in.from[2]);
          firn_real *to = sum + 4 * (16 * i + 4 * j + k);
          for (int a = 0; a < 3; a++) to[a] += scale * arena[4 * at + (size_t)a];
          to[3] += arena[4 * at + 3];
        }
      }
    }
  }
}

// What the solve measures itself by.
static void store_sums(const mpm_view *view, size_t g, const firn_real *v) {
  double *sum = view->node_sums[g];
  memset(sum, 0, 5 * sizeof *sum);
  for (int n = 0; n < 64; n++, v += 4) {
    double mass = (double)v[3];
    for (int a = 0; a < 3; a++) {
      sum[a] += mass * (double)v[a];
      sum[4] += mass * (double)v[a] * (double)v[a];
    }
    sum[3] += mass;
  }
}

// Step 1: v = (sum of m w v)/m; step 4: v* = v + dt (f/m + g), Eq. 10 with gravity (D-1). Under APIC
// the force is in the momentum. v may be where the momentum is.
static void move_node(const mpm_view *view, const firn_real momentum[4], const firn_real force[4],
                      firn_real v[4], firn_real old[4]) {
  firn_real mass = momentum[3];
  bool active = mass > view->mass_floor;
  firn_real inverse = active ? 1 / mass : 0;
  for (int a = 0; a < 3; a++) {
    firn_real before = momentum[a] * inverse, f = view->apic ? 0 : force[a];
    old[a] = before;
    v[a] = active ? before + view->dt * (f * inverse + view->gravity[a]) : 0;
  }
  v[3] = mass;
  old[3] = 0;
}

// Steps 1 and 4, and step 5.
static void nodes(const mpm_view *view, size_t g) {
  firn_real momentum[FIRN_NODE_BLOCK_REALS] = {0}, force[FIRN_NODE_BLOCK_REALS] = {0};
  firn_real *v = view->node_v + g * FIRN_NODE_BLOCK_REALS;
  firn_real *u = view->node_u ? view->node_u + g * FIRN_NODE_BLOCK_REALS : NULL;
  // Under APIC what sleeps holds force where others hold momentum. A dt of 0 asks for mass alone,
  // when nothing sleeps yet.
  add_arenas(view, g, MPM_CHANNEL_MOMENTUM, view->apic ? view->dt : 1, momentum);
  if (!view->apic) add_arenas(view, g, MPM_CHANNEL_FORCE, 1, force);
  for (int n = 0; n < 64; n++) {
    firn_real old[4];
    move_node(view, momentum + 4 * n, force + 4 * n, v + 4 * n, old);
    if (u) memcpy(u + 4 * n, old, sizeof old);
  }
  if (mpm_nodes_are_near(view, g)) mpm_node_contact(view, g, v);
  if (u && !mpm_nodes_are_solved(view, g)) {
    for (int n = 0; n < 64; n++) {
      firn_real alpha = view->alpha * (1 - u[4 * n + 3]);
      for (int a = 0; a < 3; a++) u[4 * n + a] = v[4 * n + a] - alpha * u[4 * n + a];
    }
  }
  if (view->implicit) store_sums(view, g, v);
  for (int a = 0; a < 3; a++) {
    firn_real lo = INFINITY, hi = -INFINITY;
    for (int n = 0; n < 64; n++) {
      if (!(v[4 * n + 3] > view->mass_floor)) continue;
      lo = v[4 * n + a] < lo ? v[4 * n + a] : lo;
      hi = v[4 * n + a] > hi ? v[4 * n + a] : hi;
    }
    view->node_lo[3 * g + (size_t)a] = lo;
    view->node_hi[3 * g + (size_t)a] = hi;
  }
}

// ------------------------------------------------------------------------------------- patches

static void patch_nodes(const mpm_view *view, size_t b) {
  size_t end = view->box[b].arena + mpm_patch_reals(&view->box[b]);
  for (size_t i = view->box[b].arena; i < end; i += 4) {
    firn_real *v = view->arena + i, *u = v + view->patch_channel, old[4];
    move_node(view, v, u, v, old);
    if (!view->apic) memcpy(u, old, sizeof old);
  }
}

static void patch_masses(const mpm_view *view, size_t b, const mpm_patch_vectors *vectors) {
  size_t first = view->box[b].arena, end = first + mpm_patch_reals(&view->box[b]);
  for (size_t i = first; i < end; i++) {
    firn_real mass = view->node_v[i / 4 * 4 + 3];
    bool moves = mass > view->mass_floor && i % 4 < 3;
    vectors->mass[i] = moves ? mass : 0;
    vectors->inverse[i] = moves ? 1 / mass : 0;
  }
}

static double patch_finish(const mpm_view *view, size_t b) {
  const firn_real *v = view->arena + view->box[b].arena;
  firn_real *u = view->apic ? NULL : view->arena + view->box[b].arena + view->patch_channel;
  firn_real lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t i = 0; i < mpm_patch_reals(&view->box[b]); i += 4) {
    for (size_t a = 0; a < 3; a++) {
      if (u) u[i + a] = v[i + a] - view->alpha * u[i + a];
      if (!(v[i + 3] > view->mass_floor)) continue;
      lo[a] = v[i + a] < lo[a] ? v[i + a] : lo[a];
      hi[a] = v[i + a] > hi[a] ? v[i + a] : hi[a];
    }
  }
  return mpm_spread_of(lo, hi);
}

// ------------------------------------------------------------------------------------- gather

static size_t node_at(const mpm_view *view, size_t b, const stencil *s, int m) {
  if (view->patch_channel) return (size_t)(arena_node(view, &view->box[b], s, m) - view->arena);
  int n[3], d[3];
  for (int a = 0; a < 3; a++) {
    n[a] = s->first[a] + s->at[m][a];
    d[a] = n[a] < 0 ? -1 : n[a] >> 2;
  }
  size_t g = view->target[b][firn_grid_offset(d[0], d[1], d[2])];
  return g * FIRN_NODE_BLOCK_REALS + (size_t)(4 * (16 * (n[0] & 3) + 4 * (n[1] & 3) + (n[2] & 3)));
}

// Velocity and velocity gradient (row-major) of a node field at a particle; `blend`, if not NULL,
// receives the value of view->node_u.
static void interpolate(const mpm_view *view, size_t b, const stencil *s, const firn_real *field,
                        firn_real v[3], firn_real grad[9], firn_real blend[4]) {
  memset(v, 0, 3 * sizeof *v);
  memset(grad, 0, 9 * sizeof *grad);
  if (blend) memset(blend, 0, 4 * sizeof *blend);
  for (int m = 0; m < s->count; m++) {
    size_t at = node_at(view, b, s, m);
    const firn_real *node = field + at;
    for (int a = 0; a < 3; a++) {
      v[a] += s->w[m] * node[a];
      for (int c = 0; c < 3; c++) grad[3 * a + c] += node[a] * s->g[m][c];
    }
    for (size_t a = 0; a < 4 && blend; a++) blend[a] += s->w[m] * view->node_u[at + a];
  }
}

static firn_real det_of_step(const mpm_view *view, const firn_real grad[9]) {
  firn_real m[9];
  for (int i = 0; i < 9; i++) m[i] = view->dt * grad[i] + (i % 4 == 0);
  return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
         m[2] * (m[3] * m[7] - m[4] * m[6]);
}

static void strain(const mpm_view *view, size_t slot, const firn_real grad[9]) {
  firn_real d[9], e[6];
  for (int i = 0; i < 6; i++) e[i] = view->b[i][slot];
  for (int i = 0; i < 9; i++) d[i] = view->dt * grad[i];
  firn_law_push(d, e);
  for (int i = 0; i < 6; i++) view->b[i][slot] = e[i];
}

static void check(const mpm_view *view, size_t u, mpm_tally *tally) {
  const firn_unit *unit = &view->unit[u];
  for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
    const firn_block *block = &view->block[b];
    for (uint32_t i = 0; i < block->count; i++) {
      firn_real v[3], grad[9];
      stencil s;
      stencil_at(view, block->first + i, &s);
      interpolate(view, b, &s, view->node_v, v, grad, NULL);
      tally->det_min = mpm_smaller(tally->det_min, (double)det_of_step(view, grad));
    }
  }
}

// The velocity gradient that a particle keeps under APIC: C - rate_loss dev sym C.
static void keep_affine(const mpm_view *view, size_t slot, const firn_real grad[9]) {
  firn_real mean = (grad[0] + grad[4] + grad[8]) / 3;
  for (int i = 0; i < 9; i++) {
    int mirrored = i % 3 * 3 + i / 3;
    firn_real rate = FIRN_R(0.5) * (grad[i] + grad[mirrored]) - (i == mirrored ? mean : 0);
    view->c[i][slot] = grad[i] - view->rate_loss * rate;
  }
}

// Steps 7 to 10: strain (Eq. 11), velocity (PIC/FLIP blend), collision, position.
static void gather_one(const mpm_view *view, size_t b, size_t slot, mpm_tally *tally) {
  firn_real x[3], v[3], advect[3], grad[9], blend[4] = {0};
  stencil s;
  stencil_at(view, slot, &s);
  interpolate(view, b, &s, view->node_v, v, grad, view->apic ? NULL : blend);
  if (view->in_place) {
    strain(view, slot, grad);
    return;
  }
  memcpy(advect, v, sizeof v);
  if (!view->apic) {
    firn_real alpha = view->alpha * (1 - blend[3]);
    for (int a = 0; a < 3; a++) v[a] = alpha * view->v[a][slot] + blend[a];
    if (!view->advect_pic) memcpy(advect, v, sizeof v);
  }
  for (int a = 0; a < 3; a++) x[a] = view->x[a][slot];
  if (view->particle_contact && view->box[b].near) {
    mpm_particle_contact(view, b, slot, 1, 1, x, v, advect);
  }
  strain(view, slot, grad);
  double speed2 = 0;
  for (int a = 0; a < 3; a++) {
    view->x[a][slot] = x[a] + view->dt / view->h * advect[a];
    view->v[a][slot] = v[a];
    speed2 += (double)v[a] * (double)v[a];
  }
  if (view->apic) keep_affine(view, slot, grad);
  if (!isfinite(speed2)) tally->nonfinite = true;
  if (speed2 > tally->speed2_max) tally->speed2_max = speed2;
}

static void gather(const mpm_view *view, size_t u, mpm_tally *tally) {
  const firn_unit *unit = &view->unit[u];
  for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
    const firn_block *block = &view->block[b];
    for (uint32_t i = 0; i < block->count; i++) gather_one(view, b, block->first + i, tally);
    if (!view->in_place && !bound(view, b)) tally->left = true;
  }
}

// ------------------------------------------------------------------------------------ hessian

// Eq. 7: -df_i = sum V^0 A F_E^T grad w, with A of Eq. 8 for the nodal velocities of the direction.
static void hessian_one(const mpm_view *view, size_t b, size_t slot) {
  firn_real v[3], grad[9], s_e[6], a[9];
  stencil s;
  stencil_at(view, slot, &s);
  interpolate(view, b, &s, view->direction, v, grad, NULL);
  for (int i = 0; i < 6; i++) s_e[i] = view->s[i][slot];
  int law = view->materials[view->material[slot]].law;
  firn_law_params p = law_params(view, slot);
  p.mu = view->stiff[0][slot];
  p.lambda = view->stiff[1][slot];
  firn_law_differential(law, view->psd, &p, s_e, grad, a);
  for (int m = 0; m < s.count; m++) {
    firn_real *node = arena_node(view, &view->box[b], &s, m);
    const firn_real *g = s.g[m];
    for (int c = 0; c < 3; c++) {
      node[c] += a[3 * c] * g[0] + a[3 * c + 1] * g[1] + a[3 * c + 2] * g[2];
    }
  }
}

static void hessian(const mpm_view *view, size_t u) {
  const firn_unit *unit = &view->unit[u];
  for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
    const firn_block *block = &view->block[b];
    const mpm_box *box = &view->box[b];
    memset(view->arena + box->arena, 0, mpm_arena_reals(box, 1, block->count) * sizeof(firn_real));
    for (uint32_t i = 0; i < block->count; i++) hessian_one(view, b, block->first + i);
  }
}

// The matrix of Eq. 9 times the direction, times the mass: m u + beta dt^2 K u.
static void hessian_nodes(const mpm_view *view, size_t g) {
  firn_real sum[FIRN_NODE_BLOCK_REALS] = {0};
  add_arenas(view, g, 0, 0, sum);
  size_t at = g * FIRN_NODE_BLOCK_REALS;
  for (int n = 0; n < 64; n++, at += 4) {
    firn_real mass = view->node_v[at + 3];
    bool active = mass > view->mass_floor;
    for (int a = 0; a < 3; a++) {
      size_t i = at + (size_t)a;
      view->product[i] = active
                             ? mass * view->direction[i] + view->stiffness_factor * sum[4 * n + a]
                             : 0;
    }
    view->product[at + 3] = 0;
  }
}

// ----------------------------------------------------------------------------- preconditioner

static void stiffness(const mpm_view *view, size_t u) {
  const firn_unit *unit = &view->unit[u];
  for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
    const firn_block *block = &view->block[b];
    const mpm_box *box = &view->box[b];
    memset(view->arena + box->arena, 0, mpm_arena_reals(box, 1, block->count) * sizeof(firn_real));
    for (size_t slot = block->first; slot < block->first + block->count; slot++) {
      firn_real k = mpm_stiffness_per(view) * (4 * view->stiff[0][slot] + view->stiff[1][slot]);
      stencil s;
      stencil_at(view, slot, &s);
      for (int m = 0; m < s.count; m++) arena_node(view, box, &s, m)[0] += k * s.w[m];
    }
  }
}

static void stiffness_nodes(const mpm_view *view, size_t g) {
  firn_real sum[FIRN_NODE_BLOCK_REALS] = {0};
  add_arenas(view, g, 0, 0, sum);
  size_t at = g * FIRN_NODE_BLOCK_REALS;
  for (int n = 0; n < 64; n++, at += 4) {
    firn_real mass = view->node_v[at + 3];
    bool active = mass > view->mass_floor;
    for (size_t a = 0; a < 3; a++) {
      view->inverse[at + a] = active ? 1 / (mass + view->stiffness_factor * sum[4 * n]) : 0;
    }
    view->inverse[at + 3] = 0;
  }
}

static void diagonal_one(const mpm_view *view, const mpm_box *box, size_t slot) {
  firn_real mu = view->stiff[0][slot], both = mu + view->stiff[1][slot];
  stencil s;
  stencil_at(view, slot, &s);
  size_t second = box_reals(box);
  for (int m = 0; m < s.count; m++) {
    firn_real *node = arena_node(view, box, &s, m);
    const firn_real *g = s.g[m];
    firn_real g2 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
    for (int a = 0; a < 3; a++) node[a] += mu * g2 + both * g[a] * g[a];
    node[3] += both * g[0] * g[1];
    node[second] += both * g[0] * g[2];
    node[second + 1] += both * g[1] * g[2];
  }
}

void firn_mpm_diagonal(const mpm_view *view, size_t u) {
  const firn_unit *unit = &view->unit[u];
  for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
    const firn_block *block = &view->block[b];
    const mpm_box *box = &view->box[b];
    if (box->soft) continue;
    memset(view->arena + box->arena, 0, mpm_arena_reals(box, 2, block->count) * sizeof(firn_real));
    for (uint32_t i = 0; i < block->count; i++) diagonal_one(view, box, block->first + i);
  }
}

void firn_mpm_diagonal_nodes(const mpm_view *view, size_t g) {
  firn_real first[FIRN_NODE_BLOCK_REALS] = {0}, second[FIRN_NODE_BLOCK_REALS] = {0};
  add_arenas(view, g, 0, 0, first);
  add_arenas(view, g, 1, 0, second);
  for (int n = 0; n < 64; n++) {
    firn_real mass = view->node_v[g * FIRN_NODE_BLOCK_REALS + 4 * (size_t)n + 3];
    firn_real *out = view->diagonal + (64 * g + (size_t)n) * 6;
    memset(out, 0, 6 * sizeof *out);
    if (!(mass > view->mass_floor)) continue;
    // The inverse of a symmetric 3x3 matrix, in double: nodes at the rim are nearly massless.
    double k = (double)view->stiffness_factor, m = (double)mass;
    double xx = m + k * (double)first[4 * n], yy = m + k * (double)first[4 * n + 1],
           zz = m + k * (double)first[4 * n + 2], xy = k * (double)first[4 * n + 3],
           xz = k * (double)second[4 * n], yz = k * (double)second[4 * n + 1];
    double c[6] = {yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy,
                   xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - yz * xx};
    double det = xx * c[0] + xy * c[3] + xz * c[4];
    for (int i = 0; i < 6; i++) out[i] = (firn_real)(c[i] / det);
  }
}

const mpm_kernels *firn_mpm_kernels_scalar(const mpm_stencil *stencil_, bool apic) {
  static const mpm_kernels table = {.bound = bound,
                                    .scatter = scatter,
                                    .nodes = nodes,
                                    .check = check,
                                    .gather = gather,
                                    .hessian = hessian,
                                    .hessian_nodes = hessian_nodes,
                                    .stiffness = stiffness,
                                    .stiffness_nodes = stiffness_nodes,
                                    .patch_nodes = patch_nodes,
                                    .patch_finish = patch_finish,
                                    .patch_measure = patch_measure,
                                    .patch_solve = patch_solve};
  (void)stencil_;
  (void)apic;
  return &table;
}
