// SPDX-License-Identifier: Apache-2.0
// labels: F2 slow
// timeout: 180
// long in double
// Water presses on floors and walls with what it weighs: at rest, and after it has broken down and
// sloshed; wherever the tank lies on the grid and however it is turned. While it moves, what
// frictionless walls take is along their normals, and is the momentum that the water has lost.
#include "support/flip_case.h"

static const double G = 9.81;
enum { THICK = 4, FLOOR = 0, LEFT, RIGHT, WALLS };

typedef struct place {
  double angle, at[2]; // of the floor; cells, of the corner between it and the left wall
} place;
static const place PLACES[] = {{0, {0, 0}}, {0, {0.31, 0.17}}, {0.35, {0.62, 0.45}}};
enum { PLACE_COUNT = sizeof PLACES / sizeof *PLACES };

typedef struct tank {
  flip_case c;
  int id[WALLS];
  double normal[WALLS][3]; // into the water
  double weight, thrust;   // N, of the water, and of the water at rest on a wall
} tank;

// Twice as wide as the water is deep, 0.16 m; which stands twice as high in one half if `dam`.
static tank fill_tank(const place *p, int deep, bool dam) {
  const double along[2] = {cos(p->angle), sin(p->angle)}, H = 0.16;
  const int wide = 2 * deep, nx = dam ? deep : wide, ny = dam ? wide : deep;
  tank t = {0};
  flip_plan plan = flip_default_plan();
  plan.h = H / deep;
  plan.flip.dt = 0;
  plan.flip.keep_volume = true;
  plan.periodic[2] = true;
  plan.period[2] = THICK;
  plan.gravity[0] = G * along[1];
  plan.gravity[1] = -G * along[0];
  t.c = flip_case_open(&plan);
  t.weight = 1000 * G * H * 2 * H * THICK * plan.h;
  t.thrust = 1000 * G * H * H / 2 * THICK * plan.h;
  for (int wall = 0; wall < WALLS; wall++) {
    double point[3] = {0}, far = wall == RIGHT ? wide : 0;
    for (int a = 0; a < 2; a++) {
      t.normal[wall][a] = wall == FLOOR ? (a ? along[0] : -along[1])
                                        : (wall == LEFT ? along[a] : -along[a]);
      point[a] = (p->at[a] + far * along[a]) * plan.h;
    }
    t.id[wall] = flip_case_plane(&t.c, point, t.normal[wall], NULL);
  }
  int count = 8 * nx * ny * THICK;
  double(*x)[3] = malloc((size_t)count * sizeof *x);
  for (int n = 0; n < count; n++) {
    double u = n / (4 * ny * THICK) / 2.0 + 0.25, v = n / (2 * THICK) % (2 * ny) / 2.0 + 0.25;
    x[n][0] = (p->at[0] + u * along[0] - v * along[1]) * plan.h;
    x[n][1] = (p->at[1] + u * along[1] + v * along[0]) * plan.h;
    x[n][2] = (n % (2 * THICK) / 2.0 + 0.25) * plan.h;
  }
  firn_particles_def def = firn_default_particles_def();
  def.count = (size_t)count;
  def.position = x[0];
  must(&t.c, firn_sim_add_particles(t.c.sim, &def));
  free(x);
  return t;
}

// Until then. Mean forces on the walls meanwhile, N, into them and along them, the other way round
// than their normals turn; and what momentum over time is missing, over the weight.
static double watch(const tank *t, double until, double into[WALLS], double beside[WALLS]) {
  firn_collider_force before[WALLS], after;
  firn_sums first, last;
  double start = firn_sim_time(t->c.sim), lost[2], span;
  for (int w = 0; w < WALLS; w++)
    must(&t->c, firn_sim_collider_force(t->c.sim, t->id[w], &before[w]));
  must(&t->c, firn_sim_sums(t->c.sim, &first));
  while (firn_sim_time(t->c.sim) < until) flip_case_steps(&t->c, 1);
  must(&t->c, firn_sim_sums(t->c.sim, &last));
  span = firn_sim_time(t->c.sim) - start;
  for (int a = 0; a < 2; a++)
    lost[a] = (first.momentum[a] - last.momentum[a]) / span - t->weight * t->normal[FLOOR][a];
  for (int w = 0; w < WALLS; w++) {
    const double *n = t->normal[w];
    must(&t->c, firn_sim_collider_force(t->c.sim, t->id[w], &after));
    double f[2];
    for (int a = 0; a < 2; a++) {
      f[a] = (after.impulse[a] - before[w].impulse[a]) / span;
      lost[a] -= f[a];
    }
    into[w] = -f[0] * n[0] - f[1] * n[1];
    beside[w] = f[0] * n[1] - f[1] * n[0];
  }
  return hypot(lost[0], lost[1]) / t->weight;
}

// The surface is known to some hundredths of a cell: ((1 + 0.05/deep)^2 - 1). Particles that lie
// askew on the grid never rest; such waves press on walls with what they have of speed squared over
// g H, within 1 %. Walls have no friction, and in corners what a cell's sides lack is shared out
// between them; but what the grid's forces lack of the momentum is added axis by axis, of which a
// wall that is turned by 0.35 has sin cos = 0.32 along itself.
static void assert_weighs(const tank *t, const char *what, int deep, double until, bool askew) {
  double into[WALLS], beside[WALLS], near = 0.1 / deep + (askew ? 0.01 : 0);
  flip_report("%s, %d cells:\n", what, deep);
  double lost = watch(t, until, into, beside);
  assert_below("momentum that is missing", lost, by_precision(1e-4, 1e-9));
  assert_within("floor over weight", into[FLOOR] / t->weight, 1, near);
  assert_within("left wall over rho g H^2/2", into[LEFT] / t->thrust, 1, near);
  assert_within("right wall over rho g H^2/2", into[RIGHT] / t->thrust, 1, near);
  for (int w = 0; w < WALLS; w++)
    assert_below("along a wall over weight", beside[w] / t->weight, 0.32 * near);
}

static void water_at_rest_presses_by_its_depth(void **state) {
  (void)state;
  static const int deep[] = {8, 16, 32};
  for (int i = 0; i < PLACE_COUNT * 3; i++) {
    const place *p = &PLACES[i % PLACE_COUNT];
    tank t = fill_tank(p, deep[i / PLACE_COUNT], false);
    double into[WALLS], beside[WALLS];
    watch(&t, 0.5, into, beside);
    assert_weighs(&t, "at rest", deep[i / PLACE_COUNT], 1.5, p->angle != 0);
    flip_case_close(&t.c);
  }
}

static void water_that_broke_down_comes_to_the_same(void **state) {
  (void)state;
  for (int i = 0; i < PLACE_COUNT; i++) {
    tank t = fill_tank(&PLACES[i], 8, true);
    double into[WALLS], beside[WALLS];
    // While it falls and hits the far wall.
    double lost = watch(&t, 0.5, into, beside);
    assert_below("momentum that is missing", lost, by_precision(1e-4, 1e-9));
    assert_true(into[RIGHT] > 0.5 * t.thrust);
    for (int w = 0; w < WALLS; w++)
      assert_below("along a wall over weight", beside[w] / t.weight, 0.01);
    watch(&t, 12, into, beside);
    assert_weighs(&t, "after it sloshed", 8, 16, true);
    flip_case_close(&t.c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(water_at_rest_presses_by_its_depth),
                                     cmocka_unit_test(water_that_broke_down_comes_to_the_same)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
