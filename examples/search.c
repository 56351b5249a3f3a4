// SPDX-License-Identifier: Apache-2.0
// Searches for the speed at which a snowball must hit the ground to be packed to half of its volume
// where it is densest. The ball is made once; every throw begins with the same snapshot. A program
// that optimises, or a game that takes a move back, does the same.
//
//   cc search.c $(pkg-config --cflags --libs firn) -o search && ./search
#include <stdio.h>
#include <stdlib.h>

#include <firn/firn.h>

static void check(firn_status status, const firn_context *context) {
  if (status == FIRN_OK) return;
  fprintf(stderr, "search: %s: %s\n", firn_status_text(status), firn_context_message(context));
  exit(EXIT_FAILURE);
}

// A ball of 10 cm, just above the ground.
static firn_sim *make_ball(firn_context *context) {
  firn_sim_def def = firn_default_sim_def();
  firn_sim *sim = NULL;
  def.h = 0.02; // m
  check(firn_sim_create(context, &def, &sim), context);
  firn_material_def snow;
  firn_fill_def ball = firn_default_fill_def();
  check(firn_material_preset(context, "packing", &snow), context);
  check(firn_sim_add_material(sim, &snow, &ball.material), context);
  ball.shape = firn_sphere((double[]){0, 0.06, 0}, 0.05);
  check(firn_sim_fill(sim, &ball), context);
  firn_collider_def ground = firn_default_collider_def();
  ground.name = "ground";
  check(firn_sim_add_collider(sim, &ground, NULL), context);
  return sim;
}

// The least J_P after a throw at this speed, m/s. The simulation is at its beginning before and
// after.
static double throw_ball(firn_context *context, firn_sim *sim, const firn_snapshot *beginning,
                         double speed) {
  size_t count = firn_sim_count(sim);
  double *velocity = calloc(3 * count, sizeof *velocity), packed = 1;
  if (!velocity) exit(EXIT_FAILURE);
  for (size_t i = 0; i < count; i++) velocity[3 * i + 1] = -speed;
  check(firn_sim_write(sim, "velocity", velocity), context);
  free(velocity);
  check(firn_sim_advance(sim, 0.02, NULL, NULL), context);
  check(firn_sim_stat(sim, "jp_min", &packed), context);
  check(firn_sim_restore(sim, beginning), context);
  return packed;
}

int main(void) {
  firn_context_def context_def = firn_default_context_def();
  firn_context *context = NULL;
  check(firn_context_create(&context_def, &context), context);
  firn_sim *sim = make_ball(context);
  firn_snapshot *beginning = NULL;
  check(firn_sim_take_snapshot(sim, &beginning), context);
  printf("a snapshot of %zu particles takes %.2f MB\n", firn_sim_count(sim),
         (double)firn_snapshot_bytes(beginning) / 1e6);

  double low = 0.5, high = 16, target = 0.5; // m/s, m/s, 1
  for (int i = 0; i < 8; i++) {
    double speed = (low + high) / 2;
    double packed = throw_ball(context, sim, beginning, speed);
    printf("%6.3f m/s: J_P %.4f\n", speed, packed);
    if (packed > target)
      low = speed;
    else
      high = speed;
  }
  printf("packed to half of its volume at %.1f m/s\n", (low + high) / 2);

  firn_snapshot_destroy(beginning);
  firn_sim_destroy(sim);
  firn_context_destroy(context);
  return EXIT_SUCCESS;
}
