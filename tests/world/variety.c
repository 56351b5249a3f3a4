// SPDX-License-Identifier: Apache-2.0
// Material that varies from particle to particle: shell, crust, mask, noise, and their order.
#include "api/setup.h"

#include "api/sim.h"

static const double H = 0.01, R = 0.1, YOUNG = 1.4e5; // m, m, Pa

typedef struct grain {
  double x[3], mass, young, xi, density;
} grain;

typedef struct grains {
  const firn_world *world;
  grain *list;
  size_t count;
} grains;

static void take(void *user, size_t slot, const double corner[3]) {
  grains *g = user;
  const firn_world *w = g->world;
  const firn_particles *p = &w->particles;
  grain *out = &g->list[g->count++];
  for (int a = 0; a < 3; a++) {
    out->x[a] = (corner[a] + (double)firn_particles_real(p, FIRN_FIELD_X + a)[slot]) * w->h;
  }
  double mu = (double)firn_particles_real(p, w->vary[FIRN_VARY_MU])[slot];
  double lambda = (double)firn_particles_real(p, w->vary[FIRN_VARY_LAMBDA])[slot];
  out->young = mu * (3 * lambda + 2 * mu) / (lambda + mu);
  out->xi = (double)firn_particles_real(p, w->vary[FIRN_VARY_HARDENING])[slot];
  out->density = (double)firn_particles_real(p, w->vary[FIRN_VARY_DENSITY])[slot];
  out->mass = (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot];
}

// A ball of radius R at the origin with these variations.
static grains ball_with(const firn_variation_def *variation, int count) {
  firn_context *context = make_context(2, FIRN_ISA_AUTO);
  firn_sim_def def = firn_default_sim_def();
  def.h = H;
  firn_sim *sim = make_sim(context, &def);
  firn_fill_def ball = firn_default_fill_def();
  ball.shape = firn_sphere((double[]){0, 0, 0}, R);
  ball.per_cell = 4;
  ball.variation = variation;
  ball.variation_count = count;
  MUST(context, firn_sim_fill(sim, &ball));
  grains g = {&sim->world, calloc(firn_sim_count(sim), sizeof(grain)), 0};
  assert_non_null(g.list);
  firn_particles_visit(&sim->world.particles, take, &g);
  assert_true(g.count > 10000);
  firn_sim_destroy(sim);
  drop_context(context);
  return g;
}

static double length(const double x[3]) {
  return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

// A few roundings, of the numbers and of the material's way there and back.
static bool is_near(double value, double wanted) {
  return fabs(value / wanted - 1) < 20 * (double)FIRN_REAL_EPS;
}

// The snowballs of the paper: outer 20 % of R, E x 3, density x 1.2.
static void shell_is_hard_and_heavy(void **state) {
  (void)state;
  firn_variation_def shell[2] = {firn_default_variation_def(), firn_default_variation_def()};
  shell[0].of = FIRN_PROPERTY_YOUNG;
  shell[0].by = FIRN_VARIATION_DEPTH;
  shell[0].range[0] = 0;
  shell[0].range[1] = 0.2 * R;
  shell[1] = shell[0];
  shell[0].factor = 3;
  shell[1].of = FIRN_PROPERTY_DENSITY;
  shell[1].factor = 1.2;
  grains g = ball_with(shell, 2);
  size_t outside = 0;
  const double mass = 400 * H * H * H / 4;
  for (size_t i = 0; i < g.count; i++) {
    double r = length(g.list[i].x);
    if (fabs(r - 0.8 * R) < 1e-6) continue;
    bool hard = r > 0.8 * R;
    outside += hard;
    assert_true(is_near(g.list[i].young, hard ? 3 * YOUNG : YOUNG));
    assert_true(is_near(g.list[i].mass, hard ? 1.2 * mass : mass));
    assert_true(is_near(g.list[i].density, hard ? 480 : 400));
    assert_true(is_near(g.list[i].xi, 10));
  }
  // 1 - 0.8^3 of the ball.
  assert_true(fabs((double)outside / (double)g.count - 0.488) < 0.03);
  free(g.list);
}

// The night-time crust: the top 2 cm, E x 5 and xi + 5, fading over another 4 cm.
static void crust_fades_with_height(void **state) {
  (void)state;
  firn_variation_def crust[2] = {firn_default_variation_def(), firn_default_variation_def()};
  crust[0].of = FIRN_PROPERTY_YOUNG;
  crust[0].by = FIRN_VARIATION_HEIGHT;
  crust[0].range[0] = 0.08;
  crust[0].blend = 0.04;
  crust[1] = crust[0];
  crust[0].factor = 5;
  crust[1].of = FIRN_PROPERTY_HARDENING;
  crust[1].offset = 5;
  grains g = ball_with(crust, 2);
  for (size_t i = 0; i < g.count; i++) {
    double w = fmin(1, fmax(0, 1 - (0.08 - g.list[i].x[1]) / 0.04));
    // The weight itself is good to the rounding of the position: eps times 4 cells over 4 cells.
    double tolerance = 30 * (double)FIRN_REAL_EPS;
    assert_true(fabs(g.list[i].young / YOUNG - (1 + 4 * w)) < 5 * tolerance);
    assert_true(fabs(g.list[i].xi - (10 + 5 * w)) < 20 * tolerance);
  }
  free(g.list);
}

static double left(void *user, const double x[3]) {
  (void)user;
  return x[0] < 0 ? 1 : 0;
}

static void masks_and_functions_choose_where(void **state) {
  (void)state;
  firn_variation_def v[2] = {firn_default_variation_def(), firn_default_variation_def()};
  v[0].of = FIRN_PROPERTY_YOUNG;
  v[0].by = FIRN_VARIATION_MASK;
  v[0].mask = firn_sphere((double[]){0, R, 0}, 0.5 * R);
  v[0].factor = 0.25;
  v[1].of = FIRN_PROPERTY_HARDENING;
  v[1].by = FIRN_VARIATION_FUNCTION;
  v[1].weight = left;
  v[1].offset = -4;
  grains g = ball_with(v, 2);
  size_t masked = 0;
  for (size_t i = 0; i < g.count; i++) {
    const double *x = g.list[i].x, d[3] = {x[0], x[1] - R, x[2]};
    bool inside = length(d) < 0.5 * R;
    if (fabs(length(d) - 0.5 * R) < 1e-6 || fabs(x[0]) < 1e-6) continue;
    masked += inside;
    assert_true(is_near(g.list[i].young, inside ? 0.25 * YOUNG : YOUNG));
    assert_true(is_near(g.list[i].xi, x[0] < 0 ? 6 : 10));
  }
  assert_true(masked > 100);
  free(g.list);
}

// (140 kPa x 2) + 10 kPa is not (140 kPa + 10 kPa) x 2.
static void variations_act_in_order(void **state) {
  (void)state;
  for (int turn = 0; turn < 2; turn++) {
    firn_variation_def v[2] = {firn_default_variation_def(), firn_default_variation_def()};
    v[0].of = v[1].of = FIRN_PROPERTY_YOUNG;
    v[turn].factor = 2;
    v[1 - turn].offset = 1e4;
    grains g = ball_with(v, 2);
    for (size_t i = 0; i < g.count; i++) {
      assert_true(is_near(g.list[i].young, turn ? 2 * (YOUNG + 1e4) : 2 * YOUNG + 1e4));
    }
    free(g.list);
  }
}

// +-50 % at a wavelength of 6 h: within bounds, both ways, about 1 on average, smooth at a distance
// of much less than the wavelength and free beyond.
static void noise_has_its_amplitude_and_wavelength(void **state) {
  (void)state;
  firn_variation_def v = firn_default_variation_def();
  v.of = FIRN_PROPERTY_YOUNG | FIRN_PROPERTY_DENSITY;
  v.amplitude = 0.5;
  v.wavelength = 6 * H;
  grains g = ball_with(&v, 1);
  double sum = 0, square = 0, near = 0, far = 0, least = 9, most = 0;
  size_t nears = 0, fars = 0;
  for (size_t i = 0; i < g.count; i++) {
    double f = g.list[i].young / YOUNG - 1;
    sum += f;
    square += f * f;
    least = fmin(least, f);
    most = fmax(most, f);
    // Both properties were asked for in one variation: the same places are hard and heavy.
    assert_true(fabs(g.list[i].density / 400 - 1 - f) < 1e-5);
    const double *x = g.list[i].x;
    const grain *other = &g.list[(i * 7919 + 13) % g.count], *next = &g.list[(i + 1) % g.count];
    const double d[3] = {x[0] - next->x[0], x[1] - next->x[1], x[2] - next->x[2]};
    const double e[3] = {x[0] - other->x[0], x[1] - other->x[1], x[2] - other->x[2]};
    if (length(d) < 0.5 * H) near += pow(next->young / YOUNG - 1 - f, 2), nears++;
    if (length(e) > 6 * H) far += pow(other->young / YOUNG - 1 - f, 2), fars++;
  }
  double n = (double)g.count, deviation = sqrt(square / n);
  assert_true(least >= -0.5 && most <= 0.5 && least < -0.2 && most > 0.2);
  assert_true(deviation > 0.05 && fabs(sum / n) < 0.08);
  assert_true(nears > 100 && fars > 1000);
  assert_true(sqrt(near / (double)nears) < 0.4 * deviation);
  assert_true(sqrt(far / (double)fars) > deviation);
  free(g.list);
}

// Other seeds are other noise; the same one is the same.
static void noise_follows_its_seed(void **state) {
  (void)state;
  firn_variation_def v = firn_default_variation_def();
  v.of = FIRN_PROPERTY_YOUNG;
  v.amplitude = 0.5;
  v.wavelength = 6 * H;
  grains one = ball_with(&v, 1), again = ball_with(&v, 1);
  v.seed = 1;
  grains other = ball_with(&v, 1);
  assert_int_equal(one.count, other.count);
  double both = 0, square = 0;
  for (size_t i = 0; i < one.count; i++) {
    double a = one.list[i].young / YOUNG - 1, b = other.list[i].young / YOUNG - 1;
    assert_true(one.list[i].young == again.list[i].young);
    both += a * b;
    square += a * a;
  }
  // A ball of 40 wavelengths' cubes or more: unlike noises have hardly anything in common.
  assert_true(fabs(both / square) < 0.5);
  free(one.list);
  free(again.list);
  free(other.list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shell_is_hard_and_heavy),
      cmocka_unit_test(crust_fades_with_height),
      cmocka_unit_test(masks_and_functions_choose_where),
      cmocka_unit_test(variations_act_in_order),
      cmocka_unit_test(noise_has_its_amplitude_and_wavelength),
      cmocka_unit_test(noise_follows_its_seed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
