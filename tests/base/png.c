// SPDX-License-Identifier: Apache-2.0
// Every kind of PNG as colours or as 16 bits of grey; and what cannot be read.
#include "cache/scratch.h"

#include <firn/firn.h>

#include "base/png.h"

enum { W = 5, H = 3, MOST = 100 };

// Writes a.png with pixels of one of libpng's simple formats.
static const char *make_sized(scratch *s, png_uint_32 width, png_uint_32 height, png_uint_32 format,
                              const void *pixels, const void *colors) {
  png_image image = {
      .version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = format};
  image.colormap_entries = colors ? 2 : 0;
  const char *path = scratch_path(s, "a.png");
  assert_true(png_image_write_to_file(&image, path, 0, pixels, 0, colors));
  return path;
}

static const char *make(scratch *s, png_uint_32 format, const void *pixels, const void *colors) {
  return make_sized(s, W, H, format, pixels, colors);
}

// The bytes of a small file, to be mangled; free size + 1.
static char *make_bytes(scratch *s, size_t *size) {
  const uint8_t grey[H][W] = {{1, 2, 3}};
  char *data;
  make(s, PNG_FORMAT_GRAY, grey, NULL);
  scratch_read(s, "a.png", &data, size);
  return data;
}

static firn_pixels read_as(scratch *s, const char *path, firn_png_kind kind) {
  firn_pixels p;
  assert_int_equal(firn_png_read(s->context, path, NULL, kind, MOST, MOST, &p), FIRN_OK);
  assert_int_equal(p.width, W);
  assert_int_equal(p.height, H);
  return p;
}

static void colors_lie_over_white(void **state) {
  scratch *s = *state;
  uint8_t rgba[H][W][4] = {0};
  memcpy(rgba[2][3], (uint8_t[]){200, 100, 0, 255}, 4); // solid
  memcpy(rgba[0][1], (uint8_t[]){200, 100, 0, 51}, 4);  // a fifth: 255 - 55/5, 255 - 155/5, 204
  firn_pixels p = read_as(s, make(s, PNG_FORMAT_RGBA, rgba, NULL), FIRN_PNG_RGB8);
  assert_memory_equal(p.data + 3 * (2 * W + 3), ((uint8_t[]){200, 100, 0}), 3);
  assert_memory_equal(p.data + 3 * 1, ((uint8_t[]){244, 224, 204}), 3);
  assert_memory_equal(p.data, ((uint8_t[]){255, 255, 255}), 3);
  firn_pixels_free(s->context, &p);
}

static void grey_and_palettes_become_colors(void **state) {
  scratch *s = *state;
  uint8_t grey[H][W] = {{7, 0, 255}}, index[H][W] = {{0, 1}};
  const uint8_t colors[2][3] = {{1, 2, 3}, {250, 0, 9}};
  firn_pixels p = read_as(s, make(s, PNG_FORMAT_GRAY, grey, NULL), FIRN_PNG_RGB8);
  assert_memory_equal(p.data, ((uint8_t[]){7, 7, 7, 0, 0, 0, 255, 255, 255}), 9);
  firn_pixels_free(s->context, &p);
  p = read_as(s, make(s, PNG_FORMAT_RGB_COLORMAP, index, colors), FIRN_PNG_RGB8);
  assert_memory_equal(p.data, ((uint8_t[]){1, 2, 3, 250, 0, 9}), 6);
  firn_pixels_free(s->context, &p);
}

static void heights_have_16_bits_whatever_the_file_has(void **state) {
  scratch *s = *state;
  uint8_t grey[H][W] = {{7, 255}}, rgb[H][W][3] = {{{9, 9, 9}}};
  png_uint_16 fine[H][W] = {{0x1234, 0xfedc}};
  firn_pixels p = read_as(s, make(s, PNG_FORMAT_GRAY, grey, NULL), FIRN_PNG_GREY16);
  assert_memory_equal(p.data, ((uint8_t[]){7, 7, 255, 255, 0, 0}), 6); // 7 of 255 is 7 * 257
  firn_pixels_free(s->context, &p);
  p = read_as(s, make(s, PNG_FORMAT_LINEAR_Y, fine, NULL), FIRN_PNG_GREY16);
  assert_memory_equal(p.data, ((uint8_t[]){0x12, 0x34, 0xfe, 0xdc}), 4);
  firn_pixels_free(s->context, &p);
  p = read_as(s, make(s, PNG_FORMAT_RGB, rgb, NULL), FIRN_PNG_GREY16);
  assert_memory_equal(p.data, ((uint8_t[]){9, 9}), 2);
  firn_pixels_free(s->context, &p);
}

static void what_is_too_large_is_said(void **state) {
  scratch *s = *state;
  const uint8_t grey[H][W] = {0};
  firn_pixels p;
  const char *path = make(s, PNG_FORMAT_GRAY, grey, NULL);
  assert_int_equal(firn_png_read(s->context, path, "hill", FIRN_PNG_RGB8, MOST, 14, &p),
                   FIRN_ERROR_ARGUMENT);
  assert_message(s, "hill: image", "a.png of 5 x 3 pixels is too large");
  assert_int_equal(firn_png_read(s->context, path, NULL, FIRN_PNG_RGB8, 4, MOST, &p),
                   FIRN_ERROR_ARGUMENT);
  assert_message(s, "a.png of 5 x 3 pixels is too large");
  assert_int_equal(firn_context_bytes(s->context), 0);
}

static void what_is_no_picture_is_said(void **state) {
  scratch *s = *state;
  firn_pixels p;
  size_t size;
  char *data = make_bytes(s, &size);
  // Cut anywhere it is told to be short, or at least not to be a picture; nothing is lost.
  for (size_t n = 0; n + 12 < size; n++) { // without the end mark all pixels are there
    assert_int_equal(firn_file_put(s->context, scratch_path(s, "cut.png"), data, n), FIRN_OK);
    assert_int_equal(
        firn_png_read(s->context, scratch_path(s, "cut.png"), NULL, FIRN_PNG_RGB8, MOST, MOST, &p),
        FIRN_ERROR_FORMAT);
    assert_message(s, "cut.png");
    firn_pixels_free(s->context, &p);
    assert_int_equal(firn_context_bytes(s->context), size + 1);
  }
  firn_free(s->context, data, size + 1);
  assert_int_equal(
      firn_png_read(s->context, scratch_path(s, "none.png"), NULL, FIRN_PNG_RGB8, 9, 9, &p),
      FIRN_ERROR_IO);
  assert_message(s, "none.png", "No such file");
}

static uint32_t crc(const char *data, size_t size) {
  uint32_t c = UINT32_MAX;
  for (size_t i = 0; i < size; i++) {
    c ^= (uint8_t)data[i];
    for (int k = 0; k < 8; k++) c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
  }
  return ~c;
}

static void put_number(char *at, uint32_t value) {
  for (int i = 0; i < 4; i++) at[i] = (char)(value >> (24 - 8 * i));
}

// The header of a small file may announce a gigabyte.
static void pixels_that_the_file_cannot_hold_cost_nothing(void **state) {
  scratch *s = *state;
  firn_pixels p;
  size_t size;
  char *data = make_bytes(s, &size);
  put_number(data + 16, 20000);
  put_number(data + 20, 20000);
  put_number(data + 29, crc(data + 12, 17));
  assert_int_equal(firn_file_put(s->context, scratch_path(s, "a.png"), data, size), FIRN_OK);
  firn_free(s->context, data, size + 1);
  assert_int_equal(firn_png_read(s->context, scratch_path(s, "a.png"), NULL, FIRN_PNG_RGB8, 1 << 15,
                                 1 << 30, &p),
                   FIRN_ERROR_FORMAT);
  assert_message(s, "a.png", "too short for its number of pixels");
  assert_true(firn_context_peak_bytes(s->context) < 10000000);
}

// A picture of one colour packs as well as any.
static void the_plainest_picture_is_read(void **state) {
  scratch *s = *state;
  enum { SIDE = 4000 };
  uint8_t *grey = calloc(SIDE, SIDE);
  assert_non_null(grey);
  const char *path = make_sized(s, SIDE, SIDE, PNG_FORMAT_GRAY, grey, NULL);
  free(grey);
  firn_pixels p;
  assert_int_equal(
      firn_png_read(s->context, path, NULL, FIRN_PNG_GREY16, SIDE, (size_t)SIDE * SIDE, &p),
      FIRN_OK);
  firn_pixels_free(s->context, &p);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_open, scratch_close)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(colors_lie_over_white),
      TEST(grey_and_palettes_become_colors),
      TEST(heights_have_16_bits_whatever_the_file_has),
      TEST(what_is_too_large_is_said),
      TEST(what_is_no_picture_is_said),
      TEST(pixels_that_the_file_cannot_hold_cost_nothing),
      TEST(the_plainest_picture_is_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
