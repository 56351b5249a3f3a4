// SPDX-License-Identifier: Apache-2.0
// Nothing passes through a collider, however thin, once push_out is set; and colliders that move
// are not so fast in a step that they jump over the snow.
#include "support/mpm_case.h"

static const double H = 0.02; // m

typedef struct plate {
  double thickness; // cells
  double speed;     // m/s, of the plate towards the snow
  double fall;      // m/s, of the snow towards the plate
  double spin;      // rad/s about y
} plate;

// A plate below y = 0 or so that moves up into a slab of snow. Returns how many particles end below
// its upper face, and how many by more than half its thickness, which is through.
static void hit(const mpm_variant *v, const plate *p, double push_out, bool implicit, int *below,
                int *through, size_t *count) {
  firn_sim_def def = mpm_printed_def(v, H);
  firn_material_def snow = firn_default_material_def();
  def.mpm.push_out = push_out;
  def.mpm.integrator = implicit ? FIRN_INTEGRATOR_IMPLICIT : FIRN_INTEGRATOR_EXPLICIT;
  mpm_case c = mpm_case_open(v, &def, &snow);
  firn_collider_def body = firn_default_collider_def();
  const double half = 0.5 * p->thickness * H, top = -0.05 * H;
  body.shape = firn_box((const double[]){0, top - half, 0}, (const double[]){20 * H, half, 20 * H});
  body.velocity[1] = p->speed;
  body.spin[1] = p->spin;
  must(&c, firn_sim_add_collider(c.sim, &body, NULL));
  mpm_case_jittered(&c, (const int[]){-2, 0, -2}, (const int[]){2, 1, 2}, 2, 0.4, 9);
  double *u = mpm_case_new(&c, 3);
  for (size_t i = 0; i < mpm_case_count(&c); i++) u[3 * i + 1] = -p->fall;
  mpm_case_write(&c, "velocity", u);
  free(u);
  double duration = 6 * H / (p->speed + p->fall);
  must(&c, firn_sim_advance(c.sim, duration, NULL, NULL));
  double *x = mpm_case_read(&c, "position"), face = top + p->speed * duration;
  *below = *through = 0;
  *count = mpm_case_count(&c);
  for (size_t i = 0; i < *count; i++) {
    *below += x[3 * i + 1] < face - 0.02 * H;
    *through += x[3 * i + 1] < face - half;
  }
  mpm_report(v, "%.2f cells at %g + %g m/s, push-out %g: %d below, %d through, of %zu",
             p->thickness, p->speed, p->fall, push_out, *below, *through, *count);
  free(x);
  mpm_case_close(&c);
}

static const plate plates[] = {
    {0.1, 10, 0, 0}, {0.1, 0, 10, 0}, {0.02, 5, 5, 0}, {0.5, 20, 0, 30}, {1.2, 0, 20, 0}};
enum { PLATES = sizeof plates / sizeof *plates };

static void nothing_passes_a_thin_plate(void **state) {
  (void)state;
  for_each_variant(v) {
    for (int i = 0; i < PLATES; i++) {
      int below, through;
      size_t count;
      hit(v, &plates[i], 0.5, i == 3, &below, &through, &count);
      assert_int_equal(below, 0);
      assert_int_equal(through, 0);
    }
  }
}

// Without it some get through: the test above has something to find.
static void without_push_out_thin_plates_leak(void **state) {
  (void)state;
  for_each_scheme(v, FIRN_ISA_SCALAR) {
    int below, through;
    size_t count;
    hit(v, &plates[1], -1, false, &below, &through, &count);
    assert_true(through > 0);
  }
}

// Deeper than push_out cells comes out to that depth, half a cell a step at most; what is less deep
// stays (A.7 asks for h/2).
static void what_is_deeper_than_push_out_comes_out(void **state) {
  (void)state;
  for_each_variant(v) {
    firn_sim_def def = mpm_elastic_def(v, H);
    firn_material_def material = mpm_elastic_material();
    def.mpm.particle_contact = true;
    def.mpm.push_out = 0.5;
    def.mpm.dt = 1e-4;
    mpm_case c = mpm_case_open(v, &def, &material);
    firn_collider_def ground = firn_default_collider_def();
    must(&c, firn_sim_add_collider(c.sim, &ground, NULL));
    const double depth[] = {0.2, 0.49, 0.6, 0.9, 1.7, 3};
    double x[18];
    for (int i = 0; i < 6; i++) {
      x[3 * i] = 9.3 * H * i;
      x[3 * i + 1] = -depth[i] * H;
      x[3 * i + 2] = 0.4 * H;
    }
    mpm_case_add(&c, 6, x, 8);
    for (int n = 1; n <= 6; n++) {
      mpm_case_steps(&c, 1);
      double *now = mpm_case_read(&c, "position");
      for (int i = 0; i < 6; i++) {
        double want = depth[i];
        for (int k = 0; k < n && want > 0.5; k++) want = fmax(0.5, want - 0.5);
        // Cells from the corner of a block, rounded once a step.
        assert_within(v, "depth, cells", -now[3 * i + 1] / H, want, 64 * EPS);
      }
      free(now);
    }
    mpm_case_close(&c);
  }
}

// The step is limited by a collider that comes near, as it is by snow of the same speed: less than
// cfl cells. Far away it does not matter.
static void fast_colliders_shorten_the_step(void **state) {
  (void)state;
  for_each_scheme(v, FIRN_ISA_SCALAR) {
    firn_sim_def def = mpm_printed_def(v, H);
    firn_material_def snow = firn_default_material_def();
    def.mpm.integrator = FIRN_INTEGRATOR_IMPLICIT;
    def.mpm.dt_max = 1e-3;
    mpm_case c = mpm_case_open(v, &def, &snow);
    firn_collider_def ball = firn_default_collider_def();
    ball.shape = firn_sphere((const double[]){-1, 0.5 * H, 0}, 0.05);
    ball.velocity[0] = 50;
    must(&c, firn_sim_add_collider(c.sim, &ball, NULL));
    mpm_case_lattice(&c, (const int[]){0, 0, 0}, (const int[]){1, 1, 1}, 2);
    bool near = false;
    firn_step step;
    for (int n = 0; n < 60 && !near; n++) {
      must(&c, firn_sim_step(c.sim, 0, &step));
      double gap = -(-1 + 50 * firn_sim_time(c.sim) + 0.05);
      // Contact is possible a cell before the particles, where the grid's nodes begin.
      near = gap < 2.5 * H;
      if (near) assert_true(50 * step.dt <= def.mpm.cfl * H * (1 + 1e-6));
      if (gap > 0.5) assert_true(step.dt == 1e-3);
    }
    assert_true(near);
    mpm_case_close(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_passes_a_thin_plate),
      cmocka_unit_test(without_push_out_thin_plates_leak),
      cmocka_unit_test(what_is_deeper_than_push_out_comes_out),
      cmocka_unit_test(fast_colliders_shorten_the_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
