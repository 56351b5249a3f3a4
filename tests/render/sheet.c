// SPDX-License-Identifier: Apache-2.0
// Contact sheets: where pictures and labels are, and that a picture survives its file.
#include "cache/scratch.h"

#include <firn/firn.h>

#include "base/png.h"
#include "render/png.h"
#include "render/sheet.h"
#include "render/text.h"

static void fill(uint8_t *rgb, int width, int height, uint8_t r, uint8_t g, uint8_t b) {
  for (int i = 0; i < width * height; i++) {
    rgb[3 * i] = r;
    rgb[3 * i + 1] = g;
    rgb[3 * i + 2] = b;
  }
}

static firn_pixels read_back(scratch *s, const char *path) {
  firn_pixels pixels;
  assert_int_equal(firn_png_read(s->context, path, NULL, FIRN_PNG_RGB8, 4096, 1 << 24, &pixels),
                   FIRN_OK);
  return pixels;
}

static void a_picture_comes_back_from_its_file(void **state) {
  scratch *s = *state;
  enum { W = 37, H = 23 };
  uint8_t rgb[3 * W * H];
  for (int i = 0; i < 3 * W * H; i++) rgb[i] = (uint8_t)(i * 7 + i / 11);
  const char *path = scratch_path(s, "a.png");
  assert_int_equal(firn_png_write(s->context, path, W, H, rgb), FIRN_OK);
  firn_pixels back = read_back(s, path);
  assert_int_equal(back.width, W);
  assert_int_equal(back.height, H);
  assert_memory_equal(rgb, back.data, sizeof rgb);
  firn_pixels_free(s->context, &back);
}

// How many pixels of a box have exactly this color.
static int count_color(const uint8_t *rgb, int width, int x, int y, int w, int h, int r, int g,
                       int b) {
  int n = 0;
  for (int j = y; j < y + h; j++) {
    for (int i = x; i < x + w; i++) {
      const uint8_t *p = rgb + 3 * (j * width + i);
      n += p[0] == r && p[1] == g && p[2] == b;
    }
  }
  return n;
}

static void pictures_stand_in_rows_with_their_labels_below(void **state) {
  (void)state;
  enum { W = 60, H = 40 };
  static uint8_t red[3 * W * H], blue[3 * W * H];
  fill(red, W, H, 255, 0, 0);
  fill(blue, W, H, 0, 0, 255);
  const firn_sheet_picture pictures[] = {{W, H, red, "a"},
                                         {W, H, blue, "b\nb"},
                                         {0, 0, NULL, ""},
                                         {W, H, red, "far too long a label"}};
  firn_sheet_layout l = firn_sheet_plan(4, 2, pictures);
  assert_int_equal(l.columns, 2);
  assert_int_equal(l.rows, 2);
  assert_int_equal(l.cell_width, W);
  assert_int_equal(l.scale, 1); // 20 letters do not fit at twice the size
  uint8_t *rgb = malloc(3 * (size_t)l.width * (size_t)l.height);
  firn_sheet_draw(&l, 4, pictures, rgb);
  int gap = (l.width - 2 * W) / 3, high = (l.height - gap) / 2; // from row to row
  // Each picture is where it should be, whole.
  assert_int_equal(count_color(rgb, l.width, gap, gap, W, H, 255, 0, 0), W * H);
  assert_int_equal(count_color(rgb, l.width, 2 * gap + W, gap, W, H, 0, 0, 255), W * H);
  assert_int_equal(count_color(rgb, l.width, 2 * gap + W, gap + high, W, H, 255, 0, 0), W * H);
  assert_int_equal(count_color(rgb, l.width, 0, 0, l.width, l.height, 255, 0, 0), 2 * W * H);
  // Ink below the first and not below the third, and none in the gaps at the right of the last.
  const int below = gap + H;
  assert_true(count_color(rgb, l.width, gap, below, W, l.label_height, 24, 28, 36) > 5);
  assert_int_equal(count_color(rgb, l.width, gap, below + high, W, l.label_height, 24, 28, 36), 0);
  assert_true(count_color(rgb, l.width, 2 * gap + W, below + high, W, l.label_height, 24, 28, 36) >
              50);
  assert_int_equal(count_color(rgb, l.width, l.width - gap, 0, gap, l.height, 24, 28, 36), 0);
  free(rgb);
}

static void letters_differ_and_stay_inside(void **state) {
  (void)state;
  enum { W = 12, H = 12 };
  static const uint8_t white[3] = {255, 255, 255};
  uint8_t seen[95][3 * W * H];
  for (int c = ' '; c <= '~'; c++) {
    char text[2] = {(char)c, 0};
    memset(seen[c - ' '], 0, sizeof seen[0]);
    firn_text_draw(seen[c - ' '], W, H, 2, 2, 1, white, text);
    int all = count_color(seen[c - ' '], W, 0, 0, W, H, 255, 255, 255);
    assert_int_equal(all, count_color(seen[c - ' '], W, 2, 2, 5, 8, 255, 255, 255));
    assert_true(c == ' ' ? all == 0 : all >= 2);
    for (int d = ' '; d < c; d++) {
      if (memcmp(seen[c - ' '], seen[d - ' '], sizeof seen[0]) == 0) fail_msg("%c is %c", c, d);
    }
  }
  // Cut off at every edge.
  for (int i = 0; i < 4; i++) {
    uint8_t rgb[3 * W * H] = {0};
    firn_text_draw(rgb, W, H, i < 2 ? -3 + 11 * i : 2, i < 2 ? 2 : -4 + 13 * (i - 2), 2, white,
                   "W");
    assert_true(count_color(rgb, W, 0, 0, W, H, 255, 255, 255) > 0);
  }
  int columns, lines;
  firn_text_measure("abc\nde", &columns, &lines);
  assert_int_equal(columns, 3);
  assert_int_equal(lines, 2);
}

// An allocator that refuses the n-th request.
typedef struct books {
  size_t calls, refuse_at;
} books;

static void *resize(void *user, void *p, size_t old_size, size_t size) {
  books *b = user;
  if (size && ++b->calls == b->refuse_at) return NULL;
  void *fresh = size ? aligned_alloc(64, (size + 63) / 64 * 64) : NULL;
  if (fresh && p) memcpy(fresh, p, old_size < size ? old_size : size);
  free(p);
  return fresh;
}

static void a_sheet_shows_what_is_there_and_survives_want_of_memory(void **state) {
  scratch *s = *state;
  enum { W = 64, H = 36 };
  static uint8_t rgb[3 * W * H];
  char red[1100], none[1100], sheet[1100];
  fill(rgb, W, H, 200, 10, 10);
  snprintf(red, sizeof red, "%s", scratch_path(s, "red.png"));
  snprintf(none, sizeof none, "%s", scratch_path(s, "none.png"));
  snprintf(sheet, sizeof sheet, "%s", scratch_path(s, "sheet.png"));
  assert_int_equal(firn_png_write(s->context, red, W, H, rgb), FIRN_OK);
  const char *const files[] = {red, none, NULL, red}, *const labels[] = {"a", "b", "c", "d"};
  firn_sheet_def def = {.size = sizeof def, .count = 4, .png = files, .label = labels};
  assert_int_equal(firn_sheet_write(s->context, &def, sheet), FIRN_OK);
  firn_pixels back = read_back(s, sheet);
  assert_int_equal(count_color(back.data, back.width, 0, 0, back.width, back.height, 200, 10, 10),
                   2 * W * H);
  firn_pixels_free(s->context, &back);

  size_t n = 1;
  for (bool done = false; !done; n++) {
    books b = {.refuse_at = n};
    firn_context_def with = firn_default_context_def();
    with.resize = resize;
    with.resize_user = &b;
    firn_context *context;
    firn_status status = firn_context_create(&with, &context);
    if (status != FIRN_OK) continue;
    status = firn_sheet_write(context, &def, sheet);
    done = b.calls < n;
    assert_int_equal(status, done ? FIRN_OK : FIRN_ERROR_MEMORY);
    assert_int_equal(firn_context_bytes(context), 0);
    firn_context_destroy(context);
  }
  assert_in_range(n, 6, 200);
  def.count = 0;
  assert_int_equal(firn_sheet_write(s->context, &def, sheet), FIRN_ERROR_ARGUMENT);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_open, scratch_close)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_picture_comes_back_from_its_file),
      TEST(pictures_stand_in_rows_with_their_labels_below),
      TEST(letters_differ_and_stay_inside),
      TEST(a_sheet_shows_what_is_there_and_survives_want_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
