// SPDX-License-Identifier: Apache-2.0
// What the files scene_advise*.c share.
#ifndef FIRN_API_SCENE_ADVISE_H
#define FIRN_API_SCENE_ADVISE_H

#include "api/scene.h"
#include "scene/scene.h"

// Whom advice is told.
typedef struct firn_advisor {
  const firn_scene *scene;
  firn_advice_fn tell;
  void *user;
} firn_advisor;

void firn_advise(const firn_advisor *advisor, const firn_value *value, const char *path,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));

// What of the surface of shapes is too fine for the grid.
void firn_advise_features(const firn_advisor *advisor);

#endif
