// SPDX-License-Identifier: Apache-2.0
// labels: slow
// timeout: 60
// long in double
// Section 5 of Stomakhin et al. 2013: critical strains tell when snow breaks. The smaller they are, the
// more and the smaller the pieces.
#include "support/play.h"

// A ring that spins too fast for its strength, away from everything: the pull around it is rho v^2 =
// 3.6 kPa, and Table 2's snow bears 1 kPa. Each break takes work that grows with theta_s, and breaks
// unload what lies beside them, so the less work the more breaks (Mott's rings).
static const char ring[] = "firn: 1\n"
                           "h: 1.5 cm\n"
                           "gravity: [0, 0, 0]\n"
                           "mpm: {sleep: false}\n"
                           "materials: {ring: {}}\n"
                           "snow:\n"
                           "  - shape: {torus: {center: [0, 0, 0], radius: 30 cm, tube: 2 cm}}\n"
                           "    spin: [0, 10 rad/s, 0]\n";

static firn_pieces break_ring(const char *change) {
  play p = play_text(ring, change);
  firn_pieces pieces;
  firn_pieces_def def = firn_default_pieces_def();
  def.least = 20; // crumbs of less than 3 cells are dust
  play_advance(&p, 0.3);
  play_must(&p, firn_sim_pieces(p.sim, &def, &pieces));
  print_message("%s: %zu pieces, largest %.4f kg, mean %.4f kg; dust %.4f kg\n", change,
                pieces.count, pieces.largest, pieces.mean, pieces.dust_mass);
  assert_true(pieces.dust_mass < 0.05 * pieces.mass);
  play_close(&p);
  return pieces;
}

// 4, 11 and 19 pieces when this was written; where exactly a ring breaks hangs on single particles.
static void smaller_critical_stretch_gives_more_and_smaller_pieces(void **state) {
  (void)state;
  firn_pieces few = break_ring("materials.ring.theta_s=3 %");
  firn_pieces some = break_ring("materials.ring.theta_s=0.75 %");
  firn_pieces many = break_ring("materials.ring.theta_s=0.3 %");
  assert_true(few.count >= 2);
  assert_between("pieces at 0.75 % / 3 %", (double)some.count / (double)few.count, 1.4, 10);
  assert_between("pieces at 0.3 % / 0.75 %", (double)many.count / (double)some.count, 1.2, 10);
  assert_between("largest at 0.75 % / 3 %", some.largest / few.largest, 0, 0.8);
  assert_between("largest at 0.3 % / 0.75 %", many.largest / some.largest, 0, 0.95);
}

// From powder to wet, by critical strains; at one density, so that the same pull acts.
static void powder_breaks_smaller_than_wet_snow(void **state) {
  (void)state;
  firn_pieces wet = break_ring("materials.ring={preset: wet, density: 400}");
  firn_pieces powder = break_ring("materials.ring={preset: powder, density: 400}");
  assert_between("pieces of powder / wet", (double)powder.count / (double)wet.count, 1.1, 10);
  assert_between("mean piece of powder / wet", powder.mean / wet.mean, 0, 0.95);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(smaller_critical_stretch_gives_more_and_smaller_pieces),
      cmocka_unit_test(powder_breaks_smaller_than_wet_snow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
