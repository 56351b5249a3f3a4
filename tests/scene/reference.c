// SPDX-License-Identifier: Apache-2.0
// timeout: 20
// Numbers that belong to cells hold at those of quality 1, unless a scene says where.
#include <string.h>

#include "support/play.h"

static void expect(const char *text, const char *quality, const char *line) {
  play p = play_text(text, quality);
  const char *all = firn_scene_resolved_text(p.scene);
  const char *section = strstr(all, strstr(line, "spacing") ? "\nsph:" : "\nflip:");
  if (!section || !strstr(section, line)) fail_msg("no '%s' in\n%s", line, all);
  play_close(&p);
}

#define SNOW "snow: [{shape: {box: {center: [0, 0, 0], size: [0.4, 0.4, 0.4]}}}]\n"

static void numbers_hold_at_quality_1(void **state) {
  (void)state;
  static const char *const quality[2] = {"quality=0.5", "quality=1"};
  for (int k = 0; k < 2; k++) {
    expect("firn: 1\nsolver: flip\nh: 8 cm\n" SNOW, quality[k], "reference_h: 0.08\n");
    expect("firn: 1\nsolver: flip\nspacing: 4 cm\n" SNOW, quality[k], "reference_h: 0.08\n");
    expect("firn: 1\nsolver: sph\nspacing: 4 cm\n" SNOW, quality[k], "reference_spacing: 0.04\n");
    expect("firn: 1\nsolver: sph\nh: 8 cm\n" SNOW, quality[k], "reference_spacing: 0.04\n");
    expect("firn: 1\nsolver: flip\nh: 8 cm\nflip: {reference_h: 0 m}\n" SNOW, quality[k],
           "reference_h: 0\n");
    expect("firn: 1\nsolver: sph\nh: 8 cm\nsph: {reference_spacing: 3 cm}\n" SNOW, quality[k],
           "reference_spacing: 0.03\n");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_hold_at_quality_1)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
