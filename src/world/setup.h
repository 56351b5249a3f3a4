// SPDX-License-Identifier: Apache-2.0
// What a world was built of at a moment, as far as a checkpoint leaves that to the program that
// builds it again: how many things there were, heat of materials, wind, window and kill box. It
// holds the shapes of colliders, so that one that is removed later can come back.
#ifndef FIRN_WORLD_SETUP_H
#define FIRN_WORLD_SETUP_H

#include "world/aside.h"

typedef struct firn_held_part {
  firn_shape *shape;
  firn_sequence *sequence;
} firn_held_part;

typedef struct firn_setup {
  firn_world_counts counts;
  firn_digests digests;
  firn_heat_row *heat; // [heat_count]
  int heat_count;
  bool softens;
  firn_wind wind;
  bool killing, windowed;
  double kill_min[3], kill_max[3]; // m
  firn_window_def window;
  firn_held_part *part; // [parts]: of all colliders, in order
  size_t parts;
} firn_setup;

// Fails having made nothing.
firn_status firn_setup_take(const firn_world *world, firn_setup *out);
void firn_setup_free(firn_setup *setup, firn_context *context);
// For a world that was set aside with these counts, of which the setup was taken: makes it as it
// was then.
firn_status firn_setup_apply(const firn_setup *setup, firn_world *world);

#endif
