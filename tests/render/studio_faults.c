// SPDX-License-Identifier: Apache-2.0
// Lights, surfaces, volumes, films, maps and the path tracer when memory runs out at any point: a status, no leak.
#include "cache/scratch.h"

#include <firn/render.h>

#include "render/film.h"
#include "render/lights.h"
#include "render/map.h"
#include "render/surfaces.h"
#include "render/trace.h"
#include "support/books.h"

typedef firn_status (*attempt)(firn_context *context, const char *map);

static firn_status try_lights(firn_context *context, const char *map) {
  const firn_sun_def sun = {.direction = {0, 1, 0}, .strength = 1, .size = 0.0093};
  const firn_sky_def sky = {
      .kind = map ? FIRN_SKY_MAP : FIRN_SKY_MODEL, .map = map, .strength = 1, .turbidity = 2};
  const firn_lamp_def lamp = {.kind = FIRN_LAMP_SPHERE, .radius = 1, .radiance = {1, 1, 1}};
  const double origin[3] = {0, 0, 0};
  firn_lights *l = NULL;
  firn_status status = firn_lights_create(context, &sun, &sky, 1, &lamp, origin, &l);
  assert_int_equal(status != FIRN_OK, l == NULL);
  firn_lights_free(l);
  return status;
}

static firn_status try_surfaces(firn_context *context, const char *map) {
  (void)map;
  const float corner[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  const uint32_t triangle[3] = {0, 1, 2};
  const double origin[3] = {0, 0, 0};
  const firn_surface_def defs[2] = {
      {.vertex_count = 3,
       .triangle_count = 1,
       .vertex = corner,
       .vertex_shut = corner,
       .triangle = triangle,
       .smooth = true},
      {.plane = {0, 1, 0, 0}, .low = {-1, -1, -1}, .high = {1, 1, 1}}};
  firn_surfaces *f = NULL;
  firn_status status = firn_surfaces_create(context, 2, defs, origin, &f);
  assert_int_equal(status != FIRN_OK, f == NULL);
  firn_surfaces_free(f);
  return status;
}

// With all that a volume may have: fitted kernels, noise, motion.
static firn_status make_volume(firn_context *context, firn_volume **out) {
  static const double position[12] = {0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1};
  static const float velocity[12] = {1, 0, 0, 0, 2}, mass[4] = {1, 1, 1, 1};
  const firn_volume_def def = {.count = 4,
                               .position = position,
                               .velocity = velocity,
                               .mass = mass,
                               .voxel = 0.05,
                               .kernel = 0.1,
                               .shutter = 0.02,
                               .anisotropy = 1,
                               .detail = 0.5,
                               .detail_size = 0.1};
  return firn_volume_build(context, &def, out);
}

static firn_status try_volume(firn_context *context, const char *map) {
  (void)map;
  firn_volume *v = NULL;
  firn_status status = make_volume(context, &v);
  assert_int_equal(status != FIRN_OK, v == NULL);
  firn_volume_free(v);
  return status;
}

static firn_status try_trace(firn_context *context, const char *map) {
  (void)map;
  const firn_sun_def sun = {.direction = {0, 1, 0}, .strength = 0, .size = 0.0093};
  const firn_sky_def sky = {.kind = FIRN_SKY_PLAIN, .color = {1, 1, 1}};
  const double origin[3] = {0, 0, 0};
  const firn_camera_pose pose = {{0, 0, 3}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}};
  const firn_camera camera = {
      .open = pose, .shut = pose, .half_height = 0.2f, .focus = 3, .width = 4, .height = 4};
  firn_volume *volume = NULL;
  firn_lights *lights = NULL;
  firn_film film = {0};
  firn_status status = make_volume(context, &volume);
  if (!status) status = firn_lights_create(context, &sun, &sky, 0, NULL, origin, &lights);
  if (!status) status = firn_film_create(context, 4, 4, true, &film);
  const firn_studio studio = {.volume = volume,
                              .medium = {.extinction = 1, .albedo = {0.9f, 0.9f, 0.9f}},
                              .lights = lights,
                              .camera = &camera};
  const firn_trace_def def = {.samples = 1};
  if (!status) status = firn_trace(context, &studio, &def, &film, NULL);
  firn_film_free(context, &film);
  firn_lights_free(lights);
  firn_volume_free(volume);
  return status;
}

static firn_status try_film(firn_context *context, const char *map) {
  firn_film f;
  FIRN_TRY(firn_film_create(context, 20, 10, true, &f));
  firn_status status = firn_film_denoise(context, &f);
  char path[1100];
  snprintf(path, sizeof path, "%s.out.exr", map);
  if (!status) status = firn_film_write_exr(context, path, &f, true);
  firn_film_free(context, &f);
  return status;
}

static void memory_may_run_out_anywhere(void **state) {
  scratch *s = *state;
  char exr[1024], hdr[1024];
  snprintf(exr, sizeof exr, "%s", scratch_path(s, "map.exr"));
  snprintf(hdr, sizeof hdr, "%s", scratch_path(s, "map.hdr"));
  firn_film f;
  assert_int_equal(firn_film_create(s->context, 16, 8, false, &f), FIRN_OK);
  f.light[5].x = 1;
  assert_int_equal(firn_film_write_exr(s->context, exr, &f, true), FIRN_OK);
  firn_film_free(s->context, &f);
  const char flat[] = "#?RGBE\n\n-Y 2 +X 2\nabc\200abc\200abc\200abc\200";
  assert_int_equal(firn_file_put(s->context, hdr, flat, sizeof flat - 1), FIRN_OK);
  const struct {
    attempt attempt;
    const char *map;
  } all[] = {{try_lights, NULL}, {try_lights, exr}, {try_lights, hdr}, {try_surfaces, NULL},
             {try_volume, NULL}, {try_trace, NULL}, {try_film, exr}};
  for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
    int most = -1;
    for (int k = 0; k < 60 && most < 0; k++) {
      books b = {0};
      firn_context *context;
      assert_int_equal(books_context(&b, 1, &context), FIRN_OK);
      size_t before = firn_context_bytes(context);
      books_close_after(&b, (size_t)k);
      firn_status status = all[n].attempt(context, all[n].map);
      assert_true(status == FIRN_OK || status == FIRN_ERROR_MEMORY);
      assert_int_equal(firn_context_bytes(context), before);
      if (status == FIRN_OK) most = k;
      books_open(&b);
      firn_context_destroy(context);
    }
    assert_in_range(most, 3, 59);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(memory_may_run_out_anywhere, scratch_open, scratch_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
