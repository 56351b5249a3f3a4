// SPDX-License-Identifier: Apache-2.0
// Films: tone, white balance, EXR files and environment maps read back from them.
#include "cache/scratch.h"

#include <firn/firn.h>
#include <openexr.h>

#include "render/film.h"
#include "render/map.h"
#include "render/tone.h"

static void develop_one(firn_v3 light, const firn_develop *how, uint8_t rgb[3]) {
  firn_film film = {.width = 1, .height = 1, .light = &light};
  firn_film_develop(&film, how, rgb);
}

static void the_filmic_curve_rises_from_0_to_1_and_keeps_sunlit_snow_below_white(void **state) {
  (void)state;
  float before = -1;
  for (int i = 0; i < 1400; i++) {
    float y = firn_tone_filmic(1e-4f * powf(1.01f, (float)i)); // up to 100
    assert_true(y >= before && y >= 0 && y <= 1);
    before = y;
  }
  assert_true(firn_tone_filmic(0) == 0 && firn_tone_filmic(-1) == 0 && firn_tone_filmic(NAN) == 0);
  assert_true(firn_tone_filmic(INFINITY) == 1);
  assert_float_equal(firn_tone_filmic(0.18f), 0.18, 0.005); // grey stays grey
  uint8_t snow[3], shade[3], glint[3];
  const firn_develop as_is = {0, 6504, FIRN_TONE_FILMIC};
  develop_one((firn_v3){1, 1, 1}, &as_is, snow);
  assert_in_range(snow[0], 230, 242); // 0.90 .. 0.95
  develop_one((firn_v3){1.6f, 1.6f, 1.6f}, &as_is, glint);
  assert_in_range(glint[0], snow[0] + 8, 254); // facing the sun: still not burnt out
  // Snow in the shade of a blue sky: its tint is still there.
  develop_one((firn_v3){0.18f, 0.22f, 0.30f}, &as_is, shade);
  assert_true(shade[2] > shade[0] + 25);
}

static void linear_development_is_srgb_alone(void **state) {
  (void)state;
  uint8_t rgb[3];
  develop_one((firn_v3){0.5f, 0.0021f, 1.2f}, &(firn_develop){0, 6504, FIRN_TONE_LINEAR}, rgb);
  assert_int_equal(rgb[0], 188); // 1.055 0.5^(1/2.4) - 0.055 = 0.7354
  assert_int_equal(rgb[1], 7);   // 12.92 x
  assert_int_equal(rgb[2], 255);
  develop_one((firn_v3){0.125f, NAN, -1}, &(firn_develop){2, 6504, FIRN_TONE_LINEAR}, rgb);
  assert_int_equal(rgb[0], 188); // two stops are four times
  assert_int_equal(rgb[1], 0);
  assert_int_equal(rgb[2], 0);
}

static void white_balance_makes_its_own_white_neutral(void **state) {
  (void)state;
  // As it is at 6504 K.
  firn_balance same = firn_balance_to(6504);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) assert_float_equal(same.m[i][j], i == j, 1e-6);
  }
  // Tungsten light, CIE illuminant A: x 0.44757, y 0.40745, 2856 K, in linear Rec. 709.
  const double x = 0.44757, y = 0.40745, xyz[3] = {x / y, 1, (1 - x - y) / y};
  const double rgb[3] = {3.2409699 * xyz[0] - 1.5373832 * xyz[1] - 0.4986108 * xyz[2],
                         -0.9692436 * xyz[0] + 1.8759675 * xyz[1] + 0.0415551 * xyz[2],
                         0.0556301 * xyz[0] - 0.2039770 * xyz[1] + 1.0569715 * xyz[2]};
  firn_balance warm = firn_balance_to(2856);
  firn_v3 c = firn_balance_apply(&warm, (firn_v3){(float)rgb[0], (float)rgb[1], (float)rgb[2]});
  assert_float_equal(c.x, 1, 0.01);
  assert_float_equal(c.y, 1, 0.01);
  assert_float_equal(c.z, 1, 0.01);
  // A cooler white makes pictures warmer, without a jump anywhere.
  float before = 0;
  for (int i = 0; i < 212; i++) {
    firn_balance b = firn_balance_to(3000 * powf(1.01f, (float)i)); // to 24500
    c = firn_balance_apply(&b, (firn_v3){1, 1, 1});
    assert_true(c.x / c.z > before);
    if (before > 0) assert_true(c.x / c.z < 1.08f * before);
    before = c.x / c.z;
  }
}

enum { W = 37, H = 41 }; // several chunks of lines, the last one not full

static void fill(firn_film *f) {
  float *planes[] = {&f->light->x, &f->variance->x, &f->velocity->x, &f->albedo->x, &f->normal->x};
  for (int p = 0; p < 5; p++) {
    for (int i = 0; i < 3 * W * H; i++) planes[p][i] = (float)(p + 1) + 0.001f * (float)i;
  }
  for (int i = 0; i < W * H; i++) {
    f->alpha[i] = (float)i / (W * H);
    f->depth[i] = i % 7 ? 10 + (float)i : INFINITY;
    f->density[i] = 400 - (float)i;
  }
}

typedef struct found {
  char name[32];
  exr_pixel_type_t type;
  float value[H * W];
} found;

static void read_all(const char *path, found *out, int count) {
  exr_context_initializer_t init = EXR_DEFAULT_CONTEXT_INITIALIZER;
  exr_context_t file;
  assert_int_equal(exr_start_read(&file, path, &init), EXR_ERR_SUCCESS);
  exr_attr_box2i_t window;
  assert_int_equal(exr_get_data_window(file, 0, &window), EXR_ERR_SUCCESS);
  assert_int_equal(window.max.x, W - 1);
  assert_int_equal(window.max.y, H - 1);
  exr_compression_t packed;
  assert_int_equal(exr_get_compression(file, 0, &packed), EXR_ERR_SUCCESS);
  assert_int_equal(packed, EXR_COMPRESSION_ZIP);
  exr_decode_pipeline_t pipe = EXR_DECODE_PIPELINE_INITIALIZER;
  for (int y = 0; y < H; y += 16) {
    exr_chunk_info_t chunk;
    assert_int_equal(exr_read_scanline_chunk_info(file, 0, y, &chunk), EXR_ERR_SUCCESS);
    if (y == 0) {
      assert_int_equal(exr_decoding_initialize(file, 0, &chunk, &pipe), EXR_ERR_SUCCESS);
      assert_int_equal(pipe.channel_count, count);
    } else {
      assert_int_equal(exr_decoding_update(file, 0, &chunk, &pipe), EXR_ERR_SUCCESS);
    }
    for (int i = 0; i < count; i++) {
      exr_coding_channel_info_t *c = &pipe.channels[i];
      snprintf(out[i].name, sizeof out[i].name, "%s", c->channel_name);
      out[i].type = (exr_pixel_type_t)c->data_type;
      c->user_bytes_per_element = 4;
      c->user_data_type = EXR_PIXEL_FLOAT;
      c->user_pixel_stride = 4;
      c->user_line_stride = 4 * W;
      c->decode_to_ptr = (uint8_t *)(out[i].value + y * W);
    }
    if (y == 0) {
      assert_int_equal(exr_decoding_choose_default_routines(file, 0, &pipe), EXR_ERR_SUCCESS);
    }
    assert_int_equal(exr_decoding_run(file, 0, &pipe), EXR_ERR_SUCCESS);
  }
  exr_decoding_destroy(file, &pipe);
  exr_finish(&file);
}

static void every_plane_comes_back_from_an_exr_file(void **state) {
  scratch *s = *state;
  enum { COUNT = 18 };
  static const char *const names[COUNT] = {
      "A",          "B",          "G",          "N.X",        "N.Y",        "N.Z",
      "R",          "Z",          "albedo.B",   "albedo.G",   "albedo.R",   "density",
      "variance.B", "variance.G", "variance.R", "velocity.X", "velocity.Y", "velocity.Z"};
  firn_film f;
  assert_int_equal(firn_film_create(s->context, W, H, true, &f), FIRN_OK);
  fill(&f);
  f.light[5].y = 1e6f; // more than halves hold
  found *all = test_calloc(COUNT, sizeof *all);
  for (int half = 0; half < 2; half++) {
    const char *path = scratch_path(s, "a.exr");
    assert_int_equal(firn_film_write_exr(s->context, path, &f, half), FIRN_OK);
    read_all(path, all, COUNT);
    const struct {
      int which;
      const float *data;
      int step;
    } planes[] = {{0, f.alpha, 1},        {1, &f.light->z, 3}, {2, &f.light->y, 3},
                  {3, &f.normal->x, 3},   {6, &f.light->x, 3}, {7, f.depth, 1},
                  {8, &f.albedo->z, 3},   {11, f.density, 1},  {14, &f.variance->x, 3},
                  {16, &f.velocity->y, 3}};
    for (int i = 0; i < COUNT; i++) assert_string_equal(all[i].name, names[i]);
    for (size_t n = 0; n < sizeof planes / sizeof *planes; n++) {
      const found *c = &all[planes[n].which];
      bool is_half = half && (planes[n].which < 3 || planes[n].which == 6);
      assert_int_equal(c->type, is_half ? EXR_PIXEL_HALF : EXR_PIXEL_FLOAT);
      for (int i = 0; i < W * H; i++) {
        float was = planes[n].data[i * planes[n].step], is = c->value[i];
        if (is_half && was > 65504) {
          assert_true(is == 65504);
        } else if (is_half) {
          assert_float_equal(is, was, 0x1p-11f * was + 1e-7f); // half a unit of 11 bits
        } else {
          assert_true(is == was);
        }
      }
    }
  }
  test_free(all);
  assert_false(scratch_exists(s, "a.exr" FIRN_PART_SUFFIX));
  // Not at all, rather than in part.
  assert_int_equal(firn_film_write_exr(s->context, scratch_path(s, "none/a.exr"), &f, true),
                   FIRN_ERROR_IO);
  assert_message(s, "a.exr");
  firn_film_free(s->context, &f);
}

static void a_film_without_planes_has_only_light(void **state) {
  scratch *s = *state;
  firn_film f;
  assert_int_equal(firn_film_create(s->context, W, H, false, &f), FIRN_OK);
  assert_null(f.depth);
  const char *path = scratch_path(s, "b.exr");
  assert_int_equal(firn_film_write_exr(s->context, path, &f, false), FIRN_OK);
  found *all = test_calloc(4, sizeof *all);
  read_all(path, all, 4);
  test_free(all);
  firn_film_free(s->context, &f);
  assert_int_equal(firn_film_create(s->context, 0, 5, false, &f), FIRN_ERROR_ARGUMENT);
  assert_message(s, "0 x 5");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_open, scratch_close)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(the_filmic_curve_rises_from_0_to_1_and_keeps_sunlit_snow_below_white),
      TEST(linear_development_is_srgb_alone),
      TEST(white_balance_makes_its_own_white_neutral),
      TEST(every_plane_comes_back_from_an_exr_file),
      TEST(a_film_without_planes_has_only_light),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
