// SPDX-License-Identifier: Apache-2.0
// What sets two resolved scenes apart: may one go on where the other was stopped?
#ifndef FIRN_SCENE_DIFFERENCE_H
#define FIRN_SCENE_DIFFERENCE_H

#include "base/context.h"

typedef struct firn_scene_difference {
  bool same;      // to the last letter
  int count;      // of values that matter to a run
  char text[256]; // of the first of them: "mpm.flip is 0.5 now, and was 0.95"
  char path[160]; // of that: "mpm.flip"
  bool moved;     // of a branch: a collider moves or holds otherwise, which does not count
} firn_scene_difference;

// Compares what firn_scene_resolved_text gave then and gives now. Not counted are values that leave
// the simulation as it is, and the frames that are already written useful: title, preview, render,
// how colliders look, how many frames there shall be, and how later frames are written.
firn_status firn_scene_compare(firn_context *context, const char *was, size_t was_size,
                               const char *now, size_t now_size, firn_scene_difference *out);

// The same for a run that branches off from a checkpoint of another. What may change then is, besides, what
// a program may set between two steps: numbers of materials, gravity, wind, forces, how colliders move and
// hold, settings of the solver that are not settled when it is made, and all of output.
firn_status firn_scene_compare_branch(firn_context *context, const char *was, size_t was_size,
                                      const char *now, size_t now_size, firn_scene_difference *out);

#endif
