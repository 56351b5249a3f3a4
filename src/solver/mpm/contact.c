// SPDX-License-Identifier: Apache-2.0
// Collisions (section 8), on nodes and on particles. Colliders touch few blocks, so this is plain
// code in double precision for every instruction set; blocks away from all colliders never get
// here.
#include <math.h>
#include <string.h>

#include "solver/mpm/mpm.h"
#include "world/contact.h"

// D-8: the paper does not say when the level set is sampled; the end of the step is the default.
static double sample_time(const mpm_view *view) {
  const mpm *m = view->user;
  return m->world->time + (m->def.collider_begin ? 0 : (double)view->dt);
}

// Whether the ball around `middle` (cells) may touch a collider.
static bool ball_is_near(const mpm_view *view, const double middle[3], double radius) {
  const mpm *m = view->user;
  const firn_world *world = m->world;
  double x[3], time = sample_time(view);
  for (int a = 0; a < 3; a++) x[a] = middle[a] * world->h;
  for (int c = 0; c < world->collider_count; c++) {
    if (firn_collider_sample(&world->collider[c], x, time, NULL, NULL) <= radius * world->h) {
      return true;
    }
  }
  return false;
}

bool mpm_block_is_near(const mpm_view *view, size_t g) {
  const mpm *m = view->user;
  if (!m->world->collider_count) return false;
  // Nodes 0 to 3: half the diagonal is 1.5 sqrt 3; the rest is rounding.
  const int32_t *at = view->grid->at[g];
  double middle[3] = {4.0 * at[0] + 1.5, 4.0 * at[1] + 1.5, 4.0 * at[2] + 1.5};
  return ball_is_near(view, middle, 2.61);
}

bool mpm_particles_are_near(const mpm_view *view, size_t b) {
  const mpm *m = view->user;
  if (!m->world->collider_count) return false;
  // Particles lie in [-1, 5.5): half that diagonal is 5.63; one cell more for this step's motion.
  const int32_t *at = view->particles->block[b].at;
  double middle[3] = {4.0 * at[0] + 2.25, 4.0 * at[1] + 2.25, 4.0 * at[2] + 2.25};
  return ball_is_near(view, middle, 6.7);
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Adds a contact to what holds a node already: kind in slot 3, direction in 0 to 2 (D-6).
static void constrain(const mpm *m, firn_real *constraint, firn_contact contact,
                      const double normal[3]) {
  int kind = (int)constraint[3];
  if (contact == FIRN_CONTACT_NONE || kind == MPM_HELD) return;
  if (contact == FIRN_CONTACT_STICK || m->def.contact_node || kind == MPM_ONLY_TANGENT) {
    constraint[3] = MPM_HELD;
    return;
  }
  double d[3] = {normal[0], normal[1], normal[2]};
  int next = MPM_NO_NORMAL;
  if (kind == MPM_NO_NORMAL) {
    // A second surface: what is left is the line along both.
    double n[3] = {(double)constraint[0], (double)constraint[1], (double)constraint[2]};
    double t[3] = {n[1] * d[2] - n[2] * d[1], n[2] * d[0] - n[0] * d[2], n[0] * d[1] - n[1] * d[0]};
    double length = sqrt(dot(t, t));
    if (length < 1e-6) return; // the same surface twice
    for (int a = 0; a < 3; a++) d[a] = t[a] / length;
    next = MPM_ONLY_TANGENT;
  }
  for (int a = 0; a < 3; a++) constraint[a] = (firn_real)d[a];
  constraint[3] = (firn_real)next;
}

void mpm_node_contact(const mpm_view *view, size_t g, firn_real *v) {
  const mpm *m = view->user;
  const firn_world *world = m->world;
  const int32_t *at = view->grid->at[g];
  double time = sample_time(view);
  firn_real *constraints = NULL;
  if (view->implicit) {
    uint32_t index = ((const uint32_t *)m->constraint_of.data)[g];
    constraints = (firn_real *)m->constraint.data + (size_t)index * FIRN_NODE_BLOCK_REALS;
    memset(constraints, 0, FIRN_NODE_BLOCK_REALS * sizeof *constraints);
  }
  for (int n = 0; n < 64; n++) {
    if (!(v[4 * n + 3] > view->mass_floor)) continue;
    int node[3] = {n / 16, n / 4 % 4, n % 4};
    double x[3], velocity[3];
    for (int a = 0; a < 3; a++) {
      x[a] = (4.0 * at[a] + node[a]) * world->h;
      velocity[a] = (double)v[4 * n + a];
    }
    bool touched = false;
    for (int c = 0; c < world->collider_count; c++) {
      const firn_collider *collider = &world->collider[c];
      double normal[3], surface[3];
      if (firn_collider_sample(collider, x, time, normal, surface) > 0) continue;
      firn_contact contact = firn_contact_resolve(velocity, surface, normal, collider->friction,
                                                  collider->sticky);
      touched = touched || contact != FIRN_CONTACT_NONE;
      if (constraints) constrain(m, constraints + 4 * n, contact, normal);
    }
    if (!touched) continue;
    for (int a = 0; a < 3; a++) v[4 * n + a] = (firn_real)velocity[a];
  }
}

void mpm_particle_contact(const mpm_view *view, size_t b, int n, int stride, firn_real *x,
                          firn_real *v, firn_real *advect) {
  const mpm *m = view->user;
  const firn_world *world = m->world;
  const int32_t *at = view->particles->block[b].at;
  double time = sample_time(view), h = world->h;
  bool separate = advect != v;
  for (int i = 0; i < n; i++) {
    for (int c = 0; c < world->collider_count; c++) {
      const firn_collider *collider = &world->collider[c];
      double position[3], normal[3], surface[3], velocity[3];
      for (int a = 0; a < 3; a++) {
        position[a] = (4.0 * at[a] + (double)x[a * stride + i]) * h;
      }
      double depth = -firn_collider_sample(collider, position, time, normal, surface);
      if (depth < 0) continue;
      for (int pass = 0; pass < (separate ? 2 : 1); pass++) {
        firn_real *target = pass ? advect : v;
        for (int a = 0; a < 3; a++) velocity[a] = (double)target[a * stride + i];
        firn_contact_resolve(velocity, surface, normal, collider->friction, collider->sticky);
        for (int a = 0; a < 3; a++) target[a * stride + i] = (firn_real)velocity[a];
      }
      double over = depth / h - m->def.push_out;
      if (m->def.push_out >= 0 && over > 0) {
        // At most half a cell a step, so that the particle stays within its block's reach.
        if (over > 0.5) over = 0.5;
        for (int a = 0; a < 3; a++) x[a * stride + i] += (firn_real)(over * normal[a]);
      }
    }
  }
}
