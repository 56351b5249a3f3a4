// SPDX-License-Identifier: Apache-2.0
// labels: slow
// timeout: 120
// long in double
// Snow under a foot is pressed (Stomakhin et al. 2013, Figure 9): its J_P lies below that of the snow
// around it, in the upper 12 cm. The beginning of the scene, on a shorter bed.
#include "support/play.h"

static void snow_under_a_foot_is_pressed(void **state) {
  (void)state;
  play p = play_builtin("walking", "quality=0.33",
                        "snow.bed.shape.box.center=[28 cm, 11 cm, -8 cm]",
                        "snow.bed.shape.box.size=[48 cm, 22 cm, 26 cm]");
  double *start = play_read(&p, "position");
  play_advance(&p, 0.9); // the left foot has stood for 0.1 s
  double *jp = play_read(&p, "jp"), *m = play_read(&p, "mass");
  // The sole: from 17.5 to 38.5 cm along x, 9 cm wide about z = -8 cm, its rounded edges left out.
  double under[2] = {0}, around[2] = {0};
  for (size_t i = 0; i < play_count(&p); i++) {
    double dx = fabs(start[3 * i] - 0.28), dz = fabs(start[3 * i + 2] + 0.08);
    if (start[3 * i + 1] < 0.1) continue; // below, the load has spread
    double *sum = dx < 0.08 && dz < 0.03 ? under : dx > 0.16 || dz > 0.1 ? around : NULL;
    if (!sum) continue;
    sum[0] += m[i];
    sum[1] += m[i] * jp[i];
  }
  double j = under[1] / under[0], j0 = around[1] / around[0];
  // The sole is 6.5 cm deep in the 22 by now, but much of the snow gives way to the sides.
  assert_between("J_P around the foot", j0, 0.97, 1.1);
  assert_between("J_P under the foot", j, 0.4, j0 - 0.05);
  free(start);
  free(jp);
  free(m);
  play_close(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(snow_under_a_foot_is_pressed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
