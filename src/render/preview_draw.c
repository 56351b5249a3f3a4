// SPDX-License-Identifier: Apache-2.0
// Balls into a buffer of depths, four samples at a time. Each thread has a buffer of its own and the
// least depth wins, wherever it came from; then each thread looks up, in rows of its own, whose depth
// that was. So nothing depends on who drew what.
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "render/preview.h"

enum {
  MOST_BUFFERS = 8, // threads that draw
  MOST_RADIUS = 64, // samples
  LANES = 4,
  TILE = 8,   // samples
  ROUNDS = 8, // in which balls are drawn, some from everywhere in each
  BATCH = 64, // balls that follow each other in a round
  GRAIN_BITS = 9
};

// Vectors of the compiler: any x86-64 has them, other machines get plain code.
typedef float lanes __attribute__((vector_size(16)));
typedef int masks __attribute__((vector_size(16)));

typedef struct ball {
  float x, y, radius; // samples
  float depth, half;  // m: of its middle, and of it
} ball;

// Where a grain lies in its particle's lump, and its size, as shares of spread and radius.
typedef struct grain {
  firn_v3 shift;
  float size;
} grain;

typedef struct job {
  const firn_preview_shot *def;
  const firn_preview_view *view;
  const firn_preview_buffer *buffer;
  size_t balls;
  grain grain[1 << GRAIN_BITS];
} job;

// Between -1/2 and 1/2, more often near 0.
static float bell(uint32_t seed) {
  return 0.5f * (firn_noise(seed) + firn_noise(seed + 1)) - 0.5f;
}

static void make_grains(job *j) {
  for (uint32_t i = 0; i < 1 << GRAIN_BITS; i++)
    j->grain[i] = (grain){{bell(8 * i), bell(8 * i + 2), bell(8 * i + 4)},
                          0.7f + 0.6f * firn_noise(8 * i + 6)};
}

static inline size_t particle_of(const job *j, size_t i) {
  return j->view->grains > 1 ? i / (size_t)j->view->grains : i;
}

static inline bool place(const job *j, size_t i, ball *out) {
  const firn_preview_shot *def = j->def;
  const firn_preview_view *v = j->view;
  const double *p = def->position + 3 * particle_of(j, i);
  float width = (float)j->buffer->width, height = (float)j->buffer->height;
  if (def->cuts && def->cuts->count && firn_cuts_depth(def->cuts, p) > 0) return false;
  firn_v3 d = {(float)(p[0] - def->origin[0]) - v->pose.eye.x,
               (float)(p[1] - def->origin[1]) - v->pose.eye.y,
               (float)(p[2] - def->origin[2]) - v->pose.eye.z};
  out->half = v->radius;
  if (v->grains > 1) {
    const grain *g = &j->grain[(uint32_t)i * 2654435769u >> (32 - GRAIN_BITS)];
    d = firn_v3_add(d, firn_v3_scale(v->spread, g->shift));
    out->half *= g->size;
  }
  float depth = firn_v3_dot(d, v->pose.forward);
  if (!(depth > out->half && depth < 1e30f)) return false; // nan too
  float scale = v->perspective ? v->scale / depth : v->scale;
  out->x = 0.5f * width + scale * firn_v3_dot(d, v->pose.right);
  out->y = 0.5f * height - scale * firn_v3_dot(d, v->pose.up);
  float r = scale * out->half;
  r = r < v->min_radius ? v->min_radius : r > MOST_RADIUS ? MOST_RADIUS : r;
  out->radius = r;
  out->depth = depth;
  return out->x + r > 0 && out->x - r < width && out->y + r > 0 && out->y - r < height;
}

// Rows of a ball within [first, end), and where it begins in them.
typedef struct span {
  int x0, x1, y0, y1;
} span;

static inline span span_of(const ball *b, int width, int first, int end) {
  span s = {(int)(b->x - b->radius), (int)(b->x + b->radius) + 1, (int)(b->y - b->radius),
            (int)(b->y + b->radius) + 1};
  if (s.x0 < 0) s.x0 = 0;
  if (s.x1 > width) s.x1 = width;
  if (s.y0 < first) s.y0 = first;
  if (s.y1 > end) s.y1 = end;
  return s;
}

// Depths of four samples of a row from x on; infinite off the ball. A paraboloid is as good as a ball.
static inline lanes depths(const ball *b, float bulge, float rest, int x) {
  const lanes step = {0.5f, 1.5f, 2.5f, 3.5f}, nothing = {INFINITY, INFINITY, INFINITY, INFINITY};
  lanes dx = step + ((float)x - b->x), q = rest - dx * dx, d = b->depth - bulge * q;
  masks on = q > 0;
  return (lanes)((on & (masks)d) | (~on & (masks)nothing));
}

// The farthest depth of each tile. Depths only ever shrink, so that even an old table tells what can
// no longer be seen: most of the snow, once some of it is drawn.
typedef struct tiles {
  int width, height;
  float *farthest; // m, [height][width]
} tiles;

static void survey(const firn_preview_buffer *buffer, const float *depth, tiles *t) {
  for (int v = 0; v < t->height; v++)
    for (int u = 0; u < t->width; u++) {
      int x1 = (u + 1) * TILE < buffer->width ? (u + 1) * TILE : buffer->width;
      int y1 = (v + 1) * TILE < buffer->height ? (v + 1) * TILE : buffer->height;
      float most = 0;
      for (int y = v * TILE; y < y1; y++)
        for (int x = u * TILE; x < x1; x++) {
          float d = depth[(size_t)y * (size_t)buffer->stride + (size_t)x];
          most = d > most ? d : most;
        }
      t->farthest[v * t->width + u] = most;
    }
}

static inline bool hidden(const tiles *t, const span *s, float nearest) {
  for (int v = s->y0 / TILE; v <= (s->y1 - 1) / TILE; v++)
    for (int u = s->x0 / TILE; u <= (s->x1 - 1) / TILE; u++)
      if (!(nearest > t->farthest[v * t->width + u])) return false;
  return true;
}

static void draw(const firn_preview_buffer *buffer, const ball *b, const tiles *t, float *depth) {
  float r = b->radius, bulge = b->half / (r * r);
  span s = span_of(b, buffer->width, 0, buffer->height);
  if (hidden(t, &s, b->depth - b->half)) return;
  for (int y = s.y0; y < s.y1; y++) {
    float dy = (float)y + 0.5f - b->y, rest = r * r - dy * dy;
    float *row = depth + (size_t)y * (size_t)buffer->stride;
    for (int x = s.x0; x < s.x1; x += LANES) {
      lanes d = depths(b, bulge, rest, x), before;
      memcpy(&before, row + x, sizeof before);
      masks nearer = d < before;
      before = (lanes)((nearer & (masks)d) | (~nearer & (masks)before));
      memcpy(row + x, &before, sizeof before);
    }
  }
}

// Takes the samples of rows [first, end) whose depth is this ball's; of equals the first wins.
static void claim(const firn_preview_buffer *buffer, const ball *b, const tiles *t, uint32_t i,
                  int first, int end) {
  float r = b->radius, bulge = b->half / (r * r);
  span s = span_of(b, buffer->width, first, end);
  if (s.y0 >= s.y1 || hidden(t, &s, b->depth - b->half)) return;
  for (int y = s.y0; y < s.y1; y++) {
    float dy = (float)y + 0.5f - b->y, rest = r * r - dy * dy;
    size_t row = (size_t)y * (size_t)buffer->stride;
    for (int x = s.x0; x < s.x1; x += LANES) {
      lanes d = depths(b, bulge, rest, x);
      for (int k = 0; k < LANES; k++) {
        size_t at = row + (size_t)(x + k);
        if (d[k] < INFINITY && d[k] == buffer->depth[at] && i < buffer->index[at])
          buffer->index[at] = i;
      }
    }
  }
}

static void draw_share(const job *j, size_t from, size_t to, tiles *t, float *depth) {
  size_t samples = (size_t)j->buffer->stride * (size_t)j->buffer->height;
  for (size_t i = 0; i < samples; i++) depth[i] = INFINITY;
  for (size_t round = 0; round < ROUNDS; round++) {
    if (round < 2 || round == ROUNDS / 2) survey(j->buffer, depth, t);
    for (size_t batch = from + round * BATCH; batch < to; batch += ROUNDS * BATCH) {
      size_t end = batch + BATCH < to ? batch + BATCH : to;
      for (size_t i = batch; i < end; i++) {
        ball b;
        if (place(j, i, &b)) draw(j->buffer, &b, t, depth);
      }
    }
  }
}

firn_status firn_preview_draw(firn_context *context, const firn_preview_shot *def,
                              const firn_preview_view *view, const firn_preview_buffer *buffer) {
  int threads = context->threads, width = buffer->width, height = buffer->height;
  int buffers = threads < MOST_BUFFERS ? threads : MOST_BUFFERS;
  job j = {.def = def, .view = view, .buffer = buffer, .balls = def->count * (size_t)view->grains};
  make_grains(&j);
  tiles all = {(width + TILE - 1) / TILE, (height + TILE - 1) / TILE, NULL};
  size_t samples = (size_t)buffer->stride * (size_t)height,
         squares = (size_t)all.width * (size_t)all.height;
  // A table of tiles for each that draws, and depths for all but the first, who has the buffer.
  size_t bytes = ((size_t)buffers * squares + (size_t)(buffers - 1) * samples) * sizeof(float);
  float *memory = firn_alloc(context, bytes, "depths of a picture");
  if (!memory) return FIRN_ERROR_MEMORY;
  float *more = memory + (size_t)buffers * squares;
  FIRN_PARALLEL_FOR(context, schedule(static, 1))
  for (int k = 0; k < buffers; k++) {
    tiles t = {all.width, all.height, memory + (size_t)k * squares};
    size_t from = j.balls * (size_t)k / (size_t)buffers,
           to = j.balls * (size_t)(k + 1) / (size_t)buffers;
    draw_share(&j, from, to, &t, k ? more + (size_t)(k - 1) * samples : buffer->depth);
  }
  FIRN_PARALLEL_FOR(context, schedule(static))
  for (size_t i = 0; i < samples; i++)
    for (int k = 1; k < buffers; k++) {
      float d = more[(size_t)(k - 1) * samples + i];
      if (d < buffer->depth[i]) buffer->depth[i] = d;
    }
  if (buffer->index) {
    memset(buffer->index, 255, samples * sizeof *buffer->index);
    all.farthest = memory;
    survey(buffer, buffer->depth, &all);
    FIRN_PARALLEL_FOR(context, schedule(static, 1))
    for (int k = 0; k < threads; k++)
      for (size_t i = 0; i < j.balls; i++) {
        ball b;
        if (place(&j, i, &b))
          claim(buffer, &b, &all, (uint32_t)particle_of(&j, i), height * k / threads,
                height * (k + 1) / threads);
      }
  }
  firn_free(context, memory, bytes);
  return FIRN_OK;
}
