// SPDX-License-Identifier: Apache-2.0
// Snow that is laid down settled lies in balance with its weight: the strain with which it does is
// solved for before its first step, on the nodes, against what is under it and beside it.
//
// From no strain, or that of its column where snow is added, nodal displacements u are sought with
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

#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "solver/mpm/balancing.h"
#include "solver/mpm/rest.h"
#include "solver/mpm/support.h"
#include "solver/mpm/under.h"
#include "world/settle.h"

// Above this a floor would miss more of the weight than it may, and whoever asked for a balance is warned.
static const double UNHELD = 0.01;
// Force on the nodes of a block, in weights, that lets it sleep at once, and that sets it going.
static const double AT_REST = 0.01, LOOSE = 0.1;

bool mpm_is_settled(const mpm *m, size_t slot) {
  return firn_settled_has(&m->world->settled, firn_particles_id(&m->world->particles)[slot]);
}

bool mpm_holds_settled(const mpm *m, size_t b) {
  const firn_block *block = &m->world->particles.block[b];
  for (uint32_t i = block->first; i < block->first + block->count; i++) {
    if (mpm_is_settled(m, i)) return true;
  }
  return false;
}

// ---------------------------------------------------------------------------------------- the beginning

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
  FIRN_TRY(firn_buffer_reserve(
      context, &k->products, m->grid.count * SECANTS * (SECANTS + 1) * sizeof(double), "balance"));
  FIRN_TRY(firn_buffer_reserve(context, &k->held, m->world->particles.block_count, "balance"));
  FIRN_TRY(firn_buffer_reserve(context, &k->energy,
                               m->world->particles.block_count * sizeof(double), "balance"));
  FIRN_TRY(mpm_find_under(m, &k->under, &k->laid_on));
  size_t count;
  FIRN_TRY(mpm_bodies_find(m, &k->bodies, &count));
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

// Particles and view for the rounds. False: the settled snow is gone already.
static bool begin(balance *k) {
  mpm *m = k->m;
  size_t slots = m->world->particles.slots;
  bool any = mpm_balance_enlist(k);
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
  return any;
}

// ------------------------------------------------------------------------------------------- the end

// Gives a block back what it had, but for settled snow, which has no strain, and what carries it, if these
// were not solved for.
static void restore(const balance *k, size_t b, bool solved) {
  const mpm *m = k->m;
  const firn_particles *p = &m->world->particles;
  const firn_real *start = k->start.data;
  for (uint32_t i = p->block[b].first; i < p->block[b].first + p->block[b].count; i++) {
    bool settled = mpm_is_settled(m, i);
    if (solved && (is_under(k, b) || settled)) continue;
    for (size_t c = 0; c < STATE; c++) {
      firn_real *own = state_of(&m->view, c);
      if (own) own[i] = c < 6 && settled ? 0 : start[c * p->slots + i];
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
  for (size_t b = 0; b < p->block_count; b++) restore(k, b, !failed && !m->box[b].soft);
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

// Lets the blocks sleep that hold nothing but settled snow in balance and what carries it, and wakes those
// under it that are not. Returns the particles of settled snow that are far from it.
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
    bool all = settled == block->count || is_under(k, b);
    if (force <= AT_REST && !moving && all) mpm_rest_lay(m, b);
  }
  return loose;
}

// A window adds settled snow again and again; who has been told once knows.
static void tell(const balance *k, size_t loose, double seconds) {
  firn_context *context = k->m->world->context;
  bool found = k->left <= UNHELD;
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

// J of strain of the snow that the search changes.
static double strain_held(const balance *k) {
  mpm *m = k->m;
  const firn_particles *p = &m->world->particles;
  double *energy = k->energy.data, sum = 0;
  FIRN_PARALLEL_FOR(m->world->context, schedule(dynamic, 4))
  for (size_t b = 0; b < p->block_count; b++) {
    energy[b] = 0;
    if (!is_under(k, b) && !mpm_holds_settled(m, b)) continue;
    for (uint32_t i = p->block[b].first; i < p->block[b].first + p->block[b].count; i++) {
      energy[b] += mpm_energy(m, i);
    }
  }
  for (size_t b = 0; b < p->block_count; b++) sum += energy[b];
  return sum;
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
  double before = status == FIRN_OK ? strain_held(&k) : 0;
  bool sought = status == FIRN_OK && begin(&k);
  if (sought && k.whole)
    firn_note(context, FIRN_LOG_INFO, "settled snow: the search for its balance begins");
  if (sought) status = mpm_balance_seek(&k);
  bool solved = sought && status == FIRN_OK;
  end(&k, !solved);
  size_t loose = solved ? lay(&k) : 0;
  // It was given to the snow, as new snow brings its own.
  if (solved) m->world->ledger.given += strain_held(&k) - before;
  firn_buffer *buffers[] = {&k.start,  &k.body,  &k.nodes, &k.parts,    &k.let_go,
                            &k.bodies, &k.under, &k.held,  &k.products, &k.energy};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
    firn_buffer_free(context, buffers[i]);
  m->last.laid = k.iterations;
  if (solved) tell(&k, loose, firn_seconds() - began);
  return status;
}
