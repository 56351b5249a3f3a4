// SPDX-License-Identifier: Apache-2.0
// Snow between surfaces, and pictures that are odd: nothing is lost, hidden or waited for.
#include <string.h>

#include "render/trace_case.h"

static const double origin[3] = {0, 0, 0};

// A half space below a height, within 60 m.
static firn_surface_def ground_at(double height, double albedo) {
  float far = 60;
  return (firn_surface_def){.look = {.albedo = {albedo, albedo, albedo}},
                            .plane = {0, 0, 1, height},
                            .low = {-far, -far, (float)height - 1},
                            .high = {far, far, (float)height}};
}

static firn_v3 white(const void *user, firn_v3 along) {
  (void)user;
  (void)along;
  return (firn_v3){1, 1, 1};
}

static firn_volume *lump(firn_context *context) {
  enum { N = 25 };
  const int nodes[3] = {N, N, N};
  static float density[N * N * N];
  for (int i = 0; i < N * N * N; i++) {
    int x = i % N - 12, y = i / N % N - 12, z = i / N / N - 12;
    density[i] = x * x + y * y + z * z < 120 ? 1 + firn_noise((uint32_t)i) : 0;
  }
  return trace_volume(context, nodes, (firn_v3){-12, -12, -12}, density);
}

// The ground cuts through the snow; a white one loses no light, so each path still sees 1. Rounding at
// surfaces: the weight of a diffuse bounce is its albedo, 1.
static void a_furnace_with_a_white_floor_is_white_for_every_path(void **state) {
  (void)state;
  enum { W = 48, H = 48 };
  TRACE_FOR_ISAS(context) {
    firn_volume *volume = lump(context);
    firn_surface_def ground = ground_at(-3.3, 1);
    firn_surfaces *surfaces = NULL;
    assert_int_equal(firn_surfaces_create(context, 1, &ground, origin, &surfaces), FIRN_OK);
    firn_camera camera = trace_camera(W, H);
    camera.half_height = 0.2f;
    firn_studio studio = {.volume = volume,
                          .medium = trace_medium(1, 1, 1, 0.5f),
                          .surfaces = surfaces,
                          .camera = &camera};
    firn_light_table lights = {.sky = white};
    firn_film film;
    firn_trace_stats stats;
    firn_trace_def def = {.samples = 1, .seed = 5};
    assert_int_equal(firn_film_create(context, W, H, true, &film), FIRN_OK);
    assert_int_equal(firn_trace_with(context, &studio, &lights, &def, &film, &stats), FIRN_OK);
    int snow = 0, floor = 0;
    for (int i = 0; i < W * H; i++) {
      assert_true(fabsf(film.light[i].y - 1) <= 1e-5f);
      snow += film.density[i] > 0;
      floor += film.density[i] == 0 && film.alpha[i] == 1;
      if (film.density[i] == 0 && film.alpha[i] == 1) {
        assert_true(fabsf(film.normal[i].z - 1) < 1e-4f);
        assert_true(film.albedo[i].x == 1);
        assert_true(film.depth[i] > 103.2f && film.depth[i] < 108); // at the corners 16 degrees
      }
    }
    assert_in_range(snow, 200, W * H / 2);
    assert_in_range(floor, W * H / 4, W * H);
    firn_film_free(context, &film);
    firn_surfaces_free(surfaces);
    firn_volume_free(volume);
  }
}

// Where the camera sees a hold-out there is a hole, and nowhere else: what is before it or beside it is
// as if the body were shown, which takes light from the snow.
static void a_holdout_is_a_hole_and_leaves_the_rest_as_it_was(void **state) {
  (void)state;
  enum { W = 48, H = 48 };
  TRACE_FOR_ISAS(context) {
    firn_volume *volume = lump(context);
    firn_surface_def ground = ground_at(-3.3, 0.7);
    ground.low.x = -8; // a table that ends beside the lump
    ground.high.x = 30;
    firn_camera camera = trace_camera(W, H);
    camera.half_height = 0.2f;
    firn_light_table lights = {.sky = white};
    firn_trace_def def = {.samples = 1, .seed = 5};
    firn_film film[2];
    for (int k = 0; k < 2; k++) {
      firn_surfaces *surfaces = NULL;
      ground.look.mode = k ? FIRN_LOOK_HOLDOUT : FIRN_LOOK_SHOWN;
      assert_int_equal(firn_surfaces_create(context, 1, &ground, origin, &surfaces), FIRN_OK);
      firn_studio studio = {.volume = volume,
                            .medium = trace_medium(1, 1, 1, 0.5f),
                            .surfaces = surfaces,
                            .camera = &camera};
      firn_trace_stats stats;
      assert_int_equal(firn_film_create(context, W, H, true, &film[k]), FIRN_OK);
      assert_int_equal(firn_trace_with(context, &studio, &lights, &def, &film[k], &stats), FIRN_OK);
      firn_surfaces_free(surfaces);
    }
    // Of pixels, shown and held out: dim snow, which the body takes light from, sky, and the rest.
    int snow[2] = {0}, sky[2] = {0}, other[2] = {0};
    for (int k = 0; k < 2; k++)
      for (int i = 0; i < W * H; i++) {
        const firn_film *f = &film[k];
        bool floor = f->alpha[i] == 1 && f->albedo[i].x == 0.7f,
             hole = f->alpha[i] == 0 && f->light[i].y == 0;
        assert_true(k ? !floor : !hole);
        snow[k] += f->albedo[i].x == 1 && f->light[i].y < 0.99f;
        sky[k] += f->alpha[i] == 0 && f->light[i].y == 1;
        other[k] += floor || hole;
      }
    assert_true(snow[0] > 50 && sky[0] > 100 && other[0] > 200);
    // Lanes share their dice, so that a path that ends early moves others: only at the rim of the
    // lump, some 200 pixels, is that seen.
    assert_true(abs(snow[0] - snow[1]) < 30 && abs(other[0] - other[1]) < 30 &&
                abs(sky[0] - sky[1]) < 30);
    firn_film_free(context, &film[0]);
    firn_film_free(context, &film[1]);
    firn_volume_free(volume);
  }
}

typedef struct sun_case {
  firn_sunlight sun;
} sun_case;
static firn_v3 dark(const void *user, firn_v3 along) {
  (void)user;
  (void)along;
  return (firn_v3){0, 0, 0};
}
static bool sun_of(const void *user, firn_sunlight *out) {
  *out = ((const sun_case *)user)->sun;
  return true;
}

static trace_result with_surface(firn_context *context, const firn_volume *volume,
                                 const firn_light_table *lights, const firn_surface_def *def) {
  enum { W = 16, H = 16 };
  firn_surfaces *surfaces = NULL;
  if (def) assert_int_equal(firn_surfaces_create(context, 1, def, origin, &surfaces), FIRN_OK);
  firn_camera camera = trace_camera(W, H);
  firn_studio studio = {.volume = volume,
                        .medium = trace_medium(0.9f, 0.95f, 1, 0.5f),
                        .surfaces = surfaces,
                        .camera = &camera};
  firn_film film;
  trace_result r = {0};
  firn_trace_def trace = {.samples = 60, .seed = 6};
  assert_int_equal(firn_film_create(context, W, H, false, &film), FIRN_OK);
  assert_int_equal(firn_trace_with(context, &studio, lights, &trace, &film, &r.stats), FIRN_OK);
  for (int i = 0; i < W * H; i++) {
    const float l[3] = {film.light[i].x, film.light[i].y, film.light[i].z};
    const float v[3] = {film.variance[i].x, film.variance[i].y, film.variance[i].z};
    for (int c = 0; c < 3; c++) {
      r.mean[c] += (double)l[c] / (W * H);
      r.error[c] += (double)v[c] / (W * H) / (W * H);
    }
  }
  for (int c = 0; c < 3; c++) r.error[c] = sqrt(r.error[c]);
  firn_film_free(context, &film);
  firn_surfaces_free(surfaces);
  return r;
}

// One of many rays to the sun stands for all of them once surfaces may be in the way: the mean must not
// move. A wall in the way leaves nothing; a black floor right under the snow takes some light.
static void surfaces_hide_the_sun_or_leave_it_alone(void **state) {
  (void)state;
  const sun_case sun = {{firn_v3_unit((firn_v3){1, 0, 1}), 1e-5f, {1e5f, 1e5f, 1e5f}}};
  const firn_light_table lights = {.user = &sun, .sky = dark, .sun = sun_of};
  TRACE_FOR_ISAS(context) {
    firn_volume *volume = trace_slab(context, 57, 7, 6, NULL);
    firn_surface_def away = ground_at(-30, 0), under = ground_at(-1.01, 0), wall = away;
    wall.plane[0] = -1;
    wall.plane[2] = 0;
    wall.plane[3] = -32; // solid where x > 32
    wall.low = (firn_v3){32, -60, -60};
    wall.high = (firn_v3){33, 60, 60};
    trace_result bare = with_surface(context, volume, &lights, NULL);
    trace_result far = with_surface(context, volume, &lights, &away);
    trace_result floor = with_surface(context, volume, &lights, &under);
    trace_result hidden = with_surface(context, volume, &lights, &wall);
    for (int k = 0; k < 3; k++) {
      assert_near("sun beside surfaces", far.mean[k], hypot(far.error[k], bare.error[k]),
                  bare.mean[k], 0);
      assert_near("sun on a slab that nothing leaves below", floor.mean[k],
                  hypot(floor.error[k], bare.error[k]), bare.mean[k], 0);
      assert_true(bare.mean[k] > 0.01);
      assert_true(hidden.mean[k] < 1e-3 * bare.mean[k]);
    }
    firn_volume_free(volume);
  }
}

static bool give_up(void *user, double part) {
  (void)part;
  ++*(int *)user;
  return false;
}

static void odd_pictures_end_with_a_picture_or_a_message(void **state) {
  (void)state;
  firn_context *context = trace_context(FIRN_ISA_AUTO, 2);
  const firn_light_table lights = {.sky = white};
  firn_camera camera = trace_camera(40, 20);
  firn_studio studio = {.medium = trace_medium(1, 1, 1, 0.5f), .camera = &camera};
  firn_film film;
  firn_trace_stats stats;
  firn_trace_def def = {.samples = 2};
  assert_int_equal(firn_film_create(context, 40, 20, true, &film), FIRN_OK);
  // No volume, and one without snow.
  assert_int_equal(firn_trace_with(context, &studio, &lights, &def, &film, &stats), FIRN_OK);
  assert_true(film.light[7].x == 1 && film.alpha[7] == 0 && isinf(film.depth[7]));
  firn_volume *empty = NULL, *snow = lump(context);
  firn_volume_def none = {.voxel = 1};
  assert_int_equal(firn_volume_build(context, &none, &empty), FIRN_OK);
  studio.volume = empty;
  assert_int_equal(firn_trace_with(context, &studio, &lights, &def, &film, &stats), FIRN_OK);
  assert_int_equal(stats.events, 0);
  // The eye in the snow, along an axis and not.
  studio.volume = snow;
  camera.open.eye = camera.shut.eye = (firn_v3){0, 0, 0};
  camera.half_height = 0;
  assert_int_equal(firn_trace_with(context, &studio, &lights, &def, &film, &stats), FIRN_OK);
  assert_true(film.light[7].x == 1);
  // Snow without an end to its light is cut and counted: 20 events of many.
  def.bounces = 5;
  assert_int_equal(firn_trace_with(context, &studio, &lights, &def, &film, &stats), FIRN_OK);
  assert_true(stats.truncated > 100);
  def.bounces = 0;
  // Given up, and numbers that make no sense.
  int calls = 0;
  def.progress = give_up;
  def.user = &calls;
  assert_int_equal(firn_trace_with(context, &studio, &lights, &def, &film, &stats), FIRN_CANCELLED);
  assert_true(calls >= 1);
  def.progress = NULL;
  studio.medium.g = 1;
  assert_int_equal(firn_trace_with(context, &studio, &lights, &def, &film, &stats),
                   FIRN_ERROR_ARGUMENT);
  assert_non_null(strstr(firn_context_message(context), "g: 1"));
  firn_film_free(context, &film);
  firn_volume_free(empty);
  firn_volume_free(snow);
  firn_context_destroy(context);
}

static void pictures_have_the_same_bytes_with_any_number_of_threads(void **state) {
  (void)state;
  enum { W = 50, H = 40 };
  firn_film film[2];
  firn_context *context[2];
  const sun_case sun = {{firn_v3_unit((firn_v3){1, 0, 1}), 1e-5f, {1e5f, 1e5f, 1e5f}}};
  const firn_light_table lights = {.user = &sun, .sky = white, .sun = sun_of};
  for (int i = 0; i < 2; i++) {
    context[i] = trace_context(FIRN_ISA_AUTO, 1 + 2 * i);
    firn_volume *volume = lump(context[i]);
    firn_camera camera = trace_camera(W, H);
    camera.half_height = 0.2f;
    firn_studio studio = {
        .volume = volume, .medium = trace_medium(1, 1, 1, 0.5f), .camera = &camera};
    firn_trace_def def = {.samples = 20, .seed = 7, .noise = 0.05};
    assert_int_equal(firn_film_create(context[i], W, H, true, &film[i]), FIRN_OK);
    assert_int_equal(firn_trace_with(context[i], &studio, &lights, &def, &film[i], NULL), FIRN_OK);
    firn_volume_free(volume);
  }
  assert_memory_equal(film[0].light, film[1].light, W * H * sizeof(firn_v3));
  assert_memory_equal(film[0].variance, film[1].variance, W * H * sizeof(firn_v3));
  assert_memory_equal(film[0].normal, film[1].normal, W * H * sizeof(firn_v3));
  for (int i = 0; i < 2; i++) {
    firn_film_free(context[i], &film[i]);
    firn_context_destroy(context[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_furnace_with_a_white_floor_is_white_for_every_path),
      cmocka_unit_test(a_holdout_is_a_hole_and_leaves_the_rest_as_it_was),
      cmocka_unit_test(surfaces_hide_the_sun_or_leave_it_alone),
      cmocka_unit_test(odd_pictures_end_with_a_picture_or_a_message),
      cmocka_unit_test(pictures_have_the_same_bytes_with_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
