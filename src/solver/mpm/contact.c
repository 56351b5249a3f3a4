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

// A lower bound of the distance to a collider around some point: for convex shapes, whose distance
// is a convex function, the tangent there; for others, a cone. It costs a few multiplications where
// the distance itself costs a call, and almost everything is far from most colliders.
typedef struct tangent {
  double x[3], n[3], distance;
  bool convex;
} tangent;

static tangent tangent_at(const firn_collider *collider, const double x[3], double time) {
  tangent t = {.x = {x[0], x[1], x[2]}, .convex = collider->shape->convex};
  t.distance = firn_collider_sample(collider, x, time, t.n, NULL);
  return t;
}

// Whether a box may touch the collider: tangent taken at its middle, half its edges in metres.
static bool box_may_touch(const tangent *t, const double half[3]) {
  double reach = 0;
  for (int a = 0; a < 3; a++) reach += t->convex ? fabs(t->n[a]) * half[a] : half[a] * half[a];
  if (!t->convex) reach = sqrt(reach);
  return t->distance <= reach * (1 + 1e-6);
}

static bool point_may_touch(const tangent *t, const double x[3], double slack) {
  if (!t->convex) return true;
  double d = t->distance;
  for (int a = 0; a < 3; a++) d += t->n[a] * (x[a] - t->x[a]);
  return d <= slack;
}

// Both in cells.
static bool box_is_near(const mpm_view *view, const double middle[3], const double half[3]) {
  const mpm *m = view->user;
  const firn_world *world = m->world;
  double x[3], edge[3], time = sample_time(view);
  for (int a = 0; a < 3; a++) {
    x[a] = middle[a] * world->h;
    edge[a] = half[a] * world->h;
  }
  for (int c = 0; c < world->collider_count; c++) {
    tangent t = tangent_at(&world->collider[c], x, time);
    if (box_may_touch(&t, edge)) return true;
  }
  return false;
}

bool mpm_block_is_near(const mpm_view *view, size_t g) {
  const mpm *m = view->user;
  if (!m->world->collider_count) return false;
  const int32_t *at = view->grid->at[g];
  double middle[3] = {4.0 * at[0] + 1.5, 4.0 * at[1] + 1.5, 4.0 * at[2] + 1.5};
  double half[3] = {1.5, 1.5, 1.5};
  return box_is_near(view, middle, half);
}

bool mpm_particles_are_near(const mpm_view *view, size_t b) {
  const mpm *m = view->user;
  if (!m->world->collider_count) return false;
  // From the nodes that the particles touch back to the cells that they lie in.
  const int32_t *at = view->particles->block[b].at;
  const mpm_box *box = &view->box[b];
  double middle[3], half[3];
  for (int a = 0; a < 3; a++) {
    double first = box->lo[a] - view->stencil.first + view->stencil.shift;
    half[a] = 0.5 * (box->n[a] - view->stencil.width + 1);
    middle[a] = 4.0 * at[a] + first + half[a];
  }
  return box_is_near(view, middle, half);
}

bool mpm_box_is_near(const mpm_view *view, size_t b) {
  const mpm *m = view->user;
  if (!m->world->collider_count) return false;
  const int32_t *at = view->particles->block[b].at;
  const mpm_box *box = &view->box[b];
  double middle[3], half[3];
  for (int a = 0; a < 3; a++) {
    half[a] = 0.5 * (box->n[a] - 1);
    middle[a] = 4.0 * at[a] + box->lo[a] + half[a];
  }
  return box_is_near(view, middle, half);
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Adds a contact to what holds a node already: kind in slot 3, direction in 0 to 2 (D-6).
static void constrain(const mpm *m, firn_real *constraint, firn_contact contact,
                      const double normal[3]) {
  int kind = (int)constraint[3];
  if (contact == FIRN_CONTACT_NONE || kind == MPM_HELD) return;
  double d[3] = {normal[0], normal[1], normal[2]};
  bool held = contact == FIRN_CONTACT_STICK || m->def.contact_node;
  if (kind == MPM_ONLY_TANGENT && !held) {
    // A third surface takes the line, too, unless the line runs along it.
    double t[3] = {(double)constraint[0], (double)constraint[1], (double)constraint[2]};
    if (fabs(dot(t, d)) < 1e-6) return;
    held = true;
  }
  if (held) {
    constraint[3] = MPM_HELD;
    return;
  }
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

// A box of nodes, its corner in cells, with velocities [n0][n1][n2][4] and their mass.
typedef struct node_box {
  double corner[3];
  int n[3];
  firn_real *v;
  firn_real *constraint; // as v, or NULL
} node_box;

static void collide_node(const mpm_view *view, const firn_collider *collider, const double x[3],
                         double time, firn_real *v, firn_real *constraint) {
  double normal[3], surface[3], velocity[3];
  if (firn_collider_sample(collider, x, time, normal, surface) > 0) return;
  for (int a = 0; a < 3; a++) velocity[a] = (double)v[a];
  firn_contact contact = firn_contact_resolve(velocity, surface, normal, collider->friction,
                                              collider->sticky);
  if (constraint) constrain(view->user, constraint, contact, normal);
  if (contact == FIRN_CONTACT_NONE) return;
  for (int a = 0; a < 3; a++) v[a] = (firn_real)velocity[a];
}

static void collide_box(const mpm_view *view, const node_box *box) {
  const mpm *m = view->user;
  const firn_world *world = m->world;
  double time = sample_time(view), h = world->h, middle[3], half[3];
  for (int a = 0; a < 3; a++) {
    half[a] = 0.5 * (box->n[a] - 1) * h;
    middle[a] = box->corner[a] * h + half[a];
  }
  for (int c = 0; c < world->collider_count; c++) {
    const firn_collider *collider = &world->collider[c];
    tangent t = tangent_at(collider, middle, time);
    if (!box_may_touch(&t, half)) continue;
    for (int n = 0; n < box->n[0] * box->n[1] * box->n[2]; n++) {
      firn_real *v = box->v + 4 * n;
      if (!(v[3] > view->mass_floor)) continue;
      double x[3] = {(box->corner[0] + n / (box->n[1] * box->n[2])) * h,
                     (box->corner[1] + n / box->n[2] % box->n[1]) * h,
                     (box->corner[2] + n % box->n[2]) * h};
      if (!point_may_touch(&t, x, 1e-6 * h)) continue;
      collide_node(view, collider, x, time, v, box->constraint ? box->constraint + 4 * n : NULL);
    }
  }
}

void mpm_node_contact(const mpm_view *view, size_t g, firn_real *v) {
  const mpm *m = view->user;
  const int32_t *at = view->grid->at[g];
  node_box box = {{4.0 * at[0], 4.0 * at[1], 4.0 * at[2]}, {4, 4, 4}, v, NULL};
  uint32_t index = view->implicit ? ((const uint32_t *)m->constraint_of.data)[g] : FIRN_GRID_NONE;
  // None where a user's distance, asked twice, does not answer twice the same.
  if (index != FIRN_GRID_NONE) {
    box.constraint = (firn_real *)m->constraint.data + (size_t)index * FIRN_NODE_BLOCK_REALS;
    memset(box.constraint, 0, FIRN_NODE_BLOCK_REALS * sizeof *box.constraint);
  }
  collide_box(view, &box);
}

void mpm_box_contact(const mpm_view *view, size_t b, firn_real *v) {
  const int32_t *at = view->particles->block[b].at;
  const mpm_box *of = &view->box[b];
  node_box box = {.v = v};
  for (int a = 0; a < 3; a++) {
    box.corner[a] = 4.0 * at[a] + of->lo[a];
    box.n[a] = of->n[a];
  }
  collide_box(view, &box);
}

static void collide_velocity(const firn_collider *collider, const double surface[3],
                             const double normal[3], int stride, firn_real *v) {
  double velocity[3];
  for (int a = 0; a < 3; a++) velocity[a] = (double)v[a * stride];
  firn_contact_resolve(velocity, surface, normal, collider->friction, collider->sticky);
  for (int a = 0; a < 3; a++) v[a * stride] = (firn_real)velocity[a];
}

void mpm_particle_contact(const mpm_view *view, size_t b, int n, int stride, firn_real *x,
                          firn_real *v, firn_real *advect) {
  const mpm *m = view->user;
  const firn_world *world = m->world;
  const int32_t *at = view->particles->block[b].at;
  double time = sample_time(view), h = world->h, middle[3];
  for (int a = 0; a < 3; a++) middle[a] = (4.0 * at[a] + 2) * h;
  for (int c = 0; c < world->collider_count; c++) {
    const firn_collider *collider = &world->collider[c];
    tangent t = tangent_at(collider, middle, time);
    for (int i = 0; i < n; i++) {
      double position[3], normal[3], surface[3];
      for (int a = 0; a < 3; a++) position[a] = (4.0 * at[a] + (double)x[a * stride + i]) * h;
      if (!point_may_touch(&t, position, 1e-6 * h)) continue;
      double depth = -firn_collider_sample(collider, position, time, normal, surface);
      if (depth < 0) continue;
      collide_velocity(collider, surface, normal, stride, v + i);
      if (advect != v) collide_velocity(collider, surface, normal, stride, advect + i);
      double over = depth / h - m->def.push_out;
      if (m->def.push_out < 0 || over <= 0) continue;
      // At most half a cell a step, so that the particle stays within its block's reach.
      if (over > 0.5) over = 0.5;
      for (int a = 0; a < 3; a++) x[a * stride + i] += (firn_real)(over * normal[a]);
    }
  }
}
