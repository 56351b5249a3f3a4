// SPDX-License-Identifier: Apache-2.0
// timeout: 60
// Memory that runs out at every allocation of a scene with sources in turn: the call that meets it says
// so, and made again it goes on to the same particles; nothing is lost.
#include "api/setup.h"

#include "support/books.h"

// The call, again if memory ran out.
#define TRY(context, call)                                                                         \
  do {                                                                                             \
    firn_status status_ = (call);                                                                  \
    if (status_ == FIRN_ERROR_MEMORY) status_ = (call);                                            \
    must((context), status_, #call, __LINE__);                                                     \
  } while (0)

static const double H = 0.02; // m

static double half_of(void *user, const double x[3]) {
  (void)user;
  return x[1] > 0 ? 0.5 : 0;
}

static firn_fill_def bed(const firn_variation_def *variation) {
  firn_fill_def def = firn_default_fill_def();
  def.shape = firn_box((double[]){8 * H, -H, 0}, (double[]){8 * H, H, H});
  def.per_cell = 2;
  def.variation = variation;
  def.variation_count = 2;
  return def;
}

// Positions and ids after some steps: [count][4], malloced.
static double *run(books *b, size_t *count) {
  firn_context *context = NULL;
  firn_status status = books_context(b, 1, &context);
  if (status == FIRN_ERROR_MEMORY) status = books_context(b, 1, &context);
  assert_int_equal(status, FIRN_OK);
  firn_sim_def def = firn_default_sim_def();
  def.h = H;
  def.mpm.integrator = FIRN_INTEGRATOR_EXPLICIT;
  firn_sim *sim = NULL;
  TRY(context, firn_sim_create(context, &def, &sim));
  firn_material_def snow = firn_default_material_def();
  TRY(context, firn_sim_add_material(sim, &snow, NULL));
  firn_window_def window = firn_default_window_def();
  window.max[0] = 6 * H;
  window.velocity[0] = 4 * H / 1e-4;
  TRY(context, firn_sim_set_window(sim, &window));
  firn_variation_def variation[2] = {firn_default_variation_def(), firn_default_variation_def()};
  variation[0].of = FIRN_PROPERTY_YOUNG | FIRN_PROPERTY_DENSITY;
  variation[0].by = FIRN_VARIATION_MASK;
  variation[0].mask = firn_sphere((double[]){0, 0, 0}, 4 * H);
  variation[0].factor = 1.5;
  variation[1].of = FIRN_PROPERTY_PACKING;
  variation[1].by = FIRN_VARIATION_FUNCTION;
  variation[1].weight = half_of;
  variation[1].factor = 0.5;
  firn_fill_def fill = bed(variation);
  TRY(context, firn_sim_fill(sim, &fill));
  fill.time = 2e-4;
  fill.seeding = FIRN_SEEDING_POISSON; // few, since it is made so often
  fill.per_cell = 0.1;
  fill.shape = firn_sphere((double[]){2 * H, 4 * H, 0}, 1.5 * H);
  TRY(context, firn_sim_fill(sim, &fill));
  firn_emitter_def emitter = firn_default_emitter_def();
  emitter.fill.shape = firn_box((double[]){0, 8 * H, 0}, (double[]){H, H, H});
  emitter.fill.velocity[0] = 30;
  TRY(context, firn_sim_add_emitter(sim, &emitter, NULL));
  emitter.kind = FIRN_EMIT_PARTICLES;
  emitter.rate = 30000;
  TRY(context, firn_sim_add_emitter(sim, &emitter, NULL));
  firn_sink_def drain = firn_default_sink_def();
  drain.shape = firn_sphere((double[]){H, -H, 0}, H);
  TRY(context, firn_sim_add_sink(sim, &drain, NULL));
  firn_impulse_def push = firn_default_impulse_def();
  push.time = 2e-4;
  push.velocity[0] = 0.3;
  push.shape = &drain.shape;
  TRY(context, firn_sim_add_impulse(sim, &push, NULL));
  for (int i = 0; i < 5; i++) TRY(context, firn_sim_step(sim, 1e-4, NULL));
  *count = firn_sim_count(sim);
  double *x = malloc(*count * 4 * sizeof *x);
  assert_non_null(x);
  TRY(context, firn_sim_read(sim, "position", x));
  TRY(context, firn_sim_read(sim, "id", x + 3 * *count));
  firn_probe_def probe = firn_default_probe_def();
  firn_probe seen;
  TRY(context, firn_sim_probe(sim, &probe, 1, &seen));
  firn_sim_destroy(sim);
  firn_context_destroy(context);
  assert_int_equal(b->blocks, 0);
  assert_int_equal(b->wrong, 0);
  return x;
}

static void memory_that_runs_out_loses_nothing(void **state) {
  (void)state;
  books plain = {0};
  size_t n;
  double *wanted = run(&plain, &n);
  assert_true(n > 100 && plain.calls > 100);
  for (size_t at = 1; at <= plain.calls; at++) {
    books b = {.refuse_at = at};
    size_t count;
    double *x = run(&b, &count);
    assert_int_equal(b.refused, 1);
    if (count != n || memcmp(x, wanted, 4 * n * sizeof *x) != 0) {
      fail_msg("allocation %zu: %zu particles, not %zu, or elsewhere", at, count, n);
    }
    free(x);
  }
  free(wanted);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_that_runs_out_loses_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
