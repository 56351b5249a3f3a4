// SPDX-License-Identifier: Apache-2.0
// What the tests of scenes share: reading and building what must be good.
#ifndef FIRN_TESTS_SCENE_SETUP_H
#define FIRN_TESTS_SCENE_SETUP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene/scene.h"
#include "support/context.h"

// A scene that must be good.
static inline firn_scene *read_with(const char *text, int count, const char *const *overrides) {
  firn_scene *scene = NULL;
  firn_status status = firn_scene_read(context, "test.yaml", text, strlen(text), count, overrides,
                                       &scene);
  if (status != FIRN_OK) fail_msg("%s", firn_context_message(context));
  return scene;
}

static inline firn_scene *read_scene(const char *text) {
  return read_with(text, 0, NULL);
}

static inline firn_sim *build(const firn_scene *scene) {
  firn_sim *sim = NULL;
  if (firn_scene_build(scene, &sim) != FIRN_OK) fail_msg("%s", firn_context_message(context));
  return sim;
}

#endif
