// SPDX-License-Identifier: Apache-2.0
// labels: F5 F6 F8 F9 F10
// timeout: 120
// What makes snow of the fluid: durability, the yield condition, viscosity, rigid pieces, friction.
#include "solver/flip/pieces.h"
#include "support/flip_case.h"

static const double G = 9.81, PI = 3.14159265358979323846, DEGREE = 3.14159265358979323846 / 180;

// A fluid of the density of snow, to which each test adds what it is about.
static flip_plan plain_plan(void) {
  flip_plan plan = flip_default_plan();
  plan.material.density = 200;
  return plan;
}

// F5 with compression: snow takes the share b of a piston's velocity, all of it alike.
static void a_piston_lifts_snow_at_its_share(void **state) {
  (void)state;
  const double lift[3] = {0, 0.4, 0};
  for (int kernel = 0; kernel < 2; kernel++) {
    for (int damaged = 0; damaged < 3; damaged++) {
      flip_plan plan = plain_plan();
      plan.flip.kernel = (firn_flip_kernel)kernel;
      plan.material.velocity_factor = 0.3;
      plan.material.velocity_factor_slope = 0.4;
      plan.material.durability = damaged ? 0.5 : 1;
      plan.flip.kb_printed = damaged == 2;
      double b = damaged == 0 ? 0.3 : damaged == 1 ? 0.5 : 0.1;
      flip_case c = flip_case_open(&plan);
      for (int a = 0; a < 3; a += 2) {
        double normal[3] = {0}, point[3] = {0};
        normal[a] = 1;
        flip_case_plane(&c, point, normal, NULL);
        normal[a] = -1;
        point[a] = 0.4;
        flip_case_plane(&c, point, normal, NULL);
      }
      flip_case_plane(&c, (const double[3]){0, 0, 0}, (const double[3]){0, 1, 0}, lift);
      flip_case_box(&c, (const int[3]){0, 0, 0}, (const int[3]){4, 6, 4}, 0, NULL);
      flip_case_steps(&c, 12);
      double *v = flip_case_read(&c, "velocity", 3), off = 0;
      for (size_t i = 0; i < 3 * flip_case_count(&c); i++) worst(&off, v[i] - b * lift[i % 3]);
      assert_below("speed of the column, off", off, by_precision(2e-6, 1e-6));
      free(v);
      flip_case_close(&c);
    }
  }
}

// F6: durability never grows, stays within 0 and 1, and changes only under pressure.
static void durability_only_falls(void **state) {
  (void)state;
  flip_plan plan = plain_plan();
  firn_material_preset(NULL, "snow", &plan.material);
  plan.gravity[1] = -G;
  plan.material.crushing = 2e-3;
  plan.material.durability = 0.8;
  flip_case c = flip_case_open(&plan);
  flip_case_plane(&c, (const double[3]){0, 0, 0}, (const double[3]){0, 1, 0}, NULL);
  flip_case_box(&c, (const int[3]){-3, 1, -3}, (const int[3]){3, 6, 3}, 0.2,
                (const double[3]){0, -3, 0});
  double *before = flip_case_read(&c, "durability", 1);
  for (size_t i = 0; i < flip_case_count(&c); i++) assert_within("at first", before[i], 0.8, EPS);
  size_t fallen = 0;
  for (int step = 0; step < 60; step++) {
    flip_case_steps(&c, 1);
    double *after = flip_case_read(&c, "durability", 1);
    for (size_t i = 0; i < flip_case_count(&c); i++) {
      assert_true(after[i] <= before[i] && after[i] >= 0);
      fallen += after[i] < before[i];
    }
    free(before);
    before = after;
  }
  assert_true(fallen > 100);
  assert_true(flip_case_stat(&c, "durability_min") < 0.5);
  free(before);
  flip_case_close(&c);

  plan.gravity[1] = 0;
  c = flip_case_open(&plan);
  flip_case_box(&c, (const int[3]){-3, 1, -3}, (const int[3]){3, 6, 3}, 0.2,
                (const double[3]){0, -3, 1});
  before = flip_case_read(&c, "durability", 1);
  flip_case_steps(&c, 20);
  double *after = flip_case_read(&c, "durability", 1);
  assert_memory_equal(before, after, flip_case_count(&c) * sizeof *before);
  free(before), free(after);
  flip_case_close(&c);
}

// d - k_q (p - threshold) dt / 5 ms, in a cell; and per step where that is asked for, down to 0.
static void pressure_crushes_by_the_law(void **state) {
  (void)state;
  for (int printed = 0; printed < 2; printed++) {
    flip_plan plan = plain_plan();
    plan.material.crushing = 1e-4;
    plan.material.yield_angle = 30 * DEGREE;
    plan.flip.durability_step = printed;
    flip_case c = flip_case_open(&plan);
    flip_case_box(&c, (const int[3]){0, 0, 0}, (const int[3]){4, 4, 4}, 0, NULL);
    flip_case_prepare(&c, 2e-3);
    flip *s = flip_case_solver(&c);
    assert_true(s->porous);
    double times = printed ? 1 : 0.4;
    for (size_t i = 0; i < FLIP_CELLS * s->grid.count; i++)
      s->pressure[0][i] = i % 5 == 0 ? 1600 : i % 5 == 1 ? 500 : i % 5 == 2 ? -1000 : FIRN_R(1e6);
    flip_crush(s, s->active);
    for (size_t i = 0; i < FLIP_CELLS * s->grid.count; i++) {
      if (!flip_bit(s->active, i)) continue;
      double expected = i % 5 == 0 ? 1 - 0.1 * times : i % 5 < 3 ? 1 : 0;
      assert_within("durability", (double)s->d[0][i], expected, by_precision(1e-6, 1e-12));
    }
    flip_case_close(&c);
  }
}

// F8 (a): a cell under pressure yields where the shear that would be stopped is beyond the bound, and not
// below it; viscosity then bears just that: 2 mu |D| = bound.
static void cells_yield_at_the_bound(void **state) {
  (void)state;
  const double theta = 30, h = 0.1, dt = 5e-3, rho = 200, p = 700, tiny = by_precision(1e-5, 1e-12);
  flip_plan plan = plain_plan();
  plan.material.yield_angle = theta * DEGREE;
  plan.material.yield_cohesion = 15;
  plan.material.yield_cohesion_slope = 20;
  plan.material.durability = 0.25;
  plan.material.viscosity = 0.5;
  double bound = sqrt(2) * sin(theta * PI / 180) * p + 15 + 20 * 0.75;
  for (int way = 0; way < 3; way++) {
    for (int beyond = 0; beyond < 2; beyond++) {
      flip_case c = flip_case_open(&plan);
      flip_case_box(&c, (const int[3]){0, 0, 0}, (const int[3]){8, 8, 8}, 0, NULL);
      flip_case_prepare(&c, dt);
      flip *s = flip_case_solver(&c);
      // Shear in a plane, or a stretch along one axis and half of it the other way along both others:
      // |D| = rate/sqrt(2), and sqrt(3/2) rate.
      double size = bound * dt / (rho * h * h) * (beyond ? 1 + tiny : 1 - tiny);
      double rate = way < 2 ? size * sqrt(2) : size / sqrt(1.5);
      for (size_t g = 0; g < s->grid.count; g++)
        for (int cell = 0; cell < FLIP_CELLS; cell++) {
          size_t i = FLIP_CELLS * g + (size_t)cell;
          double x[3];
          flip_corner(s, g, cell, x);
          for (int a = 0; a < 3; a++) s->u[a][i] = 0;
          if (way == 0) s->u[0][i] = (firn_real)(rate * h * (x[1] + 0.5));
          if (way == 1) s->u[2][i] = (firn_real)(rate * h * (x[0] + 0.5));
          for (int a = 0; a < 3 && way == 2; a++)
            s->u[a][i] = (firn_real)((a == 1 ? rate : -rate / 2) * h * x[a]);
          s->p[i] = p / flip_pascals(s, i);
        }
      firn_real *mu = calloc(FLIP_CELLS * s->grid.count, sizeof *mu);
      flip_yield(s, mu);
      int cells = 0;
      for (size_t g = 0; g < s->grid.count; g++)
        for (int cell = 0; cell < FLIP_CELLS; cell++) {
          size_t i = FLIP_CELLS * g + (size_t)cell;
          double x[3];
          flip_corner(s, g, cell, x);
          bool inner = true;
          for (int a = 0; a < 3; a++) inner = inner && x[a] > 0 && x[a] < 7;
          if (!inner) continue;
          assert_int_equal(flip_bit(s->plastic, i), beyond);
          if (beyond) assert_relative("viscosity", (double)mu[i], 0.5 + bound / (2 * size), 1e-4);
          cells++;
        }
      assert_int_equal(cells, 6 * 6 * 6);
      free(mu);
      flip_case_close(&c);
    }
  }
}

// Speed along the slope of a slab that is one piece, after some time on a plane under tilted gravity.
static double slide(double degrees, double friction, double seconds) {
  flip_plan plan = plain_plan();
  double angle = degrees * PI / 180;
  plan.material.yield_angle = 35 * DEGREE;
  plan.material.yield_cohesion = 1e4;
  plan.flip.flip = 1;
  plan.gravity[0] = G * sin(angle);
  plan.gravity[1] = -G * cos(angle);
  flip_case c = flip_case_open(&plan);
  firn_collider_def def = firn_default_collider_def();
  def.friction = friction;
  must(&c, firn_sim_add_collider(c.sim, &def, NULL));
  flip_case_box(&c, (const int[3]){0, 0, 0}, (const int[3]){6, 2, 6}, 0, NULL);
  flip_case_steps(&c, (int)lround(seconds / plan.flip.dt));
  double *v = flip_case_read(&c, "velocity", 3), sum = 0;
  for (size_t i = 0; i < flip_case_count(&c); i++) sum += v[3 * i] / (double)flip_case_count(&c);
  free(v);
  flip_case_close(&c);
  return sum;
}

// F8 (b): the slab holds up to arctan of the friction, 26.57 degrees, and slides beyond.
static void a_slab_slides_beyond_its_friction(void **state) {
  (void)state;
  assert_below("speed at 26 degrees", slide(26, 0.5, 0.15), by_precision(1e-5, 1e-6));
  double angle = 27.5 * PI / 180, a = G * (sin(angle) - 0.5 * cos(angle));
  assert_relative("speed at 27.5 degrees", slide(27.5, 0.5, 0.15), a * 0.15, 1e-5);
  angle = 40 * PI / 180, a = G * (sin(angle) - 0.5 * cos(angle));
  assert_relative("speed at 40 degrees", slide(40, 0.5, 0.15), a * 0.15, 1e-5);
  assert_relative("without friction", slide(40, 0, 0.15), G * sin(angle) * 0.15, 1e-5);
}

// Momentum and angular momentum of all faces that the pressure moves, by their masses or all alike.
static void momenta(const flip *s, bool weighed, double out[6]) {
  memset(out, 0, 6 * sizeof *out);
  for (size_t g = 0; g < s->grid.count; g++)
    for (int cell = 0; cell < FLIP_CELLS; cell++)
      for (int a = 0; a < 3; a++) {
        size_t i = FLIP_CELLS * g + (size_t)cell;
        if (!flip_bit(s->moved[a], i)) continue;
        double x[3], u = (double)s->u[a][i] * (weighed ? flip_face_mass(s, g, cell, a) : 1);
        flip_corner(s, g, cell, x);
        for (int k = 0; k < 3; k++) x[k] += k == a ? 0 : 0.5;
        out[a] += u;
        out[3 + (a + 1) % 3] += x[(a + 2) % 3] * u;
        out[3 + (a + 2) % 3] -= x[(a + 1) % 3] * u;
      }
}

static double rigid_turn(const double x[3], int a) {
  const double omega[3] = {0.3, -0.5, 0.2};
  return omega[(a + 1) % 3] * x[(a + 2) % 3] - omega[(a + 2) % 3] * x[(a + 1) % 3];
}

// Gives each moved face a random velocity or, turned, that of a rigid rotation.
static void stir(flip *s, bool turned) {
  for (size_t g = 0; g < s->grid.count; g++)
    for (int cell = 0; cell < FLIP_CELLS; cell++)
      for (int a = 0; a < 3; a++) {
        size_t i = FLIP_CELLS * g + (size_t)cell;
        double x[3];
        flip_corner(s, g, cell, x);
        for (int k = 0; k < 3; k++) x[k] += k == a ? 0 : 0.5;
        s->u[a][i] = (firn_real)(turned ? rigid_turn(x, a)
                                        : flip_random(5, 3 * i + (size_t)a, -1, 1));
      }
}

// Gives the faces of pieces, those beside what yields too, the velocities that these have got.
static void move_with_pieces(flip *s) {
  for (size_t g = 0; g < s->grid.count; g++)
    for (int cell = 0; cell < FLIP_CELLS; cell++)
      for (int a = 0; a < 3; a++) {
        size_t i = FLIP_CELLS * g + (size_t)cell, below = flip_beside(s, g, cell, a, -1);
        bool here = flip_bit(s->active, i) && !flip_bit(s->plastic, i);
        bool there = flip_bit(s->active, below) && !flip_bit(s->plastic, below);
        double x[3];
        if (!here && !there) continue;
        const piece *p = &s->riding.of[s->riding.label[here ? i : below]];
        const double *w = p->motion + 3;
        assert_false(p->rides);
        flip_corner(s, g, cell, x);
        for (int k = 0; k < 3; k++) x[k] += (k == a ? 0 : 0.5) - p->center[k];
        s->u[a][i] = (firn_real)(p->motion[a] + w[(a + 1) % 3] * x[(a + 2) % 3] -
                                 w[(a + 2) % 3] * x[(a + 1) % 3]);
      }
}

// F9: pieces beside what yields keep the momentum and angular momentum of the grid, and have no
// shear left; a single cell and a row too. At one end of each is a cell that yields, which weighs
// nothing here.
static void rigid_pieces_keep_their_momenta(void **state) {
  (void)state;
  flip_plan plan = plain_plan();
  plan.material.yield_angle = 30 * DEGREE;
  flip_case c = flip_case_open(&plan);
  flip_case_box(&c, (const int[3]){0, 0, 0}, (const int[3]){6, 3, 4}, 0, NULL);
  flip_case_box(&c, (const int[3]){12, 0, 0}, (const int[3]){14, 1, 1}, 0, NULL);
  flip_case_box(&c, (const int[3]){20, 5, 0}, (const int[3]){27, 6, 1}, 0, NULL);
  flip_case_prepare(&c, 5e-3);
  flip *s = flip_case_solver(&c);
  flip_soften(s);
  must(&c, flip_project(s, false));
  memset(s->plastic, 0, s->grid.count * sizeof *s->plastic);
  for (size_t i = 0; i < FLIP_CELLS * s->grid.count; i++) {
    double x[3];
    flip_corner(s, i / FLIP_CELLS, (int)(i % FLIP_CELLS), x);
    if (!flip_bit(s->active, i) || !(x[0] == 5 || x[0] == 13 || x[0] == 26)) continue;
    s->plastic[i / FLIP_CELLS] |= (uint64_t)1 << i % FLIP_CELLS;
    s->fill[0][i] = 0;
  }
  stir(s, false);
  double before[6], after[6];
  momenta(s, true, before);
  must(&c, flip_clusters(s));
  assert_int_equal(s->last.clusters, 3);
  move_with_pieces(s);
  momenta(s, true, after);
  for (int k = 0; k < 6; k++)
    assert_within("momentum", after[k], before[k], by_precision(2e-4, 1e-10));
  double most = 0;
  int cells = 0;
  flip_extrapolate(s, s->u, 2);
  for (size_t g = 0; g < s->grid.count; g++)
    for (int cell = 0; cell < FLIP_CELLS; cell++) {
      double x[3], stress, bound;
      flip_corner(s, g, cell, x);
      if (!(x[0] > 0 && x[0] < 4 && x[1] == 1 && x[2] > 0 && x[2] < 3)) continue;
      flip_shear(s, g, cell, &stress, &bound);
      worst(&most, stress * s->dt / (200 * s->world->h));
      cells++;
    }
  assert_int_equal(cells, 3 * 2);
  assert_below("shear that is left", most, by_precision(1e-6, 1e-12));
  flip_case_close(&c);
}

// F10: a shear wave in a box that repeats itself decays by 1/(1 + dt mu k^2/rho), k that of the grid.
static void a_shear_wave_decays(void **state) {
  (void)state;
  enum { N = 16 };
  for (int across = 0; across < 3; across++) {
    flip_plan plan = plain_plan();
    const int n[3] = {across == 0 ? N : 4, across == 1 ? N : 4, across == 2 ? N : 4};
    plan.material.viscosity = 30;
    plan.flip.viscosity_tolerance = by_precision(1e-7, 1e-12);
    for (int a = 0; a < 3; a++) {
      plan.periodic[a] = true;
      plan.period[a] = n[a];
    }
    flip_case c = flip_case_open(&plan);
    flip_case_box(&c, (const int[3]){0, 0, 0}, n, 0, NULL);
    flip_case_prepare(&c, 5e-3);
    flip *s = flip_case_solver(&c);
    flip_soften(s);
    must(&c, flip_project(s, false));
    int a = (across + 1) % 3;
    double before = 0, after = 0, h = plan.h, wave = 2 * PI / N, k = 2 * sin(wave / 2) / h;
    for (int pass = 0; pass < 2; pass++) {
      for (size_t g = 0; g < s->grid.count; g++)
        for (int cell = 0; cell < FLIP_CELLS; cell++) {
          size_t i = FLIP_CELLS * g + (size_t)cell;
          double x[3];
          flip_corner(s, g, cell, x);
          double shape = cos(wave * (x[across] + 0.5));
          if (pass == 0) s->u[a][i] = (firn_real)shape;
          *(pass ? &after : &before) += shape * (double)s->u[a][i];
        }
      if (pass == 0) must(&c, flip_viscosity(s));
    }
    assert_true(s->last.viscosity_iterations > 0);
    assert_relative("what is left", after / before, 1 / (1 + 5e-3 * 30 * k * k / 200),
                    by_precision(1e-5, 1e-9));
    flip_case_close(&c);
  }
}

// F10: what turns as a whole has no shear, and viscosity leaves it alone, surfaces included.
static void viscosity_leaves_rotation_alone(void **state) {
  (void)state;
  flip_plan plan = plain_plan();
  plan.material.viscosity = 50;
  plan.flip.viscosity_tolerance = 1e-10;
  flip_case c = flip_case_open(&plan);
  flip_case_box(&c, (const int[3]){-3, -2, -4}, (const int[3]){3, 3, 3}, 0.1, NULL);
  flip_case_prepare(&c, 5e-3);
  flip *s = flip_case_solver(&c);
  flip_soften(s);
  must(&c, flip_project(s, false));
  stir(s, true);
  double before[6], off = 0;
  momenta(s, false, before);
  must(&c, flip_viscosity(s));
  assert_int_equal(s->last.plastic, s->last.cells);
  int faces = 0;
  for (size_t g = 0; g < s->grid.count; g++)
    for (int cell = 0; cell < FLIP_CELLS; cell++)
      for (int a = 0; a < 3; a++) {
        size_t i = FLIP_CELLS * g + (size_t)cell;
        double x[3];
        if (!flip_bit(s->moved[a], i)) continue;
        flip_corner(s, g, cell, x);
        for (int k = 0; k < 3; k++) x[k] += k == a ? 0 : 0.5;
        worst(&off, (double)s->u[a][i] - rigid_turn(x, a));
        faces++;
      }
  assert_true(faces > 500);
  assert_below("rotation, off", off, by_precision(1e-6, 1e-8));

  // And keeps the momenta of anything.
  double after[6];
  stir(s, false);
  momenta(s, false, before);
  must(&c, flip_viscosity(s));
  momenta(s, false, after);
  for (int k = 0; k < 6; k++)
    assert_within("momentum", after[k], before[k], by_precision(2e-3, 1e-6));
  flip_case_close(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_piston_lifts_snow_at_its_share),
      cmocka_unit_test(durability_only_falls),
      cmocka_unit_test(pressure_crushes_by_the_law),
      cmocka_unit_test(cells_yield_at_the_bound),
      cmocka_unit_test(a_slab_slides_beyond_its_friction),
      cmocka_unit_test(rigid_pieces_keep_their_momenta),
      cmocka_unit_test(a_shear_wave_decays),
      cmocka_unit_test(viscosity_leaves_rotation_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
