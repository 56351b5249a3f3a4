// SPDX-License-Identifier: Apache-2.0
// The plain implementation of pairs.h: lists of whole slots, a particle at a time.
#include "solver/sph/pairs.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"

static void free_list(sph_list *list, firn_context *context) {
  firn_buffer_free(context, &list->starts);
  firn_buffer_free(context, &list->others);
  firn_buffer_free(context, &list->nears);
}

void sph_pairs_free(sph_pairs *pairs, firn_context *context) {
  sph_cells_free(&pairs->cells, context);
  sph_lists_free(&pairs->lists, context);
  free_list(&pairs->snow, context);
  free_list(&pairs->walls, context);
  firn_buffer_free(context, &pairs->wall_sums);
  firn_buffer_free(context, &pairs->unit_counts);
  firn_buffer_free(context, &pairs->touches);
}

// ---------------------------------------------------------------------------------------- search

// Where a search puts what it finds; NULL: it only counts.
typedef struct taker {
  uint32_t *other;
  sph_near *near;
  uint64_t count;
} taker;

// Finds the points of cells around place xi of block `at`; `self` is left out. Differences are of
// places within blocks, and so of the same digits anywhere in space.
static void search(const sph_cells *cells, const uint32_t around[27], const double xi[3],
                   const firn_real *const x[3], size_t stride, uint32_t self, taker *out) {
  sph_span span[27];
  int spans = sph_cells_spans(cells, around, xi, span);
  for (int o = 0; o < spans; o++) {
    const int *step = span[o].step;
    for (uint32_t k = span[o].first; k < span[o].end; k++) {
      uint32_t j = cells->order[k];
      if (j == self) continue;
      double d[3], r2 = 0;
      for (int a = 0; a < 3; a++) {
        d[a] = FIRN_SPH_SUPPORT * (xi[a] - (double)x[a][stride * j] - 4 * step[a]);
        r2 += d[a] * d[a];
      }
      if (!(r2 < FIRN_SPH_SUPPORT * FIRN_SPH_SUPPORT)) continue;
      if (out->near) {
        sph_near *near = &out->near[out->count];
        for (int a = 0; a < 3; a++) near->x[a] = (firn_real)d[a];
        near->f = firn_sph_slope((firn_real)sqrt(r2));
        out->other[out->count] = j;
      }
      out->count++;
    }
  }
}

// The lists of the particles of one unit, of snow or of samples.
static void search_unit(const sph_pairs *pairs, size_t u, bool samples, taker *out) {
  const firn_particles *p = pairs->p;
  const firn_unit *unit = &p->unit[u];
  const sph_boundary *boundary = pairs->boundary;
  const sph_cells *cells = samples ? &boundary->cells : &pairs->cells;
  const sph_list *list = samples ? &pairs->walls : &pairs->snow;
  const firn_real *x[3], *bx[3];
  for (int a = 0; a < 3; a++) {
    x[a] = firn_particles_real(p, FIRN_FIELD_X + a);
    bx[a] = boundary->place ? boundary->place + a : NULL;
  }
  for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
    const firn_block *block = &p->block[b];
    uint32_t around[27], any = SPH_NONE;
    if (cells->block_count) sph_cells_around(cells, block->at, around);
    for (int o = 0; cells->block_count && o < 27; o++) any &= around[o];
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
      const double xi[3] = {(double)x[0][i], (double)x[1][i], (double)x[2][i]};
      if (out->near) list->start[i] = out->count;
      if (any != SPH_NONE) {
        search(cells, around, xi, samples ? bx : (const firn_real *const *)x, samples ? 3 : 1,
               samples ? SPH_NONE : i, out);
      }
      if (out->near) list->end[i] = out->count;
    }
  }
}

static firn_status reserve_list(sph_list *list, firn_context *context, size_t slots, size_t count) {
  FIRN_TRY(firn_buffer_reserve(context, &list->starts, 2 * slots * sizeof(uint64_t), "neighbours"));
  FIRN_TRY(firn_buffer_reserve(context, &list->others, count * sizeof(uint32_t), "neighbours"));
  FIRN_TRY(firn_buffer_reserve(context, &list->nears, count * sizeof(sph_near), "neighbours"));
  list->start = list->starts.data;
  list->end = list->start + slots;
  list->other = list->others.data;
  list->near = list->nears.data;
  list->count = count;
  return FIRN_OK;
}

// ---------------------------------------------------------------------------------------- passes

#define FOR_EACH_UNIT(pairs, u)                                                                    \
  FIRN_PARALLEL_FOR((pairs)->p->context, schedule(dynamic, 1))                                     \
  for (size_t u = 0; u < (pairs)->p->unit_count; u++)

// The slots of a unit: its blocks lie one behind the other.
#define FOR_EACH_SLOT(pairs, u, i)                                                                 \
  for (size_t i = (pairs)->p->unit[u].first, end_##i = i + (pairs)->p->unit[u].count; i < end_##i; \
       i++)

#define FOR_EACH_NEAR(list, i, k) for (uint64_t k = (list)->start[i]; k < (list)->end[i]; k++)

// Adds V grad W (x) (x_j - x_i) = -V W'/r x (x) x to m.
static void add_moment(double m[6], double V, const sph_near *near) {
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (int k = 0; k < 6; k++) {
    m[k] -= V * (double)near->f * (double)near->x[pair[k][0]] * (double)near->x[pair[k][1]];
  }
}

// The same across the wall alone: along it a mirror image tells nothing that snow does not.
static void add_mirrored(double m[6], double V, const sph_near *near, const firn_real n[3]) {
  double along = 0;
  for (int a = 0; a < 3; a++) along += (double)n[a] * (double)near->x[a];
  sph_near across = {.f = near->f};
  for (int a = 0; a < 3; a++) across.x[a] = (firn_real)(along * (double)n[a]);
  add_moment(m, V, &across);
}

// And along it.
static void add_along(double t[6], double V, const sph_near *near, const firn_real n[3]) {
  double across = 0;
  for (int a = 0; a < 3; a++) across += (double)n[a] * (double)near->x[a];
  sph_near along = {.f = near->f};
  for (int a = 0; a < 3; a++) along.x[a] = (firn_real)((double)near->x[a] - across * (double)n[a]);
  add_moment(t, V, &along);
}

// Adds what a sample mirrors: g is along = n . grad W_ib times V_b.
static void add_mirror(const firn_real n[3], double g, double speed, double m[10], double vm[6]) {
  static const uint8_t index[10][3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {0, 0, 1}, {0, 0, 2},
                                       {1, 1, 0}, {1, 1, 2}, {2, 2, 0}, {2, 2, 1}, {0, 1, 2}};
  static const uint8_t of_pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (int k = 0; k < 10; k++)
    m[k] += g * (double)n[index[k][0]] * (double)n[index[k][1]] * (double)n[index[k][2]];
  for (int k = 0; k < 6; k++)
    vm[k] += g * speed * (double)n[of_pair[k][0]] * (double)n[of_pair[k][1]];
}

// Spacings from the layer of samples. Snow whose volume ends at the surface is at TOUCH, and a wall
// that mirrors ends to answer it at APART. A wall that answers from two spacings on strains what
// comes near before it is there; that strain turns with the snow, so that leaving does not undo it,
// and a ball that rolls is braked by it.
static const double TOUCH = 1, APART = 1.25;

// The share of a sample with the normal n that a particle feels.
static double contact(const sph_near *near, const firn_real n[3]) {
  double height = 0;
  for (int a = 0; a < 3; a++) height += (double)n[a] * (double)near->x[a];
  double share = fmin(fmax((APART - height) / (APART - TOUCH), 0), 1);
  return share * share * (3 - 2 * share);
}

static void sum_walls(sph_pairs *pairs) {
  const sph_boundary *boundary = pairs->boundary;
  const sph_list *list = &pairs->walls;
  double per_metre = 1 / pairs->spacing;
  FOR_EACH_UNIT(pairs, u) {
    FOR_EACH_SLOT(pairs, u, i) {
      double w = 0, c[3] = {0, 0, 0}, vc = 0, m[10] = {0}, vm[6] = {0}, t[6] = {0};
      FOR_EACH_NEAR(list, i, k) {
        sph_near *near = &list->near[k];
        uint32_t b = list->other[k];
        double V = (double)boundary->volume[b], r2 = 0, along = 0, across = 0, speed = 0;
        const firn_real *n = boundary->normal + 3 * (size_t)b;
        if (pairs->touching) near->f = (firn_real)((double)near->f * contact(near, n));
        for (size_t a = 0; a < 3; a++) {
          double x = (double)near->x[a], g = (double)near->f * x;
          r2 += x * x;
          c[a] += V * g;
          along += (double)boundary->velocity[3 * (size_t)b + a] * g;
          across += (double)n[a] * g;
          speed += (double)n[a] * (double)boundary->velocity[3 * (size_t)b + a];
        }
        w += V * (double)firn_sph_kernel((firn_real)sqrt(r2));
        vc += V * along;
        pairs->touched[u] = true;
        if (!(pairs->mirror > 0)) continue;
        add_mirror(n, pairs->mirror * V * across, speed, m, vm);
        add_along(t, pairs->mirror / 2 * V, near, n);
      }
      pairs->wall.w[i] = (firn_real)w;
      for (size_t a = 0; a < 3; a++) pairs->wall.c[3 * i + a] = (firn_real)(c[a] * per_metre);
      pairs->wall.vc[i] = (firn_real)(vc * per_metre);
      if (!(pairs->mirror > 0)) continue;
      for (size_t k = 0; k < 10; k++) pairs->wall.m[10 * i + k] = (firn_real)(per_metre * m[k]);
      for (size_t k = 0; k < 6; k++) pairs->wall.vm[6 * i + k] = (firn_real)(per_metre * vm[k]);
      for (size_t k = 0; k < 6; k++) pairs->wall.t[6 * i + k] = (firn_real)t[k];
    }
  }
}

// Counts, makes room, and fills.
static firn_status build_list(sph_pairs *pairs, bool samples) {
  firn_context *context = pairs->p->context;
  sph_list *list = samples ? &pairs->walls : &pairs->snow;
  size_t units = pairs->p->unit_count;
  FIRN_TRY(
      firn_buffer_reserve(context, &pairs->unit_counts, units * sizeof(uint64_t), "neighbours"));
  uint64_t *count = pairs->unit_counts.data, total = 0;
  FOR_EACH_UNIT(pairs, u) {
    taker out = {0};
    search_unit(pairs, u, samples, &out);
    count[u] = out.count;
  }
  for (size_t u = 0; u < units; u++) {
    uint64_t own = count[u];
    count[u] = total;
    total += own;
  }
  FIRN_TRY(reserve_list(list, context, pairs->p->slots, total + 1));
  list->count = total;
  FOR_EACH_UNIT(pairs, u) {
    taker out = {list->other, list->near, count[u]};
    search_unit(pairs, u, samples, &out);
  }
  return FIRN_OK;
}

static firn_status build_walls(sph_pairs *pairs) {
  firn_context *context = pairs->p->context;
  size_t slots = pairs->p->slots, bytes = (pairs->mirror > 0 ? 27 : 5) * slots * sizeof(firn_real);
  pairs->wall = (sph_wall){0};
  pairs->walls.count = 0;
  memset(pairs->touched, 0, pairs->p->unit_count * sizeof *pairs->touched);
  if (!pairs->boundary->count) return FIRN_OK;
  FIRN_TRY(firn_buffer_reserve(context, &pairs->wall_sums, bytes, "boundary"));
  pairs->wall.w = pairs->wall_sums.data;
  pairs->wall.c = pairs->wall.w + slots;
  pairs->wall.vc = pairs->wall.c + 3 * slots;
  if (pairs->mirror > 0) {
    pairs->wall.m = pairs->wall.vc + slots;
    pairs->wall.vm = pairs->wall.m + 10 * slots;
    pairs->wall.t = pairs->wall.vm + 6 * slots;
  }
  FIRN_TRY(build_list(pairs, true));
  sum_walls(pairs);
  return FIRN_OK;
}

firn_status sph_pairs_build(sph_pairs *pairs, const firn_particles *p, const sph_boundary *boundary,
                            double spacing, const firn_real *w, firn_real *out) {
  firn_context *context = p->context;
  pairs->p = p;
  pairs->boundary = boundary;
  pairs->spacing = spacing;
  FIRN_TRY(sph_cells_of_particles(&pairs->cells, p));
  FIRN_TRY(
      firn_buffer_reserve(context, &pairs->touches, p->unit_count * sizeof(bool), "neighbours"));
  pairs->touched = pairs->touches.data;
  FIRN_TRY(build_walls(pairs));
  pairs->snow.count = 0;
  FIRN_TRY(sph_lists_build(pairs, w, out));
  if (pairs->lists.kernels && !pairs->plain_too) return FIRN_OK;
  FIRN_TRY(build_list(pairs, false));
  if (w && !pairs->lists.kernels) sph_pairs_interpolate(pairs, w, out);
  return FIRN_OK;
}

double sph_pairs_mean(const sph_pairs *pairs) {
  size_t count = pairs->p ? pairs->p->count : 0;
  uint64_t snow = pairs->lists.kernels ? pairs->lists.pairs : pairs->snow.count;
  return count ? (double)(snow + pairs->walls.count) / (double)count : 0;
}

// -------------------------------------------------------------------------------------- operators

void sph_pairs_interpolate(const sph_pairs *pairs, const firn_real *w, firn_real *out) {
  if (pairs->lists.kernels) {
    sph_lists_interpolate(pairs, w, out);
    return;
  }
  const sph_list *list = &pairs->snow;
  FOR_EACH_UNIT(pairs, u) {
    FOR_EACH_SLOT(pairs, u, i) {
      double sum = (double)w[i] * FIRN_SPH_NORM;
      FOR_EACH_NEAR(list, i, k) {
        const firn_real *x = list->near[k].x;
        firn_real r = firn_sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        sum += (double)(w[list->other[k]] * firn_sph_kernel(r));
      }
      out[i] = (firn_real)sum;
    }
  }
}

static void add_walls(const sph_pairs *pairs, size_t i, double m[6]) {
  const sph_list *walls = &pairs->walls;
  if (!walls->count) return;
  FOR_EACH_NEAR(walls, i, k) {
    const sph_near *near = &walls->near[k];
    size_t b = walls->other[k];
    double V = (double)pairs->boundary->volume[b];
    const firn_real *n = pairs->boundary->normal + 3 * b;
    if (pairs->mirror > 0)
      add_mirrored(m, pairs->mirror / 2 * V, near, n);
    else
      add_moment(m, V, near);
  }
}

static void moments_of_lists(const sph_pairs *pairs, const firn_real *V, firn_real *c, firn_real *m,
                             firn_real *g) {
  sph_lists_moments(pairs, V, c, m, g);
  FOR_EACH_UNIT(pairs, u) {
    if (!pairs->touched[u]) continue;
    FOR_EACH_SLOT(pairs, u, i) {
      double sum[6];
      for (size_t a = 0; a < 6; a++) sum[a] = (double)m[6 * i + a];
      add_walls(pairs, i, sum);
      for (size_t a = 0; a < 6; a++) m[6 * i + a] = (firn_real)sum[a];
    }
  }
}

void sph_pairs_moments(const sph_pairs *pairs, const firn_real *V, firn_real *c, firn_real *m,
                       firn_real *g) {
  const sph_list *list = &pairs->snow;
  double per_metre = 1 / pairs->spacing;
  if (pairs->lists.kernels) {
    moments_of_lists(pairs, V, c, m, g);
    return;
  }
  FOR_EACH_UNIT(pairs, u) {
    FOR_EACH_SLOT(pairs, u, i) {
      double sum[3] = {0}, moment[6] = {0}, square = 0;
      FOR_EACH_NEAR(list, i, k) {
        const sph_near *near = &list->near[k];
        double volume = (double)V[list->other[k]], g2 = 0;
        for (int a = 0; a < 3; a++) {
          double grad = (double)near->f * (double)near->x[a];
          sum[a] += volume * grad;
          g2 += grad * grad;
        }
        square += volume * g2;
        add_moment(moment, volume, near);
      }
      add_walls(pairs, i, moment);
      for (size_t a = 0; a < 3; a++) c[3 * i + a] = (firn_real)(sum[a] * per_metre);
      for (size_t a = 0; a < 6; a++) m[6 * i + a] = (firn_real)moment[a];
      g[i] = (firn_real)(square * per_metre * per_metre);
    }
  }
}

// Beside one wall R has 0.18 along it twice, and where two meet 0.8 in all. Where hardly any snow
// is around it would be as large as L, and stays at this.
static const double MISSING = 1;

void sph_pairs_complete(const sph_pairs *pairs, size_t i, const firn_real L[6]) {
  static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  if (!pairs->wall.t) return;
  firn_real *t = pairs->wall.t + 6 * i;
  double R[6], trace = 0;
  for (int k = 0; k < 6; k++) {
    int r = pair[k][0], c = pair[k][1];
    R[k] = 0;
    for (int m = 0; m < 3; m++)
      R[k] += ((double)t[place[r][m]] * (double)L[place[m][c]] +
               (double)L[place[r][m]] * (double)t[place[m][c]]) /
              2;
    if (k < 3) trace += R[k];
  }
  double share = trace > MISSING ? MISSING / trace : 1;
  for (int k = 0; k < 6; k++) t[k] = (firn_real)(share * R[k]);
}

void sph_pairs_gradient(const sph_pairs *pairs, const firn_real *V, const firn_real *q,
                        firn_real psi, firn_real *out) {
  if (pairs->lists.kernels) {
    sph_lists_gradient(pairs, q, psi, out);
    return;
  }
  const sph_list *list = &pairs->snow;
  firn_real per_metre = (firn_real)(1 / pairs->spacing);
  FOR_EACH_UNIT(pairs, u) {
    FOR_EACH_SLOT(pairs, u, i) {
      const firn_real *wall = sph_pairs_wall(pairs, i).c;
      firn_real sum[3] = {0, 0, 0};
      FOR_EACH_NEAR(list, i, k) {
        const sph_near *near = &list->near[k];
        uint32_t j = list->other[k];
        firn_real w = (q[i] + q[j]) * V[j] * near->f;
        for (int a = 0; a < 3; a++) sum[a] += w * near->x[a];
      }
      for (size_t a = 0; a < 3; a++) out[3 * i + a] = sum[a] * per_metre + psi * q[i] * wall[a];
    }
  }
}

void sph_pairs_divergence(const sph_pairs *pairs, const firn_real *V, const firn_real *u,
                          firn_real back, firn_real *out) {
  if (pairs->lists.kernels) {
    sph_lists_divergence(pairs, u, back, out);
    return;
  }
  const sph_list *list = &pairs->snow;
  firn_real per_metre = (firn_real)(1 / pairs->spacing);
  FOR_EACH_UNIT(pairs, n) {
    FOR_EACH_SLOT(pairs, n, i) {
      const firn_real *own = u + 3 * i, *c = sph_pairs_wall(pairs, i).c;
      firn_real sum = 0;
      FOR_EACH_NEAR(list, i, k) {
        const sph_near *near = &list->near[k];
        const firn_real *other = u + 3 * (size_t)list->other[k];
        firn_real along = (other[0] - own[0]) * near->x[0] + (other[1] - own[1]) * near->x[1] +
                          (other[2] - own[2]) * near->x[2];
        sum += V[list->other[k]] * near->f * along;
      }
      out[i] = sum * per_metre - back * (own[0] * c[0] + own[1] * c[1] + own[2] * c[2]);
    }
  }
}

void sph_pairs_laplace(const sph_pairs *pairs, const firn_real *V, const firn_real *q,
                       firn_real psi, firn_real back, firn_real *grad, firn_real *out) {
  if (pairs->lists.kernels) {
    sph_lists_laplace(pairs, q, psi, back, out);
    return;
  }
  sph_pairs_gradient(pairs, V, q, psi, grad);
  sph_pairs_divergence(pairs, V, grad, back, out);
}

void sph_pairs_velocity_gradient(const sph_pairs *pairs, const firn_real *V, const firn_real *v,
                                 firn_real *out) {
  if (pairs->lists.kernels) {
    sph_lists_velocity_gradient(pairs, v, out);
    return;
  }
  const sph_list *list = &pairs->snow;
  firn_real per_metre = (firn_real)(1 / pairs->spacing);
  FOR_EACH_UNIT(pairs, u) {
    FOR_EACH_SLOT(pairs, u, i) {
      firn_real sum[9] = {0};
      FOR_EACH_NEAR(list, i, k) {
        const sph_near *near = &list->near[k];
        const firn_real *other = v + 3 * (size_t)list->other[k];
        firn_real w = V[list->other[k]] * near->f;
        for (size_t a = 0; a < 3; a++) {
          firn_real change = w * (other[a] - v[3 * i + a]);
          for (size_t b = 0; b < 3; b++) sum[3 * a + b] += change * near->x[b];
        }
      }
      for (size_t a = 0; a < 9; a++) out[9 * i + a] = sum[a] * per_metre;
    }
  }
}

void sph_pairs_stress_divergence(const sph_pairs *pairs, const firn_real *V, const firn_real *T,
                                 firn_real *out) {
  if (pairs->lists.kernels) {
    sph_lists_stress_divergence(pairs, T, out);
    return;
  }
  const sph_list *list = &pairs->snow;
  firn_real per_metre = (firn_real)(1 / pairs->spacing);
  FOR_EACH_UNIT(pairs, u) {
    FOR_EACH_SLOT(pairs, u, i) {
      const firn_real *own = T + 9 * i;
      firn_real sum[3] = {0, 0, 0};
      FOR_EACH_NEAR(list, i, k) {
        const sph_near *near = &list->near[k];
        const firn_real *other = T + 9 * (size_t)list->other[k], *x = near->x;
        firn_real w = V[list->other[k]] * near->f;
        for (size_t a = 0; a < 3; a++) {
          firn_real along = (own[3 * a] + other[3 * a]) * x[0] +
                            (own[3 * a + 1] + other[3 * a + 1]) * x[1] +
                            (own[3 * a + 2] + other[3 * a + 2]) * x[2];
          sum[a] += w * along;
        }
      }
      for (size_t a = 0; a < 3; a++) out[3 * i + a] = sum[a] * per_metre;
    }
  }
}
