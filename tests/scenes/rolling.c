// SPDX-License-Identifier: Apache-2.0
// labels: slow
// timeout: 120
// long in double
// A snowball that rolls down a snowy hill grows: pressed snow sticks to it (Stomakhin et al. 2013,
// Figure 1). A narrower hill than the scene's; otherwise as it ships.
#include "support/play.h"

typedef struct ball {
  double mass;      // kg
  double center[3]; // m
  double velocity[3];
  double spin; // rad/s, about z
} ball;

// The ball is the particles from first to last - 1.
static ball ball_of(size_t first, size_t last, const double *x, const double *v, const double *m) {
  ball b = {0};
  double angular = 0, inertia = 0;
  for (size_t i = first; i < last; i++) {
    b.mass += m[i];
    for (size_t a = 0; a < 3; a++) {
      b.center[a] += m[i] * x[3 * i + a];
      b.velocity[a] += m[i] * v[3 * i + a];
    }
  }
  for (int a = 0; a < 3; a++) {
    b.center[a] /= b.mass;
    b.velocity[a] /= b.mass;
  }
  for (size_t i = first; i < last; i++) {
    double r[2] = {x[3 * i] - b.center[0], x[3 * i + 1] - b.center[1]};
    angular += m[i] * (r[0] * v[3 * i + 1] - r[1] * v[3 * i]);
    inertia += m[i] * (r[0] * r[0] + r[1] * r[1]);
  }
  b.spin = angular / inertia;
  return b;
}

// kg of the hill's snow that goes round with the ball: within 1.25 R of its middle, off the hill by
// a third of a radius, and moving as if it were part of the ball, give or take half its speed.
static double gathered(const play *p, size_t first, size_t last, ball *b) {
  const double R = 0.45, slope = atan2(4.4, 6.5);
  double *x = play_read(p, "position"), *v = play_read(p, "velocity"), *m = play_read(p, "mass");
  *b = ball_of(first, last, x, v, m);
  double sum = 0, speed = hypot(b->velocity[0], b->velocity[1]);
  for (size_t i = 0; i < first; i++) {
    double r[3], *u = v + 3 * i;
    for (size_t a = 0; a < 3; a++) r[a] = x[3 * i + a] - b->center[a];
    double off = sin(slope) * (x[3 * i] - 5.5) + cos(slope) * x[3 * i + 1];
    double slip = hypot(u[0] - b->velocity[0] + b->spin * r[1],
                        u[1] - b->velocity[1] - b->spin * r[0]);
    if (r[0] * r[0] + r[1] * r[1] + r[2] * r[2] < 1.5625 * R * R && off > 0.15 + R / 3 &&
        slip < 0.5 * speed)
      sum += m[i];
  }
  free(x);
  free(v);
  free(m);
  return sum;
}

static void rolling_ball_gains_mass(void **state) {
  (void)state;
  static const char bed[] =
      "snow.bed.shape.intersection.1.box={center: [2 m, 2.5 m, 0], size: [4.4 m, 6 m, 1.2 m]}";
  static const char away[] = "snow.snowman.shape={sphere: {center: [9 m, 2 m, 0], radius: 10 cm}}";
  play p = play_builtin("rolling-snowball", "quality=0.2", bed, away);
  // The bed comes first, then the ball; the rest of the snowman is out of the way.
  double *v = play_read(&p, "velocity");
  size_t first = 0, last = play_count(&p);
  while (first < last && v[3 * first] == 0) first++;
  while (last > first && v[3 * last - 3] == 0) last--;
  assert_true(first < last);
  free(v);
  ball b;
  double mass = gathered(&p, first, last, &b), start = b.center[0];
  assert_between("gathered at the beginning, kg", mass, -1, 1e-9);
  for (int i = 0; i < 3; i++) {
    play_advance(&p, 0.2);
    mass = gathered(&p, first, last, &b);
    print_message("t = %.1f s: %.2f m on, spin %.1f rad/s, %.2f kg on a ball of %.2f kg\n",
                  firn_sim_time(p.sim), b.center[0] - start, b.spin, mass, b.mass);
  }
  assert_between("way down the hill, m", b.center[0] - start, 1, 5);
  assert_between("spin, rad/s", b.spin, -20, -2); // it still rolls
  assert_between("gathered, of its mass", mass / b.mass, 0.01, 1);
  play_close(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rolling_ball_gains_mass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
