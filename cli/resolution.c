// SPDX-License-Identifier: Apache-2.0
// What a scene that is about to run is too coarse for, in one line.
#include <string.h>

#include "cli.h"

typedef struct {
  firn_scene_error first; // warning
  char file[300];
  int kinds; // of warnings
} heard;

static void hear(void *user, const firn_scene_error *advice) {
  heard *h = user;
  if (advice->level != FIRN_LOG_WARNING) return;
  if (h->kinds++) return;
  h->first = *advice;
  snprintf(h->file, sizeof h->file, "%s", advice->file ? advice->file : "");
}

void cli_say_unresolved(const firn_scene *scene, progress_mode mode) {
  heard h = {0};
  char place[360] = "", more[100] = "", text[1100];
  if (mode == PROGRESS_QUIET) return;
  if (firn_scene_advise_resolution(scene, hear, &h) != FIRN_OK || !h.kinds) return;
  if (h.first.line)
    snprintf(place, sizeof place, "%s:%d:%d: ", *h.file ? h.file : firn_scene_file(scene),
             h.first.line, h.first.column);
  if (h.kinds > 1)
    snprintf(more, sizeof more, "; firn check names %d more kind%s of this", h.kinds - 1,
             h.kinds == 2 ? "" : "s");
  snprintf(text, sizeof text, "%s%s%s", place, h.first.message, more);
  if (mode == PROGRESS_JSON)
    cli_warning_event(NULL, text);
  else
    fprintf(stderr, "firn: warning: %s\n", text);
}
