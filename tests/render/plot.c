// SPDX-License-Identifier: Apache-2.0
// Axes have few ticks at round numbers that hold the data; lines and letters land where they should.
#include "cache/scratch.h"

#include <math.h>
#include <stdlib.h>

#include "render/plot.h"

// Any data: 2 to 12 ticks, evenly apart by 1, 2 or 5 times a power of ten, labels all different.
static void ticks_are_round_and_few(void **state) {
  (void)state;
  srand(7);
  for (int trial = 0; trial < 20000; trial++) {
    double size = pow(10, rand() % 24 - 12), low = size * (rand() % 2001 - 1000),
           high = low + size * pow(10, rand() % 4) * (rand() % 1000 + 1) / 100;
    bool tight = trial % 2;
    int want = trial % 4 < 2 ? 5 : trial % 100 + 2; // as a high panel wants them
    firn_axis a = firn_axis_make(low, high, want, tight, false, "");
    assert_true(a.count >= (want < 5 ? 1 : 2) && a.count <= FIRN_TICKS);
    if (a.count < 2) continue;
    // All of the axis has ticks, not its beginning only.
    assert_true(a.high - a.tick[a.count - 1] < (1 + 1e-6) * (a.tick[1] - a.tick[0]));
    assert_true(a.low <= low + 1e-9 * size && a.high >= high - 1e-9 * size);
    double step = a.tick[1] - a.tick[0], power = pow(10, floor(log10(step) + 1e-9));
    double part = step / power;
    assert_true(fabs(part - 1) < 1e-6 || fabs(part - 2) < 1e-6 || fabs(part - 5) < 1e-6);
    for (int i = 0; i < a.count; i++) {
      assert_true(firn_axis_place(&a, a.tick[i]) > -1e-6);
      assert_true(firn_axis_place(&a, a.tick[i]) < 1 + 1e-6);
      if (i) assert_string_not_equal(a.label[i], a.label[i - 1]);
    }
  }
}

static void labels_say_the_values_of_their_ticks(void **state) {
  (void)state;
  firn_axis a = firn_axis_make(0, 91000, 5, false, false, "J");
  assert_string_equal(a.prefix, "k");
  for (int i = 0; i < a.count; i++)
    assert_true(fabs(strtod(a.label[i], NULL) * a.factor - a.tick[i]) < 1e-9 * 91000);
  a = firn_axis_make(0, 2.5e-5, 5, false, false, "s");
  assert_string_equal(a.prefix, "u");
  a = firn_axis_make(0, 0.8, 5, false, false, "m"); // rather than 800 mm
  assert_string_equal(a.prefix, "");
  a = firn_axis_make(0, 3.2e6, 4, false, false, ""); // a count
  assert_string_equal(a.label[1], "1M");
  a = firn_axis_make(5, 5, 4, false, false, ""); // constant
  assert_true(a.low < 5 && a.high > 5);
  a = firn_axis_make(0, 0, 4, false, false, "J");
  assert_true(a.low < 0 && a.high > 0 && a.count >= 2);
  a = firn_axis_make(0, 4e-324, 4, false, false, "J"); // as good as none
  assert_true(a.low < 0 && a.high > 0 && a.count >= 2);
  a = firn_axis_make(-1.7e308, 1.7e308, 4, false, false, "J"); // too far to be told apart
  assert_true(a.count <= FIRN_TICKS);
  a = firn_axis_make(1e-3, 2e5, 4, false, true, "J");
  assert_true(a.count >= 3 && firn_axis_place(&a, 1e-3) >= 0 && firn_axis_place(&a, 2e5) <= 1);
  assert_true(isnan(firn_axis_place(&a, 0)));
}

static int darkness(const firn_canvas *c, int x, int y) {
  return 255 - c->rgb[3 * ((size_t)y * (size_t)c->width + (size_t)x)];
}

// The ink of a line of width w and length l is their product (with round ends of width w, pi/4 w^2
// more), whatever its direction: edges are smooth. The share of a pixel is good to a few percent.
static void lines_have_their_width_in_ink(void **state) {
  scratch *s = *state;
  for (int angle = 0; angle < 90; angle += 9) {
    firn_canvas c;
    assert_int_equal(firn_canvas_create(s->context, 100, 100, true, &c), FIRN_OK);
    double u = cos(angle * 0.0174533), v = sin(angle * 0.0174533);
    double points[4] = {50.3 - 30 * u, 50.6 - 30 * v, 50.3 + 30 * u, 50.6 + 30 * v};
    firn_canvas_line(&c, 2, points, 2.5, 0x000000);
    double ink = 0;
    for (int y = 0; y < 100; y++)
      for (int x = 0; x < 100; x++) ink += darkness(&c, x, y) / 255.0;
    assert_true(fabs(ink / (60 * 2.5 + 0.785 * 2.5 * 2.5) - 1) < 0.03);
    assert_true(darkness(&c, 50, 50) == 255);
    firn_canvas_free(&c);
  }
}

static void text_stays_in_its_box(void **state) {
  scratch *s = *state;
  const char *text = "Energy [kJ] 0123456789.+-^_xyz?";
  double width = firn_canvas_text_width(20, text);
  firn_canvas c;
  assert_int_equal(firn_canvas_create(s->context, (int)width + 40, 60, true, &c), FIRN_OK);
  firn_canvas_text(&c, 20 + width, 40, 20, FIRN_ANCHOR_END, 0, text);
  int ink = 0;
  for (int y = 0; y < c.height; y++)
    for (int x = 0; x < c.width; x++) {
      int d = darkness(&c, x, y);
      ink += d > 128;
      bool inside = x >= 17 && x <= 22 + width && y >= 23 && y <= 47;
      if (!inside) assert_int_equal(d, 0);
    }
  assert_true(ink > 500);
  firn_canvas_free(&c);
}

// What lies outside of the picture is cut off, and huge or foreign numbers do no harm.
static void drawing_outside_does_nothing(void **state) {
  scratch *s = *state;
  for (int pixels = 0; pixels < 2; pixels++) {
    firn_canvas c;
    assert_int_equal(firn_canvas_create(s->context, 30, 20, pixels, &c), FIRN_OK);
    const double far[6] = {-1e7, -50, 1e7, -40, 500, 500};
    firn_canvas_line(&c, 3, far, 3, 0);
    firn_canvas_rect(&c, 40, 5, 1e8, 1e8, 0);
    firn_canvas_text(&c, -4000, 10, 12, FIRN_ANCHOR_START, 0, "\xc3\xa9 far away");
    if (pixels)
      for (int i = 0; i < 30 * 20; i++) assert_int_equal(darkness(&c, i % 30, i / 30), 0);
    firn_canvas_free(&c);
  }
}

// A row that is half written, or of another run, has no place on the axis: the others have theirs.
static void points_without_a_place_are_left_out(void **state) {
  scratch *s = *state;
  const double x[5] = {NAN, 0, 1, 2, NAN}, value[5] = {1e9, 0, 1, 2, -1e9};
  const firn_panel panel = {
      .title = "a", .unit = "", .curve_count = 1, .curve = {{.name = "b", .value = value}}};
  const firn_chart chart = {.title = "",
                            .axis = "time",
                            .unit = "s",
                            .count = 5,
                            .x = x,
                            .panel_count = 1,
                            .panel = &panel,
                            .width = 400,
                            .panel_height = 200};
  firn_canvas c;
  assert_int_equal(firn_canvas_create(s->context, 400, firn_chart_height(&chart), false, &c),
                   FIRN_OK);
  firn_chart_draw(&chart, &c);
  // From the lower left to the upper right corner of the panel, by way of its middle.
  assert_non_null(strstr(c.text, "points=\"66.00,218.00 224.00,146.00 382.00,74.00\""));
  assert_non_null(strstr(c.text, ">2.0<"));
  firn_canvas_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ticks_are_round_and_few),
      cmocka_unit_test(labels_say_the_values_of_their_ticks),
      cmocka_unit_test_setup_teardown(lines_have_their_width_in_ink, scratch_open, scratch_close),
      cmocka_unit_test_setup_teardown(text_stays_in_its_box, scratch_open, scratch_close),
      cmocka_unit_test_setup_teardown(drawing_outside_does_nothing, scratch_open, scratch_close),
      cmocka_unit_test_setup_teardown(points_without_a_place_are_left_out, scratch_open,
                                      scratch_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
