// SPDX-License-Identifier: Apache-2.0
// labels: P11 slow
// timeout: 120
// A ball on a slope slides or rolls, at three places and turns.
#include "sph/place.h"
#include "support/sph_case.h"

// A ball of concentric shells, `across` spacings thick, on a slope of 20 degrees that is turned and
// shifted; elastic, so that it stays a ball. A ball cut from a lattice is a polyhedron, which loses
// speed at every edge.
static void add_ball(const sph_case *c, int across, const place *p) {
  const double golden = 3.14159265358979324 * (3 - sqrt(5));
  for (int k = 0; k < across / 2; k++) {
    double r = k + 0.5, volume = 4.0 / 3 * 3.14159265358979324 * (pow(k + 1, 3) - pow(k, 3));
    int count = (int)lround(volume);
    for (int i = 0; i < count; i++) {
      double z = 1 - (2 * i + 1.0) / count, turn = i * golden + k * 1.7, q = sqrt(1 - z * z), x[3];
      const double y[3] = {r * q * cos(turn), 0.5 * across + r * q * sin(turn), r * z};
      to_world(p, c->d, y, x);
      sph_case_add(c, 1, x);
    }
  }
}

// Of the motion after a while, along the slope and about the axis across it.
typedef struct roll {
  double speed, slip; // of free sliding; of the lowest point, if it were rigid, of its speed
  double brake;       // spacings by which the floor's answer lies before the middle, in the mean
} roll;

// Friction F slows the middle down by F and turns the ball by F R, so that the momentum about the
// point of contact, m v R + I w, grows with m g sin R - m g cos e whatever F is; e is 0 unless
// something brakes.
static roll ball_down_a_slope(const sph_plan *base, int k, int across, double nu, double seconds) {
  const double angle = 20 * 3.14159265358979324 / 180;
  sph_plan plan = *base;
  place p = a_place(k);
  plan.material.law = "elastic";
  for (int a = 0; a < 3; a++)
    plan.gravity[a] = 9.81 * (sin(angle) * p.axis[0][a] - cos(angle) * p.axis[1][a]);
  sph_case c = sph_case_open(&plan);
  double foot[3];
  to_world(&p, c.d, (const double[3]){0, 0, 0}, foot);
  sph_case_plane(&c, foot, p.axis[1], nu);
  add_ball(&c, across, &p);
  sph_case_advance(&c, seconds);
  double *x = sph_case_read(&c, "position", 3), *v = sph_case_read(&c, "velocity", 3);
  double count = (double)sph_case_count(&c), middle[2] = {0}, mean[2] = {0}, turn = 0, inertia = 0;
  for (size_t i = 0; i < 3 * sph_case_count(&c); i++) {
    for (int a = 0; a < 2; a++) {
      middle[a] += (x[i] - foot[i % 3]) * p.axis[a][i % 3] / count;
      mean[a] += v[i] * p.axis[a][i % 3] / count;
    }
  }
  for (size_t i = 0; i < sph_case_count(&c); i++) {
    double r[2] = {-middle[0], -middle[1]}, u[2] = {0};
    for (size_t a = 0; a < 3; a++) {
      for (int m = 0; m < 2; m++) {
        r[m] += (x[3 * i + a] - foot[a]) * p.axis[m][a];
        u[m] += v[3 * i + a] * p.axis[m][a];
      }
    }
    turn += (r[0] * u[1] - r[1] * u[0]) / count;
    inertia += (r[0] * r[0] + r[1] * r[1]) / count;
  }
  free(x);
  free(v);
  double free_speed = 9.81 * sin(angle) * seconds, about = mean[0] - turn / middle[1];
  roll out = {.speed = mean[0] / free_speed,
              .slip = (mean[0] + turn / inertia * middle[1]) / mean[0],
              .brake = (1 - about / free_speed) * middle[1] / c.d * tan(angle)};
  sph_report("place %d, %d across, nu %g, %s: speed %.3f, slip %.3f, brake %.3f d", k, across, nu,
             plan.sph.walls_printed ? "printed" : "mirrored", out.speed, out.slip, out.brake);
  sph_case_close(&c);
  return out;
}

// Without friction it slides with g sin. With friction it rolls, with 5/7 of that and 2/7 of its
// slip more; bumps of a spacing and steps of 2 ms brake a little, and the less the more spacings it
// has. Walls that mirror from two spacings on, and not only what touches them, brake by 0.77
// spacings, and by 0.58.
static void ball_slides_or_rolls(void **state) {
  (void)state;
  const double t = 0.2;
  for (int printed = 0; printed < 2; printed++) {
    sph_plan plan = sph_default_plan();
    plan.sph.walls_printed = printed;
    for (int k = 0; k < 3; k++) {
      roll ice = ball_down_a_slope(&plan, k, 14, 0, t);
      assert_within("speed on ice", ice.speed, 1, 0.01);
      assert_within("brake on ice", ice.brake, 0, 0.1); // its lowest bump is not below the middle
      for (int across = 14; across <= 20; across += 6) {
        roll wood = ball_down_a_slope(&plan, k, across, 1, t);
        assert_within("brake", wood.brake, 0, printed ? 0.45 : 0.3);
        assert_within("slip on wood", wood.slip, 0, 0.15);
      }
    }
    plan.sph.dt_max = 5e-4;
    roll fine = ball_down_a_slope(&plan, 1, 28, 1, t);
    assert_within("brake of many spacings", fine.brake, 0, 0.1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ball_slides_or_rolls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
