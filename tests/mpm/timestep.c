// SPDX-License-Identifier: Apache-2.0
// How long a step may be: 0.5 h/(c + |v|) with the speed of sound in snow as hard as it is, 0.6
// h/|v| where elasticity is solved for, and half of that again as long as a particle would be
// turned inside out.
#include "support/mpm_case.h"

static const double H = 0.02; // m

// The largest speed of sound, sqrt(M e^{xi (1 - J_P)}/density), m/s.
static double sound_of(const mpm_case *c) {
  double *jp = mpm_case_read(c, "jp"), hardest = 0;
  for (size_t i = 0; i < mpm_case_count(c); i++) hardest = fmax(hardest, 1 - jp[i]);
  free(jp);
  return sqrt(M_WAVE * exp(XI * hardest) / DENSITY);
}

// Snow of all degrees of hardness that moves about at up to 3 m/s.
static mpm_case open_cloud(const mpm_variant *v, firn_integrator integrator) {
  firn_sim_def def = mpm_printed_def(v, H);
  firn_material_def snow = firn_default_material_def();
  def.mpm.integrator = integrator;
  def.mpm.dt_max = 1;
  def.mpm.volume_nominal = true;
  mpm_case c = mpm_case_open(v, &def, &snow);
  mpm_case_jittered(&c, (const int[]){-2, -1, 0}, (const int[]){1, 2, 3}, 2, 0.5, 41);
  size_t n = mpm_case_count(&c);
  double *u = mpm_case_new(&c, 3), *jp = mpm_case_new(&c, 1);
  for (size_t i = 0; i < 3 * n; i++) u[i] = mpm_random(42, i, -2, 2);
  for (size_t i = 0; i < n; i++) jp[i] = mpm_random(43, i, 0.8, 1.1);
  mpm_case_write(&c, "velocity", u);
  mpm_case_write(&c, "jp", jp);
  free(u);
  free(jp);
  return c;
}

// The first step is chosen from a look at all particles, the next ones from what the kernels came
// across: velocities at the end of the last step, hardness at its beginning. All numbers but those
// are in double; hardness has an exponential, good to a few eps.
static void steps_are_as_long_as_the_state_allows(void **state) {
  (void)state;
  for_each_variant(v) {
    for (int implicit = 0; implicit < 2; implicit++) {
      mpm_case c = open_cloud(v, implicit ? FIRN_INTEGRATOR_IMPLICIT : FIRN_INTEGRATOR_EXPLICIT);
      double sound = sound_of(&c);
      for (int n = 0; n < 4; n++) {
        double speed = mpm_case_sums(&c).speed_max, next = sound_of(&c);
        firn_step step;
        must(&c, firn_sim_step(c.sim, 0, &step));
        assert_true(mpm_case_stat(&c, "redone") == 0);
        assert_int_equal(step.implicit, implicit);
        assert_relative(v, "time step", step.dt,
                        implicit ? 0.6 * H / speed : 0.5 * H / (sound + speed), 10 * EPS);
        sound = next;
      }
      mpm_case_close(&c);
    }
  }
}

static void implode(void *user, const double x[3], double v[3]) {
  const double *rate = user;
  for (int a = 0; a < 3; a++) v[a] = -*rate * x[a];
}

// A ball of snow that collapses onto its middle at a rate of 1/dt would be a point after one step.
// det(I - rate dt' I) is 0 for dt, 0.125 for half of it, 0.42 for a quarter.
static void steps_that_invert_are_halved(void **state) {
  (void)state;
  static const double least[] = {0.2, 0.1}; // allowed determinants
  for_each_variant(v) {
    for (int k = 0; k < 2; k++) {
      firn_sim_def def = mpm_elastic_def(v, H);
      firn_material_def material = mpm_elastic_material();
      double dt = 1e-4, rate = 1 / dt;
      def.mpm.dt = dt;
      def.mpm.min_det = least[k];
      mpm_case c = mpm_case_open(v, &def, &material);
      mpm_case_lattice(&c, (const int[]){-6, -6, -6}, (const int[]){6, 6, 6}, 2);
      mpm_case_set_velocity(&c, implode, &rate);
      if (is_apic(v)) {
        double *affine = mpm_case_new(&c, 9);
        for (size_t i = 0; i < 9 * mpm_case_count(&c); i++) affine[i] = i % 9 % 4 ? 0 : -rate;
        mpm_case_write(&c, "affine", affine);
        free(affine);
      }
      double *x = mpm_case_read(&c, "position"), part = k ? 0.5 : 0.25, off = 0;
      firn_step step;
      must(&c, firn_sim_step(c.sim, 0, &step));
      assert_true(mpm_case_stat(&c, "redone") == (k ? 1 : 2));
      assert_true(step.dt == part * dt && firn_sim_time(c.sim) == step.dt);
      // It has moved by that step, once: away from the surface as an affine field does, to the
      // rounding of positions and of velocities times dt (both 6 cells at most).
      double *now = mpm_case_read(&c, "position");
      for (size_t i = 0; i < mpm_case_count(&c); i++) {
        bool inside = true;
        for (size_t a = 0; a < 3; a++) inside = inside && fabs(x[3 * i + a]) < 2 * H;
        for (size_t a = 0; a < 3 && inside; a++) {
          worst(&off, (now[3 * i + a] - x[3 * i + a] * (1 - part)) / H);
        }
      }
      assert_below(v, "position after the shorter step, cells", off, 40 * EPS);
      free(x);
      free(now);
      mpm_case_close(&c);
    }
  }
}

static void hear(void *user, firn_log_level level, const char *message) {
  *(int *)user += level == FIRN_LOG_WARNING && strstr(message, "too long for sound");
}

// A step that is given and longer than sound allows is warned of once; one that is solved for, or
// short, is not.
static void explicit_steps_that_are_too_long_are_told_of(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    int heard = 0;
    firn_context_def with = firn_default_context_def();
    with.threads = 1;
    with.log = hear;
    with.log_user = &heard;
    firn_sim_def def = firn_default_sim_def();
    def.h = H;
    def.mpm.integrator = k == 1 ? FIRN_INTEGRATOR_IMPLICIT : FIRN_INTEGRATOR_EXPLICIT;
    def.mpm.volume_nominal = true;
    def.mpm.dt = (k == 2 ? 0.9 : 1.1) * H / sqrt(M_WAVE / DENSITY);
    firn_material_def snow = firn_default_material_def();
    mpm_case c = {.h = H};
    must(&c, firn_context_create(&with, &c.context));
    must(&c, firn_sim_create(c.context, &def, &c.sim));
    must(&c, firn_sim_add_material(c.sim, &snow, NULL));
    firn_fill_def ball = firn_default_fill_def();
    ball.shape = firn_sphere((const double[3]){0, 0, 0}, 3 * H);
    must(&c, firn_sim_fill(c.sim, &ball));
    for (int i = 0; i < 3; i++) must(&c, firn_sim_step(c.sim, 0, NULL));
    assert_int_equal(heard, k == 0);
    mpm_case_close(&c);
  }
}

// A ball of snow far from everything, of this law's stiffness, and a step of it.
static firn_step first_step(const firn_sim_def *def, double young, double speed, double limit) {
  firn_material_def snow = firn_default_material_def();
  snow.young = young;
  mpm_variant any = {
      .basis = def->mpm.basis, .transfer = def->mpm.transfer, .isa = FIRN_ISA_SCALAR};
  mpm_case c = mpm_case_open(&any, def, &snow);
  firn_fill_def ball = firn_default_fill_def();
  ball.shape = firn_sphere((const double[3]){0.31 * def->h, 0, 0}, 2.5 * def->h);
  ball.velocity[1] = speed;
  must(&c, firn_sim_fill(c.sim, &ball));
  firn_step step;
  must(&c, firn_sim_step(c.sim, limit, &step));
  mpm_case_close(&c);
  return step;
}

// The paper's 0.5 ms belongs to cells of 5 mm. By default, steps of smaller cells are shorter in
// proportion, of those above 1 cm longer, by half as much; a step that is given is what it is.
static void the_longest_step_goes_with_the_cells(void **state) {
  (void)state;
  static const double h[] = {1e-3, 5e-3, 8e-3, 0.04, 0.4, 40},
                      longest_of[] = {1e-4, 5e-4, 5e-4, 2e-3, 0.02, 1}; // s
  for (int i = 0; i < 6; i++) {
    firn_sim_def def = firn_default_sim_def();
    def.h = h[i];
    memset(def.gravity, 0, sizeof def.gravity);
    double longest = longest_of[i];
    firn_step step = first_step(&def, 1, 0, 0);
    assert_true(fabs(step.dt - longest) <= 1e-12 * longest);
    assert_string_equal(step.bound, "mpm.dt_max");
    def.mpm.dt_max = 5e-4;
    step = first_step(&def, 1, 0, 0);
    assert_true(step.dt == fmin(5e-4, step.dt) && (h[i] < 2e-3 || step.dt == 5e-4));
    // No shorter step is allowed than the longest one: as for a number, so for the default.
    def.mpm.dt_max = 0;
    def.mpm.dt_min = 1.001 * longest < 1 ? 1.001 * longest : 1;
    firn_context *context;
    firn_sim *sim = NULL;
    firn_context_def with = firn_default_context_def();
    with.threads = 1;
    assert_int_equal(firn_context_create(&with, &context), FIRN_OK);
    firn_status made = firn_sim_create(context, &def, &sim);
    assert_int_equal(made, h[i] < 10 ? FIRN_ERROR_ARGUMENT : FIRN_OK);
    if (made != FIRN_OK) assert_non_null(strstr(firn_context_message(context), "dt_min"));
    firn_sim_destroy(sim);
    firn_context_destroy(context);
  }
}

// Each limit is named by the step that it bounds.
static void a_step_says_what_bounds_it(void **state) {
  (void)state;
  firn_sim_def def = firn_default_sim_def();
  def.h = H;
  def.mpm.integrator = FIRN_INTEGRATOR_EXPLICIT;
  assert_string_equal(first_step(&def, 1, 0, 0).bound, "mpm.dt_max");
  assert_string_equal(first_step(&def, 1, 0, 1e-5).bound, "the end of the frame");
  // One of two equal parts is still as short as dt_max has it.
  firn_step half = first_step(&def, 1, 0, 0.075 * H);
  assert_true(half.dt == 0.0375 * H);
  assert_string_equal(half.bound, "mpm.dt_max");
  assert_string_equal(first_step(&def, YOUNG, 0, 0).bound,
                      "mpm.elastic_cfl (sound in the stiffest snow)");
  def.mpm.integrator = FIRN_INTEGRATOR_IMPLICIT;
  assert_string_equal(first_step(&def, YOUNG, 0, 0).bound, "mpm.dt_max");
  assert_string_equal(first_step(&def, 1, 20, 0).bound, "mpm.cfl (the speed of snow)");
  def.mpm.dt = 1e-4;
  assert_string_equal(first_step(&def, 1, 20, 0).bound, "mpm.dt");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_are_as_long_as_the_state_allows),
      cmocka_unit_test(steps_that_invert_are_halved),
      cmocka_unit_test(the_longest_step_goes_with_the_cells),
      cmocka_unit_test(a_step_says_what_bounds_it),
      cmocka_unit_test(explicit_steps_that_are_too_long_are_told_of),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
