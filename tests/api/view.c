// SPDX-License-Identifier: Apache-2.0
// Views: every particle once, with the numbers that firn_sim_read has.
#include "api/setup.h"

static void assert_views_are_fields(firn_context *context, firn_sim *sim) {
  size_t n = firn_sim_count(sim), seen = 0;
  double *x = read_field(context, sim, "position", 3), *v = read_field(context, sim, "velocity", 3);
  double *mass = read_field(context, sim, "mass", 1), *id = read_field(context, sim, "id", 1);
  double *material = read_field(context, sim, "material", 1);
  size_t *row = calloc(n + 1000, sizeof *row); // by id
  assert_non_null(row);
  for (size_t i = 0; i < n; i++) row[(size_t)id[i]] = i + 1;
  for (size_t k = 0; k < firn_sim_view_count(sim); k++) {
    firn_view view;
    MUST(context, firn_sim_view(sim, k, &view));
    assert_null(view.temperature);
    for (size_t j = 0; j < view.count; j++) {
      size_t i = row[view.id[j]];
      assert_true(i > 0); // once each
      row[view.id[j]] = 0;
      seen++;
      i--;
      assert_true((double)view.mass[j] == mass[i]);
      assert_true(view.material[j] == (uint16_t)material[i]);
      assert_true(view.volume[j] >= 0);
      for (size_t a = 0; a < 3; a++) {
        double place = view.origin[a] + view.h * (double)view.cell[a][j];
        assert_true(fabs(place - x[3 * i + a]) < 1e-12); // another order of the same sums
        assert_true((double)view.velocity[a][j] == v[3 * i + a]);
      }
    }
  }
  assert_int_equal(seen, n);
  free(x), free(v), free(mass), free(id), free(material), free(row);
}

static void views_are_what_a_read_copies(void **state) {
  (void)state;
  static const char *const solvers[] = {"mpm", "sph", "flip"};
  for (int s = 0; s < 3; s++) {
    firn_context *context = make_context(2, FIRN_ISA_AUTO);
    firn_sim_def def = firn_default_sim_def();
    def.h = 0.02;
    def.solver = solvers[s];
    firn_sim *sim = make_sim(context, &def);
    firn_view view;
    assert_int_equal(firn_sim_view_count(sim), 0);
    MUST_FAIL(context, firn_sim_view(sim, 0, &view), FIRN_ERROR_ARGUMENT, "view 0");
    add_ball(context, sim);
    MUST(context, add_one(sim, 1, 1, 1));  // it will fly
    assert_views_are_fields(context, sim); // nobody is sorted yet
    for (int i = 0; i < 3; i++) {
      MUST(context, firn_sim_step(sim, 0, NULL));
      assert_views_are_fields(context, sim);
    }
    MUST(context, add_one(sim, -1, 1, 1)); // new beside sorted ones
    assert_views_are_fields(context, sim);
    assert_int_equal(firn_sim_view_count(NULL), 0);
    firn_sim_destroy(sim);
    drop_context(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(views_are_what_a_read_copies)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
