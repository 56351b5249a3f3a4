// SPDX-License-Identifier: Apache-2.0
// A picture from paths. Tiles are dealt to threads; within a tile one thread takes samples in a fixed
// order into the lanes of its walk, so sums are the same for any number of threads.
#include "render/trace.h"

#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "render/trace_private.h"

enum { TILE = 16, PIXELS = TILE * TILE, MOST_EVENTS = 1000000, ENOUGH = 16 };

// Sums of a pixel's samples.
typedef struct pixel_sum {
  uint32_t count, met;
  double light[3], square[3];
  double depth, density, velocity[3], albedo[3], normal[3];
  double sunlit, skylit;
  double depth_square, albedo_square[3], normal_square[3], sunlit_square, skylit_square;
} pixel_sum;

typedef struct tile_job {
  const firn_tracer *t;
  firn_film *film;
  int x0, y0, width, height;
  uint64_t next, total; // samples handed out
  pixel_sum sum[PIXELS];
  firn_light_path path[FIRN_WALK_WIDTH];
  firn_walk walk;
  firn_trace_stats stats;
} tile_job;

// ---- where samples lie

// Sobol's first two dimensions, scrambled as Owen would, by hashing (Laine and Karras 2011).
static uint32_t reversed(uint32_t x) {
  x = x >> 16 | x << 16;
  x = (x & 0x00ff00ffu) << 8 | (x & 0xff00ff00u) >> 8;
  x = (x & 0x0f0f0f0fu) << 4 | (x & 0xf0f0f0f0u) >> 4;
  x = (x & 0x33333333u) << 2 | (x & 0xccccccccu) >> 2;
  return (x & 0x55555555u) << 1 | (x & 0xaaaaaaaau) >> 1;
}
static float owen(uint32_t x, uint32_t seed) {
  x = reversed(x);
  x += seed;
  x ^= x * 0x6c50b47cu;
  x ^= x * 0xb82f1e52u;
  x ^= x * 0xc7afe638u;
  x ^= x * 0x8d22f6e6u;
  return (float)(reversed(x) >> 8) * 0x1p-24f;
}
static uint32_t second(uint32_t index) {
  uint32_t x = 0;
  for (uint32_t v = 1u << 31; index; index >>= 1, v ^= v >> 1)
    if (index & 1) x ^= v;
  return x;
}
static void pair(uint32_t index, uint32_t seed, float out[2]) {
  out[0] = owen(reversed(index), firn_scramble(seed));
  out[1] = owen(second(index), firn_scramble(seed + 0x9e3779b9u));
}

// Starts sample n of the tile in lane i; false when it is over at once.
static bool start(tile_job *j, int i, uint64_t n, firn_path_result *result) {
  const firn_camera *camera = j->t->studio->camera;
  int pixels = j->width * j->height, p = (int)(n % (uint64_t)pixels);
  uint32_t sample = (uint32_t)(n / (uint64_t)pixels);
  int x = j->x0 + p % j->width, y = j->y0 + p / j->width;
  uint64_t id = (uint64_t)y * (uint64_t)camera->width + (uint64_t)x;
  firn_philox seeds = firn_philox4x32(j->t->def->seed, id, 0x7261, 0);
  firn_philox own = firn_philox4x32(j->t->def->seed, id, 0x7262, sample);
  float at[2], lens[2];
  pair(sample, seeds.v[0], at);
  pair(sample, seeds.v[1], lens);
  float time = owen(reversed(sample), seeds.v[2]);
  firn_ray ray = firn_camera_ray(camera, (float)x + at[0], (float)y + at[1], lens, time);
  j->walk.s0[i] = (int32_t)own.v[0];
  j->walk.s1[i] = (int32_t)(own.v[1] | 1);
  j->path[i].pixel = p;
  j->stats.paths++;
  return firn_path_start(j->t, &j->walk, i, &j->path[i], &ray, result);
}

static void add3(double sum[3], firn_v3 v) {
  sum[0] += (double)v.x;
  sum[1] += (double)v.y;
  sum[2] += (double)v.z;
}

static void take(tile_job *j, const firn_light_path *path, const firn_path_result *r) {
  pixel_sum *s = &j->sum[path->pixel];
  j->stats.events += r->events;
  j->stats.truncated += r->truncated;
  if (!isfinite(r->light.x) || !isfinite(r->light.y) || !isfinite(r->light.z)) {
    j->stats.not_finite++;
    return;
  }
  s->count++;
  add3(s->light, r->light);
  add3(s->square, firn_v3_mul(r->light, r->light));
  if (!path->first.met) return;
  s->met++;
  s->depth += (double)path->first.depth;
  s->density += (double)path->first.density;
  add3(s->velocity, path->first.velocity);
  add3(s->albedo, path->first.albedo);
  add3(s->normal, path->first.normal);
  s->sunlit += (double)path->first.sunlit;
  s->skylit += (double)path->first.skylit;
  s->sunlit_square += (double)path->first.sunlit * (double)path->first.sunlit;
  s->skylit_square += (double)path->first.skylit * (double)path->first.skylit;
  s->depth_square += (double)path->first.depth * (double)path->first.depth;
  add3(s->albedo_square, firn_v3_mul(path->first.albedo, path->first.albedo));
  add3(s->normal_square, firn_v3_mul(path->first.normal, path->first.normal));
}

// Of the mean of n values, by their sum and that of their squares.
static double mean_variance(double sum, double square, double n) {
  return n < 2 ? 0 : fmax(0, (square - sum * sum / n) / (n * (n - 1)));
}
static firn_v3 mean_variance3(const double sum[3], const double square[3], double n) {
  return (firn_v3){(float)mean_variance(sum[0], square[0], n),
                   (float)mean_variance(sum[1], square[1], n),
                   (float)mean_variance(sum[2], square[2], n)};
}
static double variance_of(const pixel_sum *s, int c) {
  return mean_variance(s->light[c], s->square[c], s->count);
}

// Whether a pixel has the quiet that was asked for.
static bool quiet(const tile_job *j, const pixel_sum *s) {
  double noise = j->t->def->noise;
  if (!(noise > 0) || s->count < ENOUGH) return false;
  for (int c = 0; c < 3; c++)
    if (variance_of(s, c) > noise * noise) return false;
  return true;
}

// Fills lane i with the next sample that has to walk; false when none is left.
static bool refill(tile_job *j, int i) {
  int pixels = j->width * j->height;
  while (j->next < j->total) {
    uint64_t n = j->next++;
    if (quiet(j, &j->sum[n % (uint64_t)pixels])) continue;
    firn_path_result result;
    if (start(j, i, n, &result)) return true;
    take(j, &j->path[i], &result);
  }
  j->walk.mode[i] = 3;
  j->walk.stop[i] = 0;
  return false;
}

static firn_v3 mean3(const double sum[3], double n) {
  return (firn_v3){(float)(sum[0] / n), (float)(sum[1] / n), (float)(sum[2] / n)};
}

static void write_tile(const tile_job *j) {
  firn_film *f = j->film;
  for (int p = 0; p < j->width * j->height; p++) {
    const pixel_sum *s = &j->sum[p];
    size_t at = (size_t)(j->y0 + p / j->width) * (size_t)f->width + (size_t)(j->x0 + p % j->width);
    double n = s->count ? s->count : 1, met = s->met;
    f->light[at] = mean3(s->light, n);
    f->alpha[at] = (float)(met / n);
    f->variance[at] = mean_variance3(s->light, s->square, n);
    if (f->depth) f->depth[at] = met > 0 ? (float)(s->depth / met) : INFINITY;
    if (f->density) f->density[at] = (float)(s->density / n);
    if (f->velocity) f->velocity[at] = mean3(s->velocity, n);
    if (f->albedo) f->albedo[at] = mean3(s->albedo, n);
    if (f->normal) f->normal[at] = mean3(s->normal, n);
    if (f->sunlit) f->sunlit[at] = (float)(s->sunlit / n);
    if (f->skylit) f->skylit[at] = (float)(s->skylit / n);
    if (f->sunlit_variance)
      f->sunlit_variance[at] = (float)mean_variance(s->sunlit, s->sunlit_square, n);
    if (f->skylit_variance)
      f->skylit_variance[at] = (float)mean_variance(s->skylit, s->skylit_square, n);
    if (f->alpha_variance) f->alpha_variance[at] = (float)mean_variance(met, met, n);
    if (f->depth_variance)
      f->depth_variance[at] = (float)mean_variance(s->depth, s->depth_square, met);
    if (f->albedo_variance) f->albedo_variance[at] = mean_variance3(s->albedo, s->albedo_square, n);
    if (f->normal_variance) f->normal_variance[at] = mean_variance3(s->normal, s->normal_square, n);
  }
}

static void do_tile(tile_job *j, const atomic_bool *cancelled) {
  const firn_walk_kernel *kernel = j->t->kernel;
  int lanes = kernel->lanes, busy = 0;
  memset(j->sum, 0, sizeof j->sum);
  for (int i = 0; i < FIRN_WALK_WIDTH; i++) j->walk.mode[i] = 3;
  for (int i = 0; i < lanes; i++) busy += refill(j, i);
  while (busy && !atomic_load_explicit(cancelled, memory_order_relaxed)) {
    kernel->walk(&j->t->view, &j->walk);
    for (int i = 0; i < lanes; i++) {
      if (!(j->walk.stop[i] > 0) || j->walk.mode[i] > 2.5f) continue;
      firn_path_result result;
      if (firn_path_serve(j->t, &j->walk, i, &j->path[i], &result)) continue;
      take(j, &j->path[i], &result);
      busy -= !refill(j, i);
    }
  }
  write_tile(j);
}

// ---- preparation

static void aim_at_sun(firn_tracer *t) {
  firn_walk_view *v = &t->view;
  v->sun = t->lights->sun && t->lights->sun(t->lights->user, &t->sun) && t->sun.open > 0;
  if (v->sun) {
    firn_v3 a, b, s = t->sun.along;
    firn_axes_about(s, &a, &b);
    const float all[3][3] = {{s.x, s.y, s.z}, {a.x, a.y, a.z}, {b.x, b.y, b.z}};
    memcpy(v->sun_along, all[0], sizeof all[0]);
    memcpy(v->sun_a, all[1], sizeof all[1]);
    memcpy(v->sun_b, all[2], sizeof all[2]);
    v->sun_open = t->sun.open;
    t->sun_angle = 6.28318531f * v->sun_open;
    v->sun_light[0] = t->sun.radiance.x * t->sun_angle;
    v->sun_light[1] = t->sun.radiance.y * t->sun_angle;
    v->sun_light[2] = t->sun.radiance.z * t->sun_angle;
  }
  v->lights = t->lights->sample != NULL;
  v->sun_share = !v->lights ? 1 : v->sun ? 0.5f : 0;
}

static void set_medium(firn_tracer *t, const firn_medium *m) {
  firn_walk_view *v = &t->view;
  const float albedo[3] = {m->albedo.x, m->albedo.y, m->albedo.z};
  float mean = (albedo[0] + albedo[1] + albedo[2]) / 3;
  v->g = m->g;
  v->thin_after = m->similarity > 0 ? m->similarity : INFINITY;
  // Scattering that turns light round as much, one isotropic event for many; absorption as it is.
  v->thin = 1 - mean * m->g;
  for (int c = 0; c < 3; c++) {
    v->albedo[c] = albedo[c];
    v->thin_albedo[c] = 1 - (1 - albedo[c]) / v->thin;
    if (v->thin_albedo[c] < 0) v->thin_albedo[c] = 0;
  }
}

static size_t bound_bytes(const firn_volume *volume) {
  return volume ? volume->count * (1 + FIRN_WALK_CELLS) * sizeof(float) : 0;
}

static firn_status prepare(firn_context *context, firn_tracer *t, float **sigma) {
  const firn_studio *studio = t->studio;
  const firn_volume *volume = studio->volume;
  firn_walk_view *v = &t->view;
  set_medium(t, &studio->medium);
  int bounces = t->def->bounces; // beyond 2^24 floats would not count them
  v->most = bounces > 0 && bounces < MOST_EVENTS ? (float)bounces : MOST_EVENTS;
  v->roulette = 20;
  v->early = 8;
  v->late = 1.0f;
  v->surfaces = studio->surfaces != NULL;
  t->medium = volume && volume->count && studio->medium.extinction > 0;
  t->kernel = firn_walk_kernel_get(context->isa);
  if (!t->medium) {
    aim_at_sun(t);
    return FIRN_OK;
  }
  t->low = volume->low;
  t->voxel = volume->voxel;
  t->box = (firn_v3){(float)(volume->size[0] * FIRN_BLOCK), (float)(volume->size[1] * FIRN_BLOCK),
                     (float)(volume->size[2] * FIRN_BLOCK)};
  aim_at_sun(t);
  *sigma = firn_alloc(context, bound_bytes(volume), "a picture");
  if (!*sigma) return FIRN_ERROR_MEMORY;
  v->split = firn_walk_bound(context, volume, studio->medium.extinction * volume->voxel, *sigma,
                             *sigma + volume->count);
  if (v->surfaces) {
    // Blocks that a surface may cut ask for hits; the others need not.
    float half = 0.5f * FIRN_BLOCK * volume->voxel, away = 1.7321f * half * 1.001f;
    FIRN_PARALLEL_FOR(context, schedule(dynamic, 1))
    for (int z = 0; z < volume->size[2]; z++)
      for (int y = 0; y < volume->size[1]; y++)
        for (int x = 0; x < volume->size[0]; x++) {
          int32_t b = volume->index[firn_volume_cell(volume, x, y, z)];
          if (b < 0) continue;
          firn_v3 p = firn_v3_add(t->low,
                                  (firn_v3){(float)(2 * x + 1) * half, (float)(2 * y + 1) * half,
                                            (float)(2 * z + 1) * half});
          if (firn_surfaces_clear(studio->surfaces, p, 2 * away) <= away) (*sigma)[b] *= -1;
        }
  }
  v->sigma = *sigma;
  v->cells = *sigma + volume->count;
  v->index = volume->index;
  v->density = volume->density;
  memcpy(v->size, volume->size, sizeof v->size);
  return FIRN_OK;
}

static firn_status check(firn_context *context, const firn_studio *studio,
                         const firn_trace_def *def, const firn_film *film) {
  const firn_medium *m = &studio->medium;
  if (!studio->camera || !film->light)
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "a picture needs a camera and a film");
  if (studio->camera->width != film->width || studio->camera->height != film->height)
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "the camera takes %d x %d pixels, the film has %d x %d", studio->camera->width,
                     studio->camera->height, film->width, film->height);
  if (def->samples < 1)
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "samples: %d is not above 0", def->samples);
  if (!(m->extinction >= 0) || !isfinite(m->extinction))
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "extinction: %g m2/kg is not possible",
                     (double)m->extinction);
  if (!(fabsf(m->g) < 1))
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "g: %g is not between -1 and 1", (double)m->g);
  const float albedo[3] = {m->albedo.x, m->albedo.y, m->albedo.z};
  for (int c = 0; c < 3; c++)
    if (!(albedo[c] >= 0 && albedo[c] <= 1))
      return firn_fail(context, FIRN_ERROR_ARGUMENT, "albedo: %g is not between 0 and 1",
                       (double)albedo[c]);
  return FIRN_OK;
}

static void add_stats(firn_trace_stats *to, const firn_trace_stats *from) {
  to->paths += from->paths;
  to->events += from->events;
  to->truncated += from->truncated;
  to->not_finite += from->not_finite;
}

static void tell(const firn_trace_def *def, int done, int tiles, atomic_bool *cancelled) {
  if (def->progress && !def->progress(def->user, (double)done / tiles))
    atomic_store(cancelled, true);
}

static firn_status render(firn_context *context, firn_tracer *t, firn_film *film,
                          firn_trace_stats *stats) {
  int across = (film->width + TILE - 1) / TILE, down = (film->height + TILE - 1) / TILE;
  int tiles = across * down, threads = context->threads;
  tile_job *jobs = firn_alloc_zero(context, (size_t)threads * sizeof *jobs, "a picture");
  if (!jobs) return FIRN_ERROR_MEMORY;
  t->view.first = true; // alpha at least wants it
  atomic_bool cancelled = false;
  atomic_int done = 0;
  FIRN_PARALLEL(context) {
    tile_job *j = &jobs[omp_get_thread_num()];
    j->t = t;
    j->film = film;
    int told = 0;
#pragma omp for schedule(dynamic, 1) nowait
    for (int k = 0; k < tiles; k++) {
      if (atomic_load(&cancelled)) continue;
      j->x0 = k % across * TILE;
      j->y0 = k / across * TILE;
      j->width = film->width - j->x0 < TILE ? film->width - j->x0 : TILE;
      j->height = film->height - j->y0 < TILE ? film->height - j->y0 : TILE;
      j->next = 0;
      j->total = (uint64_t)(j->width * j->height) * (uint64_t)t->def->samples;
      do_tile(j, &cancelled);
      int so_far = atomic_fetch_add(&done, 1) + 1;
      if (omp_get_thread_num() == 0) tell(t->def, told = so_far, tiles, &cancelled);
    }
    // The others may have left nothing to the thread that is allowed to ask.
    if (omp_get_thread_num() == 0 && !told) tell(t->def, atomic_load(&done), tiles, &cancelled);
  }
  for (int i = 0; i < threads; i++) add_stats(stats, &jobs[i].stats);
  firn_free(context, jobs, (size_t)threads * sizeof *jobs);
  if (atomic_load(&cancelled))
    return firn_fail(context, FIRN_CANCELLED, "the picture was given up at %d of %d tiles",
                     atomic_load(&done), tiles);
  return FIRN_OK;
}

firn_status firn_trace_with(firn_context *context, const firn_studio *studio,
                            const firn_light_table *lights, const firn_trace_def *def,
                            firn_film *film, firn_trace_stats *stats) {
  double begin = firn_seconds();
  firn_trace_stats none = {0};
  firn_trace_stats *s = stats ? stats : &none;
  *s = (firn_trace_stats){0};
  FIRN_TRY(check(context, studio, def, film));
  firn_tracer t = {.studio = studio, .lights = lights, .def = def, .lit = film->sunlit != NULL};
  float *sigma = NULL;
  firn_status status = prepare(context, &t, &sigma);
  if (status == FIRN_OK) status = render(context, &t, film, s);
  firn_free(context, sigma, bound_bytes(studio->volume));
  s->seconds = firn_seconds() - begin;
  return status;
}

static firn_v3 table_sky(const void *user, firn_v3 along) {
  return firn_lights_sky(user, along);
}
static firn_v3 table_beyond(const void *user, firn_v3 along) {
  return firn_lights_beyond(user, along);
}
static bool table_sun(const void *user, firn_sunlight *out) {
  return firn_lights_sun(user, out);
}
static bool table_sample(const void *user, firn_v3 from, const float u[3], firn_light_sample *out) {
  return firn_lights_aim(user, from, u, out);
}
static bool table_hit(const void *user, const firn_ray *ray, float most, float *t,
                      firn_v3 *radiance) {
  return firn_lights_hit(user, ray, most, t, radiance);
}
static float table_pdf(const void *user, firn_v3 from, firn_v3 along) {
  return firn_lights_aim_pdf(user, from, along);
}

firn_status firn_trace(firn_context *context, const firn_studio *studio, const firn_trace_def *def,
                       firn_film *film, firn_trace_stats *stats) {
  if (!studio->lights) return firn_fail(context, FIRN_ERROR_ARGUMENT, "a picture needs lights");
  firn_light_table table = {studio->lights, table_sky, table_beyond, table_sun,
                            table_sample,   table_hit, table_pdf};
  if (!firn_lights_can_aim(studio->lights)) table.sample = NULL;
  return firn_trace_with(context, studio, &table, def, film, stats);
}
