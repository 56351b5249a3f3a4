// SPDX-License-Identifier: Apache-2.0
// What yields flows as a viscous fluid, implicitly (Batty and Bridson 2008): the velocity that minimises
//
//   sum density/2 |u - u*|^2 + dt sum mu |D(u)|^2,
//
// over all three components. D_xx, D_yy, D_zz are in the middles of cells, shears on edges, where mu is the
// mean of the four cells around; an edge with air or a collider beside it bears no shear, so that surfaces
// are free and colliders rub by friction alone. The matrix is symmetric and positive definite.
#include "solver/flip/viscosity.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "linear/krylov.h"
#include "solver/flip/shift.h"

// mu on edges: all four cells must be fluid.
static void set_edges(const flip_flow *f, size_t g) {
  const flip *s = f->s;
  firn_real any = 0;
  for (int a = 0; a < 3; a++) {
    for (int c = 0; c < FLIP_CELLS; c++) {
      size_t i = FLIP_CELLS * g + (size_t)c;
      size_t down = flip_beside(s, g, c, FLIP_OTHER[a][0], -1),
             left = flip_beside(s, g, c, FLIP_OTHER[a][1], -1);
      size_t both = FLIP_CELLS * s->grid.count;
      if (down / FLIP_CELLS < s->grid.count)
        both = flip_beside(s, down / FLIP_CELLS, (int)(down % FLIP_CELLS), FLIP_OTHER[a][1], -1);
      bool fluid = flip_bit(s->active, i) && flip_bit(s->active, down) &&
                   flip_bit(s->active, left) && flip_bit(s->active, both);
      bool open = s->open[FLIP_OTHER[a][0]][i] > 0 && s->open[FLIP_OTHER[a][0]][left] > 0 &&
                  s->open[FLIP_OTHER[a][1]][i] > 0 && s->open[FLIP_OTHER[a][1]][down] > 0;
      f->edge[a][i] = 0;
      if (fluid && open) f->edge[a][i] = (f->mu[i] + f->mu[down] + f->mu[left] + f->mu[both]) / 4;
      any = firn_max(any, firn_max(f->edge[a][i], f->mu[i]));
    }
  }
  f->busy[g] = any > 0;
}

static void set_diagonal(const flip_flow *f, size_t g) {
  const flip *s = f->s;
  for (size_t i = FLIP_CELLS * g; i < FLIP_CELLS * (g + 1); i++)
    f->density[i] = s->world->material[s->kind[i]].density;
  for (int a = 0; a < 3; a++) {
    bool any = false;
    for (int c = 0; c < FLIP_CELLS; c++) {
      size_t i = FLIP_CELLS * g + (size_t)c, below = flip_beside(s, g, c, a, -1);
      firn_real sum = f->mu[i] + f->mu[below], shears = 0;
      for (int k = 0; k < 2; k++) {
        const firn_real *edge = f->edge[FLIP_OTHER[a][k]];
        int across = FLIP_OTHER[a][1 - k]; // the axis that is neither the face's nor the edge's
        shears += edge[i] + edge[flip_beside(s, g, c, across, 1)];
      }
      bool asked = flip_bit(s->moved[a], i) && (sum > 0 || shears > 0);
      firn_real diagonal = f->density[i] + f->factor * (sum + shears / 2);
      f->inverse[a][i] = asked ? 1 / diagonal : 0;
      any = any || asked;
    }
    f->still[a * (s->grid.count + 1) + g] = !any;
  }
}

// Stresses of a velocity.
void flip_stress_scalar(const flip_flow *f, firn_real *const u[3], size_t g) {
  const flip *s = f->s;
  firn_real up[FLIP_CELLS], one[FLIP_CELLS], two[FLIP_CELLS];
  size_t first = FLIP_CELLS * g;
  for (int a = 0; a < 3; a++) {
    int p = FLIP_OTHER[a][0], q = FLIP_OTHER[a][1];
    flip_shift(s, u[a], g, a, 1, up);
    for (size_t c = 0; c < FLIP_CELLS; c++)
      f->normal[a][first + c] = f->factor * f->mu[first + c] * (up[c] - u[a][first + c]);
    // On the edge along a: du_p/dx_q + du_q/dx_p.
    flip_shift(s, u[p], g, q, -1, one);
    flip_shift(s, u[q], g, p, -1, two);
    for (size_t c = 0; c < FLIP_CELLS; c++)
      f->shear[a][first + c] = f->factor / 2 * f->edge[a][first + c] *
                               (u[p][first + c] - one[c] + u[q][first + c] - two[c]);
  }
}

// What they do to faces that are asked for, and their inertia.
void flip_force_scalar(const flip_flow *f, firn_real *const u[3], size_t g,
                       firn_real *const out[3]) {
  const flip *s = f->s;
  firn_real down[FLIP_CELLS], up[FLIP_CELLS];
  size_t first = FLIP_CELLS * g;
  for (int a = 0; a < 3; a++) {
    firn_real sum[FLIP_CELLS];
    flip_shift(s, f->normal[a], g, a, -1, down);
    for (size_t c = 0; c < FLIP_CELLS; c++)
      sum[c] = f->density[first + c] * u[a][first + c] + down[c] - f->normal[a][first + c];
    for (int k = 0; k < 2; k++) {
      const firn_real *shear = f->shear[FLIP_OTHER[a][k]];
      flip_shift(s, shear, g, FLIP_OTHER[a][1 - k], 1, up);
      for (size_t c = 0; c < FLIP_CELLS; c++) sum[c] += shear[first + c] - up[c];
    }
    for (size_t c = 0; c < FLIP_CELLS; c++)
      out[a][first + c] = f->inverse[a][first + c] > 0 ? sum[c] : 0;
  }
}

static bool is_still(const flip_flow *f, size_t g) {
  size_t blocks = f->s->grid.count + 1;
  return f->still[g] && f->still[blocks + g] && f->still[2 * blocks + g];
}

// Where nothing is asked for, out stays as it is: 0.
static void multiply(const flip_flow *f, firn_real *const u[3], firn_real *const out[3]) {
  const flip *s = f->s;
  FLIP_FOR_BLOCKS(s, g) {
    if (f->busy[g]) s->kernels->stress(f, u, g);
  }
  FLIP_FOR_BLOCKS(s, g) {
    if (!is_still(f, g)) s->kernels->force(f, u, g, out);
  }
}

static void parts_of(const flip_flow *f, const firn_real *vector, firn_real *out[3]) {
  for (size_t a = 0; a < 3; a++) out[a] = (firn_real *)vector + a * f->size;
}

static firn_status apply(void *user, const firn_real *x, firn_real *y) {
  const flip_flow *f = user;
  firn_real *in[3], *out[3];
  // Faces that are not asked for do not move: x is 0 there, in blocks that the solve keeps still, and in the
  // one that stands for none.
  parts_of(f, x, in);
  parts_of(f, y, out);
  multiply(f, in, out);
  return FIRN_OK;
}

static void precondition(void *user, const firn_real *r, firn_real *z, size_t first, size_t count) {
  const flip_flow *f = user;
  for (size_t i = 0; i < count; i++) z[i] = f->inverse[0][first + i] * r[i];
}

static firn_status reserve(flip *s, flip_flow *f) {
  size_t blocks = s->grid.count + 1, cells = blocks * FLIP_CELLS, vector = 3 * cells;
  size_t reals = (1 + 1 + 3 + 3 + 3 + 3) * cells + 2 * vector +
                 firn_krylov_workspace(FIRN_KRYLOV_CG, vector);
  size_t bytes = reals * sizeof(firn_real) + 4 * blocks;
  FIRN_TRY(firn_buffer_reserve(s->world->context, &s->snow, bytes, "viscosity"));
  flip_clear(s, s->snow.data, bytes);
  firn_real *at = s->snow.data;
  *f = (flip_flow){
      .s = s, .size = cells, .factor = (firn_real)(2 * s->dt / (s->world->h * s->world->h))};
  f->mu = at, at += cells;
  f->density = at, at += cells;
  for (int a = 0; a < 3; a++, at += cells) f->inverse[a] = at;
  for (int a = 0; a < 3; a++, at += cells) f->edge[a] = at;
  for (int a = 0; a < 3; a++, at += cells) f->normal[a] = at;
  for (int a = 0; a < 3; a++, at += cells) f->shear[a] = at;
  f->x = at, at += vector;
  f->r = at, at += vector;
  f->work = at;
  f->still = (uint8_t *)s->snow.data + reals * sizeof(firn_real);
  f->busy = f->still + 3 * blocks;
  memset(f->still, 1, 3 * blocks);
  return FIRN_OK;
}

// The change of velocity x that viscosity makes: A x = -(A - density) u.
static firn_status solve(const flip_flow *f) {
  flip *s = f->s;
  firn_real *r[3], *x[3];
  double reference2 = 0;
  parts_of(f, f->r, r);
  parts_of(f, f->x, x);
  multiply(f, s->u, r);
  double *sums = s->parts.data; // [blocks]
  FLIP_FOR_BLOCKS(s, g) {
    double sum = 0;
    for (int a = 0; a < 3; a++) {
      for (size_t i = FLIP_CELLS * g; i < FLIP_CELLS * (g + 1) && !is_still(f, g); i++) {
        double inertia = (double)f->density[i] * (double)s->u[a][i];
        bool asked = f->inverse[a][i] > 0;
        r[a][i] = asked ? (firn_real)(inertia - (double)r[a][i]) : 0;
        sum += (double)r[a][i] * (double)r[a][i] * (double)f->inverse[a][i];
      }
    }
    sums[g] = sum;
  }
  for (size_t g = 0; g < s->grid.count; g++) reference2 += sums[g];
  firn_linear_system system = {.context = s->world->context,
                               .count = 3 * f->size,
                               .block = FLIP_CELLS,
                               .chunk = 16 * FLIP_CELLS,
                               .still = f->still,
                               .user = (void *)f,
                               .apply = apply,
                               .precondition = precondition};
  firn_linear_result result;
  FIRN_TRY(firn_krylov_solve(FIRN_KRYLOV_CG, &system, s->def.viscosity_tolerance, reference2,
                             s->def.viscosity_iterations, f->x, f->r, f->work, &result));
  s->last.viscosity_iterations += result.iterations;
  s->last.unconverged += !result.converged && !result.breakdown;
  FLIP_FOR_BLOCKS(s, g) {
    for (int a = 0; a < 3; a++)
      for (size_t i = FLIP_CELLS * g; i < FLIP_CELLS * (g + 1) && !is_still(f, g); i++)
        if (f->inverse[a][i] > 0) s->u[a][i] += x[a][i];
  }
  return FIRN_OK;
}

firn_status flip_viscosity(flip *s) {
  flip_flow f;
  FIRN_TRY(reserve(s, &f));
  flip_yield(s, f.mu);
  bool any = false;
  FIRN_PARALLEL_FOR(s->world->context, schedule(static) reduction(|| : any))
  for (size_t i = 0; i < FLIP_CELLS * s->grid.count; i++) any = any || f.mu[i] > 0;
  if (!any) return FIRN_OK;
  FLIP_FOR_BLOCKS(s, g) set_edges(&f, g);
  FLIP_FOR_BLOCKS(s, g) set_diagonal(&f, g);
  return solve(&f);
}
