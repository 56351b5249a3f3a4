// SPDX-License-Identifier: Apache-2.0
// Environment maps: files, orientation, and directions drawn from them.
#include "cache/scratch.h"

#include <firn/firn.h>
#include <openexr.h>

#include "render/film.h"
#include "render/map.h"

#define PI 3.14159265358979324

static void draw(int i, float u[2]) {
  static const double step[2] = {0.7548776662466927, 0.5698402909980532};
  for (int k = 0; k < 2; k++) {
    double x = 0.5 + step[k] * (i + 1);
    u[k] = fminf((float)(x - floor(x)), 0x1.fffffep-1f);
  }
}

static void directions_are_drawn_as_their_density_says(void **state) {
  scratch *s = *state;
  for (int horizon = 0; horizon < 2; horizon++) {
    enum { W = 24, H = 14 };
    firn_map m;
    assert_int_equal(firn_map_create(s->context, W, H, horizon, 0.7, &m), FIRN_OK);
    for (int i = 0; i < W * H; i++) {
      float v = firn_noise((uint32_t)i);
      m.radiance[i] = i % 3 ? (firn_v3){v, v * v, 1 - v} : (firn_v3){0, 0, 0};
    }
    m.radiance[5 * W + 7] = (firn_v3){200, 100, 50}; // a sun
    m.radiance[9 * W + 2] = (firn_v3){NAN, -1, INFINITY};
    m.below = horizon ? 0.25f : 1;
    firn_map_finish(&m);
    enum { N = 200000, COARSE = 8 };
    double integral[3] = {0}, density = 0, looked[3] = {0};
    int drawn[COARSE * COARSE] = {0}; // samples by direction, in cells of equal solid angle
    double expected[COARSE * COARSE] = {0};
    for (int i = 0; i < N; i++) {
      float u[2], pdf;
      firn_v3 d;
      draw(i, u);
      assert_true(firn_map_sample(&m, u, &d, &pdf));
      assert_float_equal(firn_v3_dot(d, d), 1, 1e-5);
      // On the border between two cells rounding decides; otherwise the same density again.
      float again = firn_map_pdf(&m, d);
      firn_v3 c = firn_map_radiance(&m, d);
      if (fabsf(again / pdf - 1) < 1e-3f) {
        integral[0] += (double)(c.x / pdf) / N;
        integral[1] += (double)(c.y / pdf) / N;
      } else {
        density += 1.0 / N; // counted: they must be few
      }
      int row = (int)fminf(COARSE * 0.5f * (1 - d.y), COARSE - 1);
      int column = (int)fminf(COARSE * (float)(0.5 + atan2((double)d.x, (double)d.z) / (2 * PI)),
                              COARSE - 1);
      drawn[row * COARSE + column]++;
    }
    assert_true(density < 1e-3);
    density = 0;
    for (int i = 0; i < N; i++) {
      float u[2];
      draw(i, u);
      float y = 1 - 2 * u[0], r = sqrtf(1 - y * y), phi = (float)(2 * PI) * (u[1] - 0.5f);
      firn_v3 d = {r * sinf(phi), y, r * cosf(phi)}, c = firn_map_radiance(&m, d);
      double p = 4 * PI * (double)firn_map_pdf(&m, d) / N;
      density += p;
      looked[0] += 4 * PI * (double)c.x / N;
      looked[1] += 4 * PI * (double)c.y / N;
      expected[(int)(COARSE * u[0]) * COARSE + (int)(COARSE * u[1])] += p;
    }
    assert_float_equal(density, 1, 0.01);
    assert_float_equal(integral[0] / looked[0], 1, 0.02);
    assert_float_equal(integral[1] / looked[1], 1, 0.02);
    for (int i = 0; i < COARSE * COARSE; i++) {
      double share = (double)drawn[i] / N;
      assert_float_equal(share, expected[i], 0.02 * expected[i] + 5e-4);
    }
    firn_map_free(s->context, &m);
  }
}

static void a_black_map_gives_nothing(void **state) {
  scratch *s = *state;
  firn_map m;
  firn_v3 d;
  float pdf;
  assert_int_equal(firn_map_create(s->context, 8, 4, false, 0, &m), FIRN_OK);
  firn_map_finish(&m);
  assert_false(firn_map_sample(&m, (const float[2]){0.5f, 0.5f}, &d, &pdf));
  assert_true(firn_map_pdf(&m, (firn_v3){0, 1, 0}) == 0);
  firn_map_free(s->context, &m);
}

static void near(firn_v3 c, float x, float y, float z) {
  assert_float_equal(c.x, x, 1e-3f * x + 1e-6f);
  assert_float_equal(c.y, y, 1e-3f * y + 1e-6f);
  assert_float_equal(c.z, z, 1e-3f * z + 1e-6f);
}

static void an_exr_map_has_minus_z_in_its_middle_and_y_at_its_top(void **state) {
  scratch *s = *state;
  enum { W = 64, H = 32 };
  firn_film f;
  firn_map m;
  assert_int_equal(firn_film_create(s->context, W, H, false, &f), FIRN_OK);
  for (int y = 0; y < H; y++) {
    for (int x = 0; x < W; x++) { // quarters of longitude, and a cap above
      f.light[y * W + x] = y < 4 ? (firn_v3){7, 8, 9} : (firn_v3){(float)(x / 16), 1, 0};
    }
  }
  const char *path = scratch_path(s, "map.exr");
  assert_int_equal(firn_film_write_exr(s->context, path, &f, true), FIRN_OK);
  firn_film_free(s->context, &f);
  assert_int_equal(firn_map_read(s->context, path, 0, &m), FIRN_OK);
  assert_int_equal(m.width, W);
  firn_map_finish(&m);
  near(firn_map_radiance(&m, (firn_v3){0, 1, 0}), 7, 8, 9);
  const float d = 0.70710678f; // the middles of the quarters
  near(firn_map_radiance(&m, (firn_v3){-d, 0, d}), 0, 1, 0);
  near(firn_map_radiance(&m, (firn_v3){-d, 0, -d}), 1, 1, 0);
  near(firn_map_radiance(&m, (firn_v3){d, 0, -d}), 2, 1, 0);
  near(firn_map_radiance(&m, (firn_v3){d, 0, d}), 3, 1, 0);
  near(firn_map_radiance(&m, (firn_v3){0, 0, -1}), 1.5f, 1, 0);
  firn_map_free(s->context, &m);
  // A quarter turn about y takes -z to -x, and what was seen at +x to -z.
  assert_int_equal(firn_map_read(s->context, path, PI / 2, &m), FIRN_OK);
  near(firn_map_radiance(&m, (firn_v3){-d, 0, d}), 1, 1, 0);
  near(firn_map_radiance(&m, (firn_v3){-d, 0, -d}), 2, 1, 0);
  firn_map_free(s->context, &m);
}

// One grey channel, in tiles.
static void write_tiles(const char *path, int width, int height) {
  exr_context_initializer_t init = EXR_DEFAULT_CONTEXT_INITIALIZER;
  exr_context_t file;
  int part;
  assert_int_equal(exr_start_write(&file, path, EXR_WRITE_FILE_DIRECTLY, &init), 0);
  assert_int_equal(exr_add_part(file, "tiles", EXR_STORAGE_TILED, &part), 0);
  assert_int_equal(exr_initialize_required_attr_simple(file, 0, width, height, EXR_COMPRESSION_ZIP),
                   0);
  assert_int_equal(
      exr_set_tile_descriptor(file, 0, 16, 16, EXR_TILE_ONE_LEVEL, EXR_TILE_ROUND_DOWN), 0);
  assert_int_equal(
      exr_add_channel(file, 0, "Y", EXR_PIXEL_FLOAT, EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1), 0);
  assert_int_equal(exr_write_header(file), 0);
  exr_encode_pipeline_t pipe = EXR_ENCODE_PIPELINE_INITIALIZER;
  for (int ty = 0; ty * 16 < height; ty++) {
    for (int tx = 0; tx * 16 < width; tx++) {
      float data[16][16];
      for (int i = 0; i < 256; i++) {
        data[i / 16][i % 16] = (float)(100 * (16 * ty + i / 16) + 16 * tx + i % 16);
      }
      exr_chunk_info_t chunk;
      assert_int_equal(exr_write_tile_chunk_info(file, 0, tx, ty, 0, 0, &chunk), 0);
      bool first = tx == 0 && ty == 0;
      assert_int_equal(first ? exr_encoding_initialize(file, 0, &chunk, &pipe)
                             : exr_encoding_update(file, 0, &chunk, &pipe),
                       0);
      pipe.channels[0].user_bytes_per_element = 4;
      pipe.channels[0].user_data_type = EXR_PIXEL_FLOAT;
      pipe.channels[0].user_pixel_stride = 4;
      pipe.channels[0].user_line_stride = 64;
      pipe.channels[0].encode_from_ptr = (const uint8_t *)data;
      if (first) assert_int_equal(exr_encoding_choose_default_routines(file, 0, &pipe), 0);
      assert_int_equal(exr_encoding_run(file, 0, &pipe), 0);
    }
  }
  exr_encoding_destroy(file, &pipe);
  assert_int_equal(exr_finish(&file), 0);
}

static void grey_tiles_are_read_as_well(void **state) {
  scratch *s = *state;
  enum { W = 40, H = 20 };
  firn_map m;
  const char *path = scratch_path(s, "tiles.exr");
  write_tiles(path, W, H);
  firn_status status = firn_map_read(s->context, path, 0, &m);
  if (status) print_error("%s\n", firn_context_message(s->context));
  assert_int_equal(status, FIRN_OK);
  for (int i = 0; i < W * H; i++) {
    assert_true(m.radiance[i].x == (float)(100 * (i / W) + i % W));
    assert_true(m.radiance[i].z == m.radiance[i].x);
  }
  firn_map_free(s->context, &m);
}

static firn_status read_hdr(scratch *s, const char *head, const unsigned char *body, size_t size,
                            firn_map *m) {
  const size_t n = strlen(head);
  char *file = malloc(n + size);
  assert_non_null(file);
  for (size_t i = 0; i < n; i++) file[i] = head[i];
  memcpy(file + n, body, size);
  const char *path = scratch_path(s, "map.hdr");
  assert_int_equal(firn_file_put(s->context, path, file, n + size), FIRN_OK);
  free(file);
  return firn_map_read(s->context, path, 0, m);
}

#define HEAD "#?RADIANCE\n# a comment\nFORMAT=32-bit_rle_rgbe\n\n"

static void an_hdr_map_is_read_packed_or_not(void **state) {
  scratch *s = *state;
  firn_map m;
  // Mantissa 127.5 / 256 and exponent 2^(129 - 128): (127 + 0.5) 2^(129 - 136) = 0.99609375.
  const unsigned char flat[] = {127, 63, 0,   129, 127, 63, 0, 130, 127, 63, 0, 128, 9, 9, 9, 0,
                                255, 0,  127, 136, 0,   0,  0, 0,   1,   2,  3, 129, 4, 5, 6, 129};
  assert_int_equal(read_hdr(s, HEAD "-Y 2 +X 4\n", flat, sizeof flat, &m), FIRN_OK);
  near(m.radiance[0], 0.99609375f, 63.5f / 128, 0.5f / 128);
  near(m.radiance[1], 1.9921875f, 63.5f / 64, 0.5f / 64);
  near(m.radiance[3], 0, 0, 0);
  near(m.radiance[4], 255.5f, 0.5f, 127.5f);
  firn_map_free(s->context, &m);
  // Exposure is divided out, and the older packing repeats pixels: 1 + 3 + 4 of them.
  const unsigned char old[] = {127, 63, 0, 129, 1, 1, 1, 3,   10, 20, 30, 129,
                               1,   1,  1, 3,   1, 2, 3, 129, 1,  1,  1,  7};
  assert_int_equal(read_hdr(s, "#?RGBE\nEXPOSURE=2.0\n\n-Y 2 +X 8\n", old, sizeof old, &m),
                   FIRN_OK);
  near(m.radiance[3], 0.99609375f / 2, 63.5f / 256, 0.5f / 256);
  near(m.radiance[7], 10.5f / 256, 20.5f / 256, 30.5f / 256);
  near(m.radiance[15], 1.5f / 256, 2.5f / 256, 3.5f / 256);
  firn_map_free(s->context, &m);
  // The newer packing: components one after the other, runs and literals.
  const unsigned char line[] = {2, 2, 0, 10, 138, 127, 10, 0,   1, 2,   3,  4,
                                5, 6, 7, 8,  9,   133, 5,  133, 6, 138, 129};
  unsigned char two[2 * sizeof line];
  memcpy(two, line, sizeof line);
  memcpy(two + sizeof line, line, sizeof line);
  assert_int_equal(read_hdr(s, HEAD "-Y 2 +X 10\n", two, sizeof two, &m), FIRN_OK);
  near(m.radiance[13], 127.5f / 128, 3.5f / 128, 5.5f / 128);
  near(m.radiance[19], 127.5f / 128, 9.5f / 128, 6.5f / 128);
  firn_map_free(s->context, &m);
  // Any piece missing, any byte cut off: a message, no map.
  for (size_t n = 0; n < sizeof two; n++) {
    assert_int_equal(read_hdr(s, HEAD "-Y 2 +X 10\n", two, n, &m), FIRN_ERROR_FORMAT);
    assert_message(s, n < sizeof line ? "line 0" : "line 1");
  }
  assert_int_equal(read_hdr(s, HEAD "+X 4 -Y 2\n", flat, sizeof flat, &m), FIRN_ERROR_FORMAT);
  assert_message(s, "only that is read");
  assert_int_equal(read_hdr(s, HEAD "-Y 1 +X 99999999\n", flat, sizeof flat, &m),
                   FIRN_ERROR_FORMAT);
  assert_message(s, "99999999");
  assert_int_equal(
      read_hdr(s, "#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n-Y 2 +X 4\n", flat, sizeof flat, &m),
      FIRN_ERROR_FORMAT);
  assert_message(s, "not 32-bit_rle_rgbe");
}

static void damaged_exr_files_and_strangers_get_a_message(void **state) {
  scratch *s = *state;
  firn_film f;
  firn_map m;
  char *data;
  size_t size;
  assert_int_equal(firn_film_create(s->context, 32, 16, false, &f), FIRN_OK);
  assert_int_equal(firn_film_write_exr(s->context, scratch_path(s, "a.exr"), &f, true), FIRN_OK);
  firn_film_free(s->context, &f);
  scratch_read(s, "a.exr", &data, &size);
  for (size_t n = 0; n < size; n += 7) {
    const char *path = scratch_path(s, "cut.exr");
    assert_int_equal(firn_file_put(s->context, path, data, n), FIRN_OK);
    firn_status status = firn_map_read(s->context, path, 0, &m);
    assert_int_equal(status, FIRN_ERROR_FORMAT);
    assert_message(s, "cut.exr");
  }
  firn_free(s->context, data, size + 1);
  const char *path = scratch_path(s, "text");
  assert_int_equal(firn_file_put(s->context, path, "hello", 5), FIRN_OK);
  assert_int_equal(firn_map_read(s->context, path, 0, &m), FIRN_ERROR_FORMAT);
  assert_message(s, "neither");
  // What cannot be opened is bad input, as what is cut.
  assert_int_equal(firn_map_read(s->context, scratch_path(s, "none.exr"), 0, &m),
                   FIRN_ERROR_FORMAT);
}

static char *find_bytes(char *data, size_t size, const char *word, size_t length) {
  for (size_t i = 0; i + length <= size; i++)
    if (memcmp(data + i, word, length) == 0) return data + i;
  fail_msg("no %s", word);
  return NULL;
}

// A header of a few bytes that announces a gigapixel, of which nothing follows, costs no memory.
static void pixels_that_the_file_cannot_hold_cost_nothing(void **state) {
  scratch *s = *state;
  firn_map m;
  assert_int_equal(read_hdr(s, HEAD "-Y 32768 +X 32768\n", (const unsigned char *)"", 0, &m),
                   FIRN_ERROR_FORMAT);
  assert_message(s, "announces 32768 x 32768 pixels");
  // Enough bytes for the look of it: the lines are looked for before there is room for them.
  enum { MORE = 300000 };
  unsigned char *rubbish = calloc(MORE, 1);
  assert_non_null(rubbish);
  assert_int_equal(read_hdr(s, HEAD "-Y 32768 +X 32768\n", rubbish, MORE, &m), FIRN_ERROR_FORMAT);
  assert_message(s, "line 2 is damaged or missing");
  free(rubbish);
  // An EXR file whose pixels are a small part of the picture.
  firn_film f;
  char *data;
  size_t size;
  static const char name[] = "displayWindow\0box2i\0\x10\0\0\0";
  assert_int_equal(firn_film_create(s->context, 32, 16, false, &f), FIRN_OK);
  assert_int_equal(firn_film_write_exr(s->context, scratch_path(s, "a.exr"), &f, true), FIRN_OK);
  firn_film_free(s->context, &f);
  scratch_read(s, "a.exr", &data, &size);
  char *box = find_bytes(data, size, name, sizeof name - 1) + sizeof name - 1;
  memcpy(box + 8, (int32_t[]){32767, 32767}, 8);
  assert_int_equal(firn_file_put(s->context, scratch_path(s, "a.exr"), data, size), FIRN_OK);
  firn_free(s->context, data, size + 1);
  assert_int_equal(firn_map_read(s->context, scratch_path(s, "a.exr"), 0, &m), FIRN_ERROR_FORMAT);
  assert_message(s, "a.exr: announces 32768 x 32768 pixels");
  assert_true(firn_context_peak_bytes(s->context) < 2000000);
}

// Sums of such would not be finite, nor would any picture: the file is refused, and says where.
static void radiance_near_the_end_of_floats_is_refused(void **state) {
  scratch *s = *state;
  enum { W = 32, H = 16 };
  firn_film f;
  firn_map m;
  const char *path = scratch_path(s, "bright.exr");
  assert_int_equal(firn_film_create(s->context, W, H, false, &f), FIRN_OK);
  for (int i = 0; i < W * H; i++) f.light[i] = (firn_v3){1e15f, 1e15f, 1e15f};
  assert_int_equal(firn_film_write_exr(s->context, path, &f, false), FIRN_OK);
  assert_int_equal(firn_map_read(s->context, path, 0, &m), FIRN_OK);
  firn_map_finish(&m);
  const double sphere = 4 * PI * 1e15;
  assert_float_equal((double)m.weight / sphere, 1, 1e-5);
  assert_float_equal((double)m.total.x / sphere, 1, 1e-5);
  firn_v3 d;
  float pdf;
  assert_true(firn_map_sample(&m, (const float[2]){0.3f, 0.6f}, &d, &pdf));
  assert_float_equal(pdf, 1 / (4 * PI), 0.02);
  firn_map_free(s->context, &m);
  f.light[5 * W + 7] = (firn_v3){INFINITY, 1e38f, 0}; // what is not finite is black, as ever
  assert_int_equal(firn_film_write_exr(s->context, path, &f, false), FIRN_OK);
  assert_int_equal(firn_map_read(s->context, path, 0, &m), FIRN_ERROR_FORMAT);
  assert_message(s, "bright.exr: the pixel in column 7, row 5 has a radiance of 1e+38");
  firn_film_free(s->context, &f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_open, scratch_close)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(directions_are_drawn_as_their_density_says),
      TEST(a_black_map_gives_nothing),
      TEST(an_exr_map_has_minus_z_in_its_middle_and_y_at_its_top),
      TEST(grey_tiles_are_read_as_well),
      TEST(an_hdr_map_is_read_packed_or_not),
      TEST(damaged_exr_files_and_strangers_get_a_message),
      TEST(pixels_that_the_file_cannot_hold_cost_nothing),
      TEST(radiance_near_the_end_of_floats_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
