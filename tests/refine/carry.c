// SPDX-License-Identifier: Apache-2.0
// labels: F12
// Fine particles through steps: alone, in snow, at its edge, and among colliders.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <firn/firn.h>

#include "base/isa.h"
#include "math/real.h"
#include "support/books.h"

static const double gravity[3] = {0, -9.81, 0};
static const bool is_double = sizeof(firn_real) == sizeof(double);

static firn_context *context_with(int threads, firn_isa isa) {
  firn_context_def def = firn_default_context_def();
  def.threads = threads;
  def.isa = isa;
  firn_context *context;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  return context;
}

static void close_context(firn_context *context) {
  assert_int_equal(firn_context_bytes(context), 0);
  firn_context_destroy(context);
}

static firn_fine *fine_with(firn_context *context, double cell, firn_refine_mode mode) {
  firn_fine_def def = firn_default_fine_def();
  def.cell = cell;
  def.mode = mode;
  firn_fine *fine;
  assert_int_equal(firn_fine_create(context, &def, &fine), FIRN_OK);
  return fine;
}

static void must(firn_context *context, firn_status status) {
  if (status != FIRN_OK) fail_msg("%s", firn_context_message(context));
}

// ------------------------------------------------------------------------------------------ alone

enum { ALONE = 41 }; // more than a batch of any instruction set, and no multiple

// F12. Rounding: x below 4 m and v below 8 m/s are rounded twice a step.
static void alone_it_falls_as_a_stone(void **state) {
  (void)state;
  const int steps = 200;
  const double dt = 1e-3, t = steps * dt;
  double rounding = 2 * steps * (double)FIRN_REAL_EPS;
  double tolerance = is_double ? 1e-12 : 8 * rounding;
  for (firn_isa isa = FIRN_ISA_SCALAR; isa <= FIRN_ISA_AVX512; isa++) {
    if (!firn_isa_available(isa)) continue;
    firn_context *context = context_with(1, isa);
    firn_fine *fine = fine_with(context, 0.1, FIRN_REFINE_BALLISTIC);
    double x0[ALONE][3], v0[ALONE][3], x[ALONE][3], v[ALONE][3];
    for (int i = 0; i < ALONE; i++)
      for (int a = 0; a < 3; a++) {
        x0[i][a] = (double)(firn_real)(0.03 * i - 0.4 * a);
        v0[i][a] = (double)(firn_real)(3 - a - 0.1 * i);
      }
    must(context, firn_fine_set(fine, ALONE, x0[0], v0[0]));
    firn_fine_step_def step = {.size = sizeof step, .dt = dt};
    memcpy(step.gravity, gravity, sizeof gravity);
    for (int s = 0; s < steps; s++) must(context, firn_fine_step(fine, &step));
    must(context, firn_fine_read(fine, x[0], v[0]));
    for (int i = 0; i < ALONE; i++)
      for (int a = 0; a < 3; a++) {
        double fall = gravity[a] * t;
        assert_true(fabs(v[i][a] - (v0[i][a] + fall)) <= tolerance);
        assert_true(fabs(x[i][a] - (x0[i][a] + v0[i][a] * t + fall * t / 2)) <= tolerance);
      }
    firn_fine_destroy(fine);
    close_context(context);
  }
}

// F12. As printed it has no memory: it never falls faster than in its first step.
static void as_printed_alone_it_never_gets_faster(void **state) {
  (void)state;
  firn_context *context = context_with(1, FIRN_ISA_AUTO);
  firn_fine *fine = fine_with(context, 0.1, FIRN_REFINE_PRINTED);
  double x[3] = {0.5, 0.5, 0.5}, v[3] = {3, 0, 0};
  must(context, firn_fine_set(fine, 1, x, v));
  firn_fine_step_def step = {.size = sizeof step, .dt = 1e-3};
  memcpy(step.gravity, gravity, sizeof gravity);
  for (int s = 0; s < 100; s++) {
    must(context, firn_fine_step(fine, &step));
    must(context, firn_fine_read(fine, x, v));
    assert_true(v[0] == 0 && v[2] == 0);
    assert_true(fabs(v[1] + 9.81e-3) <= (is_double ? 1e-12 : 9.81e-3 * (double)FIRN_REAL_EPS));
  }
  assert_true(fabs(x[1] - (0.5 - 100 * 9.81e-6)) <= (is_double ? 1e-12 : 100 * 6e-8));
  firn_fine_destroy(fine);
  close_context(context);
}

// --------------------------------------------------------------------------------------- at the edge

// Where the snow ends, its density is what rounding leaves of it: nothing gets faster than snow and fall there.
static void the_end_of_snow_throws_nothing(void **state) {
  (void)state;
  enum { SIDE = 12, ALL = SIDE * SIDE * SIDE };
  static double x[ALL][3], v[ALL][3];
  const double cell = 0.1, dt = 1e-3;
  // In the three cells below theirs: of its corners the farthest alone has none.
  const double snow[3][3] = {{0.031, 0.164, 0.187}, {0.113, 0.069, 0.158}, {0.177, 0.125, 0.041}},
               u[3][3] = {{3, -2, 5}, {3, -2, 5}, {3, -2, 5}};
  const double most = sqrt(3 * 3 + 2 * 2 + 5 * 5) + 9.81 * dt;
  for (firn_isa isa = FIRN_ISA_SCALAR; isa <= FIRN_ISA_AVX512; isa++) {
    if (!firn_isa_available(isa)) continue;
    firn_context *context = context_with(1, isa);
    firn_fine *fine = fine_with(context, cell, FIRN_REFINE_PRINTED);
    for (int i = 0; i < ALL; i++) { // up to that corner
      const int at[3] = {i / SIDE / SIDE, i / SIDE % SIDE, i % SIDE};
      for (int a = 0; a < 3; a++) {
        x[i][a] = 2 * cell - 1e-9 * pow(6, at[a]);
        v[i][a] = 0;
      }
    }
    must(context, firn_fine_set(fine, ALL, x[0], v[0]));
    firn_fine_step_def step = {
        .size = sizeof step, .dt = dt, .count = 3, .position = snow[0], .velocity = u[0]};
    memcpy(step.gravity, gravity, sizeof gravity);
    must(context, firn_fine_step(fine, &step));
    assert_true(firn_fine_speed(fine) <= most * 1.001);
    firn_fine_destroy(fine);
    close_context(context);
  }
}

// One particle of the snow, at part t of a cell along each axis, gives its cell's corners w/8; seen from
// where it is that is a density of the sum of squares of the weights over 8.
static void thin_snow_carries_by_its_density(void **state) {
  (void)state;
  const double t[3] = {0.3, 0.6, 0.8}, cell = 0.1, dt = 1e-7;
  double rho = 0.125;
  for (int a = 0; a < 3; a++) rho *= t[a] * t[a] + (1 - t[a]) * (1 - t[a]);
  const double alpha = rho / 0.5, u[3] = {1, 2, 3};
  for (firn_refine_mode mode = FIRN_REFINE_BALLISTIC; mode <= FIRN_REFINE_PRINTED; mode++) {
    firn_context *context = context_with(1, FIRN_ISA_AUTO);
    firn_fine *fine = fine_with(context, cell, mode);
    const double snow[3] = {-0.1 + cell * t[0], cell * t[1], 0.3 + cell * t[2]};
    double v[3] = {0, -1, 5}, x[3];
    const double before[3] = {0, -1, 5};
    must(context, firn_fine_set(fine, 1, snow, v));
    firn_fine_step_def step = {.size = sizeof step,
                               .dt = dt,
                               .gravity = {0, -9e4, 0},
                               .count = 1,
                               .position = snow,
                               .velocity = u};
    must(context, firn_fine_step(fine, &step));
    must(context, firn_fine_read(fine, x, v));
    for (int a = 0; a < 3; a++) {
      double from = mode == FIRN_REFINE_PRINTED ? u[a] : before[a];
      double expected = alpha * u[a] + (1 - alpha) * (from + dt * step.gravity[a]);
      // On its way it sees 1e-6 of a cell more; floats know the place in the cell to 4e-6.
      assert_true(fabs(v[a] - expected) <= (is_double ? 1e-5 : 1e-4));
    }
    firn_fine_destroy(fine);
    close_context(context);
  }
}

// ------------------------------------------------------------------------------------------ in snow

enum { EDGE = 24 }; // particles of the snow along the edge of a cube

typedef struct cube {
  double x[EDGE * EDGE * EDGE][3], v[EDGE * EDGE * EDGE][3];
} cube;

// A cube about the origin, 8 particles a cell, that turns about z by omega t and moves with u.
static void turn(cube *c, double cell, double omega, double t, const double u[3]) {
  double co = cos(omega * t), si = sin(omega * t);
  for (int i = 0; i < EDGE * EDGE * EDGE; i++) {
    const int at[3] = {i / EDGE / EDGE, i / EDGE % EDGE, i % EDGE};
    double p[3];
    for (int a = 0; a < 3; a++) p[a] = (at[a] - (EDGE - 1) / 2.0) * cell / 2;
    c->x[i][0] = co * p[0] - si * p[1] + u[0] * t;
    c->x[i][1] = si * p[0] + co * p[1] + u[1] * t;
    c->x[i][2] = p[2] + u[2] * t;
    c->v[i][0] = -omega * (c->x[i][1] - u[1] * t) + u[0];
    c->v[i][1] = omega * (c->x[i][0] - u[0] * t) + u[1];
    c->v[i][2] = u[2];
  }
}

// A fifth of a turn, half a cell at the rim a step, while it flies. What is inside stays where it is in the
// cube, and the powder on its surface too, but that it lags a little. Forward Euler would drive both outwards, by
// omega^2 dt/2 of the radius a second: 0.15 cells.
static void powder_stays_with_snow_that_turns_and_flies(void **state) {
  (void)state;
  enum { N = 400 };
  const double cell = 0.1, omega = 6, dt = 0.01;
  const double flies[3] = {2, 1, -1};
  cube *c = malloc(sizeof *c);
  firn_context *context = context_with(2, FIRN_ISA_AUTO);
  firn_fine *fine = fine_with(context, cell, FIRN_REFINE_BALLISTIC);
  double x0[N][3], v0[N][3], x[N][3];
  srand(3);
  for (int i = 0; i < N; i++) {
    for (int a = 0; a < 3; a++)
      x0[i][a] = (rand() / (double)RAND_MAX - 0.5) * (EDGE - 1) / 2 * cell;
    if (i % 4 == 0) x0[i][1] = (EDGE - 0.6) / 4 * cell; // on the surface
    v0[i][0] = -omega * x0[i][1] + flies[0];
    v0[i][1] = omega * x0[i][0] + flies[1];
    v0[i][2] = flies[2];
  }
  must(context, firn_fine_set(fine, N, x0[0], v0[0]));
  const int steps = 20;
  for (int s = 0; s < steps; s++) {
    turn(c, cell, omega, (s + 0.5) * dt, flies);
    firn_fine_step_def step = {.size = sizeof step,
                               .dt = dt,
                               .gravity = {0, 0, 0},
                               .count = EDGE * EDGE * EDGE,
                               .position = c->x[0],
                               .velocity = c->v[0]};
    must(context, firn_fine_step(fine, &step));
  }
  must(context, firn_fine_read(fine, x[0], NULL));
  double t = steps * dt, co = cos(omega * t), si = sin(omega * t), mean = 0, out = 0;
  for (int i = 0; i < N; i++) {
    const double to[3] = {co * x0[i][0] - si * x0[i][1] + flies[0] * t,
                          si * x0[i][0] + co * x0[i][1] + flies[1] * t, x0[i][2] + flies[2] * t};
    double off = 0;
    for (int a = 0; a < 3; a++) off += (x[i][a] - to[a]) * (x[i][a] - to[a]);
    mean += sqrt(off) / N / cell;
    double cx = x[i][0] - flies[0] * t, cy = x[i][1] - flies[1] * t;
    out += (hypot(cx, cy) - hypot(x0[i][0], x0[i][1])) / N / cell;
  }
  if (mean > 0.2 || fabs(out) > 0.02) fail_msg("off by %g cells, %g of them outwards", mean, out);
  firn_fine_destroy(fine);
  close_context(context);
  free(c);
}

// --------------------------------------------------------------------------------------- same bytes

enum { MANY = 3000 };

static void carry_many(int threads, firn_isa isa, double x[][3], double v[][3]) {
  firn_context *context = context_with(threads, isa);
  firn_fine *fine = fine_with(context, 0.1, FIRN_REFINE_BALLISTIC);
  cube *c = malloc(sizeof *c);
  firn_sim_def sim_def = firn_default_sim_def();
  sim_def.h = 0.1;
  firn_sim *sim;
  must(context, firn_sim_create(context, &sim_def, &sim));
  firn_collider_def floor = firn_default_collider_def(), ball = floor;
  floor.shape = firn_half_space((const double[3]){0, -0.7, 0}, (const double[3]){0, 1, 0});
  ball.shape = firn_sphere((const double[3]){0.5, 0.3, 0}, 0.25);
  must(context, firn_sim_add_collider(sim, &floor, NULL));
  must(context, firn_sim_add_collider(sim, &ball, NULL));
  srand(11);
  for (int i = 0; i < MANY; i++)
    for (int a = 0; a < 3; a++) {
      x[i][a] = (rand() / (double)RAND_MAX - 0.5) * (i % 3 ? 1.2 : 2);
      v[i][a] = rand() / (double)RAND_MAX - 0.5;
    }
  must(context, firn_fine_set(fine, MANY, x[0], v[0]));
  for (int s = 0; s < 30; s++) {
    turn(c, 0.1, 4, (s + 0.5) * 0.01, (const double[3]){1, 0, 0});
    firn_fine_step_def step = {.size = sizeof step,
                               .dt = 0.01,
                               .gravity = {0, -9.81, 0},
                               .count = EDGE * EDGE * EDGE,
                               .position = c->x[0],
                               .velocity = c->v[0],
                               .sim = sim};
    must(context, firn_fine_step(fine, &step));
  }
  assert_int_equal(firn_fine_count(fine), MANY);
  must(context, firn_fine_read(fine, x[0], v[0]));
  firn_sim_destroy(sim);
  firn_fine_destroy(fine);
  close_context(context);
  free(c);
}

static void any_number_of_threads_gives_the_same_bytes(void **state) {
  (void)state;
  static double x[2][MANY][3], v[2][MANY][3];
  carry_many(1, FIRN_ISA_AUTO, x[0], v[0]);
  static const int threads[] = {2, 3, 16};
  for (int t = 0; t < 3; t++) {
    carry_many(threads[t], FIRN_ISA_AUTO, x[1], v[1]);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_memory_equal(v[0], v[1], sizeof v[0]);
  }
}

// One that grazes a collider, or that another rounding takes into the next cell, may go elsewhere; few do.
static void instruction_sets_agree(void **state) {
  (void)state;
  static double x[2][MANY][3], v[2][MANY][3];
  carry_many(2, FIRN_ISA_SCALAR, x[0], v[0]);
  for (firn_isa isa = FIRN_ISA_AVX2; isa <= FIRN_ISA_AVX512; isa++) {
    if (!firn_isa_available(isa)) continue;
    carry_many(2, isa, x[1], v[1]);
    int far = 0;
    for (int i = 0; i < MANY; i++)
      for (int a = 0; a < 3; a++) far += fabs(x[0][i][a] - x[1][i][a]) > (is_double ? 1e-12 : 3e-4);
    if (far > MANY / 100) fail_msg("%s: %d of %d differ", firn_isa_name(isa), far, 3 * MANY);
  }
}

// ---------------------------------------------------------------------------------------- colliders

static void nothing_enters_colliders(void **state) {
  (void)state;
  static double x[MANY][3], v[MANY][3];
  carry_many(2, FIRN_ISA_AUTO, x, v);
  int low = 0, near = 0;
  // Where both colliders touch, what one pushes out the other may push in; here they are apart.
  for (int i = 0; i < MANY; i++) {
    double d[3] = {x[i][0] - 0.5, x[i][1] - 0.3, x[i][2]};
    double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    assert_true(x[i][1] >= -0.7 - 1e-6 && r >= 0.25 - 1e-6);
    low += x[i][1] < -0.6;
    near += r < 0.3;
  }
  assert_true(low > 20 && near > 20); // they were there
}

static void colliders_rub(void **state) {
  (void)state;
  firn_context *context = context_with(1, FIRN_ISA_AUTO);
  firn_fine *fine = fine_with(context, 0.1, FIRN_REFINE_BALLISTIC);
  firn_sim_def sim_def = firn_default_sim_def();
  sim_def.h = 0.1;
  firn_sim *sim;
  must(context, firn_sim_create(context, &sim_def, &sim));
  firn_collider_def floor = firn_default_collider_def();
  floor.friction = 0.4;
  must(context, firn_sim_add_collider(sim, &floor, NULL));
  double x[3] = {0, 1e-4, 0}, v[3] = {3, -2, 0};
  must(context, firn_fine_set(fine, 1, x, v));
  firn_fine_step_def step = {.size = sizeof step, .dt = 1e-3, .gravity = {0, -9.81, 0}, .sim = sim};
  must(context, firn_fine_step(fine, &step));
  must(context, firn_fine_read(fine, x, v));
  assert_true(x[1] >= 0 && x[1] <= 0.25 * 0.1);
  assert_true(fabs(v[0] - (3 - 0.4 * (2 + 9.81e-3))) <= 1e-5 && fabs(v[1]) <= 1e-6);
  firn_sim_destroy(sim);
  firn_fine_destroy(fine);
  close_context(context);
}

// What has fallen is a layer, not a film.
static void grains_lie_on_each_other(void **state) {
  (void)state;
  static double x[MANY][3], v[MANY][3];
  firn_context *context = context_with(1, FIRN_ISA_AUTO);
  firn_fine *fine = fine_with(context, 0.1, FIRN_REFINE_BALLISTIC);
  firn_sim_def sim_def = firn_default_sim_def();
  sim_def.h = 0.1;
  firn_sim *sim;
  must(context, firn_sim_create(context, &sim_def, &sim));
  firn_collider_def floor = firn_default_collider_def();
  must(context, firn_sim_add_collider(sim, &floor, NULL));
  for (int i = 0; i < MANY; i++) x[i][0] = 1e-3 * i, x[i][1] = 0.05, x[i][2] = 0;
  must(context, firn_fine_set(fine, MANY, &x[0][0], &v[0][0]));
  firn_fine_step_def step = {.size = sizeof step, .dt = 5e-3, .gravity = {0, -9.81, 0}, .sim = sim};
  for (int n = 0; n < 60; n++) must(context, firn_fine_step(fine, &step));
  must(context, firn_fine_read(fine, &x[0][0], &v[0][0]));
  double mean = 0, most = 0;
  for (int i = 0; i < MANY; i++) {
    mean += x[i][1] / MANY;
    most = fmax(most, x[i][1]);
  }
  assert_true(most <= 0.0251 && most > 0.02 && fabs(mean - 0.0125) < 0.002);
  firn_sim_destroy(sim);
  firn_fine_destroy(fine);
  close_context(context);
}

// ----------------------------------------------------------------------------------------- bad input

static void bad_input_is_refused(void **state) {
  (void)state;
  firn_context *context = context_with(1, FIRN_ISA_AUTO);
  firn_fine_def def = firn_default_fine_def();
  firn_fine *fine;
  assert_int_equal(firn_fine_create(context, &def, &fine), FIRN_ERROR_ARGUMENT); // no cell
  def.cell = 0.1;
  def.density = 0;
  assert_int_equal(firn_fine_create(context, &def, &fine), FIRN_ERROR_ARGUMENT);
  fine = fine_with(context, 0.1, FIRN_REFINE_BALLISTIC);
  double x[3] = {0, 0, 0}, v[3] = {5, 0, 0}, nowhere[3] = {0, (double)NAN, 0};
  assert_int_equal(firn_fine_set(fine, 1, nowhere, v), FIRN_ERROR_ARGUMENT);
  assert_non_null(strstr(firn_context_message(context), "particle 0"));
  assert_int_equal(firn_fine_set(fine, 1, x, nowhere), FIRN_ERROR_ARGUMENT);
  // Too many: said before any of them is read, of which there is one.
  assert_int_equal(firn_fine_set(fine, (size_t)INT32_MAX + 1, x, v), FIRN_ERROR_ARGUMENT);
  must(context, firn_fine_set(fine, 1, x, v));
  firn_fine_step_def step = {.size = sizeof step, .dt = 0.03};
  assert_int_equal(firn_fine_step(fine, &step), FIRN_ERROR_ARGUMENT);
  assert_non_null(strstr(firn_context_message(context), "shorter steps"));
  step.dt = 0.01;
  step.count = 1;
  step.position = nowhere;
  step.velocity = v;
  assert_int_equal(firn_fine_step(fine, &step), FIRN_ERROR_ARGUMENT);
  step.position = x;
  step.velocity = nowhere;
  assert_int_equal(firn_fine_step(fine, &step), FIRN_ERROR_ARGUMENT);
  must(context, firn_fine_read(fine, x, v));
  assert_true(x[0] == 0 && v[0] == 5); // nothing has moved
  must(context, firn_fine_set(fine, 0, NULL, NULL));
  step = (firn_fine_step_def){.size = sizeof(firn_fine_step_def), .dt = 0.01};
  must(context, firn_fine_step(fine, &step));
  firn_fine_destroy(fine);
  close_context(context);
}

// ------------------------------------------------------------------------------------------- memory

enum { APART = 60, APART_STEPS = 6 };

// Particles that fly apart, so that they need more blocks each step; a call that memory ran out in is made again.
static void fly_apart(books *b, double x[APART][3]) {
  firn_context *context;
  firn_fine *fine;
  double v[APART][3];
  firn_fine_def def = firn_default_fine_def();
  def.cell = 0.1;
  firn_status status = books_context(b, 1, &context);
  if (status != FIRN_OK) status = books_context(b, 1, &context);
  assert_int_equal(status, FIRN_OK);
  status = firn_fine_create(context, &def, &fine);
  if (status != FIRN_OK) status = firn_fine_create(context, &def, &fine);
  must(context, status);
  for (int i = 0; i < APART; i++)
    for (int a = 0; a < 3; a++) {
      x[i][a] = 0.4 * sin(5 * i + a);
      v[i][a] = 8 * sin(3 * i + 2 * a);
    }
  firn_fine_step_def step = {.size = sizeof step,
                             .dt = 7e-3,
                             .count = APART,
                             .position = x[0],
                             .velocity = v[0],
                             .gravity = {0, -9.81, 0}};
  status = firn_fine_set(fine, APART, x[0], v[0]);
  if (status != FIRN_OK) {
    assert_int_equal(firn_fine_count(fine), 0);
    must(context, firn_fine_step(fine, &step));
    status = firn_fine_set(fine, APART, x[0], v[0]);
  }
  must(context, status);
  for (int s = 0; s < APART_STEPS; s++) {
    status = firn_fine_step(fine, &step);
    if (status != FIRN_OK) status = firn_fine_step(fine, &step);
    must(context, status);
    must(context, firn_fine_read(fine, x[0], v[0]));
  }
  firn_fine_destroy(fine);
  close_context(context);
  assert_int_equal(b->blocks, 0);
}

static void memory_that_runs_out_loses_nothing(void **state) {
  (void)state;
  books plain = {0};
  double wanted[APART][3], x[APART][3];
  fly_apart(&plain, wanted);
  for (size_t at = 1; at <= plain.calls; at++) {
    books b = {.refuse_at = at};
    fly_apart(&b, x);
    assert_int_equal(b.refused, 1);
    if (memcmp(x, wanted, sizeof x) != 0) fail_msg("allocation %zu changes what is there", at);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(alone_it_falls_as_a_stone),
      cmocka_unit_test(as_printed_alone_it_never_gets_faster),
      cmocka_unit_test(the_end_of_snow_throws_nothing),
      cmocka_unit_test(thin_snow_carries_by_its_density),
      cmocka_unit_test(powder_stays_with_snow_that_turns_and_flies),
      cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
      cmocka_unit_test(instruction_sets_agree),
      cmocka_unit_test(nothing_enters_colliders),
      cmocka_unit_test(colliders_rub),
      cmocka_unit_test(grains_lie_on_each_other),
      cmocka_unit_test(bad_input_is_refused),
      cmocka_unit_test(memory_that_runs_out_loses_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
