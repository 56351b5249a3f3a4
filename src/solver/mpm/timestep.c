// SPDX-License-Identifier: Apache-2.0
// How long a step may be, and whether to take it explicitly or semi-implicitly. All decisions come
// from counts and from the state of the particles, never from clocks.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/mpm/mpm.h"

double mpm_sound2(const mpm *m, size_t slot) {
  const mpm_view *view = &m->view;
  firn_material_row row = firn_world_row(m->world, slot);
  double hard = firn_law_hardening(&row, (double)view->ln_jp[slot]);
  return ((double)row.lambda + 2 * (double)row.mu) * hard * (double)view->volume[slot] /
         (double)view->mass[slot];
}

// The speed of those who fly counts, their stiffness does not: they are strained by nothing.
void mpm_survey(mpm *m) {
  const firn_particles *p = &m->world->particles;
  const mpm_view *view = &m->view;
  double speed2 = 0, sound2 = 0, lightest = INFINITY;
  FIRN_PARALLEL_FOR(m->world->context, reduction(max : speed2, sound2) reduction(min : lightest))
  for (size_t i = 0; i < p->slots + p->flying; i++) {
    double mass = (double)view->mass[i], v2 = 0;
    if (mass == 0) continue; // padding
    for (int a = 0; a < 3; a++) v2 += (double)view->v[a][i] * (double)view->v[a][i];
    speed2 = fmax(speed2, v2);
    bool alone = i >= p->slots && i < p->slots + m->lone;
    if (!alone) sound2 = fmax(sound2, mpm_sound2(m, i));
    lightest = fmin(lightest, mass);
  }
  m->memory.speed2_max = speed2;
  m->memory.sound2_max = sound2;
  m->memory.mass_min = lightest;
  memset(m->memory.hard, 0, sizeof m->memory.hard); // to be looked at anew
  m->memory.must_survey = false;
}

// What bounded a step, for firn_step.bound.
static const char BY_USER[] = "mpm.dt", BY_LONGEST[] = "mpm.dt_max",
                  BY_SPEED[] = "mpm.cfl (the speed of snow)",
                  BY_SURFACE[] = "mpm.cfl (the speed of a collider)",
                  BY_SOUND[] = "mpm.elastic_cfl (sound in the stiffest snow)",
                  BY_COST[] = "the cost of semi-implicit solves";

// Cost of a conjugate-residual iteration, for the particles in K and for the nodes of their blocks,
// and of what else a semi-implicit step does, in explicit steps; measured (bench/results). Only
// their size matters, not their last digit.
static const double PARTICLE_COST = 0.33, BLOCK_COST = 0.27, IMPLICIT_COST = 1.4;
// What an iteration costs however few take part, as a share of a whole one.
static const double SOLVE_SHARE = 0.1;

static double sum_from(const float share[MPM_SHARES], int first) {
  double sum = 0;
  for (int k = first; k < MPM_SHARES; k++) sum += (double)share[k];
  return sum;
}

// Whom a step of dt has to solve for.
typedef struct stiff_shares {
  double particles, blocks; // all particles of such blocks
} stiff_shares;

// From the first class on that the step does not suit. Clumps count among blocks only; while
// particles have not been looked at, they are as their blocks.
static stiff_shares stiff_at(const mpm *m, double dt) {
  const mpm_memory *memory = &m->memory;
  double classes = ceil(2 * log2(m->def.dt_max / dt) - 1e-9);
  int first = 1 + (int)fmin(fmax(classes, 0), MPM_SHARES - 1);
  bool unknown = !(sum_from(memory->share, 0) > 0); // before the first scatter
  double blocks = unknown ? 1 : fmin(1, sum_from(memory->share, first) + SOLVE_SHARE),
         particles = blocks;
  if (sum_from(memory->hard, 0) > 0) {
    particles = fmin(blocks, sum_from(memory->hard, first) + SOLVE_SHARE);
  }
  return (stiff_shares){particles, blocks};
}

// Iterations that a solve over dt will take, and the product that it begins with. The count goes
// with the Courant number and with the root of the share that is solved for (bench/results); what
// it was is known of the last solves. Before the first, what a ball of Table 2 takes in an impact:
// the Courant number is that of its hardest spot, so two a unit rather than the ten of uniform
// snow. A guess that is too low costs one solve, one that is too high would never be put right.
static double expected_iterations(const mpm *m, double sound, double dt) {
  double courant = sound * dt / m->world->h;
  const mpm_memory *memory = &m->memory;
  if (memory->courant > 0) {
    double more = sqrt(stiff_at(m, dt).particles / memory->solved);
    return 1 + memory->iterations * courant / memory->courant * more;
  }
  return 1 + 2 * courant * fmax(1, log10(1 / m->def.tolerance) / 4);
}

void mpm_remember_solve(mpm *m, double dt, int iterations) {
  mpm_memory *memory = &m->memory;
  double courant = sqrt(memory->sound2_max) * dt / m->world->h;
  double keep = memory->courant > 0 ? 0.8 : 0;
  memory->iterations = keep * memory->iterations + (1 - keep) * iterations;
  memory->courant = keep * memory->courant + (1 - keep) * courant;
  memory->solved = keep * memory->solved + (1 - keep) * stiff_at(m, dt).particles;
}

int mpm_stiffness_class(const mpm *m, double sound2) {
  double soft = m->def.elastic_cfl * m->world->h / m->def.dt_max;
  double ratio = sound2 / (soft * soft);
  int k; // it is at least 2^(k - 1) and less than 2^k
  if (!isfinite(ratio)) return MPM_SHARES - 1;
  frexp(ratio, &k);
  return k < 0 ? 0 : k < MPM_SHARES ? k : MPM_SHARES - 1;
}

// Only who may choose asks for them. What was true long ago is forgotten meanwhile.
static bool shares_matter(mpm *m) {
  if (m->def.integrator == FIRN_INTEGRATOR_AUTO) return true;
  memset(m->memory.share, 0, sizeof m->memory.share);
  memset(m->memory.hard, 0, sizeof m->memory.hard);
  return false;
}

static void set_shares(const size_t count[MPM_SHARES], float share[MPM_SHARES]) {
  size_t all = 0;
  for (int k = 0; k < MPM_SHARES; k++) all += count[k];
  for (int k = 0; k < MPM_SHARES; k++) {
    share[k] = all ? (float)((double)count[k] / (double)all) : 0;
  }
}

// Snow hardens over many steps, and each particle is asked for an exponential.
enum { LOOK_STEPS = 32 };
static void look_at_particles(mpm *m) {
  const firn_particles *p = &m->world->particles;
  size_t count[MPM_SHARES] = {0};
  FIRN_PARALLEL_FOR(m->world->context, schedule(static) reduction(+ : count))
  for (size_t b = 0; b < p->block_count; b++) {
    if (m->box[b].asleep) continue;
    for (uint32_t i = p->block[b].first; i < p->block[b].first + p->block[b].count; i++) {
      count[mpm_stiffness_class(m, mpm_sound2(m, i))]++;
    }
  }
  set_shares(count, m->memory.hard);
}

void mpm_remember_stiffness(mpm *m) {
  const firn_particles *p = &m->world->particles;
  const firn_real *sound2 = m->view.sound2;
  size_t count[MPM_SHARES] = {0};
  if (!shares_matter(m)) return;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static) reduction(+ : count))
  for (size_t b = 0; b < p->block_count; b++) {
    if (m->box[b].asleep || !(sound2[b] > 0)) continue;
    count[mpm_stiffness_class(m, (double)sound2[b])] += p->block[b].count;
  }
  set_shares(count, m->memory.share);
  bool unknown = !(sum_from(m->memory.hard, 0) > 0);
  if (unknown || m->memory.steps % LOOK_STEPS == 0) look_at_particles(m);
}

void mpm_add_stiffness(mpm *m, const double count[MPM_SHARES]) {
  const firn_particles *p = &m->world->particles;
  if (!shares_matter(m)) return;
  double on_grid = (double)(p->count - p->flying - m->asleep), all = on_grid;
  for (int k = 0; k < MPM_SHARES; k++) all += count[k];
  for (int k = 0; k < MPM_SHARES && all > 0; k++) {
    m->memory.share[k] = (float)(((double)m->memory.share[k] * on_grid + count[k]) / all);
  }
}

static double cost_of(const mpm *m, double sound, double dt) {
  stiff_shares stiff = stiff_at(m, dt);
  double once = PARTICLE_COST * stiff.particles + BLOCK_COST * stiff.blocks;
  return IMPLICIT_COST + once * expected_iterations(m, sound, dt);
}

// The cheapest step that solves for packed snow alone and takes the rest explicitly; its cost is
// told in explicit steps.
static mpm_choice cheapest_implicit(const mpm *m, double sound, double longest, double *cost) {
  mpm_choice best = {longest, true, BY_COST};
  *cost = cost_of(m, sound, longest);
  if (!(sum_from(m->memory.share, 0) > 0)) return best; // before the first scatter
  for (int k = 0; k < MPM_SHARES; k++) {
    double dt = m->def.dt_max * pow(2, -0.5 * k);
    if (dt >= longest) continue;
    double once = cost_of(m, sound, dt);
    if (once / dt < *cost / best.dt) {
      best.dt = dt;
      *cost = once;
    }
  }
  return best;
}

// The paper's semi-implicit step of 0.5 ms belongs to cells of 5 mm: shorter where cells are
// smaller, s/m. Where they are larger it grows half as fast, once that is more: presses of 4 to 16
// cells are then within 5 % of what they read with short steps, and 5 to 8 % below it with 0.1 s/m.
static const double STEP_PER_CELL = 0.1, STEP_OF_PAPER = 5e-4, STEP_PER_LARGE_CELL = 0.05;

// The choice of the step: its length by dt, dt_max, cfl (advection) and elastic_cfl (sound), its
// kind by what either would cost.
double mpm_longest_step(const firn_mpm_def *def, double h) {
  double longest = fmax(fmin(STEP_PER_CELL * h, STEP_OF_PAPER), STEP_PER_LARGE_CELL * h);
  return def->dt_max > 0 ? def->dt_max : fmin(longest, 1);
}

mpm_choice mpm_choose(const mpm *m, double limit) {
  const firn_mpm_def *def = &m->def;
  double h = m->world->h, speed = sqrt(m->memory.speed2_max), sound = sqrt(m->memory.sound2_max);
  // Neither snow nor what is about to hit it may jump over nodes.
  double surface = sqrt(m->memory.surface2_max), advective = def->cfl * h / fmax(speed, surface);
  double elastic = def->elastic_cfl * h / (sound + speed);
  const char *by_flow = BY_LONGEST, *by_sound;
  double implicit_dt = firn_step_bound(def->dt_max, advective,
                                       surface > speed ? BY_SURFACE : BY_SPEED, &by_flow);
  by_sound = by_flow;
  double explicit_dt = firn_step_bound(implicit_dt, elastic, BY_SOUND, &by_sound);
  if (def->dt > 0) {
    explicit_dt = implicit_dt = def->dt;
    by_flow = by_sound = BY_USER;
  }
  mpm_choice choice = {implicit_dt, def->integrator == FIRN_INTEGRATOR_IMPLICIT, by_flow};
  if (def->integrator == FIRN_INTEGRATOR_AUTO && def->dt > 0) {
    choice.implicit = def->dt > elastic; // there is no choice where the step is given
  } else if (def->integrator == FIRN_INTEGRATOR_AUTO) {
    double cost;
    mpm_choice implicit = cheapest_implicit(m, sound, implicit_dt, &cost);
    // Changing over has to pay: without the margin, equal costs would make it flutter.
    double margin = m->memory.implicit ? 1.1 : 0.9;
    choice.implicit = cost / implicit.dt < margin / explicit_dt;
    if (implicit.dt < implicit_dt) choice.bound = BY_COST;
    choice.dt = implicit.dt;
  }
  if (!choice.implicit) {
    choice.dt = explicit_dt;
    choice.bound = by_sound;
  }
  if (limit > 0) {
    // Equal parts rather than one last crumb.
    double parts = ceil(limit / choice.dt - 1e-9);
    if (limit < choice.dt) choice.bound = FIRN_BOUND_LIMIT;
    choice.dt = limit / fmax(1, parts);
  }
  return choice;
}
