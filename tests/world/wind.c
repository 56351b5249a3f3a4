// SPDX-License-Identifier: Apache-2.0
// labels: P17 slow
// Wind: its parts against closed forms, and what it does to flakes and to snow.
#include "cache/scratch.h"
//
#include "api/sim.h"
#include "base/random.h"
#include "geometry/sdf.h"
#include "support/same.h"

static const double PI = 3.14159265358979323846;
static const firn_air AIR = {FIRN_AIR_DENSITY, FIRN_AIR_VISCOSITY};

static double uniform(uint32_t i, uint32_t k, double lo, double hi) {
  return lo + (hi - lo) * firn_uniform(firn_philox4x32(9, i, k, 0).v[0]);
}

static firn_sim *open_sim(firn_context *context, double h, double gravity, double density) {
  firn_sim_def def = firn_default_sim_def();
  def.h = h;
  def.seed = 5;
  def.gravity[1] = -gravity;
  def.mpm.volume_nominal = true;
  def.mpm.integrator = FIRN_INTEGRATOR_EXPLICIT;
  firn_sim *sim;
  MUST(context, firn_sim_create(context, &def, &sim));
  firn_material_def snow = firn_default_material_def();
  snow.density = density;
  MUST(context, firn_sim_add_material(sim, &snow, NULL));
  return sim;
}

// ------------------------------------------------------------------------------------------ drag

// A flake of 5 mm and 40 kg/m^3 falls at 2.5214 m/s (Re 1021), whatever the step is: at the end of each,
// what gravity added is what drag took.
static void a_flake_falls_at_its_terminal_velocity(void **state) {
  (void)state;
  const double steps[] = {1e-4, 1e-3, 0.02, 0.3, 5}, still[3] = {0, 0, 0};
  for (int k = 0; k < 5; k++) {
    double v[3] = {0, 0, 0}, a[3];
    for (int i = 0; i < 60000; i++) {
      v[1] -= 9.81 * steps[k];
      firn_wind_acceleration(&AIR, 5e-3, 40, 0, 1, v, still, steps[k], a);
      for (int c = 0; c < 3; c++) v[c] += steps[k] * a[c];
    }
    assert_true(fabs(-v[1] / 2.5214 - 1) < 1e-4); // the figure has five digits
  }
}

// Far below, Stokes: m g = 6 pi mu l v.
static void dust_falls_by_stokes_law(void **state) {
  (void)state;
  double v[3] = {0, 0, 0}, a[3], h = 4e-6, l = cbrt(3 / (4 * PI)) * h;
  const double still[3] = {0, 0, 0};
  for (int i = 0; i < 2000; i++) {
    v[1] -= 9.81 * 1e-3;
    firn_wind_acceleration(&AIR, h, 400, 0, 1, v, still, 1e-3, a);
    for (int c = 0; c < 3; c++) v[c] += 1e-3 * a[c];
  }
  double stokes = 400 * h * h * h * 9.81 / (6 * PI * AIR.viscosity * l);
  double re = 2 * AIR.density * stokes * l / AIR.viscosity;
  assert_true(re < 1e-3);
  assert_true(fabs(-v[1] / stokes * (1 + cbrt(re * re) / 6) - 1) < 1e-5);
}

// u' = u - dt k(|u'|) u', for all speeds and steps; never more than before, never turned round.
static void drag_is_implicit(void **state) {
  (void)state;
  assert_true(fabs(firn_drag_coefficient(1000) - 0.424) < 1e-12); // no jump
  assert_true(fabs(firn_drag_coefficient(1000.0001) - 0.424) < 1e-12);
  for (uint32_t i = 0; i < 20000; i++) {
    double speed = pow(10, uniform(i, 0, -8, 3)), dt = pow(10, uniform(i, 1, -7, 3));
    double h = pow(10, uniform(i, 2, -4, -1)), crowd = uniform(i, 3, 0, 1), slope;
    double exposure = uniform(i, 4, 0, 1);
    double s = firn_drag_factor(&AIR, h, 100, crowd, exposure, speed, dt);
    double k = firn_drag_rate(&AIR, h, 100, crowd, exposure, s * speed, &slope);
    assert_true(s > 0 && s <= 1);
    assert_true(fabs(s * (1 + dt * k) - 1) < 1e-9);
    double up = firn_drag_rate(&AIR, h, 100, crowd, exposure, s * speed * 1.0001, &slope);
    double down = firn_drag_rate(&AIR, h, 100, crowd, exposure, s * speed * 0.9999, &slope);
    firn_drag_rate(&AIR, h, 100, crowd, exposure, s * speed, &slope);
    double difference = (up - down) / (2e-4 * s * speed);
    double re = 2 * AIR.density * s * speed * 0.62035 * h / AIR.viscosity;
    bool kink = fabs(re / 1000 - 1)<1e-3, flat = 1e-9 * k / (s * speed)> slope;
    if (!kink && !flat) assert_true(fabs(difference / slope - 1) < 1e-3);
  }
  // Among others: C = 1, A = h^2.
  double slope, k = firn_drag_rate(&AIR, 0.01, 100, 1, 1, 3, &slope);
  assert_true(fabs(k - 0.5 * AIR.density * 3 * 1e-4 / (100 * 1e-6)) < 1e-12);
}

// --------------------------------------------------------------------------------------- its parts

typedef struct air {
  firn_context *context;
  firn_sim *sim;
} air;

static air open_air(const firn_wind_def *def) {
  air a = {.context = make_context(1, FIRN_ISA_AUTO)};
  a.sim = open_sim(a.context, 0.01, 0, 400);
  MUST(a.context, firn_sim_set_wind(a.sim, def));
  return a;
}

static void close_air(air *a) {
  firn_sim_destroy(a->sim);
  drop_context(a->context);
}

// Divergence and curl of the wind at a place, 1/s, by differences.
static void derivatives(const firn_sim *sim, const double x[3], double e, double *divergence,
                        double curl[3]) {
  double g[3][3]; // [along][of]
  for (int a = 0; a < 3; a++) {
    double p[3], up[3], down[3];
    memcpy(p, x, sizeof p);
    p[a] = x[a] + e;
    firn_sim_wind_at(sim, p, 0.3, up);
    p[a] = x[a] - e;
    firn_sim_wind_at(sim, p, 0.3, down);
    for (int c = 0; c < 3; c++) g[a][c] = (up[c] - down[c]) / (2 * e);
  }
  *divergence = g[0][0] + g[1][1] + g[2][2];
  for (int a = 0; a < 3; a++) curl[a] = g[(a + 1) % 3][(a + 2) % 3] - g[(a + 2) % 3][(a + 1) % 3];
}

// Along the surface on it, as without the body far away, without sources and without spin between.
static void check_potential_flow(firn_wind_def def, firn_shape_def body, double size) {
  def.velocity[0] = 3;
  def.velocity[1] = -1;
  def.velocity[2] = 2;
  air a = open_air(&def);
  firn_shape *shape;
  MUST(a.context, firn_shape_create(a.context, &body, &shape));
  double least = 9, most = 0;
  for (uint32_t i = 0; i < 2000; i++) {
    double x[3], n[3], u[3], d;
    for (int c = 0; c < 3; c++) {
      x[c] = def.body_center[c] + uniform(i, (uint32_t)c, -2, 2) * size;
    }
    d = firn_shape_distance(shape, x, n); // exact, and so is one step along the normal
    for (int c = 0; c < 3; c++) x[c] -= d * n[c];
    for (int c = 0; c < 3; c++) x[c] += 1e-9 * n[c];
    firn_sim_wind_at(a.sim, x, 0, u);
    assert_true(fabs(firn_sdf_dot(u, n)) < 1e-6);
    double speed = firn_sdf_length(u);
    least = fmin(least, speed), most = fmax(most, speed);
    double divergence, curl[3];
    for (int c = 0; c < 3; c++) x[c] += n[c] * size * uniform(i, 5, 0.05, 1);
    derivatives(a.sim, x, 1e-4 * size, &divergence, curl);
    assert_true(fabs(divergence) < 1e-5 / size);
    for (int c = 0; c < 3; c++) assert_true(fabs(curl[c]) < 1e-5 / size);
  }
  assert_true(least < 1.6 && most > sqrt(14) * 1.2); // slow in front, quick at the sides
  double u[3], inside[3];
  double far[3] = {1e4 * size, -2e4 * size, 1e4 * size};
  firn_sim_wind_at(a.sim, far, 0, u);
  for (int c = 0; c < 3; c++) assert_true(fabs(u[c] - def.velocity[c]) < 1e-6);
  firn_sim_wind_at(a.sim, def.body_center, 0, inside);
  assert_true(firn_sdf_length(inside) == 0);
  firn_shape_release(shape);
  close_air(&a);
}

static void wind_flows_round_bodies(void **state) {
  (void)state;
  firn_wind_def def = firn_default_wind_def();
  const double center[3] = {0.5, 1, -2};
  memcpy(def.body_center, center, sizeof center);
  def.body = FIRN_WIND_BODY_ELLIPSOID;
  for (int a = 0; a < 3; a++) def.body_radii[a] = 0.7;
  check_potential_flow(def, firn_sphere(center, 0.7), 0.7);
  def.body_radii[1] = 0.3;
  def.body_radii[2] = 1.5;
  check_potential_flow(def, firn_ellipsoid(center, def.body_radii), 1);
  def.body = FIRN_WIND_BODY_CYLINDER;
  def.body_radii[0] = 0.4;
  def.body_axis[0] = 1;
  const double from[3] = {center[0] - 50, center[1] - 50, center[2]};
  const double to[3] = {center[0] + 50, center[1] + 50, center[2]};
  check_potential_flow(def, firn_cylinder(from, to, 0.4), 0.4);
}

// Round a ball the speed is u = U (1 + R^3 / 2 r^3) - 3/2 R^3/r^3 (U e) e; a long ellipsoid is a cylinder
// in its middle.
static void flow_round_a_ball_is_that_of_the_books(void **state) {
  (void)state;
  firn_wind_def def = firn_default_wind_def();
  const double U[3] = {3, -1, 2};
  memcpy(def.velocity, U, sizeof U);
  def.body = FIRN_WIND_BODY_ELLIPSOID;
  for (int a = 0; a < 3; a++) def.body_radii[a] = 0.5;
  air ball = open_air(&def);
  def.body_radii[2] = 5000;
  air rod = open_air(&def);
  def.body = FIRN_WIND_BODY_CYLINDER;
  memcpy(def.body_axis, (double[]){0, 0, 2}, sizeof def.body_axis);
  air cylinder = open_air(&def);
  for (uint32_t i = 0; i < 1000; i++) {
    double x[3], e[3], u[3], v[3];
    for (uint32_t c = 0; c < 3; c++) x[c] = uniform(i, c, -3, 3);
    double r = firn_sdf_direction(x, e), q = 0.125 / (r * r * r), into = firn_sdf_dot(U, e);
    firn_sim_wind_at(ball.sim, x, 0, u);
    for (int c = 0; c < 3 && r > 0.5; c++) {
      assert_true(fabs(u[c] - (U[c] * (1 + q / 2) - 1.5 * q * into * e[c])) < 1e-11);
    }
    if (hypot(x[0], x[1]) < 0.5) continue;
    firn_sim_wind_at(rod.sim, x, 0, u);
    firn_sim_wind_at(cylinder.sim, x, 0, v);
    for (int c = 0; c < 3; c++) assert_true(fabs(u[c] - v[c]) < 1e-5);
  }
  close_air(&ball);
  close_air(&rod);
  close_air(&cylinder);
}

// Gusts have mean 1; a sine has a mean square of 1/2, the noise one of 26/105.
static void gusts_have_the_statistics_they_say(void **state) {
  (void)state;
  for (int noisy = 0; noisy < 2; noisy++) {
    firn_wind_def def = firn_default_wind_def();
    def.velocity[0] = 2;
    def.gust = 0.5;
    def.gust_period = 0.7;
    def.gust_noise = noisy;
    air a = open_air(&def);
    const int n = 400000;
    double sum = 0, square = 0, most = 0, jump = 0, before = 0;
    for (int i = 0; i < n; i++) {
      double x[3] = {0, 0, 0}, u[3];
      firn_sim_wind_at(a.sim, x, 0.7 * 0.05123 * i, u);
      double g = u[0] / 2 - 1;
      assert_true(u[1] == 0 && u[2] == 0);
      sum += g;
      square += g * g;
      most = fmax(most, fabs(g));
      if (i) jump = fmax(jump, fabs(g - before));
      before = g;
    }
    // 20000 periods: noise has a deviation of 0.25 / sqrt(20000) = 0.002 of its mean.
    assert_true(fabs(sum / n) < 0.006);
    double expected = 0.25 * (noisy ? 26.0 / 105 : 0.5);
    assert_true(fabs(square / n / expected - 1) < 0.03);
    assert_true(most <= 0.5 && most > 0.48);
    assert_true(jump < 0.5 * 2 * PI * 0.0513); // it changes within a period
    close_air(&a);
  }
}

static void swirls_turn_about_their_axis(void **state) {
  (void)state;
  firn_wind_def def = firn_default_wind_def();
  def.swirl = 4;
  def.swirl_radius = 0.5;
  memcpy(def.swirl_center, (double[]){1, 0, 0}, sizeof def.swirl_center);
  air a = open_air(&def);
  const double radii[] = {0.01, 0.25, 0.5, 2};
  for (int k = 0; k < 4; k++) {
    double r = radii[k], x[3] = {1 + r, 7, 0}, u[3];
    firn_sim_wind_at(a.sim, x, 0, u);
    double q = r / 0.5, speed = 4 * 2 * q / (1 + q * q);
    assert_true(fabs(u[2] + speed) < 1e-12 && fabs(u[0]) < 1e-12 && u[1] == 0); // y cross x is -z
  }
  close_air(&a);
}

static void turbulence_has_its_speed_and_no_sources(void **state) {
  (void)state;
  for (int octaves = 1; octaves <= 3; octaves += 2) {
    firn_wind_def def = firn_default_wind_def();
    def.turbulence = 3;
    def.turbulence_wavelength = 0.5;
    def.turbulence_octaves = octaves;
    def.turbulence_drift[0] = 2;
    air a = open_air(&def);
    double square = 0, sum[3] = {0, 0, 0};
    const uint32_t n = 100000;
    for (uint32_t i = 0; i < n; i++) {
      double x[3], u[3];
      for (uint32_t c = 0; c < 3; c++) x[c] = uniform(i, c, -50, 50);
      firn_sim_wind_at(a.sim, x, 0, u);
      square += firn_sdf_dot(u, u);
      for (int c = 0; c < 3; c++) sum[c] += u[c];
      if (i >= 1000) continue;
      double divergence, curl[3];
      derivatives(a.sim, x, 1e-5, &divergence, curl);
      assert_true(fabs(divergence) < 1e-3 * 3 / 0.5);
      // It goes with the drift.
      double later[3] = {x[0] + 2 * 1.7, x[1], x[2]}, v[3];
      firn_sim_wind_at(a.sim, later, 1.7, v);
      for (int c = 0; c < 3; c++) assert_true(fabs(u[c] - v[c]) < 1e-9);
    }
    if (!(fabs(sqrt(square / n) / 3 - 1) < 0.02)) fail_msg("%g", sqrt(square / n) / 3);
    for (int c = 0; c < 3; c++) assert_true(fabs(sum[c] / n) < 0.03);
    close_air(&a);
  }
}

static void grids_are_linear_between_their_nodes(void **state) {
  (void)state;
  firn_wind_def def = firn_default_wind_def();
  double nodes[4 * 3 * 5][3];
  const double spacing[3] = {0.5, 1, 0.25}, origin[3] = {-1, 0, 2};
  for (int i = 0; i < 60; i++) { // u = (x + 2 y, y - z, x z)
    const int at[3] = {i % 4, i / 4 % 3, i / 12};
    double x[3];
    for (int a = 0; a < 3; a++) x[a] = origin[a] + at[a] * spacing[a];
    nodes[i][0] = x[0] + 2 * x[1], nodes[i][1] = x[1] - x[2], nodes[i][2] = x[0] * x[2];
  }
  memcpy(def.grid_nodes, (int[]){4, 3, 5}, sizeof def.grid_nodes);
  memcpy(def.grid_origin, origin, sizeof origin);
  memcpy(def.grid_spacing, spacing, sizeof spacing);
  def.grid_velocity = nodes[0];
  def.velocity[1] = 10;
  air a = open_air(&def);
  memset(nodes, 0, sizeof nodes); // it was copied
  for (uint32_t i = 0; i < 1000; i++) {
    double x[3], p[3], u[3];
    const double end[3] = {0.5, 2, 3};
    for (uint32_t c = 0; c < 3; c++) {
      x[c] = uniform(i, c, -3, 4);
      p[c] = fmin(fmax(x[c], origin[c]), end[c]);
    }
    firn_sim_wind_at(a.sim, x, 0, u);
    assert_true(fabs(u[0] - (p[0] + 2 * p[1])) < 1e-12);
    assert_true(fabs(u[1] - (p[1] - p[2] + 10)) < 1e-12);
    assert_true(fabs(u[2] - p[0] * p[2]) < 1e-12);
  }
  close_air(&a);
}

static void wrong_winds_are_refused(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = open_sim(context, 0.01, 0, 400);
  const double v[3] = {1, 0, 0}, x[3] = {0, 0, 0};
  double u[3];
  MUST_FAIL(context, firn_sim_set_wind_velocity(sim, v), FIRN_ERROR_STATE, "wind");
  firn_wind_def def = firn_default_wind_def();
  def.velocity[1] = NAN;
  MUST_FAIL(context, firn_sim_set_wind(sim, &def), FIRN_ERROR_ARGUMENT, "velocity");
  def = firn_default_wind_def();
  def.gust_noise = 2;
  MUST_FAIL(context, firn_sim_set_wind(sim, &def), FIRN_ERROR_ARGUMENT, "gust_noise = 2");
  def = firn_default_wind_def();
  def.body = FIRN_WIND_BODY_ELLIPSOID;
  MUST_FAIL(context, firn_sim_set_wind(sim, &def), FIRN_ERROR_ARGUMENT, "body_radii[0] = 0");
  def = firn_default_wind_def();
  def.grid_nodes[0] = 1;
  MUST_FAIL(context, firn_sim_set_wind(sim, &def), FIRN_ERROR_ARGUMENT, "grid_nodes[0] = 1");
  def = firn_default_wind_def();
  def.velocity[0] = 4;
  MUST(context, firn_sim_set_wind(sim, &def));
  MUST(context, firn_sim_set_wind_velocity(sim, v));
  firn_sim_wind_at(sim, x, 0, u);
  assert_true(u[0] == 1);
  MUST(context, firn_sim_set_wind(sim, NULL));
  firn_sim_wind_at(sim, x, 0, u);
  assert_true(u[0] == 0);
  firn_sim_destroy(sim);
  drop_context(context);
}

// -------------------------------------------------------------------------------------------- snow

// One flake under MPM: it falls at its terminal velocity, and drifts by height u / v_t.
// Steps that fall by little beside the speed of a flake: drag acts after each.
static void fall_for(firn_context *context, firn_sim *sim, double seconds) {
  for (double end = firn_sim_time(sim) + seconds; firn_sim_time(sim) < end - 1e-9;) {
    MUST(context, firn_sim_step(sim, 1e-4, NULL));
  }
}

static void a_flake_drifts_with_the_wind(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = open_sim(context, 0.01, 9.81, 40);
  firn_wind_def def = firn_default_wind_def();
  const double wind = 1.5, fall = 2.5214;
  def.velocity[0] = wind;
  MUST(context, firn_sim_set_wind(sim, &def));
  const double position[3] = {0.003, 2, 0.004}, velocity[3] = {0, 0, 0};
  firn_particles_def flake = firn_default_particles_def();
  flake.count = 1;
  flake.position = position;
  flake.velocity = velocity;
  MUST(context, firn_sim_add_particles(sim, &flake));
  fall_for(context, sim, 2); // by then it is as quick as it gets
  double *x = read_field(context, sim, "position", 3), *v = read_field(context, sim, "velocity", 3);
  assert_true(fabs(v[1] / -fall - 1) < 1e-3);
  assert_true(fabs(v[0] / wind - 1) < 1e-3);
  fall_for(context, sim, 1);
  double *y = read_field(context, sim, "position", 3);
  double height = x[1] - y[1], shift = y[0] - x[0];
  assert_true(fabs(height - fall) < 2e-3 * fall);
  assert_true(fabs(shift / (height * wind / fall) - 1) < 1e-3);
  free(x), free(v), free(y);
  firn_sim_destroy(sim);
  drop_context(context);
}

// The wind reaches the outermost cell of a block, and nothing deeper.
static void wind_reaches_the_surface_only(void **state) {
  (void)state;
  firn_context *context = make_context(2, FIRN_ISA_AUTO);
  const double h = 0.02, half = 0.16;
  firn_sim *sim = open_sim(context, h, 0, 400);
  firn_wind_def def = firn_default_wind_def();
  def.velocity[0] = 20;
  MUST(context, firn_sim_set_wind(sim, &def));
  firn_fill_def fill = firn_default_fill_def();
  fill.shape = firn_box((double[]){0, 0, 0}, (double[]){half, half, half});
  fill.seeding = FIRN_SEEDING_LATTICE;
  MUST(context, firn_sim_fill(sim, &fill));
  MUST(context, firn_sim_step(sim, 1e-5, NULL));
  double *x = read_field(context, sim, "position", 3), *v = read_field(context, sim, "velocity", 3);
  size_t n = firn_sim_count(sim), blown = 0;
  // Faces see 18 of 27 cells, edges 12, corners 8.
  double of[4] = {0, 0, 0, 0};
  for (size_t i = 0; i < n; i++) {
    int at = 0;
    for (size_t a = 0; a < 3; a++) at += fabs(x[3 * i + a]) > half - h;
    if (!at) assert_true(v[3 * i] == 0);
    blown += v[3 * i] > 0;
    if (of[at] == 0) of[at] = v[3 * i];
    assert_true(fabs(v[3 * i] - of[at]) <= 1e-3 * of[at]);
  }
  assert_int_equal(blown, n - 14 * 14 * 14 * 8);
  for (int at = 1; at < 4; at++) {
    static const double share[] = {1, 18.0 / 27, 12.0 / 27, 8.0 / 27};
    double exposure = fmin(1, (0.75 - share[at]) / 0.5), size = h / 2;
    double crowd = share[at] - 1.0 / 216, a[3];
    firn_wind_acceleration(&AIR, size, 400, crowd, exposure, (double[]){0, 0, 0},
                           (double[]){20, 0, 0}, 1e-5, a);
    assert_true(fabs(of[at] / (1e-5 * a[0]) - 1) < 1e-3);
  }
  free(x), free(v);
  firn_sim_destroy(sim);
  drop_context(context);
}

// A ball of snow that is blown apart on the ground.
static firn_sim *build(firn_context *context, bool resume) {
  firn_sim *sim = open_sim(context, 0.02, 9.81, 100);
  if (resume) firn_sim_expect_load(sim);
  firn_wind_def def = firn_default_wind_def();
  def.velocity[0] = 15;
  def.gust = 0.5;
  def.gust_noise = 0.5;
  def.gust_period = 0.1;
  def.turbulence = 5;
  def.turbulence_wavelength = 0.2;
  def.swirl = 3;
  MUST(context, firn_sim_set_wind(sim, &def));
  firn_fill_def fill = firn_default_fill_def();
  fill.shape = firn_sphere((double[]){0, 0.1, 0}, 0.1);
  fill.velocity[1] = -2;
  MUST(context, firn_sim_fill(sim, &fill));
  firn_emitter_def sky = firn_default_emitter_def();
  sky.fill.shape = firn_box((double[]){0, 0.3, 0}, (double[]){0.1, 0.02, 0.1});
  sky.kind = FIRN_EMIT_SNOWFALL;
  sky.rate = 5;
  MUST(context, firn_sim_add_emitter(sim, &sky, NULL));
  firn_collider_def ground = firn_default_collider_def();
  MUST(context, firn_sim_add_collider(sim, &ground, NULL));
  return sim;
}

static void threads_do_not_matter(void **state) {
  (void)state;
  firn_context *one = make_context(1, FIRN_ISA_AUTO), *many = make_context(3, FIRN_ISA_AUTO);
  firn_sim *s = build(one, false), *t = build(many, false);
  MUST(one, firn_sim_advance(s, 0.05, NULL, NULL));
  MUST(many, firn_sim_advance(t, 0.05, NULL, NULL));
  assert_same(one, s, many, t);
  double *v = read_field(one, s, "velocity", 3), most = 0;
  for (size_t i = 0; i < firn_sim_count(s); i++) most = fmax(most, v[3 * i]);
  assert_true(most > 0.5); // it does blow
  free(v);
  firn_sim_destroy(s);
  firn_sim_destroy(t);
  drop_context(one);
  drop_context(many);
}

static void checkpoints_go_on(void **state) {
  scratch *s = *state;
  firn_context *context = s->context;
  firn_sim *whole = build(context, false), *again = build(context, true);
  const double turned[3] = {3, 0, 9};
  MUST(context, firn_sim_advance(whole, 0.0213, NULL, NULL));
  MUST(context, firn_sim_set_wind_velocity(whole, turned));
  MUST(context, firn_sim_advance(whole, 0.0101, NULL, NULL));
  MUST(context, firn_sim_save(whole, scratch_path(s, "half.hdf")));
  MUST(context, firn_sim_load(again, scratch_path(s, "half.hdf")));
  for (int i = 0; i < 2; i++) MUST(context, firn_sim_advance(i ? again : whole, 0.03, NULL, NULL));
  assert_same(context, whole, context, again);
  firn_sim_destroy(whole);
  firn_sim_destroy(again);
}

// What wind gives is entered: what is lost stays what the snow's own friction took.
static void the_ledger_knows_of_wind(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = open_sim(context, 0.01, 0, 40);
  firn_wind_def def = firn_default_wind_def();
  def.velocity[0] = 5;
  MUST(context, firn_sim_set_wind(sim, &def));
  MUST(context, add_one(sim, 0, 0, 0));
  MUST(context, firn_sim_advance(sim, 0.5, NULL, NULL));
  firn_sums sums;
  MUST(context, firn_sim_sums(sim, &sums));
  assert_true(sums.energy_kinetic > 0);
  assert_true(fabs(sums.energy_lost) < 0.02 * sums.energy_kinetic);
  firn_sim_destroy(sim);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_flake_falls_at_its_terminal_velocity),
      cmocka_unit_test(dust_falls_by_stokes_law),
      cmocka_unit_test(drag_is_implicit),
      cmocka_unit_test(wind_flows_round_bodies),
      cmocka_unit_test(flow_round_a_ball_is_that_of_the_books),
      cmocka_unit_test(gusts_have_the_statistics_they_say),
      cmocka_unit_test(swirls_turn_about_their_axis),
      cmocka_unit_test(turbulence_has_its_speed_and_no_sources),
      cmocka_unit_test(grids_are_linear_between_their_nodes),
      cmocka_unit_test(wrong_winds_are_refused),
      cmocka_unit_test(a_flake_drifts_with_the_wind),
      cmocka_unit_test(wind_reaches_the_surface_only),
      cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test_setup_teardown(checkpoints_go_on, scratch_open, scratch_close),
      cmocka_unit_test(the_ledger_knows_of_wind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
