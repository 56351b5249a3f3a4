// SPDX-License-Identifier: Apache-2.0
// timeout: 3600
// long
// A cube is pressed into snow, grains, a thick and a thin fluid (Takahashi et al. 2014, Figure 7). Whole snow
// gives way and packs under it; of the others the cube displaces its volume, and grains fly.
#include <stdio.h>
#include <string.h>

#include "support/play.h"

static const double WIDE = 0.5, DEEP = 0.18, TOP = 0.3, DENSITY = 200,
                    G = 9.81; // as the scene has them

typedef struct outcome {
  double
      displaced; // volume above the level at which all stood, beside the cube, over that which it has swept
  double moved;   // the same less what is missing below that level: the troughs of waves
  double density; // mean under the cube, over that at first
  double ejecta;  // share of all that has flown: see flies()
} outcome;

static bool is_beside(const double x[3]) {
  return fmax(fabs(x[0] - 0.5), fabs(x[2] - 0.5)) > WIDE / 2;
}

// More than 5 cm above the level, two cells of the whole scene, and falling freely: what is at rest in a heap
// or still pushed is not thrown.
static bool flies(const double x[3], const double v[3], const double before[3], double level,
                  double dt) {
  const double off[3] = {v[0] - before[0], v[1] - before[1] + G * dt, v[2] - before[2]};
  double off2 = off[0] * off[0] + off[1] * off[1] + off[2] * off[2];
  return is_beside(x) && x[1] > level + 0.05 && sqrt(off2) < 0.2 * G * dt;
}

static outcome press(const char *scene, const char *quality) {
  enum { TIMES = 18 };
  const double dt = 0.02, bottom = TOP - DEEP;
  play p = play_builtin(scene, quality);
  size_t count = play_count(&p);
  double mass = play_sums(&p).mass, level = mass / DENSITY; // over 1 m^2
  double *m = play_read(&p, "mass"), *x = NULL, *v = play_read(&p, "velocity");
  bool *flown = calloc(count, sizeof *flown);
  for (int n = 0; n < TIMES; n++) {
    double *before = v;
    play_advance(&p, dt);
    free(x);
    x = play_read(&p, "position");
    v = play_read(&p, "velocity");
    for (size_t i = 0; i < count; i++)
      flown[i] = flown[i] || flies(x + 3 * i, v + 3 * i, before + 3 * i, level, dt);
    free(before);
  }
  outcome out = {0};
  for (size_t i = 0; i < count; i++) {
    bool beside = is_beside(x + 3 * i);
    if (beside && x[3 * i + 1] > level) out.displaced += m[i] / DENSITY;
    if (beside) out.moved += m[i] / DENSITY;
    if (!beside && x[3 * i + 1] < bottom) out.density += m[i] / DENSITY;
    out.ejecta += flown[i] * m[i] / mass;
  }
  out.displaced /= WIDE * WIDE * (level - bottom);
  out.moved = (out.moved - (1 - WIDE * WIDE) * level) / (WIDE * WIDE * (level - bottom));
  out.density /= WIDE * WIDE * bottom;
  print_message("%s, %s: displaced %.3f, moved %.3f, density %.3f, ejecta %.4f\n", scene, quality,
                out.displaced, out.moved, out.density, out.ejecta);
  free(m), free(x), free(v), free(flown);
  play_close(&p);
  return out;
}

static void check(const char *quality) {
  outcome snow = press("press-cube", quality);
  assert_between("displaced, snow", snow.displaced, 0, 0.35);
  assert_between("density, snow", snow.density, 1.3, 5);
  assert_between("ejecta, snow", snow.ejecta, -1, 0.005);
  static const char *const other[] = {"press-cube-granular", "press-cube-viscous",
                                      "press-cube-fluid"};
  for (int i = 0; i < 3; i++) {
    outcome o = press(other[i], quality);
    // A thin fluid has waves, whose crests alone would count.
    bool waves = strcmp(other[i], "press-cube-fluid") == 0;
    assert_between("displaced", waves ? o.moved : o.displaced, 0.8, 1.2);
    assert_between("density", o.density, 0.8, 1.15);
    if (i == 0) assert_between("ejecta, grains", o.ejecta, 0.03, 0.5);
  }
}

static void all_four_when_small(void **state) {
  (void)state;
  check("quality=0.6");
}

static void all_four_as_they_ship(void **state) {
  (void)state;
  check("quality=1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_four_when_small),
      cmocka_unit_test(all_four_as_they_ship),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
