// SPDX-License-Identifier: Apache-2.0
// Films as OpenEXR files, by the library's core. It takes its memory from malloc: its allocator is
// told nothing from which the context could be known.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <openexr.h>
#include <unistd.h>

#include "base/memory.h"
#include "cache/file.h"
#include "render/film.h"

enum { MOST_CHANNELS = 20, CHUNK = 16 }; // lines that ZIP packs together

typedef struct channel {
  const char *name;
  const float *data; // of the first pixel
  int step;          // floats from pixel to pixel
  bool half;
} channel;

typedef struct sink {
  int fd;
  int error;        // errno of a failed write
  char reason[160]; // what the library complained about
} sink;

// After an error it only seems to write: OpenEXR keeps its lock after a reported error, and waits
// for that itself when it closes the file.
static int64_t put(exr_const_context_t file, void *user, const void *data, uint64_t size,
                   uint64_t offset, exr_stream_error_func_ptr_t complain) {
  sink *s = user;
  (void)file;
  (void)complain;
  for (uint64_t done = 0; done < size && !s->error;) {
    ssize_t n = pwrite(s->fd, (const char *)data + done, size - done, (off_t)(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      s->error = n < 0 ? errno : EIO;
    else
      done += (uint64_t)n;
  }
  return (int64_t)size;
}

static void complain(exr_const_context_t file, exr_result_t code, const char *message) {
  (void)code;
  void *user = NULL;
  if (exr_get_user_data(file, &user) || !user) return;
  sink *s = user;
  if (!s->reason[0]) snprintf(s->reason, sizeof s->reason, "%s", message);
}

// All that the film has; vectors are three channels.
static int channels_of(const firn_film *film, bool half, channel out[MOST_CHANNELS]) {
  static const char *const light[3] = {"R", "G", "B"};
  static const char *const names[4][3] = {{"variance.R", "variance.G", "variance.B"},
                                          {"velocity.X", "velocity.Y", "velocity.Z"},
                                          {"albedo.R", "albedo.G", "albedo.B"},
                                          {"N.X", "N.Y", "N.Z"}};
  const firn_v3 *const planes[4] = {film->variance, film->velocity, film->albedo, film->normal};
  int n = 0;
  for (int k = 0; k < 3; k++) out[n++] = (channel){light[k], &film->light->x + k, 3, half};
  out[n++] = (channel){"A", film->alpha, 1, half};
  if (film->depth) out[n++] = (channel){"Z", film->depth, 1, false};
  if (film->density) out[n++] = (channel){"density", film->density, 1, false};
  for (int i = 0; i < 4; i++) {
    // Variance is for whoever denoises later, together with the other planes.
    if (!planes[i] || (i == 0 && !film->depth)) continue;
    for (int k = 0; k < 3; k++) out[n++] = (channel){names[i][k], &planes[i]->x + k, 3, false};
  }
  return n;
}

static exr_result_t describe(exr_context_t file, const firn_film *film, const channel *channels,
                             int count) {
  int part;
  exr_result_t rv = exr_add_part(file, NULL, EXR_STORAGE_SCANLINE, &part);
  if (!rv) {
    rv = exr_initialize_required_attr_simple(file, part, film->width, film->height,
                                             EXR_COMPRESSION_ZIP);
  }
  // Linear Rec. 709, said explicitly.
  const exr_attr_chromaticities_t rec709 = {0.64f, 0.33f, 0.30f,   0.60f,
                                            0.15f, 0.06f, 0.3127f, 0.3290f};
  if (!rv) rv = exr_attr_set_chromaticities(file, part, "chromaticities", &rec709);
  if (!rv) rv = exr_attr_set_string(file, part, "software", "firn");
  for (int i = 0; i < count && !rv; i++) {
    rv = exr_add_channel(file, part, channels[i].name,
                         channels[i].half ? EXR_PIXEL_HALF : EXR_PIXEL_FLOAT,
                         EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1);
  }
  return rv ? rv : exr_write_header(file);
}

// The lines of one chunk, no larger than halves reach.
static const float *within_half(const channel *c, size_t first, size_t pixels, float *scratch) {
  for (size_t i = 0; i < pixels; i++) {
    scratch[i] = fminf(fmaxf(c->data[(first + i) * (size_t)c->step], -65504.0f), 65504.0f);
  }
  return scratch;
}

static exr_result_t encode(exr_context_t file, const firn_film *film, const channel *channels,
                           int count, float *scratch) {
  exr_encode_pipeline_t pipe = EXR_ENCODE_PIPELINE_INITIALIZER;
  exr_result_t rv = EXR_ERR_SUCCESS;
  const size_t width = (size_t)film->width;
  for (int y = 0; y < film->height && !rv; y += CHUNK) {
    exr_chunk_info_t chunk;
    rv = exr_write_scanline_chunk_info(file, 0, y, &chunk);
    if (rv) break;
    rv = y ? exr_encoding_update(file, 0, &chunk, &pipe)
           : exr_encoding_initialize(file, 0, &chunk, &pipe);
    const size_t first = (size_t)y * width, pixels = (size_t)chunk.height * width;
    float *spare = scratch;
    for (int i = 0; i < pipe.channel_count && !rv; i++) { // in the order of their names
      exr_coding_channel_info_t *to = &pipe.channels[i];
      const channel *from = channels;
      while (from < channels + count - 1 && strcmp(from->name, to->channel_name) != 0) from++;
      int step = from->step;
      const float *data = from->data + first * (size_t)step;
      if (from->half) {
        data = within_half(from, first, pixels, spare);
        spare += CHUNK * width;
        step = 1;
      }
      to->user_bytes_per_element = sizeof(float);
      to->user_data_type = EXR_PIXEL_FLOAT;
      to->user_pixel_stride = step * (int)sizeof(float);
      to->user_line_stride = to->user_pixel_stride * film->width;
      to->encode_from_ptr = (const void *)data;
    }
    if (!rv && y == 0) rv = exr_encoding_choose_default_routines(file, 0, &pipe);
    if (!rv) rv = exr_encoding_run(file, 0, &pipe);
  }
  exr_encoding_destroy(file, &pipe);
  return rv;
}

firn_status firn_film_write_exr(firn_context *context, const char *path, const firn_film *film,
                                bool half) {
  channel channels[MOST_CHANNELS];
  const int count = channels_of(film, half, channels);
  const size_t size = 4 * CHUNK * (size_t)film->width * sizeof(float);
  float *scratch = firn_alloc(context, size, "lines of an EXR picture");
  if (!scratch) return FIRN_ERROR_MEMORY;
  char part[FIRN_PATH_SIZE];
  sink s = {.fd = -1};
  firn_status status = firn_file_begin(context, path, part, &s.fd);
  if (status) {
    firn_free(context, scratch, size);
    return status;
  }
  exr_context_initializer_t init = EXR_DEFAULT_CONTEXT_INITIALIZER;
  init.error_handler_fn = complain;
  init.user_data = &s;
  init.write_fn = put;
  exr_context_t file = NULL;
  exr_result_t rv = exr_start_write(&file, path, EXR_WRITE_FILE_DIRECTLY, &init);
  if (!rv) rv = describe(file, film, channels, count);
  if (!rv) rv = encode(file, film, channels, count, scratch);
  if (file) { // closing writes the table of chunks
    exr_result_t last = exr_finish(&file);
    if (!rv) rv = last;
  }
  firn_free(context, scratch, size);
  if (!rv && !s.error) return firn_file_finish(context, path, part, s.fd);
  firn_file_abandon(part, s.fd);
  if (s.error) return firn_file_fail(context, "write", path, s.error);
  return firn_fail(context, rv == EXR_ERR_OUT_OF_MEMORY ? FIRN_ERROR_MEMORY : FIRN_ERROR_FORMAT,
                   "cannot write %s: %s", path,
                   s.reason[0] ? s.reason : exr_get_default_error_message(rv));
}
