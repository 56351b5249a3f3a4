// SPDX-License-Identifier: Apache-2.0
// labels: R1 R9
// Light is neither lost nor found: every single path has the right sum.
#include "render/trace_case.h"

static firn_v3 white(const void *user, firn_v3 along) {
  (void)user;
  (void)along;
  return (firn_v3){1, 1, 1};
}

// Blobs with holes between them: blocks of all kinds.
static firn_volume *lumps(firn_context *context) {
  enum { N = 41 };
  const int nodes[3] = {N, N, N};
  static float density[N * N * N];
  uint32_t seed = 7;
  for (int i = 0; i < N * N * N; i++) {
    int x = i % N - 20, y = i / N % N - 20, z = i / N / N - 20;
    seed = firn_scramble(seed + 1);
    bool in = x * x + y * y + z * z < 400 && (x + 40) % 16 < 9 && (y + 40) % 20 < 13;
    density[i] = in ? 4 * (float)(seed >> 8) * 0x1p-24f : 0;
  }
  return trace_volume(context, nodes, (firn_v3){-20, -20, -20}, density);
}

// One sample a pixel, so a pixel is a path. Multiplying by an albedo of 1 is exact, and so is the
// sky: 1e-6 leaves room for nothing but rounding.
static void a_white_furnace_is_white_for_every_path(void **state) {
  (void)state;
  enum { W = 64, H = 64 };
  TRACE_FOR_ISAS(context) {
    firn_volume *volume = lumps(context);
    firn_camera camera = trace_camera(W, H);
    camera.half_height = 0.25f;
    firn_studio studio = {
        .volume = volume, .medium = trace_medium(1, 1, 1, 0.5f), .camera = &camera};
    firn_light_table lights = {.sky = white};
    firn_film film;
    assert_int_equal(firn_film_create(context, W, H, true, &film), FIRN_OK);
    for (int inside = 0; inside < 2; inside++) {
      if (inside) camera.open.eye = camera.shut.eye = (firn_v3){0, 0, 1};
      firn_trace_stats stats;
      firn_trace_def def = {.samples = 1, .seed = 3};
      assert_int_equal(firn_trace_with(context, &studio, &lights, &def, &film, &stats), FIRN_OK);
      assert_int_equal(stats.truncated, 0);
      assert_int_equal(stats.paths, W * H);
      assert_true(stats.events > W * H); // it is not an empty room
      for (int i = 0; i < W * H; i++) {
        assert_true(fabsf(film.light[i].x - 1) <= 1e-6f);
        assert_true(fabsf(film.light[i].y - 1) <= 1e-6f);
        assert_true(fabsf(film.light[i].z - 1) <= 1e-6f);
      }
    }
    firn_film_free(context, &film);
    firn_volume_free(volume);
  }
}

// The same seed lit from above and from below: each path comes out on one side, with all its light.
static void what_a_slab_does_not_reflect_it_lets_through(void **state) {
  (void)state;
  enum { W = 48, H = 48 };
  TRACE_FOR_ISAS(context) {
    firn_volume *volume = trace_slab(context, 65, 5, 4, NULL);
    firn_camera camera = trace_camera(W, H);
    firn_studio studio = {
        .volume = volume, .medium = trace_medium(1, 1, 1, 0.5f), .camera = &camera};
    firn_film up, down;
    assert_int_equal(firn_film_create(context, W, H, false, &up), FIRN_OK);
    assert_int_equal(firn_film_create(context, W, H, false, &down), FIRN_OK);
    firn_trace_def def = {.samples = 1, .seed = 4};
    trace_sky above = {1, 0}, below = {0, 1};
    firn_light_table lights = {.user = &above, .sky = trace_sky_at};
    assert_int_equal(firn_trace_with(context, &studio, &lights, &def, &up, NULL), FIRN_OK);
    lights.user = &below;
    assert_int_equal(firn_trace_with(context, &studio, &lights, &def, &down, NULL), FIRN_OK);
    int reflected = 0;
    for (int i = 0; i < W * H; i++) {
      assert_true(up.light[i].y + down.light[i].y == 1);
      assert_true(up.light[i].y == 0 || up.light[i].y == 1);
      reflected += up.light[i].y == 1;
    }
    assert_in_range(reflected, W * H / 4, W * H * 3 / 4);
    firn_film_free(context, &up);
    firn_film_free(context, &down);
    firn_volume_free(volume);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_white_furnace_is_white_for_every_path),
      cmocka_unit_test(what_a_slab_does_not_reflect_it_lets_through),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
