// SPDX-License-Identifier: Apache-2.0
// A mesh as a shape: its level set.
#include <math.h>
#include <string.h>

#include "geometry/level_set.h"
#include "geometry/mesh.h"
#include "geometry/shape.h"

typedef struct mesh_shape {
  firn_shape shape;
  firn_level_set *set;
  firn_mesh *mesh; // held, for pictures
} mesh_shape;

static double distance(const firn_shape *shape, const double position[3], double time,
                       double normal[3]) {
  (void)time;
  double d = firn_level_set_sample(((const mesh_shape *)shape)->set, position, normal);
  double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
  for (int a = 0; a < 3; a++) normal[a] = length > 0 ? normal[a] / length : a == 1;
  return d;
}

static void release(firn_shape *shape) {
  firn_level_set_release(((mesh_shape *)shape)->set);
  firn_mesh_release(((mesh_shape *)shape)->mesh);
}

static const firn_shape_ops ops = {.distance = distance, .release = release};

const firn_mesh *firn_shape_mesh(const firn_shape *shape) {
  return shape && shape->ops == &ops ? ((const mesh_shape *)shape)->mesh : NULL;
}

firn_shape_def firn_mesh_shape(const firn_mesh *mesh) {
  return (firn_shape_def){.kind = FIRN_SHAPE_MESH, .mesh = mesh};
}

firn_status firn_mesh_make_shape(firn_context *context, const firn_shape_def *def, const char *what,
                                 firn_shape **out) {
  *out = NULL;
  if (!def->mesh) return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: mesh is NULL", what);
  firn_level_set_def settings = {.voxel = def->voxel, .band = def->band};
  firn_level_set *set;
  FIRN_TRY(firn_level_set_from_mesh(context, def->mesh, &settings, what, &set));
  mesh_shape *node = (mesh_shape *)firn_shape_new(context, FIRN_SHAPE_MESH, &ops, sizeof *node);
  if (!node) {
    firn_level_set_release(set);
    return FIRN_ERROR_MEMORY;
  }
  node->set = set;
  node->mesh = firn_mesh_retain(def->mesh);
  node->shape.bounded = true;
  node->shape.volume = def->mesh->report.volume;
  for (int a = 0; a < 3; a++) {
    // The interpolated surface may stick out by part of a voxel.
    node->shape.lo[a] = set->bounds[0][a] - set->voxel;
    node->shape.hi[a] = set->bounds[1][a] + set->voxel;
    node->shape.center[a] = 0.5 * (set->bounds[0][a] + set->bounds[1][a]);
  }
  firn_shape_digest_add(&node->shape, &def->mesh->digest, sizeof def->mesh->digest);
  firn_shape_digest_add(&node->shape, &set->voxel, sizeof set->voxel);
  firn_shape_digest_add(&node->shape, &set->band, sizeof set->band);
  *out = &node->shape;
  return FIRN_OK;
}
