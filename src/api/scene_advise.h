// SPDX-License-Identifier: Apache-2.0
// What the files scene_advise.c, scene_features.c and scene_resolve*.c share.
#ifndef FIRN_API_SCENE_ADVISE_H
#define FIRN_API_SCENE_ADVISE_H

#include "api/scene.h"
#include "scene/scene.h"

// The receiver of advice.
typedef struct firn_advisor {
  const firn_scene *scene;
  firn_advice_fn tell;
  void *user;
} firn_advisor;

// level: FIRN_LOG_WARNING, or FIRN_LOG_INFO for a note.
void firn_advise(const firn_advisor *advisor, firn_log_level level, const firn_value *value,
                 const char *path, const char *format, ...) __attribute__((format(printf, 5, 6)));

// Features of a scene that its cells may be too coarse for.
typedef enum firn_feature {
  FIRN_FEATURE_BAND,  // where a variation is
  FIRN_FEATURE_WAVE,  // of its noise
  FIRN_FEATURE_SNOW,  // a wall of snow
  FIRN_FEATURE_SOLID, // a part of a collider
  FIRN_FEATURE_GAP,   // between two of its parts
  FIRN_FEATURE_COUNT
} firn_feature;

// Those of one kind that are below what is resolved: how many, and the worst.
typedef struct firn_unresolved {
  int count;
  double size;             // m
  const firn_value *value; // whose place the message has
  char path[120];
  double share; // of the surface; 0: does not apply
  bool scales;  // its size follows the quality, so that no quality resolves it
} firn_unresolved;

// What resolves a feature.
typedef struct firn_resolution {
  const char *unit; // "cell", or "spacing" of particles
  double length;    // m, of one
  double need;      // that many resolve a feature
} firn_resolution;

typedef struct firn_resolving {
  const firn_scene *scene;
  firn_resolution by[FIRN_FEATURE_COUNT];
  firn_unresolved found[FIRN_FEATURE_COUNT];
} firn_resolving;

// m: a feature of this size or larger is resolved. To rounding: what is said to be enough is.
double firn_resolved_size(const firn_resolving *r, firn_feature kind);
// Counts a feature if it is below that, and keeps the worst.
void firn_resolving_add(firn_resolving *r, firn_feature kind, const firn_unresolved *found);
// Whether a value, or one within it, follows the quality.
bool firn_value_scales(const firn_value *value);

// m: how thin parts of a shape are, and the gaps between them, as the eight per cent of its surface
// with the least room have them; at most `most`. share: of the surface with less than `limit`.
typedef struct firn_thickness {
  double part, gap;
  double part_share, gap_share;
} firn_thickness;
// Of the part of a shape that lies within another, which may be NULL. h: m, of a cell. False where
// too little of the surface is found, as of a shape that is large beside its cells.
firn_status firn_shape_thickness(const firn_shape *shape, const firn_shape *within, double h,
                                 double most, double limit, bool gaps, firn_thickness *out,
                                 bool *found);

// Adds thin walls of snow, and parts and gaps of colliders.
firn_status firn_resolving_shapes(firn_resolving *r);

// All advice of resolution, one message for each kind.
firn_status firn_advise_resolution(const firn_advisor *advisor);

#endif
