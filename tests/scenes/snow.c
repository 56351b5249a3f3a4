// SPDX-License-Identifier: Apache-2.0
// labels: slow
// timeout: 60
// Section 5 of Stomakhin et al. 2013: hardening tells how snow breaks (larger: brittle), and with
// stiffness leads from mud to ice.
#include "support/play.h"

// ------------------------------------------------------------------------------------ brittleness

// A bar that two grips pull apart, slowly: 4 cm/s together, while sound does 20 m/s.
static const char bar[] = "firn: 1\n"
                          "h: 1 cm\n"
                          "gravity: [0, 0, 0]\n"
                          "mpm: {sleep: false}\n"
                          "materials: {bar: {hardening: 10}}\n"
                          "snow:\n"
                          "  - shape: {box: {center: [0, 0, 0], size: [16 cm, 4 cm, 4 cm]}}\n"
                          "    seeding: jittered\n"
                          "colliders:\n"
                          "  - name: left\n"
                          "    shape: {box: {center: [-8 cm, 0, 0], size: [4 cm, 8 cm, 8 cm]}}\n"
                          "    sticky: true\n"
                          "    velocity: [-2 cm/s, 0, 0]\n"
                          "  - name: right\n"
                          "    shape: {box: {center: [8 cm, 0, 0], size: [4 cm, 8 cm, 8 cm]}}\n"
                          "    sticky: true\n"
                          "    velocity: [2 cm/s, 0, 0]\n";

// J, done by the grips from the first yield until they pull with less than 5 % of the peak.
static double work_to_separation(const char *hardening) {
  play p = play_text(bar, hardening);
  const double slice = 4e-3, speed = 0.04; // s, m/s
  double work = 0, peak = 0, pull = 0;
  bool yielding = false;
  int i = 0;
  for (; i < 400; i++) {
    firn_sim_collider_force_reset(p.sim);
    play_advance(&p, slice);
    yielding = yielding || play_stat(&p, "yielded") > 0;
    pull = (play_force(&p, "left").force[0] - play_force(&p, "right").force[0]) / 2;
    peak = fmax(peak, pull);
    if (yielding) work += pull * speed * slice;
    if (yielding && pull < 0.05 * peak) break;
  }
  print_message("%s: peak %.3f N, work %.5f J, apart after %.3f s\n", hardening, peak, work,
                (i + 1) * slice);
  assert_true(i < 400); // it did come apart
  play_close(&p);
  return work;
}

// A stretched cell does work A h M theta_s integral of e^{xi (1 - J)} dJ, which is 1/xi: half the
// work for twice the hardening, as long as the same cells stretch. Elastic snow on both sides gives
// back what it held in either case, which makes the ratio smaller.
static void larger_hardening_is_more_brittle(void **state) {
  (void)state;
  double soft = work_to_separation("materials.bar.hardening=5");
  double middle = work_to_separation("materials.bar.hardening=10");
  double hard = work_to_separation("materials.bar.hardening=20");
  assert_between("work at xi = 10 / 5", middle / soft, 0.3, 0.8);
  assert_between("work at xi = 20 / 10", hard / middle, 0.3, 0.8);
}

// ------------------------------------------------------------------------------------ named snows

static const char thud[] = "firn: 1\n"
                           "h: 2 cm\n"
                           "mpm: {sleep: false}\n"
                           "snow:\n"
                           "  - shape: {sphere: {center: [0, 10 cm, 0], radius: 10 cm}}\n"
                           "    velocity: [0, -5 m/s, 0]\n"
                           "colliders: [{name: ground, shape: {half_space: {}}}]\n";

// Height of the centre of mass after a ball hit the ground, over that before.
static double flatten(const char *change) {
  play p = play_text(thud, change);
  play_advance(&p, 0.06);
  double height = play_sums(&p).center[1] / 0.1;
  print_message("%s: %.3f of its height left\n", change, height);
  play_close(&p);
  return height;
}

// From mud to ice, by stiffness and hardening together.
static void mud_splats_and_ice_bounces(void **state) {
  (void)state;
  double mud = flatten("snow.0.material=mud"), packing = flatten("snow.0.material=packing");
  double snow = flatten("snow.0.material=snow"), icy = flatten("snow.0.material=icy");
  assert_between("mud", mud, 0.3, packing - 0.05);
  assert_between("packing", packing, mud, snow - 0.05);
  assert_between("snow", snow, packing, icy - 0.05);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(larger_hardening_is_more_brittle),
      cmocka_unit_test(mud_splats_and_ice_bounces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
