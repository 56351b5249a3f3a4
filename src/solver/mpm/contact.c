// SPDX-License-Identifier: Apache-2.0
// Collisions (section 8), on nodes and on particles. Colliders touch few blocks, so this is plain
// code in double precision for every instruction set; blocks away from all colliders never get
// here (near.c), nor in vector kernels do explicit nodes that have but one plane near them (plane.h).
#include <math.h>
#include <string.h>

#include "solver/mpm/hold.h"
#include "solver/mpm/mpm.h"
#include "solver/mpm/plane.h"
#include "world/contact.h"

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Adds a contact to what holds a node already: kind in slot 3, direction in 0 to 2 (D-6).
void mpm_constrain(const mpm *m, firn_real *constraint, firn_contact contact,
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

// -------------------------------------------------------------------------------------- nodes

// A cube of 4^3 nodes, its corner in cells, with velocities [64][4] and their mass.
typedef struct node_box {
  double corner[3];
  uint64_t near; // parts that may touch it
  firn_real *v;
  firn_real *constraint; // as v, or NULL
  mpm_holders *holders;  // of each node, for push to be shared later; or NULL
  uint32_t *let_go;      // likewise, see mpm_count_release; or NULL
  mpm_push *push;        // of each recorded collider, or NULL
  const firn_real *mass; // what counts as this box's own mass for push, [nodes]; or NULL: all of it
  unsigned rows;         // bits of those, of four along z, that may be touched at all
  uint64_t *stuck;       // bits of nodes that a sticky collider holds are set here; or NULL
} node_box;

void mpm_hold_add(mpm_holders *holders, int collider) {
  for (int i = 0; i < MPM_HOLDERS; i++) {
    if (holders->collider[i]) continue;
    holders->collider[i] = (uint16_t)(collider + 1);
    return;
  }
}

// Whether a node keeps to a surface that it does not run into; with the rounding of its velocity.
static bool rests(const double v[3], const double surface[3], const double normal[3]) {
  double away = 0;
  for (int a = 0; a < 3; a++) away += (v[a] - surface[a]) * normal[a];
  return away <= 1e-6 * sqrt(dot(v, v) + dot(surface, surface));
}

// The parts of one collider that may touch some box, with a tangent for the first few. A half space all by
// itself, as most floors are, is its own tangent: nobody need ask it again, point by point.
enum { TANGENTS = 16 };
typedef struct near_parts {
  int count;
  const firn_part *flat;       // it, or NULL ...
  double point[3], outward[3]; // ... through which its surface goes, and its normal
  uint64_t bit[TANGENTS];
  mpm_tangent tangent[TANGENTS];
  uint64_t rest; // bits of those for which there was no room
} near_parts;

static double flat_distance(const near_parts *parts, const double x[3]) {
  double d = 0;
  for (int a = 0; a < 3; a++) d += parts->outward[a] * (x[a] - parts->point[a]);
  return d;
}

static void find_parts(const mpm *m, const firn_collider *collider, uint64_t near,
                       const double middle[3], near_parts *out) {
  out->count = 0;
  out->rest = 0;
  out->flat = NULL;
  if (collider->part_count == 1 && !collider->absent && collider->part->bit & near &&
      mpm_part_is_flat(collider->part, out->point, out->outward)) {
    out->count = 1;
    out->flat = collider->part;
    return;
  }
  // Others may share the bits of its parts.
  for (int i = 0; i < collider->part_count && !collider->absent; i++) {
    const firn_part *part = &collider->part[i];
    if (!(part->bit & near) || part->radius < 0) continue;
    if (out->count == TANGENTS) {
      out->rest |= part->bit;
      continue;
    }
    out->bit[out->count] = part->bit;
    out->tangent[out->count++] = mpm_tangent_at(part, m->contacts.time, middle, NULL);
  }
}

// The least distance of a plane through (point, normal) to a row of nodes that begins at x and goes on along z
// for `length`.
static double over_row(const double point[3], const double normal[3], const double x[3],
                       double length) {
  double d = normal[2] * length < 0 ? normal[2] * length : 0;
  for (int a = 0; a < 3; a++) d += normal[a] * (x[a] - point[a]);
  return d;
}

// Whether one of these may touch a row of nodes.
static bool meets_row(const near_parts *parts, const double x[3], double length, double slack) {
  bool meets = parts->rest != 0;
  for (int i = 0; i < parts->count && !meets; i++) {
    const mpm_tangent *t = &parts->tangent[i];
    meets = !t->convex || t->distance + over_row(t->x, t->n, x, length) <= slack;
  }
  return meets;
}

// Of these, the ones that may touch a point.
static uint64_t parts_at(const near_parts *parts, const double x[3], double slack) {
  uint64_t bits = parts->rest;
  if (parts->flat) return flat_distance(parts, x) <= slack ? parts->flat->bit : 0;
  for (int i = 0; i < parts->count; i++) {
    if (mpm_tangent_meets_point(&parts->tangent[i], x, slack)) bits |= parts->bit[i];
  }
  return bits;
}

// What one node has done with collider c in a search for balance: two bits count how often it let go, the
// next tells that it is held. Eight colliders have bits of their own; few nodes are in more than two.
void mpm_count_release(uint32_t *node, int c, bool held) {
  int shift = 4 * (c % 8);
  uint32_t was = *node >> shift & 7, times = was & 3;
  if (!held && was & 4 && times < 3) times++;
  *node = (*node & ~(7u << shift)) | (times | (held ? 4u : 0u)) << shift;
}

bool mpm_has_left(uint32_t node, int c) {
  return (node >> 4 * (c % 8) & 3) == 3;
}

// Contact in a search for balance (balance.c), where v is what a force would make of a node at rest.
// Colliders stand still. Who slips is let go on a tenth further than friction asks, so that it sticks
// in the next round; who has let go of a collider a few times stays off that one. Without either, nodes
// at the limit would change sides for ever. A node that another collider holds has nothing left to press
// with, and lets go of nobody.
static firn_contact resolve_still(const mpm *m, int c, const double normal[3], double v[3],
                                  const node_box *box, int n) {
  const firn_collider *collider = &m->world->collider[c];
  const double surface[3] = {0, 0, 0}, before[3] = {v[0], v[1], v[2]};
  double friction = m->still == MPM_STILL_STUCK ? (double)INFINITY : collider->friction;
  if (box->let_go && mpm_has_left(box->let_go[n], c)) return FIRN_CONTACT_NONE;
  bool free = !box->constraint || (int)box->constraint[4 * n + 3] == MPM_FREE;
  firn_contact contact = firn_contact_resolve(v, surface, normal, friction, collider->sticky);
  bool held = contact != FIRN_CONTACT_NONE;
  if (box->let_go && (held || free)) mpm_count_release(&box->let_go[n], c, held);
  if (contact == FIRN_CONTACT_SLIP) {
    memcpy(v, before, sizeof before);
    firn_contact_resolve(v, surface, normal, 0.9 * friction, false);
  }
  return contact;
}

// Whether a point is inside of a collider, and its surface there.
static bool is_inside(const mpm *m, const firn_collider *collider, const near_parts *parts,
                      const double x[3], double normal[3], double surface[3]) {
  if (!parts->flat) {
    uint64_t near = parts_at(parts, x, 1e-6 * m->world->h);
    return near && !firn_collider_clears(collider, near, x, 0) &&
           firn_collider_sample_near(collider, near, x, normal, surface) <= 0;
  }
  if (flat_distance(parts, x) > 0) return false;
  memcpy(normal, parts->outward, sizeof parts->outward);
  firn_pose_velocity(&parts->flat->pose, x, surface);
  return true;
}

static void collide_node(const mpm *m, int c, const near_parts *parts, const double x[3],
                         const node_box *box, int n, mpm_push *push) {
  const firn_collider *collider = &m->world->collider[c];
  firn_real *v = box->v + 4 * n;
  double normal[3], surface[3], velocity[3];
  if (!is_inside(m, collider, parts, x, normal, surface)) return;
  for (int a = 0; a < 3; a++) velocity[a] = (double)v[a];
  firn_contact contact;
  if (m->still) {
    contact = resolve_still(m, c, normal, velocity, box, n);
  } else {
    contact = firn_contact_resolve(velocity, surface, normal, collider->friction, collider->sticky);
  }
  mpm_holders *holders = box->holders ? box->holders + n : NULL;
  if (contact == FIRN_CONTACT_NONE) {
    if (holders && holders->collider[0] && rests(velocity, surface, normal))
      mpm_hold_add(holders, c);
    return;
  }
  if (box->constraint) mpm_constrain(m, box->constraint + 4 * n, contact, normal);
  if (box->stuck && collider->sticky) *box->stuck |= UINT64_C(1) << n;
  if (holders) mpm_hold_add(holders, c);
  double impulse[3], mass = (double)(box->mass ? box->mass[n] : v[3]);
  for (int a = 0; a < 3; a++) {
    firn_real after = (firn_real)velocity[a];
    impulse[a] = mass * ((double)v[a] - (double)after);
    v[a] = after;
    if (holders) holders->impulse[a] += impulse[a];
  }
  if (push && !holders) mpm_push_add(push, collider, x, surface, impulse);
}

// The nodes of one row, which begins at x.
static void collide_row(const mpm_view *view, const node_box *box, int c, const near_parts *parts,
                        int row, double x[3], mpm_push *push) {
  const mpm *m = view->host;
  for (int k = 0; k < 4; k++) {
    int n = 4 * row + k;
    if (!(box->v[4 * n + 3] > view->mass_floor)) continue;
    x[2] = (box->corner[2] + k) * m->world->h;
    collide_node(m, c, parts, x, box, n, push);
  }
}

static void middle_of(const node_box *box, double h, double middle[3]) {
  for (int a = 0; a < 3; a++) middle[a] = (box->corner[a] + 1.5) * h;
}

// Where a row of nodes begins, m.
static void row_at(const node_box *box, int row, double h, double x[3]) {
  x[0] = (box->corner[0] + row / 4) * h;
  x[1] = (box->corner[1] + row % 4) * h;
  x[2] = box->corner[2] * h;
}

// Bits of the rows that some of these parts may touch.
static unsigned rows_met(const near_parts *parts, const node_box *box, double h) {
  unsigned rows = 0;
  if (parts->flat) {
    const double *n = parts->outward;
    double corner[3] = {box->corner[0] * h, box->corner[1] * h, box->corner[2] * h};
    double over = over_row(parts->point, n, corner, 3 * h) - 1e-6 * h;
    for (int row = 0; row < 16; row++) {
      rows |= (unsigned)(over + h * (n[0] * (row / 4) + n[1] * (row % 4)) <= 0) << row;
    }
    return rows;
  }
  for (int row = 0; row < 16 && parts->count; row++) {
    double x[3];
    row_at(box, row, h, x);
    rows |= (unsigned)meets_row(parts, x, 3 * h, 1e-6 * h) << row;
  }
  return rows;
}

static void collide_box(const mpm_view *view, const node_box *box) {
  const mpm *m = view->host;
  double h = m->world->h, middle[3], x[3];
  mpm_push *push = box->push;
  middle_of(box, h, middle);
  for (int c = 0; c < m->world->collider_count; c++) {
    const firn_collider *collider = &m->world->collider[c];
    mpm_push *own = push && collider->forces ? push++ : NULL;
    near_parts parts;
    find_parts(m, collider, box->near, middle, &parts);
    for (unsigned rows = box->rows & rows_met(&parts, box, h); rows; rows &= rows - 1) {
      int row = __builtin_ctz(rows);
      row_at(box, row, h, x);
      collide_row(view, box, c, &parts, row, x, own);
    }
  }
}

// More than one collider may touch a box.
static bool is_shared(const mpm *m, uint64_t near) {
  const firn_collider *first;
  int slot;
  return mpm_colliders_near(m->world, near, &first, &slot) > 1;
}

static void share_pushes(const mpm *m, const node_box *box) {
  for (int n = 0; n < 64; n++) {
    if (!box->holders[n].collider[0]) continue;
    double x[3] = {box->corner[0] + n / 16, box->corner[1] + n / 4 % 4, box->corner[2] + n % 4};
    double v[3];
    for (int a = 0; a < 3; a++) {
      x[a] *= m->world->h;
      v[a] = (double)box->v[4 * n + a];
    }
    mpm_push_share(m, box->push, &box->holders[n], x, v);
  }
}

void mpm_node_contact(const mpm_view *view, size_t g, firn_real *v) {
  const mpm *m = view->host;
  const mpm_contacts *c = &m->contacts;
  if (c->surface) return; // once all blocks have their velocities, surface.c
  const int32_t *at = view->node_at[g];
  size_t index = ((const uint32_t *)m->constraint_of.data)[g];
  mpm_holders holders[64];
  node_box box = {.corner = {4.0 * at[0], 4.0 * at[1], 4.0 * at[2]},
                  .near = view->node_near[g],
                  .v = v,
                  .rows = 0xffff};
  bool solved = mpm_nodes_are_solved(view, g);
  if (solved) {
    box.constraint = (firn_real *)m->constraint.data + index * FIRN_NODE_BLOCK_REALS;
    memset(box.constraint, 0, FIRN_NODE_BLOCK_REALS * sizeof *box.constraint);
  }
  if (m->let_go) box.let_go = m->let_go + 64 * index;
  if (c->recorded) {
    // Set anew, not added to: nodes may be made twice in a step.
    box.push = mpm_node_pushes(c, index);
    memset(box.push, 0, (size_t)c->recorded * sizeof *box.push);
    if (solved) {
      box.holders = (mpm_holders *)c->holders.data + 64 * index; // shared after the solve
    } else if (is_shared(m, box.near)) {
      box.holders = holders;
    }
    if (box.holders) memset(box.holders, 0, 64 * sizeof *box.holders);
  }
  uint64_t stuck = 0;
  if (view->damps) box.stuck = &stuck;
  collide_box(view, &box);
  for (uint64_t left = stuck; left; left &= left - 1) {
    view->node_u[g * FIRN_NODE_BLOCK_REALS + 4 * (size_t)__builtin_ctzll(left) + 3] = 1;
  }
  if (solved) mpm_hold_note(m, g);
  if (box.holders == holders) share_pushes(m, &box);
}

// One touched block of a parcel keeps the pushes of all, as one thread does the whole parcel.
mpm_cube mpm_cube_of(const mpm_view *view, const firn_parcel *parcel) {
  const mpm_contacts *c = &((const mpm *)view->host)->contacts;
  mpm_cube cube = {.told = c->recorded > 0, .block = parcel->first};
  for (uint32_t b = parcel->end; b-- > parcel->first;) {
    if (!view->reach[b].spray || !view->box[b].touched) continue;
    cube.near |= ((const mpm_near *)c->blocks.data)[b].nodes;
    cube.block = b;
  }
  return cube;
}

unsigned mpm_cube_rows(const mpm_view *view, const mpm_cube *cube) {
  const mpm *m = view->host;
  double h = m->world->h, middle[3];
  node_box box = {.near = cube->near};
  memcpy(box.corner, cube->corner, sizeof box.corner);
  middle_of(&box, h, middle);
  unsigned rows = 0;
  for (int c = 0; c < m->world->collider_count; c++) {
    near_parts parts;
    find_parts(m, &m->world->collider[c], box.near, middle, &parts);
    rows |= rows_met(&parts, &box, h);
  }
  return rows;
}

uint64_t mpm_cube_contact(const mpm_view *view, const mpm_cube *cube, firn_real *v) {
  const mpm *m = view->host;
  const mpm_contacts *c = &m->contacts;
  mpm_holders holders[64];
  uint64_t stuck = 0;
  node_box box = {.v = v, .near = cube->near, .rows = cube->rows};
  if (view->damps) box.stuck = &stuck;
  memcpy(box.corner, cube->corner, sizeof box.corner);
  if (cube->told) {
    box.push = mpm_block_pushes(c, ((const mpm_near *)c->blocks.data)[cube->block].index, false);
    box.mass = cube->mass;
    if (is_shared(m, box.near)) {
      box.holders = holders;
      memset(holders, 0, sizeof holders);
    }
  }
  collide_box(view, &box);
  if (box.holders) share_pushes(m, &box);
  return stuck;
}

// ---------------------------------------------------------------------------------- particles

typedef struct surface {
  const firn_collider *collider;
  double normal[3], velocity[3];
} surface;

static void collide_velocity(const surface *s, int stride, firn_real *v) {
  double velocity[3];
  for (int a = 0; a < 3; a++) velocity[a] = (double)v[a * stride];
  firn_contact_resolve(velocity, s->velocity, s->normal, s->collider->friction,
                       s->collider->sticky);
  for (int a = 0; a < 3; a++) v[a * stride] = (firn_real)velocity[a];
}

// One particle: position in metres, and its velocities by stride.
typedef struct body {
  double x[3], mass;
  int stride;
  firn_real *v, *advect; // may be the same
  mpm_push *push;        // or NULL
} body;

static void collide_body(const body *p, const surface *s) {
  double impulse[3];
  for (int a = 0; a < 3; a++) impulse[a] = p->mass * (double)p->v[a * p->stride];
  collide_velocity(s, p->stride, p->v);
  if (p->advect != p->v) collide_velocity(s, p->stride, p->advect);
  if (!p->push) return;
  for (int a = 0; a < 3; a++) impulse[a] -= p->mass * (double)p->v[a * p->stride];
  mpm_push_add(p->push, s->collider, p->x, s->velocity, impulse);
}

// Follows a way from `at` by steps that the distance allows, to where it enters the collider or its
// end; surface and *at are those of the last point, and the part of the way that is left is
// returned, 1 to 0, or -1 where nothing was met. A surface that was touched in the beginning is
// only met if the way leads in.
static double follow(uint64_t near, double tolerance, const double way[3], surface *s,
                     double at[3]) {
  double length = sqrt(dot(way, way)), gone = 0;
  for (int i = 0; i < 64; i++) {
    double distance = firn_collider_sample_near(s->collider, near, at, s->normal, s->velocity);
    bool meets = dot(way, s->normal) < 0 || s->collider->sticky;
    if (distance < tolerance && meets) return length > 0 ? 1 - gone / length : 0;
    double next = fmax(distance, tolerance), rest = length - gone;
    if (next >= rest) return -1;
    for (int a = 0; a < 3; a++) at[a] += way[a] / length * next;
    gone += next;
  }
  return 1 - gone / length; // along the surface for so long that it may as well be there
}

static bool is_at_rest(const firn_collider *collider) {
  return collider->speed == 0 && collider->driving.bound == 0 && !collider->varies &&
         !(collider->load.mass > 0);
}

// Keeps a particle from passing through a collider, however thin, within the step: its way is seen
// from the collider as it stands at the end of the step. Where it arrives it collides, and only
// goes on along the surface; what was inside before comes out to a depth of push_out cells, at most
// half a cell a step. Where its block reaches less far, as those of slow snow do (layout.c), a sort comes
// before the next step.
static void sweep(const mpm *m, uint64_t near, const body *p, surface *s, double shift[3]) {
  double dt = (double)m->view.dt, h = m->world->h, tolerance = 1e-3 * h, at[3], way[3];
  if (is_at_rest(s->collider)) { // too far for the way to lead to it?
    for (int a = 0; a < 3; a++) way[a] = dt * (double)p->advect[a * p->stride];
    double margin = sqrt(dot(way, way)) * (1 + 1e-6) + tolerance;
    if (firn_collider_clears(s->collider, near, p->x, margin)) return;
  }
  firn_collider_sample_near(s->collider, near, p->x, s->normal, s->velocity);
  for (int a = 0; a < 3; a++) {
    at[a] = p->x[a] + dt * s->velocity[a];
    way[a] = dt * ((double)p->advect[a * p->stride] - s->velocity[a]);
  }
  double depth = -firn_collider_sample_near(s->collider, near, at, s->normal, s->velocity);
  if (depth > tolerance) {
    double over = depth / h - m->def.push_out;
    collide_body(p, s);
    for (int a = 0; a < 3 && over > 0; a++) shift[a] = fmin(over, 0.5) * h * s->normal[a];
    return;
  }
  double left = follow(near, tolerance, way, s, at);
  if (left < 0) return;
  collide_body(p, s);
  for (int a = 0; a < 3; a++) {
    // The particle will be moved by dt v from where it was.
    double v = (double)p->advect[a * p->stride];
    shift[a] = at[a] + left * dt * (v - s->velocity[a]) - dt * v - p->x[a];
  }
}

static void collide_particle(const mpm *m, const firn_collider *collider, uint64_t near,
                             const body *p, double shift[3]) {
  surface s = {.collider = collider};
  if (m->def.push_out >= 0) {
    sweep(m, near, p, &s, shift);
  } else if (!firn_collider_clears(collider, near, p->x, 0) &&
             firn_collider_sample_near(collider, near, p->x, s.normal, s.velocity) <= 0) {
    collide_body(p, &s);
  }
}

void mpm_particle_contact(const mpm_view *view, size_t b, size_t slot, int n, int stride,
                          firn_real *x, firn_real *v, firn_real *advect) {
  const mpm *m = view->host;
  const firn_world *world = m->world;
  const mpm_contacts *contacts = &m->contacts;
  const mpm_near *of = (const mpm_near *)contacts->blocks.data + b;
  const int32_t *at = view->block[b].at;
  mpm_push *push = contacts->recorded ? mpm_block_pushes(contacts, of->index, true) : NULL;
  double h = world->h, middle[3];
  // Who may be swept over must be looked at, however far.
  double slack = m->def.push_out >= 0 ? (double)INFINITY : 1e-6 * h;
  for (int a = 0; a < 3; a++) middle[a] = (4.0 * at[a] + 2) * h;
  for (int c = 0; c < world->collider_count; c++) {
    const firn_collider *collider = &world->collider[c];
    mpm_push *own = push && collider->forces ? push++ : NULL;
    near_parts parts;
    find_parts(m, collider, of->particles, middle, &parts);
    if (!parts.count) continue;
    for (int i = 0; i < n; i++) {
      body p = {.mass = (double)view->mass[slot + (size_t)i],
                .stride = stride,
                .v = v + i,
                .advect = advect + i,
                .push = own};
      for (int a = 0; a < 3; a++) p.x[a] = (4.0 * at[a] + (double)x[a * stride + i]) * h;
      uint64_t near = parts_at(&parts, p.x, slack);
      double shift[3] = {0, 0, 0};
      if (!near) continue;
      collide_particle(m, collider, near, &p, shift);
      for (int a = 0; a < 3; a++) x[a * stride + i] += (firn_real)(shift[a] / h);
    }
  }
}
