// SPDX-License-Identifier: Apache-2.0
// Environment maps from Radiance HDR files: red, green, blue and a common exponent, a byte each, run
// lengths packed line by line in the newer or the older way, or not at all.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "render/map.h"

typedef struct cursor {
  const unsigned char *at, *end;
} cursor;

// The next line of the header without its end; false when there is none.
static bool next_line(cursor *c, const char **line, size_t *length) {
  const unsigned char *stop = memchr(c->at, '\n', (size_t)(c->end - c->at));
  if (!stop) return false;
  *line = (const char *)c->at;
  *length = (size_t)(stop - c->at);
  c->at = stop + 1;
  return true;
}

// Header up to the size of the picture.
static firn_status read_head(firn_context *context, const char *path, cursor *c, int64_t *width,
                             int64_t *height, double *exposure) {
  const char *line;
  size_t length;
  *exposure = 1;
  bool body = false;
  while (next_line(c, &line, &length)) {
    char text[128];
    snprintf(text, sizeof text, "%.*s", (int)(length < 120 ? length : 120), line);
    if (body) {
      char *rest = NULL;
      if (strncmp(text, "-Y ", 3) == 0) {
        *height = strtol(text + 3, &rest, 10);
        if (strncmp(rest, " +X ", 4) == 0) {
          *width = strtol(rest + 4, &rest, 10);
          return FIRN_OK;
        }
      }
      return firn_fail(context, FIRN_ERROR_FORMAT,
                       "%s: the picture is stored in another order than '-Y height +X width', and "
                       "only that is read",
                       path);
    }
    if (length == 0) body = true;
    if (strncmp(text, "FORMAT=", 7) == 0 && strncmp(text + 7, "32-bit_rle_rgbe", 15) != 0) {
      return firn_fail(context, FIRN_ERROR_FORMAT, "%s: the format is not 32-bit_rle_rgbe", path);
    }
    if (strncmp(text, "EXPOSURE=", 9) == 0) {
      double e = 0;
      firn_number_read(text + 9 + strspn(text + 9, " "), SIZE_MAX, &e);
      if (e > 0 && isfinite(e)) *exposure *= e;
    }
  }
  return firn_fail(context, FIRN_ERROR_FORMAT, "%s: the header ends too early", path);
}

// One component of a line, packed in runs.
static bool read_runs(cursor *c, unsigned char *out, int width) {
  for (int x = 0; x < width;) {
    if (c->end - c->at < 2) return false;
    int n = *c->at++;
    bool same = n > 128;
    if (same) n -= 128;
    if (n == 0 || n > width - x || (!same && c->end - c->at < n)) return false;
    if (same) {
      memset(out + x, *c->at++, (size_t)n);
    } else {
      memcpy(out + x, c->at, (size_t)n);
      c->at += n;
    }
    x += n;
  }
  return true;
}

// A line as four planes [4][width].
static bool read_line(cursor *c, unsigned char *out, int width) {
  const unsigned char *p = c->at;
  if (width >= 8 && width < 32768 && c->end - p >= 4 && p[0] == 2 && p[1] == 2 && p[2] < 128) {
    if (p[2] << 8 != (width & 0x7f00) || p[3] != (width & 0xff)) return false;
    c->at += 4;
    for (int k = 0; k < 4; k++) {
      if (!read_runs(c, out + (size_t)k * (size_t)width, width)) return false;
    }
    return true;
  }
  int shift = 0;
  for (int x = 0; x < width;) { // pixel by pixel; (1, 1, 1, n) repeats the last one
    if (c->end - c->at < 4) return false;
    p = c->at;
    c->at += 4;
    int64_t n = 1;
    bool again = p[0] == 1 && p[1] == 1 && p[2] == 1;
    if (again) {
      if (x == 0 || shift > 16) return false;
      n = (int64_t)p[3] << shift;
      shift += 8;
    } else {
      shift = 0;
    }
    if (n > width - x) return false;
    for (; n > 0; n--, x++) {
      for (int k = 0; k < 4; k++) {
        unsigned char *plane = out + (size_t)k * (size_t)width;
        plane[x] = again ? plane[x - 1] : p[k];
      }
    }
  }
  return true;
}

// All lines, before there is memory for them: runs of a few bytes can stand for a picture of
// gigabytes.
static firn_status check_lines(firn_context *context, const char *path, cursor c,
                               unsigned char *line, int width, int height) {
  for (int y = 0; y < height; y++) {
    if (read_line(&c, line, width)) continue;
    return firn_fail(context, FIRN_ERROR_FORMAT, "%s: line %d is damaged or missing", path, y);
  }
  return FIRN_OK;
}

firn_status firn_map_read_hdr(firn_context *context, const char *path, const char *data,
                              size_t size, double turn, firn_map *out) {
  cursor c = {(const unsigned char *)data, (const unsigned char *)data + size};
  int64_t width = 0, height = 0;
  double exposure;
  FIRN_TRY(read_head(context, path, &c, &width, &height, &exposure));
  FIRN_TRY(firn_map_check(context, path, width, height, size));
  const size_t w = (size_t)width;
  unsigned char *line = firn_alloc(context, 4 * w, "a line of an HDR picture");
  if (!line) return FIRN_ERROR_MEMORY;
  firn_status status = check_lines(context, path, c, line, (int)width, (int)height);
  if (!status) status = firn_map_create(context, (int)width, (int)height, false, turn, out);
  for (int y = 0; y < height && !status; y++) {
    read_line(&c, line, (int)width);
    for (size_t x = 0; x < w; x++) {
      int e = line[3 * w + x];
      float scale = e ? (float)(ldexp(1, e - (128 + 8)) / exposure) : 0;
      out->radiance[(size_t)y * w + x] = (firn_v3){((float)line[x] + 0.5f) * scale,
                                                   ((float)line[w + x] + 0.5f) * scale,
                                                   ((float)line[2 * w + x] + 0.5f) * scale};
    }
  }
  firn_free(context, line, 4 * w);
  if (status) firn_map_free(context, out);
  return status;
}
