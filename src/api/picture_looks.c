// SPDX-License-Identifier: Apache-2.0
// How the bodies of a picture look: what is said of all, of a collider, and of one of its parts.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/picture.h"

firn_picture_looks firn_picture_looks_of(const firn_render_def *def) {
  return (firn_picture_looks){.ground = def->ground,
                              .bodies = def->bodies,
                              .count = def->looks ? def->look_count : 0,
                              .look = def->looks,
                              .part_count = def->part_looks ? def->part_look_count : 0,
                              .part = def->part_looks};
}

firn_picture_looks firn_picture_looks_of_preview(const firn_preview_def *def) {
  return (firn_picture_looks){.ground = def->ground_look,
                              .bodies = def->bodies,
                              .count = def->looks ? def->look_count : 0,
                              .look = def->looks,
                              .part_count = def->part_looks ? def->part_look_count : 0,
                              .part = def->part_looks};
}

// ---------------------------------------------------------------------------------------- checks

static bool is_share(double x) {
  return x >= 0 && x <= 1;
}

static bool is_mode(const firn_look_def *look) {
  return (int)look->mode >= 0 && look->mode <= FIRN_LOOK_HOLDOUT;
}

// Of ground and bodies, where nothing may be left open.
static bool is_whole(const firn_look_def *look) {
  return is_mode(look) && is_share(look->albedo[0]) && is_share(look->albedo[1]) &&
         is_share(look->albedo[2]) && is_share(look->gloss) && is_share(look->roughness);
}

static bool is_look(const firn_look_def *look) {
  if (look->albedo[0] < 0) return is_mode(look);
  firn_look_def whole = *look;
  if (isnan(look->albedo[0])) memset(whole.albedo, 0, sizeof whole.albedo);
  if (isnan(look->gloss)) whole.gloss = 0;
  if (isnan(look->roughness)) whole.roughness = 0;
  return is_whole(&whole);
}

// what is "collider 2", of which the message is.
static firn_status check_look(firn_context *context, const char *who, const char *what,
                              const firn_look_def *look) {
  FIRN_TRY(
      firn_picture_check_rooms(context, "firn_look_def", 1, (const double *const[]){look->room}));
  if (is_look(look)) return FIRN_OK;
  return firn_fail(
      context, FIRN_ERROR_ARGUMENT,
      "%s: the look of %s: albedo (%g %g %g), gloss %g and roughness %g are from 0 to 1", who, what,
      look->albedo[0], look->albedo[1], look->albedo[2], look->gloss, look->roughness);
}

firn_status firn_picture_check_looks(firn_context *context, const char *who,
                                     const firn_picture_looks *looks) {
  char what[80];
  if (!is_whole(&looks->ground) || !is_whole(&looks->bodies))
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: albedo, gloss and roughness of ground and bodies are from 0 to 1", who);
  for (int i = 0; i < looks->count; i++) {
    snprintf(what, sizeof what, "collider %d", i);
    FIRN_TRY(check_look(context, who, what, &looks->look[i]));
  }
  for (int i = 0; i < looks->part_count; i++) {
    const firn_part_look_def *part = &looks->part[i];
    if (part->collider < 0 || part->part < 0)
      return firn_fail(context, FIRN_ERROR_ARGUMENT,
                       "%s: part_looks[%d]: there is no part %d of a collider %d", who, i,
                       part->part, part->collider);
    snprintf(what, sizeof what, "part %d of collider %d", part->part, part->collider);
    FIRN_TRY(check_look(context, who, what, &part->look));
  }
  return FIRN_OK;
}

// ---------------------------------------------------------------------------------------- a body

// over hides what is below, but for what it leaves open.
static void put_over(firn_look_def *look, const firn_look_def *over) {
  if (over->mode != FIRN_LOOK_SHOWN) look->mode = over->mode;
  if (over->albedo[0] < 0) return;
  if (!isnan(over->albedo[0])) memcpy(look->albedo, over->albedo, sizeof look->albedo);
  if (!isnan(over->gloss)) look->gloss = over->gloss;
  if (!isnan(over->roughness)) look->roughness = over->roughness;
}

firn_look_def firn_picture_look(const firn_picture_bodies *bodies, size_t i,
                                const firn_picture_looks *looks) {
  const firn_picture_body *body = &bodies->body[i];
  firn_look_def look = body->ground ? looks->ground : looks->bodies;
  const firn_look_def *own = body->collider < looks->count ? &looks->look[body->collider] : NULL;
  // A collider that says all of its look is shown though all others are not.
  if (own && !(own->albedo[0] < 0)) look.mode = FIRN_LOOK_SHOWN;
  if (own) put_over(&look, own);
  ptrdiff_t part = body->part - bodies->collider[body->collider].part;
  const firn_look_def *of_part = NULL;
  for (int k = 0; k < looks->part_count; k++)
    if (looks->part[k].collider == body->collider && looks->part[k].part == part)
      of_part = &looks->part[k].look;
  if (of_part) put_over(&look, of_part);
  return look;
}
