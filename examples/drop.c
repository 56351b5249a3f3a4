// SPDX-License-Identifier: Apache-2.0
// Drops a snowball on the ground and says what becomes of it.
//
//   cc drop.c $(pkg-config --cflags --libs firn) -o drop && ./drop
#include <stdio.h>
#include <stdlib.h>

#include <firn/firn.h>

// Every call of firn may fail, and then the context knows why.
static void check(firn_status status, const firn_context *context) {
  if (status == FIRN_OK) return;
  fprintf(stderr, "drop: %s: %s\n", firn_status_text(status), firn_context_message(context));
  exit(EXIT_FAILURE);
}

int main(void) {
  // A context owns memory and threads; a simulation lives in one.
  firn_context_def context_def = firn_default_context_def();
  firn_context *context = NULL;
  check(firn_context_create(&context_def, &context), context);

  firn_sim_def sim_def = firn_default_sim_def();
  sim_def.h = 0.02; // m; the rest is as in the paper
  firn_sim *sim = NULL;
  check(firn_sim_create(context, &sim_def, &sim), context);

  // A ball of packing snow, 20 cm across, 5 cm above the ground and falling at 5 m/s.
  firn_material_def snow;
  firn_fill_def ball = firn_default_fill_def();
  check(firn_material_preset(context, "packing", &snow), context);
  check(firn_sim_add_material(sim, &snow, &ball.material), context);
  ball.shape = firn_sphere((double[]){0, 0.15, 0}, 0.1);
  ball.velocity[1] = -5;
  check(firn_sim_fill(sim, &ball), context);

  firn_collider_def ground = firn_default_collider_def();
  ground.name = "ground";
  ground.shape = firn_half_space((double[]){0, 0, 0}, (double[]){0, 1, 0});
  check(firn_sim_add_collider(sim, &ground, NULL), context);

  // Ten frames of 10 ms.
  printf("   time   middle    width   height  yielded\n");
  for (int frame = 0; frame <= 10; frame++) {
    firn_sums sums;
    double yielded;
    if (frame) check(firn_sim_advance(sim, 0.01, NULL, NULL), context);
    check(firn_sim_sums(sim, &sums), context);
    check(firn_sim_stat(sim, "yielded", &yielded), context);
    printf("%4.0f ms  %4.1f cm  %4.1f cm  %4.1f cm   %4.0f %%\n", 1e3 * firn_sim_time(sim),
           1e2 * sums.center[1], 1e2 * (sums.bounds_max[0] - sums.bounds_min[0]),
           1e2 * (sums.bounds_max[1] - sums.bounds_min[1]), 1e2 * yielded);
  }

  // Where the snow lies now: x, y, z of each particle, in the order in which they were made.
  size_t count = firn_sim_count(sim);
  double(*position)[3] = calloc(count, sizeof *position);
  if (!position) return EXIT_FAILURE;
  check(firn_sim_read(sim, "position", &position[0][0]), context);
  size_t high = 0;
  for (size_t i = 0; i < count; i++) {
    if (position[i][1] > position[high][1]) high = i;
  }
  printf("%zu particles; the highest, number %zu, lies %.1f cm above the ground\n", count, high,
         1e2 * position[high][1]);

  free(position);
  firn_sim_destroy(sim);
  firn_context_destroy(context);
  return EXIT_SUCCESS;
}
