// SPDX-License-Identifier: Apache-2.0
// Particles to a volume. They are sorted by block; then blocks that are far enough apart not to touch
// the same nodes are drawn at once, one colour after the other, so that sums are made in the same
// order by any number of threads.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/parallel.h"
#include "render/volume_grid.h"
#include "render/volume_shape.h"

enum {
  MOST_CELLS = 1 << 25,  // blocks of the index, empty ones too
  MOST_LONG = 1 << 17,   // blocks along an axis: floats tell sixteenths of voxels apart up to there
  MOST_BLOCKS = 2900000, // what 31 bits reach in [count][729]
  MOST_KERNEL = 32,      // voxels that a kernel may be wide: it reaches 8 blocks then
  MOST_SPACING = 16, // voxels between particles that kernels adapt to: they are two of them wide
  MOST_PLACES = 32,  // of a particle while the shutter is open
  MOST_GRAINS = 1 << 26, // before particles are drawn in fewer places: they take 72 bytes each
  SAMPLES = 4096         // particles that the middle is found from
};

typedef struct job {
  const firn_volume_def *def;
  firn_context *context;
  firn_brush brush;
  firn_grain_fit fit;
  const firn_grain_painter *painter;
  double inverse; // 1/voxel
  double low[3];  // voxels from the stage's origin: what lies outside is left out
  double high[3];
  size_t skipped;
  int places;               // most that a particle is drawn in
  size_t count;             // grains
  firn_grain *grains;       // [count], by block
  firn_grain_shape *shapes; // [count] or NULL
  firn_bins homes;          // blocks with grains in them, from the corner of the index
  int32_t corner[3];        // blocks, of the volume's index
  int size[3];
  float *noise;
  firn_volume *volume;
  size_t slots;
  float *sum, *motion;
} job;

#define MOST_FAR   1e9  // voxels from the stage's origin; ints hold that
#define MOST_SPEED 1e12 // m/s; momenta of floats hold that

enum { NOISE_SIZE = FIRN_GRAIN_TILE * FIRN_GRAIN_TILE * FIRN_GRAIN_TILE * 2 * 4 };

static firn_status check(firn_context *context, const firn_volume_def *d) {
  if (d->count && (!d->position || !d->mass))
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "a volume needs positions and masses");
  if (!(d->voxel > 0) || !isfinite(d->voxel))
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "a volume's voxel is %g m: it must be above 0",
                     d->voxel);
  if (!(d->kernel >= 0) || d->kernel > MOST_KERNEL * d->voxel)
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "a volume's kernel is %g m: it must be between 0 and %d voxels of %g m",
                     d->kernel, MOST_KERNEL, d->voxel);
  for (int a = 0; a < 3; a++)
    if (!isfinite(d->origin[a]))
      return firn_fail(context, FIRN_ERROR_ARGUMENT, "a volume's origin is not finite");
  if (!(d->shutter >= 0) || !isfinite(d->shutter))
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "a volume's shutter is %g s", d->shutter);
  if (!(d->anisotropy >= 0 && d->anisotropy <= 1))
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "a volume's anisotropy is %g: it must be between 0 and 1", d->anisotropy);
  if (!(d->adapt >= 0 && d->adapt <= 1) || (d->adapt > 0 && !(d->spacing > 0)))
    return firn_fail(
        context, FIRN_ERROR_ARGUMENT,
        "a volume adapts by %g to particles %g m apart: it must be between 0 and 1, and "
        "they apart",
        d->adapt, d->spacing);
  if (!(d->detail >= 0 && d->detail <= 10) || !isfinite(d->detail_size))
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "a volume's detail is %g: it must be between 0 and 10", d->detail);
  return FIRN_OK;
}

// Voxels from the stage's origin; false when a number of the particle is no good.
static bool read(const job *j, size_t i, double at[3], double velocity[3]) {
  const firn_volume_def *d = j->def;
  if (!(d->mass[i] > 0) || !isfinite(d->mass[i])) return false;
  bool moves = d->velocity != NULL;
  for (size_t a = 0; a < 3; a++) {
    at[a] = (d->position[3 * i + a] - d->origin[a]) * j->inverse;
    if (!(fabs(at[a]) < MOST_FAR)) return false; // nor if it is nan
    velocity[a] = moves ? (double)d->velocity[3 * i + a] : 0;
    moves = moves && fabs(velocity[a]) < MOST_SPEED;
  }
  if (!moves) velocity[0] = velocity[1] = velocity[2] = 0;
  return true;
}

// In how many places it is drawn while the shutter is open: less than a kernel's width apart.
static int places(const job *j, const double velocity[3]) {
  double way = j->def->shutter * j->inverse *
               sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1] +
                    velocity[2] * velocity[2]);
  double n = ceil(way / (double)j->brush.kernel);
  return n < 1 ? 1 : n > j->places ? j->places : (int)n;
}

static bool inside(const job *j, const double at[3]) {
  for (int a = 0; a < 3; a++)
    if (!(at[a] >= j->low[a] && at[a] <= j->high[a])) return false;
  return true;
}

static bool fits(const double low[3], const double high[3], double reach) {
  double cells = 1, longest = 0;
  for (int a = 0; a < 3; a++) {
    double n = floor((high[a] + reach) / 8) - floor((low[a] - reach - 1) / 8) + 1;
    cells *= n;
    longest = fmax(longest, n);
  }
  return cells <= MOST_CELLS && longest <= MOST_LONG;
}

// A box for the particles. Where strays make it too large for an index, it is cut down around the
// middle of most of them.
static firn_status bound(job *j) {
  const firn_volume_def *d = j->def;
  double low[3], high[3], middle[3][SAMPLES], reach = 2 * (double)j->brush.widest + 1;
  for (int a = 0; a < 3; a++) {
    low[a] = INFINITY;
    high[a] = -INFINITY;
  }
  size_t step = d->count / SAMPLES + 1, taken = 0;
  for (size_t i = 0; i < d->count; i++) {
    double at[3], u[3];
    if (!read(j, i, at, u)) continue;
    for (int a = 0; a < 3; a++) {
      double way = u[a] * d->shutter * j->inverse;
      low[a] = fmin(low[a], at[a] + fmin(way, 0));
      high[a] = fmax(high[a], at[a] + fmax(way, 0));
    }
    if (i % step == 0 && taken < SAMPLES) {
      for (int a = 0; a < 3; a++) middle[a][taken] = at[a];
      taken++;
    }
  }
  if (!(low[0] <= high[0])) { // nobody
    for (int a = 0; a < 3; a++) low[a] = high[a] = 0;
  } else if (!taken) {
    return firn_fail(j->context, FIRN_ERROR_ARGUMENT, "most particles have no place or no mass");
  }
  for (int a = 0; a < 3; a++)
    if (taken) qsort(middle[a], taken, sizeof **middle, firn_order_doubles);
  double half = 0;
  for (int a = 0; a < 3; a++) half = fmax(half, high[a] - low[a]);
  half = fmin(half, 1e30); // a shutter may be open for long
  while (taken && !fits(low, high, reach)) {
    half *= 0.7;
    for (int a = 0; a < 3; a++) {
      double m = middle[a][taken / 2];
      low[a] = fmax(low[a], m - half);
      high[a] = fmin(high[a], m + half);
    }
  }
  for (int a = 0; a < 3; a++) {
    j->low[a] = low[a];
    j->high[a] = high[a];
    j->corner[a] = (int32_t)floor((low[a] - reach - 1) / 8);
    j->size[a] = (int)(floor((high[a] + reach) / 8) - j->corner[a]) + 1;
  }
  return FIRN_OK;
}

// Fewer places, where there would be more grains than memory.
static void choose_places(job *j) {
  size_t n;
  j->places = 2 * MOST_PLACES;
  do {
    j->places /= 2;
    n = 0;
    for (size_t i = 0; i < j->def->count; i++) {
      double at[3], u[3];
      if (read(j, i, at, u)) n += (size_t)places(j, u);
    }
  } while (n > MOST_GRAINS && j->places > 1);
}

// kg/voxel^3. Sizes as they are said to be: a grain that is drawn larger is no lighter snow.
static float bulk_of(const job *j, size_t i) {
  double size = j->def->size && j->def->size[i] > 0 ? (double)j->def->size[i] : 1;
  return (float)((double)j->def->mass[i] / pow(size * j->def->spacing * j->inverse, 3));
}

// Of the brush's kernel; a kernel is a voxel wide at least, and as wide as a tile has room for.
static float size_of(const job *j, size_t i) {
  if (!j->def->size) return 1;
  float size = j->def->size[i], least = fmaxf(FIRN_GRAIN_LEAST, 1 / j->brush.kernel);
  return size > least ? fminf(size, j->brush.widest / firn_grain_widest(&j->fit)) : least;
}

// Counts the grains, then lists them with their blocks.
static firn_status list_grains(job *j) {
  const firn_volume_def *d = j->def;
  choose_places(j);
  for (int pass = 0; pass < 2; pass++) {
    size_t n = 0;
    j->skipped = 0;
    for (size_t i = 0; i < d->count; i++) {
      double at[3], u[3];
      if (!read(j, i, at, u) || !inside(j, at)) {
        j->skipped++;
        continue;
      }
      int count = places(j, u);
      if (!pass) {
        n += (size_t)count;
        continue;
      }
      for (int k = 0; k < count; k++) {
        double p[3], t = (((double)k + 0.5) / count - 0.5) * d->shutter;
        int32_t block[3];
        for (int a = 0; a < 3; a++) {
          p[a] = at[a] + (count > 1 || d->shutter > 0 ? t * u[a] * j->inverse : 0);
          p[a] = fmin(fmax(p[a], j->low[a]), j->high[a]);
          block[a] = (int32_t)floor(p[a] / 8);
        }
        const int32_t from[3] = {block[0] - j->corner[0], block[1] - j->corner[1],
                                 block[2] - j->corner[2]};
        firn_grain *g = &j->grains[n];
        for (int a = 0; a < 3; a++) {
          g->at[a] = fminf((float)(p[a] - 8.0 * block[a]), 0x1.fffffep2f); // 8 is the next block's
          g->velocity[a] = (float)u[a];
        }
        g->mass = d->mass[i] / (float)count;
        g->size = size_of(j, i);
        g->bulk = j->fit.adapt > 0 ? bulk_of(j, i) : 0;
        uint64_t id = d->id ? d->id[i] : i;
        g->seed = firn_scramble((uint32_t)id) ^ (uint32_t)(id >> 32);
        firn_bins_put(&j->homes, n, from);
        n++;
      }
    }
    if (pass) break;
    FIRN_TRY(firn_bins_open(&j->homes, j->context, n));
    j->count = n;
    if (!n) return FIRN_OK;
    j->grains = firn_alloc(j->context, 2 * n * sizeof *j->grains, "particles of a volume");
    if (!j->grains) return FIRN_ERROR_MEMORY;
  }
  return FIRN_OK;
}

// Sorts grains by block. The second half of the array was for this.
static firn_status sort_grains(job *j) {
  FIRN_TRY(firn_bins_sort(&j->homes));
  for (size_t i = 0; i < j->count; i++) j->grains[j->count + i] = j->grains[j->homes.order[i]];
  return FIRN_OK;
}

// Blocks around a home that its grains reach: they have a node there, or one on its upper sides.
static void touched(const job *j, const firn_bin *home, int low[3], int high[3]) {
  for (int a = 0; a < 3; a++) low[a] = high[a] = 0;
  for (size_t i = home->first; i < home->first + home->count; i++) {
    const firn_grain *g = &j->grains[j->count + i];
    for (int a = 0; a < 3; a++) {
      float reach = j->shapes ? j->shapes[i].reach[a] : 2 * j->brush.kernel * g->size;
      if (j->shapes && j->shapes[i].loose > 0)
        reach = fmaxf(reach, g->size * firn_grain_crumbs_reach(&j->fit));
      int from = (int)floorf((ceilf(g->at[a] - reach) - 1) / 8);
      int to = (int)floorf((g->at[a] + reach) / 8);
      low[a] = from < low[a] ? from : low[a];
      high[a] = to > high[a] ? to : high[a];
    }
  }
  for (int a = 0; a < 3; a++) { // rounding may see one beyond
    low[a] = low[a] < -j->brush.reach ? -j->brush.reach : low[a];
    high[a] = high[a] > j->brush.reach ? j->brush.reach : high[a];
  }
}

// Blocks that grains reach get slots, in the order of the index.
static firn_status mark_blocks(job *j) {
  firn_volume *v = j->volume;
  for (size_t h = 0; h < j->homes.count; h++) {
    const firn_bin *home = &j->homes.bin[h];
    int32_t at[3];
    int low[3], high[3];
    firn_cell_at(home->key, at);
    touched(j, home, low, high);
    int b0[3], b1[3];
    for (int a = 0; a < 3; a++) {
      b0[a] = at[a] + low[a];
      b1[a] = at[a] + high[a];
      b0[a] = b0[a] < 0 ? 0 : b0[a];
      b1[a] = b1[a] >= v->size[a] ? v->size[a] - 1 : b1[a];
    }
    for (int z = b0[2]; z <= b1[2]; z++)
      for (int y = b0[1]; y <= b1[1]; y++)
        for (int x = b0[0]; x <= b1[0]; x++) v->index[firn_volume_cell(v, x, y, z)] = 0;
  }
  for (size_t i = 0; i < v->cells; i++)
    if (v->index[i] >= 0) v->index[i] = (int32_t)j->slots++;
  if (j->slots > MOST_BLOCKS)
    return firn_fail(
        j->context, FIRN_ERROR_DOMAIN,
        "snow fills %zu blocks of 8^3 voxels of %g m, and %d at most are possible: take "
        "larger voxels",
        j->slots, j->def->voxel, MOST_BLOCKS);
  return FIRN_OK;
}

static void add_tile(job *j, const firn_bin *home, const int low[3], const int high[3],
                     const float *tile, const float *coarse) {
  const firn_volume *v = j->volume;
  int reach = j->brush.reach, edge = j->brush.edge;
  int32_t middle[3];
  firn_cell_at(home->key, middle);
  for (int z = low[2]; z <= high[2]; z++)
    for (int y = low[1]; y <= high[1]; y++)
      for (int x = low[0]; x <= high[0]; x++) {
        int at[3] = {middle[0] + x, middle[1] + y, middle[2] + z};
        if (at[0] < 0 || at[1] < 0 || at[2] < 0 || at[0] >= v->size[0] || at[1] >= v->size[1] ||
            at[2] >= v->size[2])
          continue;
        int32_t slot = v->index[firn_volume_cell(v, at[0], at[1], at[2])];
        if (slot < 0) continue;
        float *out = j->sum + (size_t)slot * 512;
        for (int n = 0; n < 64; n++) {
          const float *row = tile +
                             (((z + reach) * 8 + n / 8) * edge + (y + reach) * 8 + n % 8) * edge +
                             (x + reach) * 8;
          for (int i = 0; i < 8; i++) out[8 * n + i] += row[i];
        }
        if (!coarse) continue;
        float *to = j->motion + (size_t)slot * 32;
        for (int n = 0; n < 4; n++) {
          const float *row = coarse +
                             ((((z + reach) * 2 + n / 2) * (edge / 4) + (y + reach) * 2 + n % 2) *
                                  (edge / 4) +
                              (x + reach) * 2) *
                                 4;
          for (int i = 0; i < 8; i++) to[8 * n + i] += row[i];
        }
      }
}

static void draw_fitted(const job *j, const firn_grain *g, const firn_grain_shape *shape,
                        float *tile) {
  if (shape->loose < 1) {
    firn_grain packed = *g;
    packed.mass *= 1 - shape->loose;
    j->painter->draw_shaped(&j->brush, &packed, shape, tile);
  }
  if (shape->loose > 0) {
    firn_grain crumbs[FIRN_GRAIN_CRUMBS];
    firn_brush plain = j->brush; // crumbs are detail enough
    plain.noise = NULL;
    int n = firn_grain_crumbs(&j->fit, g, g->mass * shape->loose, crumbs);
    for (int i = 0; i < n; i++) j->painter->draw(&plain, &crumbs[i], tile);
  }
}

static void draw_home(job *j, const firn_bin *home, float *tile, float *coarse) {
  int edge = j->brush.edge, reach = j->brush.reach, low[3], high[3];
  touched(j, home, low, high);
  if (coarse) {
    for (int a = 0; a < 3; a++) { // which goes farther
      low[a] = -reach;
      high[a] = reach;
    }
    memset(coarse, 0, (size_t)(edge * edge * edge / 16) * sizeof *coarse);
  }
  for (int z = 8 * (low[2] + reach); z < 8 * (high[2] + reach + 1); z++)
    for (int y = 8 * (low[1] + reach); y < 8 * (high[1] + reach + 1); y++)
      memset(tile + (z * edge + y) * edge + 8 * (low[0] + reach), 0,
             (size_t)(8 * (high[0] - low[0] + 1)) * sizeof *tile);
  for (uint32_t k = 0; k < home->count; k++) {
    size_t i = home->first + k;
    const firn_grain *g = &j->grains[j->count + i];
    if (j->shapes)
      draw_fitted(j, g, &j->shapes[i], tile);
    else
      j->painter->draw(&j->brush, g, tile);
    if (coarse) j->painter->draw_motion(&j->brush, g, coarse);
  }
  add_tile(j, home, low, high, tile, coarse);
}

static firn_status draw(job *j) {
  int apart = 2 * j->brush.reach + 1, colors = apart * apart * apart;
  size_t edge = (size_t)j->brush.edge, tile_size = edge * edge * edge + 16;
  size_t coarse_size = j->motion ? edge * edge * edge / 16 : 0;
  size_t threads = (size_t)j->context->threads;
  size_t bytes = threads * (tile_size + coarse_size) * sizeof(float);
  size_t *start = firn_alloc_zero(j->context, ((size_t)colors + 2) * sizeof *start, "colours");
  uint32_t *order = firn_alloc(j->context, j->homes.count * sizeof *order, "colours");
  float *tiles = firn_alloc_zero(j->context, bytes, "tiles of a volume");
  firn_status status = start && order && tiles ? FIRN_OK : FIRN_ERROR_MEMORY;
  if (status == FIRN_OK) {
    for (int pass = 0; pass < 2; pass++) {
      for (size_t h = 0; h < j->homes.count; h++) {
        int32_t at[3];
        firn_cell_at(j->homes.bin[h].key, at);
        int c = (at[2] % apart * apart + at[1] % apart) * apart + at[0] % apart;
        if (pass)
          order[start[c + 1]++] = (uint32_t)h;
        else
          start[c + 2]++;
      }
      if (!pass)
        for (int c = 0; c < colors; c++) start[c + 2] += start[c + 1];
    }
    FIRN_PARALLEL(j->context) {
      float *tile = tiles + (size_t)omp_get_thread_num() * (tile_size + coarse_size);
      for (int c = 0; c < colors; c++) {
#pragma omp for schedule(dynamic, 4)
        for (size_t k = start[c]; k < start[c + 1]; k++)
          draw_home(j, &j->homes.bin[order[k]], tile, coarse_size ? tile + tile_size : NULL);
      }
    }
  }
  firn_free(j->context, start, ((size_t)colors + 2) * sizeof *start);
  firn_free(j->context, order, j->homes.count * sizeof *order);
  firn_free(j->context, tiles, bytes);
  return status;
}

// So many kernels lie over each other that each has to vary by more than their sum is to.
static float noise_strength(const job *j) {
  double own = (double)j->brush.kernel, spacing = own / 2;
  double alike = pow(own / spacing / 0.479, 3); // 151/315 is the integral of the spline's square
  return (float)(j->def->detail * sqrt(alike));
}

static firn_status prepare(job *j) {
  const firn_volume_def *d = j->def;
  firn_brush *b = &j->brush;
  j->inverse = 1 / d->voxel;
  b->kernel = (float)fmax(d->kernel * j->inverse, 1);
  b->motion = fmaxf(b->kernel, 4);
  b->volume = (float)(d->voxel * d->voxel * d->voxel);
  j->fit = (firn_grain_fit){.kernel = b->kernel,
                            .amount = (float)d->anisotropy,
                            .adapt = (float)d->adapt,
                            .spacing = (float)fmin(d->spacing * j->inverse, MOST_SPACING),
                            .whole = d->size != NULL};
  b->widest = fminf(firn_grain_widest(&j->fit) * (d->size ? FIRN_GRAIN_MOST : 1), MOST_KERNEL);
  b->reach = (int)ceilf(2 * fmaxf(d->velocity ? b->motion : 0, b->widest) / 8);
  b->edge = 8 * (2 * b->reach + 1);
  if (d->detail > 0) {
    j->noise = firn_alloc(j->context, NOISE_SIZE, "noise of snow");
    if (!j->noise) return FIRN_ERROR_MEMORY;
    double size = d->detail_size > 0 ? d->detail_size * j->inverse : (double)b->kernel / 2;
    firn_grain_noise((float)fmin(fmax(size, 2), 16), j->noise);
    b->noise = j->noise;
    b->strength = noise_strength(j);
  }
  return FIRN_OK;
}

static firn_status build(job *j) {
  const firn_volume_def *d = j->def;
  FIRN_TRY(prepare(j));
  FIRN_TRY(bound(j));
  FIRN_TRY(list_grains(j));
  FIRN_TRY(sort_grains(j));
  const int none[3] = {0, 0, 0};
  firn_v3 low = {0, 0, 0};
  if (j->count) {
    double edge = 8 * d->voxel;
    low = (firn_v3){(float)(edge * j->corner[0]), (float)(edge * j->corner[1]),
                    (float)(edge * j->corner[2])};
  }
  FIRN_TRY(
      firn_volume_make(j->context, j->count ? j->size : none, low, (float)d->voxel, &j->volume));
  j->volume->skipped = j->skipped;
  if (!j->count) return FIRN_OK;
  if (d->anisotropy > 0 || d->adapt > 0) {
    j->shapes = firn_alloc(j->context, j->count * sizeof *j->shapes, "kernels fitted to snow");
    if (!j->shapes) return FIRN_ERROR_MEMORY;
    FIRN_TRY((d->adapt > 0 ? firn_grains_adapt : firn_grains_fit)(&j->fit, &j->homes,
                                                                  j->grains + j->count, j->shapes));
  }
  FIRN_TRY(mark_blocks(j));
  j->sum = firn_alloc_zero(j->context, j->slots * 512 * sizeof *j->sum, "a volume");
  if (!j->sum) return FIRN_ERROR_MEMORY;
  if (d->velocity) {
    j->motion = firn_alloc_zero(j->context, j->slots * 32 * sizeof *j->motion, "a volume");
    if (!j->motion) return FIRN_ERROR_MEMORY;
  }
  FIRN_TRY(draw(j));
  return firn_volume_finish(j->volume, j->slots, j->sum, j->motion);
}

firn_status firn_volume_build(firn_context *context, const firn_volume_def *def,
                              firn_volume **out) {
  *out = NULL;
  FIRN_TRY(check(context, def));
  job j = {.def = def, .context = context, .painter = firn_grain_painter_get(context->isa)};
  firn_status status = build(&j);
  firn_free(context, j.noise, NOISE_SIZE);
  firn_bins_free(&j.homes);
  firn_free(context, j.grains, 2 * j.count * sizeof *j.grains);
  firn_free(context, j.shapes, j.count * sizeof *j.shapes);
  firn_free(context, j.sum, j.slots * 512 * sizeof *j.sum);
  firn_free(context, j.motion, j.slots * 32 * sizeof *j.motion);
  if (status != FIRN_OK) {
    firn_volume_free(j.volume);
    return status;
  }
  *out = j.volume;
  return FIRN_OK;
}
