// SPDX-License-Identifier: Apache-2.0
#include "base/png.h"

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

// ------------------------------------------------------------------------------------- callbacks

// libpng does not say how large a block was when it frees it, so each begins with its size; the
// header is a cache line long to keep the alignment.
enum { HEAD = 64 };

static png_voidp allocate(png_structp png, png_alloc_size_t size) {
  firn_png_user *user = png_get_mem_ptr(png);
  size_t total = size + HEAD;
  char *block = firn_alloc(user->context, total, "libpng");
  user->starved |= !block;
  if (!block) return NULL;
  memcpy(block, &total, sizeof total);
  return block + HEAD;
}

static void release(png_structp png, png_voidp p) {
  firn_png_user *user = png_get_mem_ptr(png);
  if (!p) return;
  char *block = (char *)p - HEAD;
  size_t total;
  memcpy(&total, block, sizeof total);
  firn_free(user->context, block, total);
}

static void complain(png_structp png, png_const_charp message) {
  firn_png_user *user = png_get_error_ptr(png);
  if (!user->reason[0]) snprintf(user->reason, sizeof user->reason, "%s", message);
  png_longjmp(png, 1);
}

static void ignore(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

png_structp firn_png_begin_read(firn_png_user *user) {
  return png_create_read_struct_2(PNG_LIBPNG_VER_STRING, user, complain, ignore, user, allocate,
                                  release);
}

png_structp firn_png_begin_write(firn_png_user *user) {
  return png_create_write_struct_2(PNG_LIBPNG_VER_STRING, user, complain, ignore, user, allocate,
                                   release);
}

// --------------------------------------------------------------------------------------- reading

typedef struct source {
  firn_png_user user;
  FILE *file;
  uint64_t size; // bytes of the file
} source;

// What deflate can make of a byte.
enum { DEFLATE_MOST = 1032 };

static void get(png_structp png, png_bytep data, size_t size) {
  source *s = png_get_io_ptr(png);
  if (fread(data, 1, size, s->file) != size) png_error(png, "the file ends too early");
}

// Bytes a pixel as libpng gives them: colors still with their transparency.
static size_t pixel_bytes(firn_png_kind kind) {
  return kind == FIRN_PNG_RGB8 ? 4 : 2;
}

static bool fits(const firn_pixels *p, int most_side, size_t most) {
  return p->width <= most_side && p->height <= most_side &&
         (size_t)p->width * (size_t)p->height <= most;
}

// The two halves that may jump: no object of these functions needs cleaning up.

static bool read_head(const source *s, png_structp png, png_infop info, firn_png_kind kind,
                      int most_side, size_t most, firn_pixels *out) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_user_limits(png, INT32_MAX, INT32_MAX);
  png_read_info(png, info);
  out->width = (int)png_get_image_width(png, info);
  out->height = (int)png_get_image_height(png, info);
  if (!fits(out, most_side, most)) return true; // before there is room for a row
  if ((uint64_t)out->height * png_get_rowbytes(png, info) / DEFLATE_MOST > s->size)
    png_error(png, "the file is too short for its number of pixels");
  bool color = png_get_color_type(png, info) & PNG_COLOR_MASK_COLOR;
  if (kind == FIRN_PNG_GREY16) {
    png_set_expand_16(png);
    png_set_strip_alpha(png);
    if (color) png_set_rgb_to_gray_fixed(png, PNG_ERROR_ACTION_NONE, -1, -1);
  } else {
    png_set_expand(png);
    png_set_scale_16(png);
    if (!color) png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 0xff, PNG_FILLER_AFTER);
  }
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  if (png_get_rowbytes(png, info) != (size_t)out->width * pixel_bytes(kind))
    png_error(png, "unexpected kind of image");
  return true;
}

static bool read_rows(png_structp png, size_t row_bytes, const firn_pixels *out) {
  if (setjmp(png_jmpbuf(png))) return false;
  int passes = png_set_interlace_handling(png);
  for (int pass = 0; pass < passes; pass++) {
    for (int y = 0; y < out->height; y++) {
      png_read_row(png, out->data + (size_t)y * row_bytes, NULL);
    }
  }
  return true;
}

// From RGBA to RGB, in place.
static void lay_over_white(uint8_t *data, size_t count) {
  for (size_t i = 0; i < count; i++) {
    unsigned alpha = data[4 * i + 3];
    for (size_t c = 0; c < 3; c++) {
      data[3 * i + c] = (uint8_t)((data[4 * i + c] * alpha + 255 * (255 - alpha) + 127) / 255);
    }
  }
}

static const char *colon(const char *what) {
  return what ? ": " : "";
}

static firn_status decode(source *s, png_structp png, png_infop info, const char *path,
                          const char *what, firn_png_kind kind, int most_side, size_t most,
                          firn_pixels *out) {
  firn_context *context = s->user.context;
  bool good = read_head(s, png, info, kind, most_side, most, out);
  size_t count = good ? (size_t)out->width * (size_t)out->height : 0;
  if (good && !fits(out, most_side, most)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s%simage %s of %d x %d pixels is too large",
                     what ? what : "", colon(what), path, out->width, out->height);
  }
  if (good) {
    out->size = count * pixel_bytes(kind);
    out->data = firn_alloc_zero(context, out->size, "pixels of an image");
    if (!out->data) return FIRN_ERROR_MEMORY;
    good = read_rows(png, (size_t)out->width * pixel_bytes(kind), out);
  }
  if (s->user.starved) return FIRN_ERROR_MEMORY;
  if (!good) {
    return firn_fail(context, FIRN_ERROR_FORMAT, "%s%scannot read image %s: %s", what ? what : "",
                     colon(what), path, s->user.reason[0] ? s->user.reason : "not a PNG file");
  }
  if (kind == FIRN_PNG_RGB8) lay_over_white(out->data, count);
  return FIRN_OK;
}

firn_status firn_png_read(firn_context *context, const char *path, const char *what,
                          firn_png_kind kind, int most_side, size_t most, firn_pixels *out) {
  *out = (firn_pixels){0};
  source s = {.user = {.context = context}, .file = fopen(path, "rb")};
  if (!s.file) {
    return firn_fail(context, FIRN_ERROR_IO, "%s%scannot read image %s: %s", what ? what : "",
                     colon(what), path, strerror(errno));
  }
  struct stat about;
  s.size = fstat(fileno(s.file), &about) == 0 && S_ISREG(about.st_mode) ? (uint64_t)about.st_size
                                                                        : UINT64_MAX;
  firn_status status = FIRN_ERROR_MEMORY;
  png_structp png = firn_png_begin_read(&s.user);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (info) {
    png_set_read_fn(png, &s, get);
    status = decode(&s, png, info, path, what, kind, most_side, most, out);
  }
  png_destroy_read_struct(&png, &info, NULL);
  fclose(s.file);
  return status;
}

void firn_pixels_free(firn_context *context, firn_pixels *pixels) {
  firn_free(context, pixels->data, pixels->size);
  *pixels = (firn_pixels){0};
}
