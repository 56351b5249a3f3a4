// SPDX-License-Identifier: Apache-2.0
// What the tests of scenes share: a context that must be empty at the end.
#ifndef FIRN_TESTS_SCENE_SETUP_H
#define FIRN_TESTS_SCENE_SETUP_H

#include <firn/firn.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene/scene.h"

static firn_context *context;

static inline int setup(void **state) {
  (void)state;
  firn_context_def def = firn_default_context_def();
  def.threads = 2;
  return firn_context_create(&def, &context) != FIRN_OK;
}

static inline int teardown(void **state) {
  (void)state;
  size_t held = firn_context_bytes(context);
  firn_context_destroy(context);
  return held != 0;
}

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

#endif
