// SPDX-License-Identifier: Apache-2.0
// Height fields: from data, from pictures, from noise.
#define _GNU_SOURCE // mkstemp

#include "geometry/shape_case.h"

#include <unistd.h>

#include "geometry/noise.h"
#include "geometry/sdf.h"
#include "render/png.h"

enum { COLUMNS = 7, ROWS = 5, POINTS = 2500 };

static const double MIDDLE[3] = {0.3, -0.2, 0.1}, SIZE[2] = {1.2, 0.8};
static double heights[ROWS][COLUMNS];

static void make_heights(void) {
  for (int j = 0; j < ROWS; j++) {
    for (int i = 0; i < COLUMNS; i++) {
      heights[j][i] = 0.2 * sin(1.7 * i + 0.3 * j) + 0.1 * cos(2.3 * j * j - i);
    }
  }
}

// The plane through the three samples around x and z, by solving for it.
static double surface(double x, double z) {
  double u = (x - 0.3 + 0.6) / 0.2, v = (z - 0.1 + 0.4) / 0.2;
  u = fmin(fmax(u, 0), COLUMNS - 1);
  v = fmin(fmax(v, 0), ROWS - 1);
  int i = (int)fmin(u, COLUMNS - 2), j = (int)fmin(v, ROWS - 2);
  u -= i, v -= j;
  double a = heights[j][i], d = heights[j + 1][i + 1];
  if (u > v) { // towards the next column
    double b = heights[j][i + 1];
    return -0.2 + a + u * (b - a) + v * (d - b);
  }
  double c = heights[j + 1][i];
  return -0.2 + a + v * (c - a) + u * (d - c);
}

static bool in_ground(const double x[3]) {
  return x[1] <= surface(x[0], x[2]);
}

static bool in_block(const double x[3]) {
  return fabs(x[0] - 0.3) <= 0.6 && fabs(x[2] - 0.1) <= 0.4 && x[1] >= -0.2 - 0.5 && in_ground(x);
}

static firn_shape_def field(void) {
  make_heights();
  return firn_height_field(MIDDLE, SIZE, COLUMNS, ROWS, heights[0]);
}

static void ground_is_below_the_surface_and_goes_on_outwards(void **state) {
  (void)state;
  firn_context *context = case_context();
  firn_shape *ground = case_make(context, field());
  const shape_case c = {
      .name = "ground", .inside = in_ground, .lo = {-0.7, -1, -0.7}, .hi = {1.3, 0.6, 0.9}};
  case_check(&c, firn_shape_retain(ground), POINTS);
  // Well within the rectangle the distance is exact.
  const shape_case within = {.name = "ground within",
                             .inside = in_ground,
                             .exact = true,
                             .lo = {0, -0.7, -0.1},
                             .hi = {0.6, 0.3, 0.3}};
  case_check(&within, ground, POINTS);
  case_end(context);
}

static void a_field_with_a_depth_is_a_block(void **state) {
  (void)state;
  firn_context *context = case_context();
  firn_shape_def def = field();
  def.depth = 0.5;
  const shape_case c = {.name = "block", .inside = in_block};
  firn_shape *block = case_make(context, def);
  assert_true(block->volume > 0);
  case_check(&c, block, POINTS);
  case_end(context);
}

// 160 x 120 samples: the nearest triangle is found as among all of them.
static void the_nearest_triangle_is_found_in_a_large_field(void **state) {
  (void)state;
  enum { N = 160, M = 120 };
  static double rough[M][N];
  firn_context *context = case_context();
  for (int j = 0; j < M; j++) {
    for (int i = 0; i < N; i++) {
      rough[j][i] = 0.3 * firn_noise3_octaves(4, 4, i * 0.03, 0.5, j * 0.03, NULL);
    }
  }
  const double zero[3] = {0, 0, 0}, size[2] = {1.59, 1.19};
  firn_shape *shape = case_make(context, firn_height_field(zero, size, N, M, rough[0]));
  const uint64_t looks = is_slow() ? 6 : 120;
  uint64_t near = 0;
  for (uint64_t q = 0; q < looks; q++) {
    double x[3], least = INFINITY;
    case_point((double[]){-0.7, -0.4, -0.5}, (double[]){0.7, 0.5, 0.5}, 12, q, x);
    // All triangles, each sampled on a lattice of 1 mm.
    for (int j = 0; j + 1 < M; j++) {
      for (int i = 0; i + 1 < N; i++) {
        for (int s = 0; s <= 10; s++) {
          for (int t = 0; t <= 10; t++) {
            double u = s / 10.0, v = t / 10.0, h;
            h = u >= v ? rough[j][i] + u * (rough[j][i + 1] - rough[j][i]) +
                             v * (rough[j + 1][i + 1] - rough[j][i + 1])
                       : rough[j][i] + v * (rough[j + 1][i] - rough[j][i]) +
                             u * (rough[j + 1][i + 1] - rough[j + 1][i]);
            double dx = -0.795 + (i + u) * 0.01 - x[0], dz = -0.595 + (j + v) * 0.01 - x[2];
            double d = dx * dx + (h - x[1]) * (h - x[1]) + dz * dz;
            least = fmin(least, d);
          }
        }
      }
    }
    least = sqrt(least);
    // The nearest sample is at most half a diagonal of the lattice, stretched by the slope, off.
    double d = fabs(firn_shape_distance(shape, x, NULL)), gap = 0.002;
    // Beyond 8 cells it is a bound, which must not be less than these.
    if (least > 0.08) {
      assert_true(d >= 0.08 && d <= least);
      continue;
    }
    near++;
    if (!(d <= least + 1e-12 && d >= sqrt(fmax(least * least - gap * gap, 0)) - 1e-3)) {
      fail_msg("(%g %g %g): %.9g instead of %.9g", x[0], x[1], x[2], d, least);
    }
  }
  assert_true(6 * near > looks);
  firn_shape_release(shape);
  case_end(context);
}

static void black_is_low_and_white_is_high(void **state) {
  (void)state;
  firn_context *context = case_context();
  char path[] = "/tmp/firn-height-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  // Columns rise from 0 to 255 along x; the lower row of the picture is at the greater z, and 0.
  uint8_t rgb[2][4][3];
  for (int j = 0; j < 2; j++) {
    for (int i = 0; i < 4; i++) memset(rgb[j][i], j ? 0 : 85 * i, 3);
  }
  assert_int_equal(firn_png_write(context, path, 4, 2, &rgb[0][0][0]), FIRN_OK);
  const double zero[3] = {0, 0, 0}, size[2] = {3, 1};
  firn_shape *shape = case_make(context, firn_height_image(zero, size, path, 0.6));
  const struct {
    double x, z, height;
  } known[] = {{-1.5, -0.5, 0}, {-0.5, -0.5, 0.2}, {1.5, -0.5, 0.6}, {1, -0.5, 0.5}, {1.5, 0.5, 0}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const double below[3] = {known[i].x, known[i].height - 1e-6, known[i].z};
    const double above[3] = {known[i].x, known[i].height + 1e-6, known[i].z};
    if (firn_shape_distance(shape, below, NULL) > 0 ||
        firn_shape_distance(shape, above, NULL) < 0) {
      fail_msg("the surface is not at %g m at (%g, %g)", known[i].height, known[i].x, known[i].z);
    }
  }
  firn_shape_release(shape);

  // Not a picture, half a picture, no file.
  firn_shape_def def = firn_height_image(zero, size, path, 0.6);
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  assert_int_equal(ftruncate(fileno(file), 50), 0);
  fclose(file);
  assert_int_equal(firn_shape_create(context, &def, &shape), FIRN_ERROR_FORMAT);
  assert_non_null(strstr(firn_context_message(context), path));
  file = fopen(path, "wb");
  assert_non_null(file);
  fputs("this is no picture", file);
  fclose(file);
  assert_int_equal(firn_shape_create(context, &def, &shape), FIRN_ERROR_FORMAT);
  assert_non_null(strstr(firn_context_message(context), path));
  unlink(path);
  assert_int_equal(firn_shape_create(context, &def, &shape), FIRN_ERROR_IO);
  assert_non_null(strstr(firn_context_message(context), "No such file"));
  case_end(context);
}

static firn_shape *hills;

static bool in_hills(const double x[3]) {
  return firn_shape_distance(hills, x, NULL) <= 0;
}

static void noise_makes_hills_within_the_amplitude(void **state) {
  (void)state;
  firn_context *context = case_context();
  const double zero[3] = {0, 0, 0}, size[2] = {4, 3};
  firn_shape_def def = firn_height_noise(zero, size, 0.5, 1.5, 3, 11);
  def.depth = 0.6;
  hills = case_make(context, def);
  const shape_case c = {.name = "hills", .inside = in_hills};
  double lo[3], hi[3];
  assert_true(firn_shape_bounds(hills, lo, hi));
  assert_true(lo[1] == -0.6 && hi[1] > 0.1 && hi[1] <= 0.5);
  // The samples lie on the noise itself.
  for (int i = 0; i < 20; i++) {
    double x = 0.05 * i - 0.5, z = -1.5 + 3 * i / 19.0;
    double h = 0.5 * firn_noise3_octaves(11, 3, x / 1.5, 0.5, z / 1.5, NULL);
    const double below[3] = {x, h - 0.02, z}, above[3] = {x, h + 0.02, z};
    assert_true(in_hills(below) && !in_hills(above));
  }
  case_check(&c, firn_shape_retain(hills), POINTS / 2);
  firn_shape_release(hills);
  case_end(context);
}

// Pictures walk along it: it never steps through the surface, has the same sides, and on the surface the
// same normal but at edges, where several are right. Turned and scaled it is as good.
static void a_quick_look_is_a_bound_of_the_distance(void **state) {
  (void)state;
  firn_context *context = case_context();
  firn_shape *ground = case_make(context, field());
  firn_shape_def block_def = field();
  block_def.depth = 0.5;
  firn_shape *block = case_make(context, block_def);
  const double aside[3] = {0.1, -0.2, 0.3};
  double turn[4];
  firn_rotation((const double[]){0, 0.2, 1}, 0.6, turn);
  firn_shape *turned = case_make(context, firn_transform(ground, aside, turn, 1.5));
  firn_shape *const shapes[] = {ground, block, turned};
  for (int k = 0; k < 3; k++) {
    int same = 0, close = 0;
    for (uint32_t i = 0; i < POINTS; i++) {
      double x[3], n[3], quick[3];
      for (uint32_t a = 0; a < 3; a++)
        x[a] = 3 * firn_noise3(i, 0.37 * (a + 1), 0.5 * (a + 1) + 0.01 * i, 0.21 * a, NULL);
      double d = firn_shape_sample(shapes[k], x, 0, n), q = firn_shape_look(shapes[k], x, 0, quick);
      assert_true((d > 0) == (q > 0));
      for (uint32_t way = 0; way < 12; way++) { // nothing of the surface is nearer
        double y[3], along[3] = {0};
        for (uint32_t a = 0; a < 3; a++)
          along[a] = firn_noise3(way, 0.31 + a, 0.7 * (a + 1), 0.1 * i, NULL) + (way % 3 == a);
        double length = firn_sdf_length(along);
        for (int a = 0; a < 3; a++) y[a] = x[a] + 0.999 * fabs(q) * along[a] / length;
        assert_true((firn_shape_sample(shapes[k], y, 0, NULL) > 0) == (d > 0));
      }
      assert_true(fabs(firn_sdf_length(quick) - 1) < 1e-12);
      for (int step = 0; step < 60; step++) { // to the surface
        for (int a = 0; a < 3; a++) x[a] -= d * n[a];
        d = firn_shape_sample(shapes[k], x, 0, n);
        if (fabs(d) < 1e-9) break;
      }
      if (fabs(d) > 1e-9) continue;
      assert_true(fabs(firn_shape_look(shapes[k], x, 0, quick)) < 1e-8);
      close++;
      same += firn_sdf_dot(n, quick) > 1 - 1e-9;
    }
    assert_true(close > POINTS / 2 && same > 0.4 * close);
  }
  assert_ptr_equal(firn_shape_unmoved(turned), ground);
  assert_ptr_equal(firn_shape_unmoved(block), block);
  for (int k = 2; k >= 0; k--) firn_shape_release(shapes[k]);
  case_end(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ground_is_below_the_surface_and_goes_on_outwards),
      cmocka_unit_test(a_field_with_a_depth_is_a_block),
      cmocka_unit_test(the_nearest_triangle_is_found_in_a_large_field),
      cmocka_unit_test(a_quick_look_is_a_bound_of_the_distance),
      cmocka_unit_test(black_is_low_and_white_is_high),
      cmocka_unit_test(noise_makes_hills_within_the_amplitude),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
