// SPDX-License-Identifier: Apache-2.0
#include "solver/mpm/plane.h"

#include <string.h>

#include "solver/mpm/mpm.h"

bool mpm_part_is_flat(const firn_part *part, double point[3], double normal[3]) {
  double own_point[3], own_normal[3];
  if (part->sequence || !firn_shape_half_space(part->shape, own_point, own_normal)) return false;
  firn_pose_turn(&part->pose, own_point, point);
  firn_pose_turn(&part->pose, own_normal, normal);
  for (int a = 0; a < 3; a++) point[a] += part->pose.shift[a];
  return true;
}

int mpm_colliders_near(const firn_world *world, uint64_t near, const firn_collider **first,
                       int *slot) {
  int count = 0, recorded = 0;
  for (int c = 0; c < world->collider_count && count < 2; c++) {
    const firn_collider *collider = &world->collider[c];
    uint64_t bits = 0;
    for (int i = 0; i < collider->part_count && !collider->absent; i++) {
      bits |= collider->part[i].bit;
    }
    if (bits & near && !count++) {
      *first = collider;
      *slot = recorded;
    }
    recorded += collider->forces;
  }
  return count;
}

// Its forces go to its slot of pushes, where there are any.
static bool find_plane(const mpm *m, uint64_t near, mpm_push *pushes, mpm_plane *out) {
  const firn_collider *collider = NULL;
  int slot = 0;
  if (m->still) return false; // a search for balance has rules of its own
  if (mpm_colliders_near(m->world, near, &collider, &slot) != 1) return false;
  if (collider->part_count != 1) return false;
  const firn_part *part = collider->part;
  const double *spin = part->pose.spin;
  if (spin[0] != 0 || spin[1] != 0 || spin[2] != 0) return false;
  if (!mpm_part_is_flat(part, out->point, out->normal)) return false;
  memcpy(out->velocity, part->pose.velocity, sizeof out->velocity);
  memcpy(out->pivot, collider->pose.pivot, sizeof out->pivot);
  out->friction = collider->friction;
  out->sticky = collider->sticky;
  out->damps = collider->sticky && m->view.damps;
  out->push = pushes && collider->forces ? pushes + slot : NULL;
  return true;
}

bool mpm_plane_at_nodes(const mpm_view *view, size_t g, mpm_plane *out) {
  const mpm *m = view->host;
  const mpm_contacts *c = &m->contacts;
  mpm_push *pushes = NULL;
  // What holds a node is looked up later.
  if (c->surface || mpm_nodes_are_solved(view, g)) return false;
  if (c->recorded) pushes = mpm_node_pushes(c, ((const uint32_t *)m->constraint_of.data)[g]);
  if (!find_plane(m, view->node_near[g], pushes, out)) return false;
  // Set anew, not added to: nodes may be made twice in a step.
  if (pushes) memset(pushes, 0, (size_t)c->recorded * sizeof *pushes);
  return true;
}

bool mpm_plane_at_parcel(const mpm_view *view, const mpm_cube *cube, mpm_plane *out) {
  const mpm *m = view->host;
  const mpm_contacts *c = &m->contacts;
  const mpm_near *near = c->blocks.data;
  mpm_push *pushes = cube->told ? mpm_block_pushes(c, near[cube->block].index, false) : NULL;
  return find_plane(m, cube->near, pushes, out);
}
