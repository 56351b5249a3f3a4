// SPDX-License-Identifier: Apache-2.0
// Lets a gust blow over a heap of snow, under any solver, and says how much of it is carried away.
//
//   cc gust.c $(pkg-config --cflags --libs firn) -lm -o gust && ./gust mpm
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <firn/firn.h>

// The gust comes along x as a front 30 cm deep, at 2 m/s, and is stronger the higher the snow lies.
typedef struct gust {
  double speed, depth; // m/s, m
  double strongest;    // m/s^2, that it has given to some particle
} gust;

// Called at the end of each step for some of the particles after the other.
static void blow(void *user, const firn_force_chunk *chunk) {
  gust *g = user;
  double front = -0.3 + g->speed * chunk->time;
  for (size_t i = 0; i < chunk->count; i++) {
    double behind = (front - chunk->position[0][i]) / g->depth;
    if (behind < 0 || behind > 1) continue;
    double push = 1500 * chunk->position[1][i] * sin(3.14159265 * behind);
    if (push > g->strongest) g->strongest = push;
    chunk->acceleration[0][i] = (firn_real)push;
    chunk->acceleration[1][i] = (firn_real)(0.4 * push);
    chunk->rate[i] = 2; // 1/s: and the air slows what it has caught
  }
}

static void check(firn_status status, const firn_context *context) {
  if (status == FIRN_OK) return;
  fprintf(stderr, "gust: %s: %s\n", firn_status_text(status), firn_context_message(context));
  exit(EXIT_FAILURE);
}

// What lies more than 10 cm behind the heap, without a copy of anything.
static double share_blown(const firn_sim *sim) {
  double all = 0, blown = 0;
  for (size_t i = 0; i < firn_sim_view_count(sim); i++) {
    firn_view view;
    if (firn_sim_view(sim, i, &view) != FIRN_OK) return NAN;
    for (size_t k = 0; k < view.count; k++) {
      double x = view.origin[0] + view.h * (double)view.cell[0][k];
      all += (double)view.mass[k];
      blown += x > 0.3 ? (double)view.mass[k] : 0;
    }
  }
  return blown / all;
}

int main(int argc, char **argv) {
  firn_context_def context_def = firn_default_context_def();
  firn_context *context = NULL;
  check(firn_context_create(&context_def, &context), context);

  firn_sim_def sim_def = firn_default_sim_def();
  sim_def.solver = argc > 1 ? argv[1] : "mpm"; // or sph, or flip
  sim_def.h = 0.05;                            // m
  firn_sim *sim = NULL;
  check(firn_sim_create(context, &sim_def, &sim), context);

  // A heap of powder, 40 cm wide and 20 cm high, on the ground.
  firn_material_def powder;
  firn_fill_def heap = firn_default_fill_def();
  check(firn_material_preset(context, "powder", &powder), context);
  check(firn_sim_add_material(sim, &powder, &heap.material), context);
  heap.shape = firn_box_of_size((double[]){0, 0.1, 0}, (double[]){0.4, 0.2, 0.4});
  check(firn_sim_fill(sim, &heap), context);
  firn_collider_def ground = firn_default_collider_def();
  ground.shape = firn_half_space((double[]){0, 0, 0}, (double[]){0, 1, 0});
  ground.forces = true; // to know what it takes from the snow
  int ground_id;
  check(firn_sim_add_collider(sim, &ground, &ground_id), context);

  gust wind = {.speed = 2, .depth = 0.3};
  firn_force_def force = firn_default_force_def();
  int id;
  force.name = "gust";
  force.act = blow;
  force.user = &wind;
  check(firn_sim_add_force(sim, &force, &id), context);

  printf("   time  blown away   momentum from the gust\n");
  firn_force_sums given;
  for (int frame = 0; frame <= 8; frame++) {
    if (frame) check(firn_sim_advance(sim, 0.05, NULL, NULL), context);
    check(firn_sim_force_sums(sim, id, &given), context);
    printf("%4.0f ms      %4.1f %%   %6.2f N s\n", 1e3 * firn_sim_time(sim), 1e2 * share_blown(sim),
           given.impulse[0]);
  }
  printf("at most %.0f m/s^2, on %zu particles of solver %s\n", wind.strongest, firn_sim_count(sim),
         sim_def.solver);

  // What the snow has along x is the gust's, but for what the ground took. sph solves for pressures up to a
  // residual, which is momentum that somebody lacks.
  firn_sums sums;
  firn_collider_force on_ground;
  check(firn_sim_sums(sim, &sums), context);
  check(firn_sim_collider_force(sim, ground_id, &on_ground), context);
  double off = fabs(sums.momentum[0] + on_ground.impulse[0] - given.impulse[0]) / given.impulse[0];
  double allowed = strcmp(sim_def.solver, "sph") == 0 ? 5e-3 : 1e-4;
  printf("momentum is right to %.0e of the gust's; %.0e is allowed\n", off, allowed);
  bool good = off < allowed && share_blown(sim) > 0;

  firn_sim_destroy(sim);
  firn_context_destroy(context);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
