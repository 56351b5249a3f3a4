// SPDX-License-Identifier: Apache-2.0
// Environment maps from OpenEXR files: scan lines or tiles, R G B or Y.
#include <stdio.h>
#include <string.h>

#include <openexr.h>

#include "render/map.h"

typedef struct source {
  const char *data;
  size_t size;
  char reason[160];
} source;

static int64_t get(exr_const_context_t file, void *user, void *data, uint64_t size, uint64_t offset,
                   exr_stream_error_func_ptr_t complain) {
  (void)file;
  (void)complain;
  const source *s = user;
  if (offset >= s->size) return 0;
  uint64_t left = s->size - offset, n = size < left ? size : left;
  memcpy(data, s->data + offset, n);
  return (int64_t)n;
}

static int64_t size_of(exr_const_context_t file, void *user) {
  (void)file;
  return (int64_t)((const source *)user)->size;
}

static void complain(exr_const_context_t file, exr_result_t code, const char *message) {
  (void)code;
  void *user = NULL;
  if (exr_get_user_data(file, &user) || !user) return;
  source *s = user;
  if (!s->reason[0]) snprintf(s->reason, sizeof s->reason, "%s", message);
}

// Which of x, y, z a channel goes to; -1: none. Y alone is grey.
static int place_of(const char *name) {
  if (strcmp(name, "R") == 0 || strcmp(name, "Y") == 0) return 0;
  return strcmp(name, "G") == 0 ? 1 : strcmp(name, "B") == 0 ? 2 : -1;
}

// The part of the picture that is stored, from its top left corner; the rest is black.
typedef struct stored {
  int x, y, width, height;
} stored;

static exr_result_t decode(exr_context_t file, const exr_chunk_info_t *chunk, bool first, int x,
                           int y, exr_decode_pipeline_t *pipe, firn_map *map) {
  exr_result_t rv = first ? exr_decoding_initialize(file, 0, chunk, pipe)
                          : exr_decoding_update(file, 0, chunk, pipe);
  for (int i = 0; i < pipe->channel_count && !rv; i++) {
    exr_coding_channel_info_t *c = &pipe->channels[i];
    int place = place_of(c->channel_name);
    c->decode_to_ptr = NULL;
    if (place < 0 || c->height == 0) continue;
    float *to = &map->radiance[(size_t)y * (size_t)map->width + (size_t)x].x + place;
    c->user_bytes_per_element = sizeof(float);
    c->user_data_type = EXR_PIXEL_FLOAT;
    c->user_pixel_stride = sizeof(firn_v3);
    c->user_line_stride = (int32_t)sizeof(firn_v3) * map->width;
    c->decode_to_ptr = (void *)to;
  }
  if (!rv && first) rv = exr_decoding_choose_default_routines(file, 0, pipe);
  return rv ? rv : exr_decoding_run(file, 0, pipe);
}

static exr_result_t decode_lines(exr_context_t file, int top, const stored *part,
                                 exr_decode_pipeline_t *pipe, firn_map *map) {
  int lines;
  exr_result_t rv = exr_get_scanlines_per_chunk(file, 0, &lines);
  for (int y = 0; y < part->height && !rv; y += lines) {
    exr_chunk_info_t chunk;
    rv = exr_read_scanline_chunk_info(file, 0, top + y, &chunk);
    if (!rv) rv = decode(file, &chunk, y == 0, part->x, part->y + y, pipe, map);
  }
  return rv;
}

static exr_result_t decode_tiles(exr_context_t file, const stored *part,
                                 exr_decode_pipeline_t *pipe, firn_map *map) {
  int wide, tall;
  exr_result_t rv = exr_get_tile_sizes(file, 0, 0, 0, &wide, &tall);
  for (int y = 0; y < part->height && !rv; y += tall) {
    for (int x = 0; x < part->width && !rv; x += wide) {
      exr_chunk_info_t chunk;
      rv = exr_read_tile_chunk_info(file, 0, x / wide, y / tall, 0, 0, &chunk);
      if (!rv) rv = decode(file, &chunk, x == 0 && y == 0, part->x + x, part->y + y, pipe, map);
    }
  }
  return rv;
}

// What is there to read: FIRN_OK and grey or not, or a sentence about it.
static firn_status look(firn_context *context, const char *path, exr_context_t file, bool *grey) {
  const exr_attr_chlist_t *list = NULL;
  exr_get_channels(file, 0, &list);
  bool found[3] = {false}, full = true, y = false, chroma = false;
  for (int i = 0; list && i < list->num_channels; i++) {
    const exr_attr_chlist_entry_t *c = &list->entries[i];
    int place = place_of(c->name.str);
    chroma = chroma || strcmp(c->name.str, "RY") == 0 || strcmp(c->name.str, "BY") == 0;
    if (place < 0) continue;
    if (strcmp(c->name.str, "Y") == 0) {
      y = true;
    } else {
      found[place] = true;
    }
    full = full && c->x_sampling == 1 && c->y_sampling == 1;
  }
  *grey = y && !found[0] && !found[1] && !found[2];
  if (!*grey && !(found[0] && found[1] && found[2] && !y)) {
    return firn_fail(context, FIRN_ERROR_FORMAT, "%s: has no channels R, G and B", path);
  }
  if (*grey && chroma) {
    return firn_fail(context, FIRN_ERROR_FORMAT,
                     "%s: stores luminance and chroma; only R, G and B, or Y alone, are read",
                     path);
  }
  if (!full) return firn_fail(context, FIRN_ERROR_FORMAT, "%s: has subsampled channels", path);
  return FIRN_OK;
}

static firn_status read_part(firn_context *context, const char *path, exr_context_t file,
                             size_t size, double turn, firn_map *out, exr_result_t *rv) {
  exr_storage_t storage;
  exr_attr_box2i_t window, whole; // what is stored, and what it is a part of
  bool grey;
  if ((*rv = exr_get_storage(file, 0, &storage))) return FIRN_OK;
  if ((*rv = exr_get_data_window(file, 0, &window))) return FIRN_OK;
  if ((*rv = exr_get_display_window(file, 0, &whole))) return FIRN_OK;
  if (storage != EXR_STORAGE_SCANLINE && storage != EXR_STORAGE_TILED) {
    return firn_fail(context, FIRN_ERROR_FORMAT, "%s: deep pictures cannot light a scene", path);
  }
  FIRN_TRY(look(context, path, file, &grey));
  int64_t width = (int64_t)whole.max.x - whole.min.x + 1;
  int64_t height = (int64_t)whole.max.y - whole.min.y + 1;
  FIRN_TRY(firn_map_check(context, path, width, height, size));
  if (window.min.x < whole.min.x || window.min.y < whole.min.y || window.max.x > whole.max.x ||
      window.max.y > whole.max.y) {
    return firn_fail(context, FIRN_ERROR_FORMAT,
                     "%s: has pixels beyond its edges (its data window is larger than its display "
                     "window); crop it to all directions once around",
                     path);
  }
  const stored part = {window.min.x - whole.min.x, window.min.y - whole.min.y,
                       window.max.x - window.min.x + 1, window.max.y - window.min.y + 1};
  FIRN_TRY(firn_map_create(context, (int)width, (int)height, false, turn, out));
  exr_decode_pipeline_t pipe = EXR_DECODE_PIPELINE_INITIALIZER;
  *rv = storage == EXR_STORAGE_TILED ? decode_tiles(file, &part, &pipe, out)
                                     : decode_lines(file, window.min.y, &part, &pipe, out);
  exr_decoding_destroy(file, &pipe);
  for (size_t i = 0; grey && i < (size_t)width * (size_t)height; i++) {
    out->radiance[i].y = out->radiance[i].z = out->radiance[i].x;
  }
  return FIRN_OK;
}

firn_status firn_map_read_exr(firn_context *context, const char *path, const char *data,
                              size_t size, double turn, firn_map *out) {
  source s = {.data = data, .size = size};
  exr_context_initializer_t init = EXR_DEFAULT_CONTEXT_INITIALIZER;
  init.error_handler_fn = complain;
  init.user_data = &s;
  init.read_fn = get;
  init.size_fn = size_of;
  exr_context_t file = NULL;
  firn_status status = FIRN_OK;
  exr_result_t rv = exr_start_read(&file, path, &init);
  if (!rv) status = read_part(context, path, file, size, turn, out, &rv);
  if (file) exr_finish(&file);
  if (!status && rv) {
    status = firn_fail(context, FIRN_ERROR_FORMAT, "%s: %s", path,
                       s.reason[0] ? s.reason : exr_get_default_error_message(rv));
  }
  if (status) firn_map_free(context, out);
  return status;
}
