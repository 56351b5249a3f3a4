// SPDX-License-Identifier: Apache-2.0
// Drops a wooden ball into snow. The ball is the program's own: it falls by the program's arithmetic, the
// library is told where it is and hears what the snow did to it. A game or a robot does the same.
//
//   cc ball.c $(pkg-config --cflags --libs firn) -lm -o ball && ./ball       # or: ./ball sph, ./ball flip
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <firn/firn.h>

static const double GRAVITY = 9.81, H = 0.02; // m/s^2, m

static void check(firn_status status, const firn_context *context) {
  if (status == FIRN_OK) return;
  fprintf(stderr, "ball: %s: %s\n", firn_status_text(status), firn_context_message(context));
  exit(EXIT_FAILURE);
}

// A rigid body: all that a program has to know of it.
typedef struct ball {
  double radius, mass; // m, kg
  double inertia;      // kg m^2
  firn_body body;
  double stopped; // N s, that the floor had to give it
  int id;         // of its collider
} ball;

// A bed of snow, 10 cm deep, in a tub: a floor with a rim.
static firn_sim *make_bed(firn_context *context, const char *solver, int *tub_id) {
  firn_sim_def def = firn_default_sim_def();
  def.solver = solver;
  def.h = H;
  def.gravity[1] = -GRAVITY;
  def.mpm.integrator = FIRN_INTEGRATOR_EXPLICIT; // whose momentum is right to rounding, ...
  def.mpm.sleep = false;                         // ... unless snow that all but rests is left out
  firn_sim *sim = NULL;
  check(firn_sim_create(context, &def, &sim), context);

  firn_material_def snow;
  firn_fill_def bed = firn_default_fill_def();
  check(firn_material_preset(context, "packing", &snow), context);
  snow.velocity_factor = 1; // flip: what the ball meets gives way as fast as it comes
  check(firn_sim_add_material(sim, &snow, &bed.material), context);
  bed.shape = firn_box_of_size((double[]){0, 0.05, 0}, (double[]){0.2, 0.1, 0.2});
  bed.seeding = FIRN_SEEDING_LATTICE;
  bed.settled = true;
  check(firn_sim_fill(sim, &bed), context);

  firn_shape *block = NULL, *room = NULL;
  firn_shape_def outside = firn_box_of_size((double[]){0, 0.02, 0}, (double[]){0.36, 0.2, 0.36});
  firn_shape_def inside = firn_box_of_size((double[]){0, 0.5, 0}, (double[]){0.2, 1, 0.2});
  check(firn_shape_create(context, &outside, &block), context);
  check(firn_shape_create(context, &inside, &room), context);
  firn_collider_def tub = firn_default_collider_def();
  tub.name = "tub";
  tub.shape = firn_difference(2, (const firn_shape *[]){block, room});
  tub.forces = true;
  check(firn_sim_add_collider(sim, &tub, tub_id), context);
  firn_shape_release(block);
  firn_shape_release(room);
  return sim;
}

static ball make_ball(firn_context *context, firn_sim *sim) {
  ball b = {.radius = 0.04, .body = {.rotation = {0, 0, 0, 1}}};
  b.mass = 500 * 4.0 / 3 * 3.14159265358979 * b.radius * b.radius * b.radius;
  b.inertia = 0.4 * b.mass * b.radius * b.radius;
  b.body.pivot[1] = 0.16;
  b.body.velocity[0] = 0.5;
  b.body.velocity[1] = -3;
  firn_collider_def def = firn_default_collider_def();
  def.name = "ball";
  def.shape = firn_sphere(b.body.pivot, b.radius);
  def.forces = true; // or nobody would know what the snow does to it
  check(firn_sim_add_collider(sim, &def, &b.id), context);
  return b;
}

// One step of the snow and of the ball: the snow meets the ball on its way, and what it gives to the
// ball is the ball's by the end of the step.
static void step(firn_context *context, firn_sim *sim, ball *b, double limit) {
  firn_step took;
  firn_collider_force push;
  check(firn_sim_drive(sim, b->id, -1, &b->body), context);
  check(firn_sim_step(sim, limit, &took), context);
  check(firn_sim_collider_step(sim, b->id, &push), context);
  check(firn_sim_body(sim, b->id, -1, &b->body), context); // where its velocity has brought it
  for (int a = 0; a < 3; a++) {
    b->body.velocity[a] += push.impulse[a] / b->mass;
    b->body.spin[a] += push.angular[a] / b->inertia;
  }
  b->body.velocity[1] -= GRAVITY * took.dt;
  // Where the snow has not stopped it, the floor below does.
  if (b->body.pivot[1] > b->radius || b->body.velocity[1] > 0) return;
  b->stopped -= b->mass * b->body.velocity[1];
  b->body.velocity[1] = 0;
}

// N s, of ball and snow.
static void add_up(firn_context *context, firn_sim *sim, const ball *b, double out[3]) {
  firn_sums sums;
  check(firn_sim_sums(sim, &sums), context);
  for (int a = 0; a < 3; a++) out[a] = sums.momentum[a] + b->mass * b->body.velocity[a];
}

int main(int argc, char **argv) {
  firn_context_def context_def = firn_default_context_def();
  context_def.threads = 1; // for so little snow
  firn_context *context = NULL;
  check(firn_context_create(&context_def, &context), context);
  const char *solver = argc > 1 ? argv[1] : "mpm";
  int tub;
  firn_sim *sim = make_bed(context, solver, &tub);
  ball b = make_ball(context, sim);
  firn_sums snow;
  check(firn_sim_sums(sim, &snow), context);
  double before[3], after[3], thrown = b.mass * sqrt(0.5 * 0.5 + 3 * 3), off = 0;
  add_up(context, sim, &b, before);

  printf("a ball of %.3f kg and %zu particles\n   time    depth      speed      force\n", b.mass,
         firn_sim_count(sim));
  for (int frame = 1; frame <= 10; frame++) {
    double end = 0.01 * frame, impulse = b.body.velocity[1];
    while (firn_sim_time(sim) < end - 1e-9) step(context, sim, &b, end - firn_sim_time(sim));
    impulse = b.mass * (b.body.velocity[1] - impulse + GRAVITY * 0.01);
    printf("%4.0f ms  %5.1f cm  %5.2f m/s  %7.1f N\n", 1e3 * firn_sim_time(sim),
           1e2 * (0.1 - b.body.pivot[1] + b.radius), fabs(b.body.velocity[1]), impulse / 0.01);
  }

  // What ball and snow have gained together is gravity's and what the tub gave.
  firn_collider_force on_tub;
  check(firn_sim_collider_force(sim, tub, &on_tub), context);
  add_up(context, sim, &b, after);
  for (int a = 0; a < 3; a++) {
    double given = -on_tub.impulse[a];
    if (a == 1) given += b.stopped - (snow.mass + b.mass) * GRAVITY * firn_sim_time(sim);
    off = fmax(off, fabs(after[a] - before[a] - given));
  }
  // sph solves for pressures up to a residual, which is momentum that somebody lacks.
  double allowed = strcmp(solver, "sph") == 0 ? 5e-3 : 1e-4;
  printf("momentum is right to %.0e of the ball's; %.0e is allowed\n", off / thrown, allowed);
  firn_sim_destroy(sim);
  firn_context_destroy(context);
  return off / thrown < allowed ? EXIT_SUCCESS : EXIT_FAILURE;
}
