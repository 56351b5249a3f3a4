// SPDX-License-Identifier: Apache-2.0
// From particles to the grid (Eq. 2): velocities on faces, densities and distances in the middles of
// cells. A particle block adds into an arena of its own; blocks of the grid then add up the arenas that
// overlap them in a fixed order, so that no sum depends on the number of threads.
#include "solver/flip/transfer.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "solver/flip/kernels.h"

// A particle, from the corner of its block.
typedef struct dot {
  firn_real x[3], v[3], mass, volume, durability;
  firn_real c[9];                  // cells/s per cell: h dv/dx, under apic
  int cell[3];                     //
  firn_real face[3][FLIP_TILE];    // distances of the faces of a tile along each axis ...
  firn_real middle[3][FLIP_TILE];  // ... and of middles, in cells
  firn_real by_face[3][FLIP_TILE]; // and the splines of both
  firn_real by_middle[3][FLIP_TILE];
} dot;

static void measure(dot *d, bool splines) {
  for (int a = 0; a < 3; a++) {
    d->cell[a] = (int)firn_min(3, firn_max(0, d->x[a]));
    for (int i = 0; i < FLIP_TILE; i++) {
      d->face[a][i] = (firn_real)(i + FLIP_TILE_FIRST) - d->x[a];
      d->middle[a][i] = d->face[a][i] + FIRN_R(0.5);
      if (!splines) continue;
      d->by_face[a][i] = flip_spline(d->face[a][i]);
      d->by_middle[a][i] = flip_spline(d->middle[a][i]);
    }
  }
}

// The places of a tile along an axis that a kernel reaches: one below the particle's cell to one above,
// and one more of faces.
static int first_of(const dot *d, int a) {
  return d->cell[a] - FLIP_TILE_FIRST - 1;
}

// One component. Rows along z are whole, since a kernel is 0 beyond its reach.
static void add_velocity(const dot *d, int a, bool splines, bool affine, firn_real *momentum,
                         firn_real *weight) {
  const firn_real *away[3], *by[3];
  for (int k = 0; k < 3; k++) {
    away[k] = k == a ? d->face[k] : d->middle[k];
    by[k] = k == a ? d->by_face[k] : d->by_middle[k];
  }
  int i0 = first_of(d, 0), j0 = first_of(d, 1);
  for (int i = i0; i < i0 + (a == 0 ? 4 : 3); i++) {
    for (int j = j0; j < j0 + (a == 1 ? 4 : 3); j++) {
      firn_real *to = momentum + 64 * i + 8 * j, *sum = weight + 64 * i + 8 * j;
      firn_real plane2 = away[0][i] * away[0][i] + away[1][j] * away[1][j];
      firn_real plane = d->mass * by[0][i] * by[1][j], v = d->v[a];
      if (affine) v += d->c[3 * a] * away[0][i] + d->c[3 * a + 1] * away[1][j];
      for (int k = 0; k < FLIP_TILE; k++) {
        firn_real z = away[2][k];
        firn_real w = splines ? plane * by[2][k] : d->mass * flip_sharp(plane2 + z * z);
        to[k] += w * (affine ? v + d->c[3 * a + 2] * z : v);
        sum[k] += w;
      }
    }
  }
}

// Density, and durability by the kernel of velocities.
static void add_middle(const dot *d, bool splines, bool porous, firn_real *fill,
                       firn_real *durability, firn_real *weight) {
  int i0 = first_of(d, 0), j0 = first_of(d, 1);
  for (int i = i0; i < i0 + 3; i++) {
    for (int j = j0; j < j0 + 3; j++) {
      firn_real *to = fill + 64 * i + 8 * j;
      firn_real plane2 = d->middle[0][i] * d->middle[0][i] + d->middle[1][j] * d->middle[1][j];
      firn_real plane = d->by_middle[0][i] * d->by_middle[1][j];
      for (int k = 0; k < FLIP_TILE; k++) {
        firn_real z = d->middle[2][k];
        to[k] += d->volume * (splines ? plane * d->by_middle[2][k] : flip_smooth(plane2 + z * z));
      }
      for (int k = 0; k < FLIP_TILE && porous; k++) {
        firn_real z = d->middle[2][k];
        firn_real w = d->mass * (splines ? plane * d->by_middle[2][k] : flip_sharp(plane2 + z * z));
        durability[64 * i + 8 * j + k] += w * d->durability;
        weight[64 * i + 8 * j + k] += w;
      }
    }
  }
}

static void note_distance(const dot *d, firn_real *near) {
  int i0 = first_of(d, 0) - 1, j0 = first_of(d, 1) - 1;
  for (int i = i0; i < i0 + 5; i++) {
    for (int j = j0; j < j0 + 5; j++) {
      firn_real *to = near + 64 * i + 8 * j;
      firn_real plane2 = d->middle[0][i] * d->middle[0][i] + d->middle[1][j] * d->middle[1][j];
      for (int k = 0; k < FLIP_TILE; k++) {
        firn_real z = d->middle[2][k];
        to[k] = firn_min(to[k], plane2 + z * z);
      }
    }
  }
}

// The material that most of each cell's mass is of; what is empty counts as most of the block.
static void name_cells(flip *s, size_t b) {
  const firn_particles *p = &s->world->particles;
  const firn_block *block = &p->block[b];
  const uint16_t *material = firn_particles_material(p) + block->first;
  uint16_t *kind = s->kind + FLIP_CELLS * s->grid.target[b][firn_grid_offset(0, 0, 0)];
  uint16_t main = material[0];
  firn_real best[FLIP_CELLS] = {0};
  bool mixed = false;
  for (uint32_t i = 1; i < block->count; i++) mixed = mixed || material[i] != main;
  for (int c = 0; c < FLIP_CELLS; c++) kind[c] = main;
  ((uint16_t *)s->kinds.data)[b] = main;
  for (int m = 0; m < s->world->material_count && mixed; m++) {
    firn_real mass[FLIP_CELLS] = {0};
    for (uint32_t i = 0; i < block->count; i++) {
      if (material[i] != m) continue;
      mass[flip_cell_of(p, block->first + i)] += firn_particles_real(
          p, FIRN_FIELD_MASS)[block->first + i];
    }
    for (int c = 0; c < FLIP_CELLS; c++) {
      if (!(mass[c] > best[c])) continue;
      best[c] = mass[c];
      kind[c] = (uint16_t)m;
    }
  }
}

static const firn_real FAR2 = FIRN_R(100);

static inline uint64_t add_particles(const flip *s, size_t b, firn_real *arena, bool splines,
                                     bool affine) {
  const firn_particles *p = &s->world->particles;
  const firn_block *block = &p->block[b];
  const firn_real h = (firn_real)s->world->h;
  uint64_t full = 0;
  for (size_t slot = block->first; slot < block->first + block->count; slot++) {
    dot d;
    for (int a = 0; a < 3; a++) {
      d.x[a] = firn_particles_real(p, FIRN_FIELD_X + a)[slot];
      d.v[a] = firn_particles_real(p, FIRN_FIELD_VX + a)[slot];
    }
    for (int k = 0; affine && k < 9; k++) d.c[k] = h * firn_particles_real(p, s->field_c + k)[slot];
    d.mass = firn_particles_real(p, FIRN_FIELD_MASS)[slot];
    d.volume = firn_particles_real(p, FIRN_FIELD_VOLUME)[slot];
    d.durability = firn_particles_real(p, s->field_d)[slot];
    measure(&d, splines);
    full |= (uint64_t)1 << (16 * d.cell[0] + 4 * d.cell[1] + d.cell[2]);
    for (int a = 0; a < 3; a++)
      add_velocity(&d, a, splines, affine, arena + (FLIP_ARENA_MOMENTUM + a) * FLIP_TILE_CELLS,
                   arena + (FLIP_ARENA_WEIGHT + a) * FLIP_TILE_CELLS);
    add_middle(&d, splines, s->porous, arena + FLIP_ARENA_FILL * FLIP_TILE_CELLS,
               arena + FLIP_ARENA_DURABILITY * FLIP_TILE_CELLS,
               arena + FLIP_ARENA_MIDDLE * FLIP_TILE_CELLS);
    note_distance(&d, arena + FLIP_ARENA_NEAR * FLIP_TILE_CELLS);
  }
  return full;
}

uint64_t flip_scatter_scalar(const flip *s, size_t b, firn_real *arena) {
  bool affine = s->field_c >= 0;
  if (s->def.kernel == FIRN_FLIP_KERNEL_BSPLINE) return add_particles(s, b, arena, true, affine);
  return add_particles(s, b, arena, false, affine);
}

static void scatter_block(flip *s, size_t b) {
  firn_real *arena = (firn_real *)s->arenas.data + b * FLIP_ARENA_CHANNELS * FLIP_TILE_CELLS;
  memset(arena, 0, FLIP_ARENA_NEAR * FLIP_TILE_CELLS * sizeof *arena);
  for (int i = 0; i < FLIP_TILE_CELLS; i++) arena[FLIP_ARENA_NEAR * FLIP_TILE_CELLS + i] = FAR2;
  s->full[s->grid.target[b][firn_grid_offset(0, 0, 0)]] = s->kernels->scatter(s, b, arena);
  name_cells(s, b);
}

// Which part of a tile at an offset, -1 to 1 blocks, a block of the grid shares, along one axis.
static void overlap(int offset, int *first, int *end) {
  *first = offset > 0 ? 2 : 0;
  *end = offset < 0 ? 2 : 4;
}

static void gather_block(flip *s, size_t g) {
  firn_real sum[FLIP_ARENA_CHANNELS][FLIP_CELLS] = {{0}};
  for (int c = 0; c < FLIP_CELLS; c++) sum[FLIP_ARENA_NEAR][c] = FAR2;
  for (uint32_t n = s->grid.giver_start[g]; n < s->grid.giver_start[g + 1]; n++) {
    firn_giver giver = s->grid.giver[n];
    const firn_real *arena = (const firn_real *)s->arenas.data + (size_t)firn_giver_block(giver) *
                                                                     FLIP_ARENA_CHANNELS *
                                                                     FLIP_TILE_CELLS;
    int o = firn_giver_offset(giver), d[3] = {o / 9 - 1, o / 3 % 3 - 1, o % 3 - 1}, lo[3], hi[3];
    for (int a = 0; a < 3; a++) overlap(d[a], &lo[a], &hi[a]);
    for (int i = lo[0]; i < hi[0]; i++) {
      for (int j = lo[1]; j < hi[1]; j++) {
        const firn_real *from = arena + 64 * (i - 4 * d[0] - FLIP_TILE_FIRST) +
                                8 * (j - 4 * d[1] - FLIP_TILE_FIRST) - 4 * d[2] - FLIP_TILE_FIRST;
        int to = 16 * i + 4 * j;
        for (int channel = 0; channel < FLIP_ARENA_NEAR; channel++, from += FLIP_TILE_CELLS)
          for (int k = lo[2]; k < hi[2]; k++) sum[channel][to + k] += from[k];
        for (int k = lo[2]; k < hi[2]; k++)
          sum[FLIP_ARENA_NEAR][to + k] = firn_min(sum[FLIP_ARENA_NEAR][to + k], from[k]);
      }
    }
  }

  // From sums to values. What has no particles is of the material of who reaches it first.
  uint16_t other =
      ((const uint16_t *)s->kinds.data)[firn_giver_block(s->grid.giver[s->grid.giver_start[g]])];
  double cell = s->world->h * s->world->h * s->world->h;
  firn_real unit = (firn_real)(1 / (s->lattice * cell));
  for (int c = 0; c < FLIP_CELLS; c++) {
    size_t i = FLIP_CELLS * g + (size_t)c;
    for (int a = 0; a < 3; a++) {
      firn_real weight = sum[FLIP_ARENA_WEIGHT + a][c];
      if (!(weight > FIRN_REAL_MIN / FIRN_REAL_EPS)) continue;
      s->u[a][i] = sum[FLIP_ARENA_MOMENTUM + a][c] / weight;
      s->known[a][g] |= (uint64_t)1 << c;
    }
    s->fill[0][i] = unit * sum[FLIP_ARENA_FILL][c];
    firn_real middle = sum[FLIP_ARENA_MIDDLE][c];
    s->d[0][i] = (firn_real)s->def.d0;
    if (middle > FIRN_REAL_MIN / FIRN_REAL_EPS) s->d[0][i] = sum[FLIP_ARENA_DURABILITY][c] / middle;
    if (!s->full[g]) s->kind[i] = other;
    s->phi[0][i] = firn_sqrt(sum[FLIP_ARENA_NEAR][c]) - FLIP_PARTICLE_RADIUS;
  }
}

// Sum of the kernel of densities times volumes over eight particles a cell, in cells: 1 for splines.
double flip_lattice_sum(const firn_flip_def *def) {
  double sum = 0;
  if (def->kernel == FIRN_FLIP_KERNEL_BSPLINE) return 1;
  for (int i = -4; i < 4; i++)
    for (int j = -4; j < 4; j++)
      for (int k = -4; k < 4; k++) {
        double x = (i + 0.5) / 2, y = (j + 0.5) / 2, z = (k + 0.5) / 2;
        sum += (double)flip_smooth((firn_real)(x * x + y * y + z * z)) / 8;
      }
  return sum;
}

void flip_transfer(flip *s) {
  double start = firn_cpu_seconds();
  FLIP_FOR_PARTICLE_BLOCKS(s, b) scatter_block(s, b);
  FLIP_FOR_BLOCKS(s, g) gather_block(s, g);
  // What no block of the grid stands for is far from everything.
  size_t nowhere = FLIP_CELLS * s->grid.count;
  for (size_t c = 0; c < FLIP_CELLS; c++) s->phi[0][nowhere + c] = firn_sqrt(FAR2);
  s->cost.to_grid += firn_cpu_seconds() - start;
}
