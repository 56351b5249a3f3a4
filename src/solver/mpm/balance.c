// SPDX-License-Identifier: Apache-2.0
// Snow that is laid down settled lies in balance with its weight: the strain with which it does is
// solved for before its first step, on the nodes, against what is under it and beside it.
//
// From no strain, nodal displacements u are sought with
//
//   f(u) + M g = 0 on nodes that contact leaves free,      F_E = I + grad u, then the plastic return,
//
// at the places where the particles lie. Internal forces add up to nothing, so what is left on the
// nodes that are held is all of the weight, whatever the grid makes of a floor, a rim or an uneven
// seeding; no stress written down for a column can do that.
//
// Each round adds d with (M/t^2 + K) d = f(u) + M g, the semi-implicit matrix with a time t so long
// that waves cross the snow several times. Contact is that of a step which begins at rest: a node is
// held where its force presses it on, and along the surface as far as friction goes. Snow that
// nothing holds has no strain, and falls: it is left out, and where it was not told apart from other
// snow it is moved as a whole, d = t^2 g, which strains it no more.
// Strains and J_P come from the whole of u in each round, so that how the rounds went leaves no trace.
#include "solver/mpm/balance.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "solver/mpm/rest.h"
#include "solver/mpm/support.h"
#include "solver/mpm/under.h"
#include "world/settle.h"

// Rounds at most, those without progress that end them, and iterations of all solves of a search.
enum { ROUNDS = 40, STALLED = 6, ITERATIONS = 1500 };
// The share of the weight that may be left out of balance; above the second it slides or flows, and
// below the third friction gets its say.
static const double BALANCED = 1e-3, SLIDING = 0.02, STUCK = 0.03;
// Above this a floor would miss more of the weight than it may, and whoever asked for a balance is warned.
static const double UNHELD = 0.01;
// What a solve reduces its residual to, and where snow yields or slips.
static const double REDUCTION = 0.03, ROUGHLY = 0.1;
// Force on the nodes of a block, in weights, that lets it sleep at once, and that sets it going.
static const double AT_REST = 0.01, LOOSE = 0.1;
// Times that sound crosses the snow in t.
static const double CROSSINGS = 3;

// Fields of nodes: displacement, m; impulse that contact leaves free, N s; velocity that the last solve
// gave, m/s; the displacement that left the least out of balance, m.
enum { U, IMPULSE, LAST, BEST, FIELDS };

typedef struct balance {
  mpm *m;
  firn_mpm_def def;   // as they were
  mpm_view view;      //
  double surface2;    //
  size_t asleep;      //
  bool whole;         // all snow takes part; else only the units with settled snow
  bool laid_on;       // some of it lies on snow that sleeps, see under
  bool begun;         // start is filled
  double time;        // s, t above
  double left;        // share of the weight that is out of balance
  int iterations;     // of all solves
  int budget;         // those that the present search has left
  firn_buffer start;  // [STATE][slots]: what u begins from
  firn_buffer body;   // [3][slots]: no velocity; mass and volume of what takes part
  firn_buffer nodes;  // [FIELDS][node reals and a row]
  firn_buffer parts;  // [node blocks][3], see measure
  firn_buffer bodies; // [blocks], see mpm_bodies_find
  firn_buffer let_go; // [near node blocks][64] uint32_t, see mpm
  firn_buffer under;  // [blocks] bytes: asleep under snow that was added, see under.h
  firn_buffer held;   // [bodies] bytes: something holds it; there are no more than blocks
} balance;

// What strain changes of a particle: b, ln J_P, and what bounds on J_P cut off, if that is kept.
enum { STATE = 8 };
static firn_real *state_of(const mpm_view *view, size_t i) {
  return i < 6 ? view->b[i] : i == 6 ? view->ln_jp : view->ln_cut;
}

bool mpm_is_settled(const mpm *m, size_t slot) {
  return firn_settled_has(&m->world->settled, firn_particles_id(&m->world->particles)[slot]);
}

// ------------------------------------------------------------------------------------ who takes part

static bool is_under(const balance *k, size_t b) {
  return ((const uint8_t *)k->under.data)[b];
}

// Whether the body of a block touches some collider.
static bool is_held(const balance *k, size_t b) {
  return ((const uint8_t *)k->held.data)[((const uint32_t *)k->bodies.data)[b]];
}

static void find_held(balance *k) {
  size_t blocks = k->m->world->particles.block_count;
  const uint32_t *of = k->bodies.data;
  uint8_t *held = k->held.data;
  memset(held, 0, blocks);
  for (size_t b = 0; b < blocks; b++) {
    if (!held[of[b]]) held[of[b]] = mpm_block_touches(k->m, b);
  }
}

static bool unit_takes_part(const balance *k, size_t u) {
  const firn_unit *unit = &k->m->world->particles.unit[u];
  bool held = false, settled = k->whole;
  for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
    held = held || is_held(k, b);
    settled = settled || is_under(k, b);
  }
  for (uint32_t i = unit->first; i < unit->first + unit->count && held && !settled; i++) {
    settled = mpm_is_settled(k->m, i);
  }
  return held && settled;
}

// Marks nodes and units as the semi-implicit step does. Solved for are the nodes that settled snow
// touches; whoever else touches them is part of the matrix and holds them, on nodes that stay.
static void choose_units(balance *k) {
  mpm *m = k->m;
  const firn_particles *p = &m->world->particles;
  uint8_t *soft = m->node_soft.data;
  memset(soft, 1, m->grid.count);
  for (size_t u = 0; u < p->unit_count; u++) {
    const firn_unit *unit = &p->unit[u];
    if (!unit_takes_part(k, u)) continue;
    for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
      for (int o = 0; o < 27; o++) {
        if (m->grid.target[b][o] != FIRN_GRID_NONE) soft[m->grid.target[b][o]] = 0;
      }
    }
  }
  for (size_t u = 0; u < p->unit_count; u++) {
    const firn_unit *unit = &p->unit[u];
    bool reaches = false;
    for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
      for (int o = 0; o < 27 && !reaches; o++) {
        uint32_t g = m->grid.target[b][o];
        reaches = g != FIRN_GRID_NONE && !soft[g];
      }
    }
    for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
      m->box[b].soft = !reaches;
    }
  }
  m->partial = true;
}

// What snow is to the balance. At the start all that lies still takes part, and passes its weight on;
// what moves is somewhere else in the next moment, and counts for nothing. Snow that is added later
// finds others in some balance of their own. Who sleeps under it sleeps on, and gets the strain with which
// it carries both, held by what is beside it as before. Where nobody sleeps under it, all others are
// springs that it presses on, and no more.
typedef enum role { SETTLED, LYING, UNDER, SPRING, NOTHING } role;

static role role_of(const balance *k, size_t b, size_t slot) {
  if (k->view.mass[slot] > 0 && mpm_is_settled(k->m, slot)) return SETTLED;
  if (!k->whole) return is_under(k, b) ? UNDER : k->laid_on ? LYING : SPRING;
  for (int a = 0; a < 3; a++) {
    if (k->view.v[a][slot] != 0) return NOTHING;
  }
  return LYING;
}

static void begin_particle(balance *k, size_t b, size_t slot, double *sound2) {
  const mpm *m = k->m;
  size_t slots = m->world->particles.slots;
  firn_real *start = (firn_real *)k->start.data + slot, *body = (firn_real *)k->body.data + slot;
  const mpm_view *view = &k->view;
  role is = role_of(k, b, slot);
  for (size_t i = 0; i < STATE; i++) {
    const firn_real *own = state_of(view, i);
    start[i * slots] = !own || (i < 6 && is == SETTLED) ? 0 : own[slot];
  }
  body[0] = 0;
  body[slots] = is <= UNDER ? view->mass[slot] : 0;
  body[2 * slots] = is != NOTHING ? view->volume[slot] : 0;
  if (is != SETTLED && is != UNDER) return;
  firn_material_row row = firn_world_row(m->world, slot);
  double hard = firn_law_hardening(&row, (double)view->ln_jp[slot]);
  double modulus = ((double)row.lambda + 2 * (double)row.mu) * hard;
  *sound2 = fmin(*sound2, modulus * (double)view->volume[slot] / (double)view->mass[slot]);
}

// Metres that the blocks of the snow span, along the axis where they span the most.
static double extent(const firn_particles *p) {
  double most = 0;
  for (int a = 0; a < 3; a++) {
    int32_t lo = INT32_MAX, hi = INT32_MIN;
    for (size_t b = 0; b < p->block_count; b++) {
      lo = p->block[b].at[a] < lo ? p->block[b].at[a] : lo;
      hi = p->block[b].at[a] > hi ? p->block[b].at[a] : hi;
    }
    most = fmax(most, 4.0 * (hi - lo + 1));
  }
  return most;
}

// Particles and view for the rounds.
static void begin(balance *k) {
  mpm *m = k->m;
  const firn_particles *p = &m->world->particles;
  size_t slots = p->slots;
  double sound2 = INFINITY;
  for (size_t b = 0; b < p->block_count; b++) {
    const firn_block *block = &p->block[b];
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
      begin_particle(k, b, i, &sound2);
    }
  }
  k->time = CROSSINGS * extent(p) * m->world->h / sqrt(sound2);
  k->begun = true;
  find_held(k);
  choose_units(k);
  firn_real *body = k->body.data;
  mpm_view *view = &m->view;
  for (int a = 0; a < 3; a++) view->v[a] = body;
  for (int i = 0; i < 9 && view->apic; i++) view->c[i] = body;
  view->mass = body + slots;
  view->volume = body + 2 * slots;
  view->psd = true;
  view->implicit = true;
  view->hold = false;
  // What a node at the tail of a spline weighs matters to nobody, and it would be moved far.
  view->mass_floor = (firn_real)(1e-9 * m->memory.mass_min);
}

static firn_status make_room(balance *k) {
  mpm *m = k->m;
  firn_context *context = m->world->context;
  size_t slots = m->world->particles.slots;
  size_t reals = m->grid.count * FIRN_NODE_BLOCK_REALS, real = sizeof(firn_real);
  FIRN_TRY(firn_buffer_reserve(context, &k->start, STATE * slots * real, "balance"));
  FIRN_TRY(firn_buffer_reserve(context, &k->body, 3 * slots * real, "balance"));
  FIRN_TRY(
      firn_buffer_reserve(context, &k->nodes, FIELDS * (reals + FIRN_ROW_REALS) * real, "balance"));
  FIRN_TRY(firn_buffer_reserve(context, &k->parts, m->grid.count * 3 * sizeof(double), "balance"));
  FIRN_TRY(firn_buffer_reserve(context, &k->held, m->world->particles.block_count, "balance"));
  FIRN_TRY(mpm_find_under(m, &k->under, &k->laid_on));
  size_t count;
  FIRN_TRY(mpm_bodies_find(m, &k->bodies, &count));
  memset(k->nodes.data, 0, FIELDS * (reals + FIRN_ROW_REALS) * real);
  // Vector kernels take slots between blocks along, which only their mass and volume of 0 tell apart.
  memset(k->body.data, 0, 3 * slots * real);
  FIRN_TRY(mpm_prepare_solve(m));
  FIRN_TRY(mpm_place_arenas(m, mpm_channels(m, true)));
  m->view.implicit = true;
  m->view.dt = 0; // colliders as they are now
  FIRN_TRY(mpm_contact_begin(m));
  FIRN_TRY(firn_buffer_reserve(context, &k->let_go,
                               64 * sizeof *m->let_go * (m->contacts.node_count + 1), "balance"));
  m->let_go = k->let_go.data;
  return FIRN_OK;
}

// ------------------------------------------------------------------------------------------ rounds

// Springs have the strain of u alone: what they had before holds them where they are.
static void strain_from_start(const balance *k, size_t b) {
  const firn_particles *p = &k->m->world->particles;
  const firn_block *block = &p->block[b];
  const firn_real *start = k->start.data;
  bool spring = !k->whole && !k->laid_on;
  for (size_t c = 0; c < STATE; c++) {
    firn_real *own = state_of(&k->m->view, c);
    for (uint32_t i = block->first; i < block->first + block->count && own; i++) {
      own[i] = spring && c < 6 ? 0 : start[c * p->slots + i];
    }
  }
}

// Strain and J_P of the whole of u.
static void strain(balance *k) {
  mpm *m = k->m;
  const firn_particles *p = &m->world->particles;
  mpm_view view = m->view;
  view.dt = 1;
  view.in_place = true;
  view.node_v = k->nodes.data;
  FIRN_PARALLEL_FOR(m->world->context, schedule(dynamic, 4))
  for (size_t u = 0; u < p->unit_count; u++) {
    const firn_unit *unit = &p->unit[u];
    mpm_tally unused = {0};
    if (!mpm_unit_is_stiff(&view, u)) continue;
    for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
      strain_from_start(k, b);
    }
    m->kernels->gather(&view, u, &unused);
  }
}

// Forces and stiffness of the particles, then what contact leaves of the forces on nodes.
static void load(balance *k) {
  mpm *m = k->m;
  size_t units = m->world->particles.unit_count, count = m->grid.count;
  const uint8_t *soft = m->node_soft.data;
  mpm_tally *tally = m->tallies.data;
  m->view.dt = (firn_real)k->time;
  FIRN_PARALLEL(m->world->context) {
#pragma omp for schedule(dynamic, 4)
    for (size_t u = 0; u < units; u++) {
      if (mpm_unit_is_stiff(&m->view, u)) m->kernels->scatter(&m->view, u, &tally[u]);
    }
#pragma omp for schedule(dynamic, 16)
    for (size_t g = 0; g < count; g++) {
      if (!soft[g]) m->kernels->nodes(&m->view, g);
    }
  }
}

static firn_real *node_field(const balance *k, size_t i) {
  size_t reals = k->m->grid.count * FIRN_NODE_BLOCK_REALS + FIRN_ROW_REALS;
  return (firn_real *)k->nodes.data + i * reals;
}

// Of node block g: mass, force that is out of balance, and the part of it that strain can take up:
// K d = f + M g - M d/t^2. The last, from the round before, is all that there is to snow that falls.
static void measure_block(const balance *k, size_t g, double part[3]) {
  size_t first = g * FIRN_NODE_BLOCK_REALS;
  const firn_real *now = node_field(k, IMPULSE) + first, *last = node_field(k, LAST) + first;
  const firn_real *v = k->m->view.node_v + first;
  memset(part, 0, 3 * sizeof *part);
  for (int n = 0; n < 256; n += 4) {
    double all = 0, held = 0, mass = (double)v[n + 3];
    for (int a = 0; a < 3; a++) {
      double f = (double)now[n + a], d = f - mass * (double)last[n + a];
      all += f * f;
      held += d * d;
    }
    part[0] += mass;
    part[1] += sqrt(all) / k->time;
    part[2] += sqrt(held) / k->time;
  }
}

static double gravity_of(const balance *k) {
  const double *g = k->m->world->gravity;
  return sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

// The share that another strain could balance of the weight of all nodes that are solved for.
static double measure(balance *k) {
  mpm *m = k->m;
  double(*part)[3] = k->parts.data, mass = 0, force = 0;
  const uint8_t *soft = m->node_soft.data;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t g = 0; g < m->grid.count; g++) {
    memset(part[g], 0, sizeof part[g]);
    if (!soft[g]) measure_block(k, g, part[g]);
  }
  for (size_t g = 0; g < m->grid.count; g++) {
    mass += part[g][0];
    force += part[g][2];
  }
  return mass > 0 ? force / (mass * gravity_of(k)) : 0;
}

// Adds what the last solve gave.
static void move(balance *k) {
  mpm *m = k->m;
  firn_real *u = node_field(k, U);
  const firn_real *last = node_field(k, LAST);
  const uint8_t *soft = m->node_soft.data;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t g = 0; g < m->grid.count; g++) {
    size_t first = g * FIRN_NODE_BLOCK_REALS;
    for (size_t i = first; i < first + FIRN_NODE_BLOCK_REALS && !soft[g]; i++) {
      u[i] += (firn_real)(k->time * (double)last[i]);
    }
  }
}

static firn_status solve(balance *k, double reduction) {
  mpm *m = k->m;
  firn_linear_result result;
  firn_real *last = node_field(k, LAST);
  size_t reals = m->grid.count * FIRN_NODE_BLOCK_REALS;
  FIRN_TRY(mpm_solve_rest(m, node_field(k, IMPULSE), reduction, k->budget, &result));
  k->iterations += result.iterations;
  k->budget -= result.iterations;
  memcpy(last, m->view.node_v, reals * sizeof *last);
  for (size_t i = 3; i < reals; i += 4) last[i] = 0;
  return FIRN_OK;
}

// Forces at the present u, and how much of them is out of balance.
static void look(balance *k) {
  strain(k);
  load(k);
  mpm_free_impulse(k->m, node_field(k, IMPULSE));
  k->left = measure(k);
}

static void keep(balance *k, size_t to, size_t from) {
  size_t reals = k->m->grid.count * FIRN_NODE_BLOCK_REALS;
  memcpy(node_field(k, to), node_field(k, from), reals * sizeof(firn_real));
}

// From the present u, until there is balance or no more to be gained. The best u that was met is kept.
static firn_status run_rounds(balance *k, double enough) {
  double least = INFINITY;
  memset(k->let_go.data, 0, 64 * sizeof *k->m->let_go * k->m->contacts.node_count);
  for (int round = 0, stalled = 0;; round++) {
    double before = k->left;
    look(k);
    stalled = k->left > 0.9 * least ? stalled + 1 : 0;
    if (k->left < least) keep(k, BEST, U);
    least = fmin(least, k->left);
    if (!(k->left > enough)) return FIRN_OK;
    if (stalled == STALLED || round == ROUNDS || k->budget <= 0) break;
    // Where snow yields or slips K is not what it meets, and a round is worth no careful solve.
    double reduction = fmax(REDUCTION, 0.5 * BALANCED / k->left);
    if (k->left > 0.5 * before) reduction = fmax(reduction, ROUGHLY);
    FIRN_TRY(solve(k, reduction));
    move(k);
  }
  if (k->left > least) {
    keep(k, U, BEST);
    look(k);
    k->left = least;
  }
  return FIRN_OK;
}

// First as if nothing could slide, then as it is. Snow that slides has no balance to be found: it is
// laid down as if it did not, and slides then.
static firn_status seek(balance *k) {
  size_t reals = k->m->grid.count * FIRN_NODE_BLOCK_REALS + FIRN_ROW_REALS;
  for (int again = 0; again < 2; again++) {
    memset(k->nodes.data, 0, FIELDS * reals * sizeof(firn_real));
    k->left = INFINITY;
    k->budget = ITERATIONS;
    k->m->still = MPM_STILL_STUCK;
    FIRN_TRY(run_rounds(k, again ? BALANCED : STUCK));
    k->m->still = MPM_STILL;
    if (again) break;
    FIRN_TRY(run_rounds(k, BALANCED));
    if (!(k->left > SLIDING)) return FIRN_OK;
  }
  look(k);
  return FIRN_OK;
}

// ------------------------------------------------------------------------------------------- the end

// Gives a block back what it had, but for settled snow and what carries it, if these were solved for.
static void restore(const balance *k, size_t b, bool solved) {
  const mpm *m = k->m;
  const firn_particles *p = &m->world->particles;
  const firn_real *start = k->start.data;
  for (uint32_t i = p->block[b].first; i < p->block[b].first + p->block[b].count; i++) {
    if (solved && (is_under(k, b) || mpm_is_settled(m, i))) continue;
    for (size_t c = 0; c < STATE; c++) {
      firn_real *own = state_of(&m->view, c);
      if (own) own[i] = start[c * p->slots + i];
    }
  }
}

// Particles as they are to be: settled snow and what lies under it with their strain, other snow as it
// was.
static void end(balance *k, bool failed) {
  mpm *m = k->m;
  const firn_particles *p = &m->world->particles;
  m->view = k->view;
  m->def = k->def;
  m->memory.surface2_max = k->surface2;
  m->asleep = k->asleep;
  m->still = MPM_MOVES;
  m->let_go = NULL;
  m->contacts.pressed = false;
  mpm_point_view(m); // arenas may lie elsewhere
  if (!k->begun) return;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t u = 0; u < p->unit_count; u++) {
    const firn_unit *unit = &p->unit[u];
    bool solved = !failed && mpm_unit_is_stiff(&m->view, u);
    for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
      restore(k, b, solved);
    }
  }
}

// Force on the nodes of a block that is out of balance, in weights, as the last round left it.
static double unrest(const balance *k, size_t b) {
  const mpm *m = k->m;
  const double(*part)[3] = k->parts.data;
  double mass = 0, force = 0;
  if (!is_held(k, b)) return 1;
  for (int o = 0; o < 27; o++) {
    uint32_t g = m->grid.target[b][o];
    if (g == FIRN_GRID_NONE) continue;
    mass += part[g][0];
    force += part[g][1];
  }
  return mass > 0 ? force / (mass * gravity_of(k)) : 1;
}

// Lets the blocks sleep that hold nothing but settled snow in balance, and wakes those under it that are
// not. Returns the particles of settled snow that are far from it.
static size_t lay(const balance *k) {
  mpm *m = k->m;
  const firn_particles *p = &m->world->particles;
  size_t loose = 0;
  for (size_t b = 0; b < p->block_count; b++) {
    const firn_block *block = &p->block[b];
    uint32_t settled = 0, moving = 0;
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
      settled += mpm_is_settled(m, i);
      moving += m->view.v[0][i] != 0 || m->view.v[1][i] != 0 || m->view.v[2][i] != 0;
    }
    if (!settled && !is_under(k, b)) continue;
    double force = unrest(k, b);
    if (is_under(k, b) && force > AT_REST) mpm_rest_rouse(m, b);
    if (force > LOOSE) loose += settled;
    if (force <= AT_REST && !moving && settled == block->count) mpm_rest_lay(m, b);
  }
  return loose;
}

// A window adds settled snow again and again; who has been told once knows.
static void tell(const balance *k, size_t loose, double seconds) {
  firn_context *context = k->m->world->context;
  bool found = !(k->left > UNHELD);
  if (!found && !k->m->told_loose) {
    firn_note(
        context, FIRN_LOG_WARNING,
        "no balance found for settled snow: nothing holds %.2g %% of its weight, so it will sag, "
        "slide or flow at first; stiffer or tougher snow, more friction or a wider base would "
        "hold it (%d iterations, %.2f s)",
        100 * fmin(k->left, 1), k->iterations, seconds);
  }
  if (found && k->whole) {
    firn_note(context, FIRN_LOG_INFO,
              "settled snow lies in balance but for %.1e of its weight: %d iterations, %.2f s",
              k->left, k->iterations, seconds);
  }
  if (loose && !k->m->told_loose) {
    firn_note(
        context, FIRN_LOG_WARNING,
        "nothing holds %zu particles of settled snow where they are: they will fall, slide or "
        "flow",
        loose);
  }
  if (loose || !found) k->m->told_loose = true;
}

firn_status mpm_balance(mpm *m) {
  balance k = {.m = m,
               .def = m->def,
               .view = m->view,
               .surface2 = m->memory.surface2_max,
               .asleep = m->asleep,
               .whole = m->memory.steps == 0};
  firn_context *context = m->world->context;
  double began = firn_seconds();
  m->def.preconditioner = FIRN_PRECONDITIONER_BLOCK;
  m->def.krylov = FIRN_KRYLOV_CR;
  m->still = MPM_STILL;
  m->asleep = 0;
  firn_status status = make_room(&k);
  if (status == FIRN_OK) {
    begin(&k);
    status = seek(&k);
  }
  end(&k, status != FIRN_OK);
  size_t loose = status == FIRN_OK ? lay(&k) : 0;
  firn_buffer *buffers[] = {&k.start,  &k.body,   &k.nodes, &k.parts,
                            &k.let_go, &k.bodies, &k.under, &k.held};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
    firn_buffer_free(context, buffers[i]);
  if (status == FIRN_OK) tell(&k, loose, firn_seconds() - began);
  return status;
}
