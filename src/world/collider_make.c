// SPDX-License-Identifier: Apache-2.0
// Colliders from their definitions.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/def.h"
#include "base/memory.h"
#include "world/collider.h"
#include "world/digest.h"

FIRN_DEFAULTS(collider_def) {
  return (firn_collider_def){
      .shape = {.kind = FIRN_SHAPE_HALF_SPACE, .normal = {0, 1, 0}},
      .friction = 0.5,
      .friction_viscosity = 1,
      .load = firn_default_load_def(),
  };
}

FIRN_DEFAULTS(part_def) {
  return (firn_part_def){.parent = -1};
}

void firn_collider_free(firn_collider *collider) {
  firn_motion_free(collider->context, &collider->motion);
  firn_load_free(collider->context, &collider->load);
  for (int i = 0; i < collider->part_count; i++) {
    firn_part *part = &collider->part[i];
    firn_motion_free(collider->context, &part->motion);
    firn_shape_release(part->shape);
    firn_sequence_release(part->sequence);
  }
  firn_free(collider->context, collider->part,
            (size_t)collider->part_count * sizeof *collider->part);
  collider->part = NULL;
  collider->part_count = 0;
}

void firn_collider_remove(firn_collider *collider) {
  for (int i = 0; i < collider->part_count; i++) {
    firn_part *part = &collider->part[i];
    firn_shape_release(part->shape);
    firn_sequence_release(part->sequence);
    part->shape = NULL;
    part->sequence = NULL;
    part->convex = false;
    part->radius = -1;
  }
  collider->removed = collider->absent = true;
  collider->varies = false;
}

// A sphere that holds the part as defined, at all times.
static void bound_part(firn_part *part) {
  const double *lo = NULL, *hi = NULL;
  part->radius = -1;
  if (part->sequence) {
    lo = part->sequence->lo;
    hi = part->sequence->hi;
  } else if (part->shape) {
    part->radius = INFINITY;
    memcpy(part->center, part->shape->center, sizeof part->center);
    if (!part->shape->bounded) return;
    lo = part->shape->lo;
    hi = part->shape->hi;
  }
  if (!lo) return;
  double r2 = 0;
  for (int a = 0; a < 3; a++) {
    part->center[a] = (lo[a] + hi[a]) / 2;
    r2 += (hi[a] - lo[a]) * (hi[a] - lo[a]) / 4;
  }
  part->radius = sqrt(r2);
}

static void center_of(const firn_part *part, double out[3]) {
  static const double origin[3] = {0, 0, 0};
  memcpy(out,
         part->shape      ? part->shape->center
         : part->sequence ? part->center
                          : origin,
         3 * sizeof *out);
}

static firn_status make_part(firn_collider *collider, const firn_part_def *def, int i,
                             const char *whole, firn_part *part) {
  firn_context *context = collider->context;
  char what[2 * FIRN_NAME_SIZE + 32];
  double center[3];
  if (def->name)
    snprintf(what, sizeof what, "%s: part '%.60s'", whole, def->name);
  else
    snprintf(what, sizeof what, "%s: part %d", whole, i);
  if (def->parent < -1 || def->parent >= i) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: parent %d must come before it in the list, or be -1", what, def->parent);
  }
  part->parent = def->parent;
  if (!def->bare) FIRN_TRY(firn_shape_make(context, &def->shape, what, &part->shape));
  bound_part(part);
  center_of(part, center);
  return firn_motion_make(context, &def->motion, center, what, &part->motion);
}

// A collider of one shape or one sequence: the part stays with the whole.
static firn_status make_only_part(firn_collider *collider, const firn_collider_def *def,
                                  const char *what) {
  firn_part *part = &collider->part[0];
  firn_motion_def still = {.has_pivot = false};
  double center[3];
  part->parent = -1;
  if (def->sequence)
    part->sequence = firn_sequence_retain(def->sequence);
  else
    FIRN_TRY(firn_shape_make(collider->context, &def->shape, what, &part->shape));
  bound_part(part);
  center_of(part, center);
  return firn_motion_make(collider->context, &still, center, what, &part->motion);
}

static firn_status make_parts(firn_collider *collider, const firn_collider_def *def,
                              const char *what) {
  int count = def->part_count ? def->part_count : 1;
  if (def->part_count < 0 || (def->part_count && !def->parts)) {
    return firn_fail(collider->context, FIRN_ERROR_ARGUMENT, "%s: %d parts, but parts is %s", what,
                     def->part_count, def->parts ? "given" : "NULL");
  }
  if (def->part_count && def->sequence) {
    return firn_fail(collider->context, FIRN_ERROR_ARGUMENT,
                     "%s: parts and sequence exclude each other", what);
  }
  collider->part = firn_alloc_zero(collider->context, (size_t)count * sizeof *collider->part,
                                   "parts of a collider");
  if (!collider->part) return FIRN_ERROR_MEMORY;
  collider->part_count = count;
  if (!def->part_count) return make_only_part(collider, def, what);
  bool solid = false;
  for (int i = 0; i < count; i++) {
    FIRN_TAKE(collider->context, part_def, firn_def_at(def->parts, i), part);
    FIRN_TRY(make_part(collider, &part, i, what, &collider->part[i]));
    solid = solid || !part.bare;
  }
  if (solid) return FIRN_OK;
  return firn_fail(collider->context, FIRN_ERROR_ARGUMENT, "%s: none of its parts has a shape",
                   what);
}

static uint64_t digest_of(const firn_collider *collider) {
  uint64_t digest = firn_digest(FIRN_DIGEST_START, collider->name, strlen(collider->name));
  int32_t head[] = {collider->sticky, collider->part_count};
  digest = firn_digest(digest, head, sizeof head);
  const double surface[] = {collider->friction, collider->friction_viscosity, collider->adhesion};
  digest = firn_digest(digest, surface, sizeof surface);
  digest = firn_digest(digest, &collider->temperature, sizeof collider->temperature);
  digest = firn_motion_digest(&collider->motion, digest);
  digest = firn_load_digest(&collider->load, digest);
  for (int i = 0; i < collider->part_count; i++) {
    const firn_part *part = &collider->part[i];
    uint64_t of = firn_part_digest(part);
    int32_t parent = part->parent;
    digest = firn_digest(digest, &of, sizeof of);
    digest = firn_digest(digest, &parent, sizeof parent);
    digest = firn_motion_digest(&part->motion, digest);
  }
  return digest;
}

static void know_shapes(firn_collider *collider) {
  for (int i = 0; i < collider->part_count; i++) {
    firn_part *part = &collider->part[i];
    part->convex = part->shape && part->shape->convex;
    collider->varies = collider->varies || (part->shape && part->shape->varies);
  }
}

void firn_collider_revive(firn_collider *collider) {
  for (int i = 0; i < collider->part_count; i++) bound_part(&collider->part[i]);
  know_shapes(collider);
  collider->removed = false;
  collider->prepared = (double)NAN;
}

firn_status firn_grip_check(firn_context *context, const char *what, const firn_grip *grip) {
  if (!(grip->friction >= 0)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: friction %g must be 0 or more", what,
                     grip->friction);
  }
  if (!(grip->friction_viscosity >= 0 && isfinite(grip->friction_viscosity))) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: friction_viscosity %g must be 0 or more",
                     what, grip->friction_viscosity);
  }
  if (!(grip->adhesion >= 0 && isfinite(grip->adhesion))) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: adhesion %g must be 0 or more", what,
                     grip->adhesion);
  }
  return FIRN_OK;
}

static firn_status make(firn_context *context, const firn_collider_def *def, const char *what,
                        int first_bit, firn_collider *out) {
  firn_grip grip = firn_collider_grip(out);
  FIRN_TRY(firn_grip_check(context, what, &grip));
  if (!(def->temperature == 0 || firn_real_is_positive(def->temperature))) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: temperature %g K must be positive", what,
                     def->temperature);
  }
  FIRN_TRY(make_parts(out, def, what));

  // The old, short way to say constant motion adds to the new one.
  firn_motion_def motion = def->motion;
  for (int a = 0; a < 3; a++) {
    motion.velocity[a] += def->velocity[a];
    motion.spin[a] += def->spin[a];
  }
  FIRN_TRY(firn_motion_make(context, &motion, out->part[0].motion.pivot, what, &out->motion));
  FIRN_TRY(firn_load_make(context, &def->load, what, &out->load));

  for (int i = 0; i < out->part_count; i++)
    out->part[i].bit = UINT64_C(1) << ((first_bit + i) & 63);
  know_shapes(out);
  out->keyed_speed = out->speed = firn_collider_find_speed(out);
  out->forces = out->forces || out->load.mass > 0;
  out->digest = digest_of(out);
  return FIRN_OK;
}

firn_status firn_collider_make(firn_context *context, const firn_collider_def *def, int index,
                               int first_bit, firn_collider *out) {
  char what[FIRN_NAME_SIZE + 16];
  *out = (firn_collider){.context = context,
                         .friction = def->friction,
                         .friction_viscosity = def->friction_viscosity,
                         .adhesion = def->adhesion,
                         .temperature = def->temperature,
                         .sticky = def->sticky,
                         .absent = def->absent,
                         .forces = def->forces,
                         .jointed = def->part_count > 0,
                         .prepared = (double)NAN};
  if (def->name)
    snprintf(out->name, sizeof out->name, "%s", def->name);
  else
    snprintf(out->name, sizeof out->name, "%d", index);
  snprintf(what, sizeof what, "collider '%s'", out->name);
  firn_status status = make(context, def, what, first_bit, out);
  if (status != FIRN_OK) firn_collider_free(out);
  return status;
}
