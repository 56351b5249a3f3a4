// SPDX-License-Identifier: Apache-2.0
// Which blocks have colliders close to them. Almost all have none, so this is found once a step,
// block by block and part by part; what is far from all of them never asks for a distance.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/mpm/mpm.h"
#include "solver/mpm/rest.h"
#include "solver/mpm/surface.h"

mpm_tangent mpm_tangent_at(const firn_part *part, double time, const double x[3],
                           double velocity[3]) {
  mpm_tangent t = {.x = {x[0], x[1], x[2]}, .convex = part->convex};
  t.distance = firn_part_sample(part, &part->pose, time, x, t.n, velocity);
  return t;
}

bool mpm_tangent_meets_box(const mpm_tangent *t, const double half[3], double margin) {
  double reach = 0;
  for (int a = 0; a < 3; a++) reach += t->convex ? fabs(t->n[a]) * half[a] : half[a] * half[a];
  if (!t->convex) reach = sqrt(reach);
  return t->distance <= reach * (1 + 1e-6) + margin;
}

// What is close to a box.
typedef struct closeness {
  uint64_t bits; // parts that may touch it
  double speed2; // m^2/s^2, of surfaces that are about to reach it
} closeness;

static double square(const double v[3]) {
  return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

// Where it is now it will always be.
static bool is_fixed(const firn_collider *collider) {
  return collider->speed == 0 && !collider->varies && !(collider->load.mass > 0);
}

// Which colliders to look at.
enum { FIXED = 1, OTHERS = 2, ALL = FIXED | OTHERS };

// middle and half in cells; grown, m, is added on all sides. Particles that are kept from tunnelling also need what passes them
// within the step: sweep adds the way that collider and particle can go.
static void look(const mpm *m, const double middle[3], const double half[3], bool sweep,
                 double grown, int which, closeness *out) {
  const firn_world *world = m->world;
  double x[3], edge[3], dt = (double)m->view.dt, h = world->h;
  for (int a = 0; a < 3; a++) {
    x[a] = middle[a] * h;
    edge[a] = half[a] * h;
  }
  double size = sqrt(square(edge));
  for (int c = 0; c < world->collider_count; c++) {
    const firn_collider *collider = &world->collider[c];
    if (collider->absent || !(which & (is_fixed(collider) ? FIXED : OTHERS))) continue;
    bool still = collider->speed == 0;
    // Two steps ahead: the next one's length is chosen from what is found now.
    double ahead = still ? 0 : h + 2 * dt * collider->speed;
    for (int i = 0; i < collider->part_count; i++) {
      const firn_part *part = &collider->part[i];
      double away[3] = {x[0] - part->middle[0], x[1] - part->middle[1], x[2] - part->middle[2]};
      double bound = part->radius + size + ahead + (sweep ? h : grown);
      if (part->radius < 0 || square(away) > bound * bound) continue;
      double velocity[3], margin = grown;
      mpm_tangent t = mpm_tangent_at(part, m->contacts.time, x, velocity);
      double speed2 = square(velocity), speed = sqrt(speed2);
      if (sweep) margin = h + dt * speed;
      if (mpm_tangent_meets_box(&t, edge, margin)) out->bits |= part->bit;
      if (still || !(speed2 > out->speed2)) continue;
      if (mpm_tangent_meets_box(&t, edge, h + 2 * dt * speed)) out->speed2 = speed2;
    }
  }
}

static void look_at_nodes(const mpm *m, size_t g, int which, closeness *out) {
  const int32_t *at = m->grid.at[g];
  double middle[3] = {4.0 * at[0] + 1.5, 4.0 * at[1] + 1.5, 4.0 * at[2] + 1.5};
  double half[3] = {1.5, 1.5, 1.5};
  look(m, middle, half, false, m->def.contact_surface ? MPM_COLUMN_REACH * m->world->h : 0, which,
       out);
}

// The nodes lo to hi from the corner of a block.
static void look_at_box(const mpm *m, size_t b, const int lo[3], const int hi[3], int which,
                        closeness *out) {
  const int32_t *at = m->world->particles.block[b].at;
  double middle[3], half[3];
  for (int a = 0; a < 3; a++) {
    half[a] = 0.5 * (hi[a] - lo[a]);
    middle[a] = 4.0 * at[a] + lo[a] + half[a];
  }
  look(m, middle, half, false, 0, which, out);
}

// From these nodes back to the cells of particles that touch them.
static void look_at_particles(const mpm *m, size_t b, const int lo[3], const int hi[3], int which,
                              closeness *out) {
  const int32_t *at = m->world->particles.block[b].at;
  double middle[3], half[3];
  for (int a = 0; a < 3; a++) {
    double first = lo[a] - m->stencil.first + m->stencil.shift;
    half[a] = 0.5 * (hi[a] - lo[a] + 2 - m->stencil.width);
    middle[a] = 4.0 * at[a] + first + half[a];
  }
  look(m, middle, half, m->def.push_out >= 0, 0, which, out);
}

static void box_nodes(const mpm_box *box, int lo[3], int hi[3]) {
  for (int a = 0; a < 3; a++) {
    lo[a] = box->lo[a];
    hi[a] = lo[a] + box->n[a] - 1;
  }
}

// What fixed colliders are close to does not change as long as blocks stay where they are: parts by node
// blocks, and for particle blocks whether all they may reach is far.
static firn_status know_fixed(mpm *m) {
  firn_context *context = m->world->context;
  mpm_contacts *c = &m->contacts;
  size_t count = m->grid.count, blocks = m->world->particles.block_count;
  int fixed = 0;
  for (int i = 0; i < m->world->collider_count; i++) fixed += is_fixed(&m->world->collider[i]);
  if (c->fixed_known && c->fixed == fixed && c->fixed_changes == m->world->changes) return FIRN_OK;
  c->fixed_known = false;
  FIRN_TRY(
      firn_buffer_reserve(context, &c->fixed_nodes, (count + 1) * sizeof(uint64_t), "contacts"));
  FIRN_TRY(firn_buffer_reserve(context, &c->fixed_far, (blocks + 1) * sizeof(bool), "contacts"));
  uint64_t *nodes = c->fixed_nodes.data;
  bool *far = c->fixed_far.data;
  FIRN_PARALLEL(context) {
#pragma omp for schedule(static)
    for (size_t g = 0; g < count; g++) {
      closeness found = {0};
      look_at_nodes(m, g, FIXED, &found);
      nodes[g] = found.bits;
    }
#pragma omp for schedule(static)
    for (size_t b = 0; b < blocks; b++) {
      closeness found = {0};
      const firn_reach *reach = &m->reach[b];
      const int lo[3] = {reach->lo[0], reach->lo[1], reach->lo[2]},
                hi[3] = {reach->hi[0], reach->hi[1], reach->hi[2]};
      look_at_box(m, b, lo, hi, FIXED, &found);
      look_at_particles(m, b, lo, hi, FIXED, &found);
      far[b] = !found.bits;
    }
  }
  c->fixed_known = true;
  c->fixed = fixed;
  c->fixed_changes = m->world->changes;
  return FIRN_OK;
}

// Those of a run are numbered by one thread.
enum { RUN = 64 };

static size_t runs_of(size_t count) {
  return (count + RUN - 1) / RUN;
}

static size_t end_of(size_t run, size_t count) {
  return (run + 1) * RUN < count ? (run + 1) * RUN : count;
}

// Fills the bits of all blocks, and counts those that are close to something by runs. Returns the largest speed^2 of
// what is about to reach any.
static double look_everywhere(mpm *m) {
  mpm_contacts *c = &m->contacts;
  size_t count = m->grid.count, blocks = m->world->particles.block_count;
  const uint64_t *fixed = c->fixed_nodes.data;
  const bool *far = c->fixed_far.data;
  uint64_t *nodes = c->nodes.data;
  mpm_near *near = c->blocks.data;
  uint32_t *of = m->constraint_of.data, *of_run = c->runs.data;
  bool particles = m->view.particle_contact, others = c->fixed < m->world->collider_count;
  double speed2 = 0;
  FIRN_PARALLEL(m->world->context) {
#pragma omp for schedule(static) reduction(max : speed2)
    for (size_t r = 0; r < runs_of(count); r++) {
      of_run[r] = 0;
      for (size_t g = r * RUN; g < end_of(r, count); g++) {
        closeness found = {0};
        // What sleeps still presses on its collider, but evenly: it is asked once.
        bool asked = (c->recorded && !c->pressed) || !mpm_node_is_asleep(m, g);
        if (asked) found.bits = fixed[g];
        if (asked && others) look_at_nodes(m, g, OTHERS, &found);
        nodes[g] = found.bits;
        of[g] = FIRN_GRID_NONE;
        of_run[r] += found.bits != 0;
        speed2 = fmax(speed2, found.speed2);
      }
    }
    uint32_t *of_block_run = of_run + runs_of(count);
#pragma omp for schedule(static) reduction(max : speed2)
    for (size_t r = 0; r < runs_of(blocks); r++) {
      of_block_run[r] = 0;
      for (size_t b = r * RUN; b < end_of(r, blocks); b++) {
        closeness of_particles = {0}, of_nodes = {0};
        bool asked = !m->box[b].asleep && (others || !far[b]);
        int lo[3], hi[3], which = far[b] ? OTHERS : ALL;
        box_nodes(&m->box[b], lo, hi);
        if (asked && particles) look_at_particles(m, b, lo, hi, which, &of_particles);
        if (asked && m->reach[b].spray) look_at_box(m, b, lo, hi, which, &of_nodes);
        near[b] = (mpm_near){of_particles.bits, of_nodes.bits, FIRN_GRID_NONE};
        m->box[b].near = near[b].particles != 0;
        m->box[b].touched = near[b].nodes != 0;
        of_block_run[r] += m->box[b].near || m->box[b].touched;
        speed2 = fmax(speed2, fmax(of_particles.speed2, of_nodes.speed2));
      }
    }
  }
  return speed2;
}

// From what runs have to what comes before each. Returns the sum.
static size_t add_up(uint32_t *of_run, size_t runs) {
  uint32_t sum = 0;
  for (size_t r = 0; r < runs; r++) {
    uint32_t has = of_run[r];
    of_run[r] = sum;
    sum += has;
  }
  return sum;
}

static void number(mpm *m) {
  mpm_contacts *c = &m->contacts;
  size_t count = m->grid.count, blocks = m->world->particles.block_count;
  const uint64_t *nodes = c->nodes.data;
  mpm_near *near = c->blocks.data;
  uint32_t *of = m->constraint_of.data, *of_run = c->runs.data;
  uint32_t *of_block_run = of_run + runs_of(count);
  c->node_count = add_up(of_run, runs_of(count));
  c->block_count = add_up(of_block_run, runs_of(blocks));
  if (!c->node_count && !c->block_count) return;
  FIRN_PARALLEL(m->world->context) {
#pragma omp for schedule(static) nowait
    for (size_t r = 0; r < runs_of(count); r++) {
      for (size_t g = r * RUN; g < end_of(r, count); g++) {
        if (nodes[g]) of[g] = of_run[r]++;
      }
    }
#pragma omp for schedule(static) nowait
    for (size_t r = 0; r < runs_of(blocks); r++) {
      for (size_t b = r * RUN; b < end_of(r, blocks); b++) {
        if (near[b].particles || near[b].nodes) near[b].index = of_block_run[r]++;
      }
    }
  }
}

// Colliders may come close to other blocks when the step is redone with a shorter time.
static bool any_moves(const firn_world *world, double dt) {
  for (int c = 0; c < world->collider_count; c++) {
    if (firn_collider_moves(&world->collider[c], world->time, world->time + dt)) return true;
  }
  return false;
}

// Nodes that only sleepers touch are not collided in the step, so nobody else says that they are
// free.
static void free_sleeping_nodes(mpm *m) {
  const uint32_t *of = m->constraint_of.data;
  firn_real *constraint = m->constraint.data;
  for (size_t g = 0; g < m->grid.count; g++) {
    if (of[g] == FIRN_GRID_NONE || !mpm_node_is_asleep(m, g)) continue;
    ((uint64_t *)m->held.data)[of[g]] = 0;
    memset(constraint + (size_t)of[g] * FIRN_NODE_BLOCK_REALS, 0,
           FIRN_NODE_BLOCK_REALS * sizeof *constraint);
  }
}

static firn_status make_room(mpm *m) {
  firn_context *context = m->world->context;
  mpm_contacts *c = &m->contacts;
  bool all = any_moves(m->world, (double)m->view.dt);
  size_t nodes = all ? m->grid.count : c->node_count,
         blocks = all ? m->world->particles.block_count : c->block_count;
  if (m->view.implicit) {
    FIRN_TRY(firn_buffer_reserve(context, &m->constraint,
                                 (nodes + 1) * FIRN_NODE_BLOCK_REALS * sizeof(firn_real),
                                 "contacts"));
    FIRN_TRY(firn_buffer_reserve(context, &m->held, (nodes + 1) * sizeof(uint64_t), "contacts"));
    if (m->asleep) free_sleeping_nodes(m);
  }
  if (!c->recorded) return FIRN_OK;
  FIRN_TRY(
      firn_buffer_reserve(context, &c->asleep, (size_t)c->recorded * sizeof(mpm_push), "forces"));
  size_t pushes = (nodes + 2 * blocks + 1) * (size_t)c->recorded;
  FIRN_TRY(firn_buffer_reserve(context, &c->pushes, pushes * sizeof(mpm_push), "forces"));
  pushes = (c->node_count + 2 * c->block_count) * (size_t)c->recorded;
  memset(c->pushes.data, 0, pushes * sizeof(mpm_push));
  if (!m->view.implicit && !c->surface) return FIRN_OK;
  return firn_buffer_reserve(context, &c->holders, (nodes + 1) * 64 * sizeof(mpm_holders),
                             "forces");
}

firn_status mpm_contact_begin(mpm *m) {
  firn_context *context = m->world->context;
  mpm_contacts *c = &m->contacts;
  size_t count = m->grid.count, blocks = m->world->particles.block_count;
  // D-8: the paper does not say when the level set is sampled; the end of the step is the default.
  c->time = m->world->time + (m->def.collider_begin ? 0 : (double)m->view.dt);
  c->surface = m->def.contact_surface;
  int recorded = c->recorded;
  m->view.node_near = NULL;
  c->recorded = 0;
  for (int i = 0; i < m->world->collider_count; i++) c->recorded += m->world->collider[i].forces;
  if (c->recorded != recorded || !m->asleep) c->pressed = false;
  FIRN_TRY(firn_buffer_reserve(context, &c->nodes, (count + 1) * sizeof(uint64_t), "contacts"));
  FIRN_TRY(firn_buffer_reserve(context, &c->blocks, (blocks + 1) * sizeof(mpm_near), "contacts"));
  FIRN_TRY(
      firn_buffer_reserve(context, &m->constraint_of, (count + 1) * sizeof(uint32_t), "contacts"));
  FIRN_TRY(firn_buffer_reserve(
      context, &c->runs, (runs_of(count) + runs_of(blocks) + 1) * sizeof(uint32_t), "contacts"));
  firn_world_prepare(m->world, c->time);
  FIRN_TRY(know_fixed(m));
  m->memory.surface2_max = look_everywhere(m);
  number(m);
  FIRN_TRY(make_room(m));
  if (c->surface) FIRN_TRY(mpm_surface_begin(m));
  m->view.node_near = c->nodes.data;
  return FIRN_OK;
}
