// SPDX-License-Identifier: Apache-2.0
#include "solver/mpm/clump.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/mpm/fault.h"

enum {
  SLOTS = MPM_BUNDLE_SLOTS,
  CLUMPS = MPM_BUNDLE_CLUMPS,
  REALS = MPM_BUNDLE_REALS,
  PART = 16, // clumps that a thread takes at a time
  // Nodes that a patch may come to have. The rest of REALS is for what nobody foresaw: particles are
  // sorted again before the next step.
  NODES = REALS / FIRN_NODE_REALS / 2,
  FAR = 100, // cells that a particle may be away from its corner before it is sorted again, ...
  FARTHEST = 120, // ... and at all: boxes count nodes in bytes
  WORK = 6,       // vectors of a solve, and sums
};

// What a thread works on: a bundle's particles, aligned, and its nodes.
typedef struct desk {
  _Alignas(64) firn_real node[2][REALS]; // channels
  _Alignas(64) firn_real node_mass[REALS], inverse[REALS], residual[REALS], work[WORK * REALS];
  _Alignas(64) firn_real x[3][SLOTS], v[3][SLOTS], c[9][SLOTS], b[6][SLOTS], s[6][SLOTS];
  _Alignas(64) firn_real stiff[2][SLOTS], ln_jp[SLOTS], ln_cut[SLOTS], mass[SLOTS], volume[SLOTS];
  _Alignas(64) firn_real vary[FIRN_VARY_COUNT][SLOTS];
  uint16_t material[SLOTS];
  firn_unit unit;
  firn_block block[CLUMPS];
  mpm_box box[2][CLUMPS];
  firn_reach reach[CLUMPS];
  firn_real lo[CLUMPS][3], hi[CLUMPS][3]; // of nodal velocities
  firn_real sound2[CLUMPS];
  mpm_patch_system system[CLUMPS];
  double reference2[CLUMPS]; // that the tolerance of each solve is relative to
  mpm_view view;
  const mpm *m;
} desk;

bool mpm_patch_suits(const int nodes[3]) {
  return nodes[0] * nodes[1] * nodes[2] <= NODES && nodes[0] < FAR && nodes[1] < FAR &&
         nodes[2] < FAR;
}

static void set_up(desk *d, const mpm *m) {
  mpm_view *view = &d->view;
  *view = m->view;
  d->m = m;
  for (int a = 0; a < 3; a++) view->x[a] = d->x[a], view->v[a] = d->v[a];
  for (int i = 0; i < 9; i++) view->c[i] = d->c[i];
  for (int i = 0; i < 6; i++) view->b[i] = d->b[i], view->s[i] = d->s[i];
  for (int i = 0; i < 2; i++) view->stiff[i] = d->stiff[i];
  view->ln_jp = d->ln_jp;
  if (view->ln_cut) view->ln_cut = d->ln_cut;
  view->mass = d->mass;
  view->volume = d->volume;
  view->material = d->material;
  for (int i = 0; i < FIRN_VARY_COUNT && view->vary[i]; i++) view->vary[i] = d->vary[i];
  view->unit = &d->unit;
  view->block = d->block;
  view->box = d->box[0];
  view->next_box = d->box[1];
  view->reach = d->reach;
  view->sound2 = d->sound2;
  memset(d->box, 0, sizeof d->box);
  view->arena = view->node_v = d->node[0];
  view->node_u = view->apic ? NULL : d->node[1];
  view->patch_channel = REALS;
  view->node_lo = d->lo[0];
  view->node_hi = d->hi[0];
  view->node_near = NULL;
  view->spray = view->particle_contact = false;
  for (int i = 0; i < CLUMPS; i++) {
    for (int a = 0; a < 3; a++) d->reach[i].lo[a] = -FARTHEST, d->reach[i].hi[a] = FARTHEST;
    d->reach[i].spray = false;
  }
}

// -------------------------------------------------------------------------------- particles

// Lanes beyond the last particle have what that has, but for mass and volume.
static void fetch(firn_real *to, const firn_real *from, const firn_unit *unit) {
  memcpy(to, from, unit->count * sizeof *to);
  for (uint32_t i = unit->count; i < SLOTS; i++) to[i] = to[unit->count - 1];
}

static void fetch_all(desk *d, uint32_t first) {
  const mpm_view *from = &d->m->view;
  const firn_unit *unit = &d->unit;
  for (int a = 0; a < 3; a++) {
    fetch(d->x[a], from->x[a] + first, unit);
    fetch(d->v[a], from->v[a] + first, unit);
  }
  for (int i = 0; i < 9 && from->apic; i++) fetch(d->c[i], from->c[i] + first, unit);
  for (int i = 0; i < 6; i++) fetch(d->b[i], from->b[i] + first, unit);
  fetch(d->ln_jp, from->ln_jp + first, unit);
  if (from->ln_cut) fetch(d->ln_cut, from->ln_cut + first, unit);
  fetch(d->mass, from->mass + first, unit);
  fetch(d->volume, from->volume + first, unit);
  for (int i = 0; i < FIRN_VARY_COUNT && from->vary[i]; i++) {
    fetch(d->vary[i], from->vary[i] + first, unit);
  }
  memcpy(d->material, from->material + first, unit->count * sizeof *d->material);
  for (uint32_t i = unit->count; i < SLOTS; i++) {
    d->mass[i] = d->volume[i] = 0;
    d->material[i] = d->material[unit->count - 1];
  }
}

static void put_back(const desk *d, uint32_t first) {
  const mpm_view *to = &d->m->view;
  size_t bytes = d->unit.count * sizeof(firn_real);
  for (int a = 0; a < 3; a++) {
    memcpy(to->x[a] + first, d->x[a], bytes);
    memcpy(to->v[a] + first, d->v[a], bytes);
  }
  for (int i = 0; i < 9 && to->apic; i++) memcpy(to->c[i] + first, d->c[i], bytes);
  for (int i = 0; i < 6; i++) memcpy(to->b[i] + first, d->b[i], bytes);
  memcpy(to->ln_jp + first, d->ln_jp, bytes);
  if (to->ln_cut) memcpy(to->ln_cut + first, d->ln_cut, bytes);
}

// ---------------------------------------------------------------------------------- patches

// Gives the patches of the boxes their places. Returns how many fit.
static uint32_t place(desk *d, mpm_box *box) {
  size_t at = 0;
  for (uint32_t b = 0; b < d->unit.block_count; b++) {
    // A line of three nodes would have each row of four wait until the one before, which it
    // overlaps, is written.
    if (box[b].n[2] < 4) box[b].n[2] = 4;
    box[b].arena = at;
    at += mpm_patch_reals(&box[b]) + FIRN_ROW_REALS;
    if (at > REALS) return b;
  }
  return d->unit.block_count;
}

// Makes the next boxes those of this step.
static void turn_over(desk *d) {
  mpm_box *box = d->view.next_box;
  d->view.next_box = d->box[box == d->box[0]];
  d->view.box = box;
}

// Takes as many of these clumps as make a bundle; they lie one behind the other, from slot `first` on.
// Returns how many, 0 if the first is too wide.
static uint32_t take(desk *d, const mpm_piece *clump, size_t count, uint32_t first) {
  uint32_t slots = 0, n = 0;
  for (; n < count && n < CLUMPS && slots + clump[n].count <= SLOTS; n++) {
    d->block[n] = (firn_block){.first = slots, .count = clump[n].count};
    slots += clump[n].count;
  }
  d->unit = (firn_unit){0, n, 0, slots};
  fetch_all(d, first);
  bool inside = true;
  for (uint32_t b = 0; b < n; b++) inside = d->m->kernels->bound(&d->view, b) && inside;
  uint32_t fit = inside ? place(d, d->view.next_box) : 0;
  if (fit < n && fit) {
    d->unit.block_count = fit;
    d->unit.count = d->block[fit].first;
    fetch_all(d, first);
  }
  if (fit) turn_over(d);
  return fit;
}

// ------------------------------------------------------------------------------------ solve

// With integrator auto, a clump that an explicit step of this length suits is left as it is.
static bool is_soft(const desk *d, uint32_t b) {
  const mpm *m = d->m;
  const firn_block *block = &d->block[b];
  double sound2 = mpm_stiff_sound2(m, (double)d->view.dt);
  bool soft = sound2 > 0;
  for (uint32_t i = block->first; i < block->first + block->count && soft; i++) {
    soft = !mpm_is_stiff(&d->view, i, sound2);
  }
  return soft;
}

static firn_status apply(void *user, const firn_real *x, firn_real *y) {
  desk *d = user;
  mpm_view view = d->view;
  view.direction = x;
  view.arena = y;
  memset(y, 0, REALS * sizeof *y);
  d->m->kernels->hessian(&view, 0);
  for (size_t i = 0; i < REALS; i++) y[i] = d->node_mass[i] * x[i] + view.stiffness_factor * y[i];
  return FIRN_OK;
}

static void precondition(void *user, const firn_real *r, firn_real *z, size_t first, size_t count) {
  const desk *d = user;
  for (size_t i = 0; i < count; i++) z[i] = r[i] * d->inverse[first + i];
}

// Solves for the clumps that are `broken` as for one system.
static void solve_together(desk *d, firn_krylov kind) {
  const mpm *m = d->m;
  double reference2 = 0;
  size_t end = 0;
  for (uint32_t b = 0; b < d->unit.block_count; b++) {
    size_t at = d->view.box[b].arena, reals = mpm_patch_reals(&d->view.box[b]);
    if (!d->system[b].broken) memset(d->residual + at, 0, reals * sizeof(firn_real));
    if (d->system[b].broken) reference2 += d->reference2[b];
    end = at + reals;
    size_t gap = b + 1 < d->unit.block_count ? FIRN_ROW_REALS : REALS - end;
    memset(d->node_mass + end, 0, gap * sizeof(firn_real));
    memset(d->inverse + end, 0, gap * sizeof(firn_real));
    memset(d->residual + end, 0, gap * sizeof(firn_real));
    memset(d->node[0] + end, 0, gap * sizeof(firn_real));
  }
  firn_linear_system system = {.context = m->world->context,
                               .count = REALS,
                               .block = FIRN_ROW_REALS,
                               .chunk = REALS,
                               .user = d,
                               .apply = apply,
                               .precondition = precondition};
  firn_linear_result result;
  firn_krylov_solve(kind, &system, m->def.tolerance, reference2, m->def.max_iterations, d->node[0],
                    d->residual, d->work, &result);
  for (uint32_t b = 0; b < d->unit.block_count; b++) {
    mpm_patch_system *s = &d->system[b];
    if (!s->broken) continue;
    s->broken = result.breakdown;
    s->iterations += result.iterations;
    s->residual = result.residual * result.residual * d->reference2[b];
    s->indefinite = result.indefinite;
  }
}

// Whether some clump is still to be solved for.
static bool is_left(const desk *d) {
  bool left = false;
  for (uint32_t b = 0; b < d->unit.block_count; b++) {
    left = left || (d->system[b].max_iterations && !d->system[b].solved);
  }
  return left;
}

// Step 6, each clump to the tolerance by what it has itself.
static void solve(desk *d, mpm_clump_sums *sums) {
  const mpm *m = d->m;
  mpm_patch_vectors vectors = {
      .mass = d->node_mass,
      .inverse = d->inverse,
      .r = d->residual,
      .p = d->work,
      .q = d->work + REALS,
      .z = d->work + 2 * REALS,
      .w = d->work + 3 * REALS,
  };
  double dt = (double)d->view.dt;
  d->view.stiffness_factor = (firn_real)(m->def.beta * dt * dt);
  bool any = false, quick = m->def.krylov == FIRN_KRYLOV_CR, together = false;
  for (uint32_t b = 0; b < d->unit.block_count; b++) {
    mpm_patch_system *s = &d->system[b];
    *s = (mpm_patch_system){.max_iterations = is_soft(d, b) ? 0 : m->def.max_iterations};
    double of[5];
    m->kernels->patch_measure(&d->view, b, &vectors, of);
    if (!s->max_iterations) continue;
    mpm_datum datum = mpm_datum_of(m, of);
    memcpy(s->mean, datum.mean, sizeof s->mean);
    d->reference2[b] = datum.square;
    s->threshold = m->def.tolerance * m->def.tolerance * datum.square;
    if (!quick) s->threshold = INFINITY; // the first residual alone
    any = true;
  }
  if (!any) return;
  if (quick && m->kernels->few_solve) m->kernels->few_solve(&d->view, &vectors, d->system);
  if (is_left(d)) m->kernels->patch_solve(m->kernels, &d->view, &vectors, d->system);
  for (uint32_t b = 0; b < d->unit.block_count; b++) {
    mpm_patch_system *s = &d->system[b];
    s->broken = s->max_iterations && (s->broken || !quick);
    together = together || s->broken;
  }
  if (together) solve_together(d, quick ? FIRN_KRYLOV_MINRES : m->def.krylov);
  for (uint32_t b = 0; b < d->unit.block_count; b++) {
    const mpm_patch_system *s = &d->system[b];
    if (!s->max_iterations) continue;
    sums->iterations += (double)s->iterations * d->block[b].count;
    sums->indefinite += s->indefinite;
    double residual = s->residual > 0 ? sqrt(s->residual / d->reference2[b]) : s->residual;
    if (!isfinite(residual)) sums->tally.nonfinite = true;
    if (residual <= m->def.tolerance) continue;
    sums->unfinished++;
    sums->residual = fmax(sums->residual, residual);
  }
}

// ------------------------------------------------------------------------------------- step

static void merge(mpm_clump_sums *total, const mpm_clump_sums *part) {
  if (!(part->tally.det_min >= total->tally.det_min)) total->slot = part->slot;
  mpm_merge_tally(&total->tally, &part->tally);
  total->particles += part->particles;
  total->iterations += part->iterations;
  total->indefinite += part->indefinite;
  total->unfinished += part->unfinished;
  total->residual = fmax(total->residual, part->residual);
}

// A part of the step, an n-th.
static void set_part(desk *d, unsigned n) {
  const mpm *m = d->m;
  bool same = n == 1 || !m->def.flip_rescale;
  d->view.dt = m->view.dt / (firn_real)n;
  d->view.alpha = same ? m->view.alpha : (firn_real)pow((double)m->view.alpha, 1.0 / n);
  if (m->def.viscosity >= 0) d->view.alpha = (firn_real)mpm_flip_share(m, (double)d->view.dt);
  d->view.rate_loss = (firn_real)mpm_lost_strain_rate(m, (double)d->view.dt);
}

// Steps 1 to 6. Returns the smallest determinant, if it is not known to be large enough.
static double move(desk *d, mpm_clump_sums *sums) {
  const mpm *m = d->m;
  mpm_tally tally = mpm_empty_tally();
  double spread = 0;
  m->kernels->scatter(&d->view, 0, &tally);
  for (uint32_t b = 0; b < d->unit.block_count; b++) m->kernels->patch_nodes(&d->view, b);
  if (d->view.implicit) solve(d, sums);
  for (uint32_t b = 0; b < d->unit.block_count; b++) {
    double of = m->kernels->patch_finish(&d->view, b);
    if (!(of <= spread)) spread = of;
    if (spread != spread) break;
  }
  if (!(spread <= mpm_safe_spread(m, (double)d->view.dt))) m->kernels->check(&d->view, 0, &tally);
  double det = tally.det_min;
  tally.det_min = INFINITY;
  mpm_merge_tally(&sums->tally, &tally);
  return det;
}

// Whether the particles have to be sorted before the next step.
static bool has_spread(const desk *d) {
  for (uint32_t b = 0; b < d->unit.block_count; b++) {
    const mpm_box *box = &d->view.box[b];
    int nodes = 1;
    for (int a = 0; a < 3; a++) {
      nodes *= box->n[a];
      if (box->lo[a] < -FAR || box->lo[a] + box->n[a] > FAR) return true;
    }
    if (nodes > NODES) return true;
  }
  return false;
}

// All ten steps, in as many parts as keep elements from turning inside out.
static void step_bundle(desk *d, mpm_clump_sums *sums) {
  const mpm *m = d->m;
  unsigned parts = 1;
  set_part(d, parts);
  for (unsigned done = 0; done < parts;) {
    double det = move(d, sums);
    if (!(det > m->def.min_det)) {
      parts *= 2;
      done *= 2;
      set_part(d, parts);
      if (det == det && (double)d->view.dt >= m->def.dt_min) continue;
      sums->tally.det_min = det;
      return;
    }
    mpm_tally tally = mpm_empty_tally();
    m->kernels->gather(&d->view, 0, &tally);
    done++;
    bool fits = !tally.left;
    if (fits) turn_over(d);
    // Patches that have grown need not fit together any more: the next step may bundle others.
    if (fits && done < parts)
      fits = place(d, d->box[d->view.box != d->box[0]]) == d->unit.block_count;
    if (!fits && done < parts) tally.det_min = 0; // flung away within a step
    tally.left = !fits || has_spread(d);
    mpm_merge_tally(&sums->tally, &tally);
    if (tally.nonfinite || !fits) return;
  }
}

static void step_part(desk *d, size_t first, size_t end, mpm_clump_sums *sums) {
  const mpm_piece *clump = d->m->pieces.data;
  *sums = (mpm_clump_sums){.tally = mpm_empty_tally()};
  for (size_t i = first, taken; i < end; i += taken) {
    uint32_t slot = (uint32_t)d->m->world->particles.slots + clump[i].first;
    mpm_clump_sums mine = {.tally = mpm_empty_tally(), .slot = slot};
    taken = take(d, clump + i, end - i, slot);
    mine.particles = d->unit.count;
    if (taken) step_bundle(d, &mine);
    if (taken) put_back(d, slot);
    if (!taken) mine.tally.det_min = 0, taken = end; // lies where no patch can be
    merge(sums, &mine);
  }
}

static size_t part_count(const mpm *m) {
  return (m->piece_count + PART - 1) / PART;
}

firn_status mpm_prepare_clumps(mpm *m) {
  firn_context *context = m->world->context;
  size_t parts = part_count(m);
  if (!parts) return FIRN_OK;
  FIRN_TRY(firn_buffer_reserve(context, &m->clump_desks, (size_t)context->threads * sizeof(desk),
                               "clumps"));
  return firn_buffer_reserve(context, &m->clump_sums, parts * sizeof(mpm_clump_sums), "clumps");
}

// What the step comes to, or how it failed.
static firn_status conclude(mpm *m, const mpm_clump_sums *sums) {
  firn_context *context = m->world->context;
  unsigned long long step = m->memory.steps;
  double det = sums->tally.det_min, time = m->world->time;
  if (sums->tally.nonfinite || det != det) return mpm_fail_nonfinite(m);
  if (!(det > m->def.min_det)) {
    return firn_fail(context, FIRN_ERROR_STEP,
                     "step %llu at time %g s: no step down to dt_min = %g s keeps the clump of "
                     "particle %u from turning inside out (det = %g)",
                     step, time, m->def.dt_min, firn_particles_id(&m->world->particles)[sums->slot],
                     det);
  }
  if (sums->unfinished) {
    firn_note(
        context, FIRN_LOG_WARNING,
        "step %llu at time %g s: the linear solves of %zu clumps stopped after %d iterations, "
        "the worst at a relative residual of %.2e (tolerance %.2e)",
        step, time, sums->unfinished, m->def.max_iterations, sums->residual, m->def.tolerance);
  }
  m->memory.plastic += sums->tally.spent;
  m->last.indefinite += sums->indefinite;
  return FIRN_OK;
}

firn_status mpm_step_clumps(mpm *m, mpm_clump_sums *sums) {
  desk *desks = m->clump_desks.data;
  mpm_clump_sums *of = m->clump_sums.data;
  size_t parts = part_count(m);
  *sums = (mpm_clump_sums){.tally = mpm_empty_tally()};
  if (!parts) return FIRN_OK;
  FIRN_PARALLEL(m->world->context) {
    desk *mine = &desks[omp_get_thread_num()];
    set_up(mine, m);
#pragma omp for schedule(dynamic, 1)
    for (size_t i = 0; i < parts; i++) {
      size_t end = PART * (i + 1);
      step_part(mine, PART * i, end < m->piece_count ? end : m->piece_count, &of[i]);
    }
  }
  double stiff[MPM_SHARES] = {0};
  for (size_t i = 0; i < parts; i++) {
    merge(sums, &of[i]);
    stiff[mpm_stiffness_class(m, of[i].tally.sound2_max)] += (double)of[i].particles;
  }
  mpm_add_stiffness(m, stiff);
  return conclude(m, sums);
}
