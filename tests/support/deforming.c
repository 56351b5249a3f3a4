// SPDX-License-Identifier: Apache-2.0
#include "support/deforming.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

firn_sequence *deforming_sequence(firn_context *context, const deforming_body *body) {
  int n = body->nodes;
  size_t all = (size_t)n * (size_t)n * (size_t)n, keys = (size_t)body->keys;
  firn_distance_grid *grids = calloc(keys, sizeof *grids);
  double *distance = malloc(keys * all * sizeof *distance);
  double *velocity = malloc(3 * keys * all * sizeof *velocity);
  assert_non_null(grids);
  assert_non_null(distance);
  assert_non_null(velocity);
  for (size_t k = 0; k < keys; k++) {
    grids[k] = (firn_distance_grid){.origin = {body->least, body->least, body->least},
                                    .voxel = body->voxel,
                                    .nodes = {n, n, n},
                                    .distance = distance + k * all,
                                    .velocity = velocity + 3 * k * all};
    for (size_t i = 0; i < all; i++) {
      const int at[3] = {(int)i % n, (int)i / n % n, (int)i / n / n};
      double x[3];
      for (int a = 0; a < 3; a++) x[a] = body->least + body->voxel * at[a];
      distance[k * all + i] = body->at(body->times[k], x, velocity + 3 * (k * all + i));
    }
  }
  firn_sequence_def def = firn_default_sequence_def();
  def.count = body->keys;
  def.times = body->times;
  def.grids = grids;
  def.band = n;
  firn_sequence *sequence;
  if (firn_sequence_create(context, &def, &sequence) != FIRN_OK)
    fail_msg("%s", firn_context_message(context));
  free(grids);
  free(distance);
  free(velocity);
  return sequence;
}
