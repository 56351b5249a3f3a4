// SPDX-License-Identifier: Apache-2.0
// Any text is a scene or a list of what is wrong with it. Seeds are whole scenes.
#include "fuzz/fuzz.h"

#include "scene/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  firn_context *context = fuzz_context();
  firn_scene *scene = NULL;
  firn_status status = firn_scene_read(context, "fuzz.yaml", (const char *)data, size, 0, NULL,
                                       &scene);
  if (status == FIRN_ERROR_SCENE) {
    const firn_scene_error *first = firn_scene_error_get(scene, 0);
    FUZZ_MUST(first && first->message[0] && first->line >= 0 && first->file);
  } else if (status == FIRN_OK) {
    // What was understood reads back to itself.
    const char *text = firn_scene_resolved_text(scene);
    firn_scene *again = NULL;
    status = firn_scene_read(context, "again.yaml", text, strlen(text), 0, NULL, &again);
    FUZZ_MUST(status == FIRN_ERROR_MEMORY ||
              (status == FIRN_OK && strcmp(firn_scene_resolved_text(again), text) == 0));
    firn_scene_destroy(again);
  }
  firn_scene_destroy(scene);
  fuzz_done(context);
  return 0;
}
