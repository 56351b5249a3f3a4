// SPDX-License-Identifier: Apache-2.0
// What a step knows of its colliders: which blocks they are close to, and what the snow does to
// them.
#ifndef FIRN_SOLVER_MPM_CONTACT_H
#define FIRN_SOLVER_MPM_CONTACT_H

#include "base/memory.h"
#include "solver/mpm/kernels.h"
#include "world/contact.h"
#include "world/world.h"

// What the snow does to one collider within one block and step. Blocks are worked on by any thread,
// and added up in order.
typedef struct mpm_push {
  double impulse[3]; // N s
  double angular[3]; // N m s about the collider's pivot
  double work;       // J, of the collider on the snow
} mpm_push;

// Bits of the parts (firn_part.bit) that may touch a particle block.
typedef struct mpm_near {
  uint64_t particles; // ... its particles
  uint64_t nodes;     // ... its nodes; spray only
  uint32_t index;     // among blocks with either, or FIRN_GRID_NONE
} mpm_near;

// The colliders that hold a node, in order: numbers from 1, then zeros. Who is touched by a node
// that another one holds already, and that it does not move away from, may hold it just as well.
enum { MPM_HOLDERS = 4 };
typedef struct mpm_holders {
  double impulse[3]; // N s on all of them together, so far
  uint16_t collider[MPM_HOLDERS];
} mpm_holders;

typedef struct mpm_contacts {
  double time;        // s, that colliders are sampled at
  firn_buffer nodes;  // uint64_t [node blocks]: bits of the parts that may touch its nodes
  size_t node_count;  // of node blocks with any; numbered by mpm.constraint_of
  firn_buffer blocks; // mpm_near [particle blocks]
  size_t block_count; // of those with any
  // Of colliders that never move, once they are known: how many these are, at which number of
  // changes of the world, and what near.c knows of them.
  bool fixed_known;
  int fixed;
  uint64_t fixed_changes;
  firn_buffer fixed_nodes; // uint64_t [node blocks], as nodes
  firn_buffer runs; // uint32_t: numbers of those that are close to something, by runs of blocks
  firn_buffer fixed_far; // bool [particle blocks]: nothing that the block may reach is close to any
  int recorded;          // colliders with forces
  firn_buffer pushes;    // mpm_push [node_count][recorded], then [block_count][2][recorded]: by the
                         // nodes of spray, and by particles
  bool pressed;          // what sleeps has been asked, and has not changed since
  firn_buffer asleep;    // mpm_push [recorded]: what it does in a second
  firn_buffer holders;   // implicit or by surface, if recorded: [node_count][64]
  bool surface;          // contact is where surfaces are (surface.h), not at nodes; then:
  firn_buffer samples, firsts; // of one collider, see surface.c
  firn_buffer columns,
      layers; // mpm_column [column_count], and uint32_t: where each collider's begin
  uint32_t column_count;
  bool several;         // colliders have columns
  bool pressing;        // it is nodes asleep that collide, for what they do to colliders
  firn_buffer inside;   // see surface.c
  firn_buffer collided; // implicit: [node_count][64][4] m/s, v* after collisions
} mpm_contacts;

struct mpm;

// near.c. Before the sums of a try at a step: places the colliders and finds what they are close
// to. The memory of later tries with a shorter step is asked for as well.
firn_status mpm_contact_begin(struct mpm *m);

// contact.c. Collides the nodes of block g, given in v as [64][4].
void mpm_node_contact(const mpm_view *view, size_t g, firn_real *v);
// The same for a cube of nodes of a parcel of spray, likewise [64][4]; those without mass are left
// alone.
typedef struct mpm_cube {
  double corner[3];   // cells
  firn_real mass[64]; // kg, that the parcel's own particles have of each node, where `told`
  bool told;          // some collider wants to know its forces
  uint64_t near;      // bits of the parts that may touch the parcel's nodes
  uint32_t block;     // of the parcel: who keeps what is done to colliders
  unsigned rows;      // bits of those, of four nodes along z, that are looked at
} mpm_cube;
mpm_cube mpm_cube_of(const mpm_view *view, const firn_parcel *parcel);
unsigned mpm_cube_rows(const mpm_view *view, const mpm_cube *cube); // that may be touched
// Returns the bits of those that damp (mpm_view.damps).
uint64_t mpm_cube_contact(const mpm_view *view, const mpm_cube *cube, firn_real *v);
// Collides n particles of block b, the first of which is at slot: position in cells from the corner
// of the block, and velocities [3][stride]. advect, the velocity they will move with, may be the
// same array as v.
void mpm_particle_contact(const mpm_view *view, size_t b, size_t slot, int n, int stride,
                          firn_real *x, firn_real *v, firn_real *advect);

// Adds a contact to what holds a node in the solve, and a collider to those that hold it.
void mpm_constrain(const struct mpm *m, firn_real *constraint, firn_contact contact,
                   const double normal[3]);
void mpm_hold_add(mpm_holders *holders, int collider);
// In a search for balance: notes that a node is held by a collider or not; whether it has let go of
// it for good.
void mpm_count_release(uint32_t *node, int collider, bool held);
bool mpm_has_left(uint32_t node, int collider);

// push.c. After a step: adds up what the snow did to each collider.
void mpm_contact_end(struct mpm *m, double dt);
// The place for what it does to the i-th recorded collider.
static inline mpm_push *mpm_node_pushes(const mpm_contacts *c, size_t index) {
  return (mpm_push *)c->pushes.data + index * (size_t)c->recorded;
}
static inline mpm_push *mpm_block_pushes(const mpm_contacts *c, size_t index, bool particles) {
  return (mpm_push *)c->pushes.data + (c->node_count + 2 * index + particles) * (size_t)c->recorded;
}
// Shares the impulse of a node at x, which moves with v, among its holders.
void mpm_push_share(const struct mpm *m, mpm_push *push, const mpm_holders *holders,
                    const double x[3], const double v[3]);
// Adds an impulse at x to a collider, whose surface moves there with a velocity.
void mpm_push_add(mpm_push *push, const firn_collider *collider, const double x[3],
                  const double surface[3], const double impulse[3]);

// A lower bound of the distance to a part around some point: for convex shapes, whose distance is
// a convex function, the tangent there; for others, a cone. It costs a few multiplications where
// the distance itself costs a call, and almost everything is far from most colliders.
typedef struct mpm_tangent {
  double x[3], n[3], distance;
  bool convex;
} mpm_tangent;

// velocity is the surface's, there; may be NULL.
mpm_tangent mpm_tangent_at(const firn_part *part, double time, const double x[3],
                           double velocity[3]);
// Whether a box grown by a margin may touch the part: the tangent was taken at its middle, half are
// half its edges in metres.
bool mpm_tangent_meets_box(const mpm_tangent *t, const double half[3], double margin);

static inline bool mpm_tangent_meets_point(const mpm_tangent *t, const double x[3], double slack) {
  if (!t->convex) return true;
  double d = t->distance;
  for (int a = 0; a < 3; a++) d += t->n[a] * (x[a] - t->x[a]);
  return d <= slack;
}

#endif
