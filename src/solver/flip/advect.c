// SPDX-License-Identifier: Apache-2.0
// Back to the particles: velocities, then their way through the grid's, and out of colliders.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "solver/flip/kernels.h"

// What a particle block sees of the grid.
typedef struct tile {
  firn_real u[3][FLIP_TILE_CELLS];
  firn_real change[3][FLIP_TILE_CELLS];
  firn_real late[3][FLIP_TILE_CELLS]; // of what comes on top of rigid motions
  firn_real fill[FLIP_TILE_CELLS], p[FLIP_TILE_CELLS], hurt[FLIP_TILE_CELLS];
} tile;

static void load_channel(const flip *s, size_t b, const firn_real *channel, firn_real *out) {
  for (int i = 0; i < FLIP_TILE; i++) {
    for (int j = 0; j < FLIP_TILE; j++) {
      int x = i + FLIP_TILE_FIRST, y = j + FLIP_TILE_FIRST;
      int at = 9 * (1 + (x < 0 ? -1 : x > 3)) + 3 * (1 + (y < 0 ? -1 : y > 3));
      size_t row = 16 * (size_t)(x & 3) + 4 * (size_t)(y & 3);
      firn_real *to = out + 64 * i + 8 * j;
      for (int o = 0; o < 3; o++) {
        uint32_t target = s->grid.target[b][at + o];
        size_t block = target == FIRN_GRID_NONE ? s->grid.count : target;
        const firn_real *from = channel + FLIP_CELLS * block + row;
        if (o == 0) memcpy(to, from + 2, 2 * sizeof *to);
        if (o == 1) memcpy(to + 2, from, 4 * sizeof *to);
        if (o == 2) memcpy(to + 6, from, 2 * sizeof *to);
      }
    }
  }
}

// Weights of a place along an axis of a tile: those of n nodes from the first on, and their slopes.
typedef struct stencil {
  int first;
  firn_real w[3], slope[3];
} stencil;

// x in cells from the first node of the tile.
static stencil linear(firn_real x) {
  stencil t = {0};
  firn_real at = firn_min(firn_max(x, 0), FIRN_R(FLIP_TILE - 1.001));
  t.first = (int)at;
  t.w[1] = at - (firn_real)t.first;
  t.w[0] = 1 - t.w[1];
  t.slope[0] = -1;
  t.slope[1] = 1;
  return t;
}

// The slopes are those of the affine velocity, 4 w (x_i - x), not of the spline.
static stencil quadratic(firn_real x) {
  stencil t = {0};
  firn_real at = firn_min(firn_max(x, FIRN_R(0.5)), FIRN_R(FLIP_TILE - 1.501));
  t.first = (int)(at - FIRN_R(0.5));
  for (int i = 0; i < 3; i++) {
    firn_real away = (firn_real)(t.first + i) - at;
    t.w[i] = flip_spline(away);
    t.slope[i] = 4 * t.w[i] * away;
  }
  return t;
}

static void stencils_at(const firn_real x[3], int a, bool splines, stencil out[3]) {
  for (int k = 0; k < 3; k++) {
    firn_real at = x[k] - (firn_real)FLIP_TILE_FIRST - (k == a ? 0 : FIRN_R(0.5));
    out[k] = splines ? quadratic(at) : linear(at);
  }
}

// slope: which axis has slopes in place of weights; -1: none.
static firn_real sum_at(const stencil t[3], bool splines, int slope, const firn_real *nodes) {
  int n = splines ? 3 : 2;
  const firn_real *w[3];
  firn_real sum = 0;
  for (int k = 0; k < 3; k++) w[k] = k == slope ? t[k].slope : t[k].w;
  const firn_real *from = nodes + 64 * t[0].first + 8 * t[1].first + t[2].first;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      firn_real row = 0;
      for (int k = 0; k < n; k++) row += w[2][k] * from[64 * i + 8 * j + k];
      sum += w[0][i] * w[1][j] * row;
    }
  return sum;
}

static void velocity_at(const firn_real u[3][FLIP_TILE_CELLS], const firn_real x[3], bool splines,
                        firn_real out[3]) {
  for (int a = 0; a < 3; a++) {
    stencil at[3];
    stencils_at(x, a, splines, at);
    out[a] = sum_at(at, splines, -1, u[a]);
  }
}

// ------------------------------------------------------------------------------------ particles

// Gradients over two cells: over one they are as large for waves that the grid cannot carry, and
// water that sloshes would never come to rest.
static void take_gradient(const flip *s, const firn_real u[3][FLIP_TILE_CELLS],
                          const firn_real x[3], size_t slot, const firn_real rigid[9]) {
  for (int n = 0; n < 9 && s->field_c >= 0; n++) {
    stencil at[3];
    stencils_at(x, n / 3, true, at);
    double slope = (double)sum_at(at, true, n % 3, u[n / 3]) / s->world->h;
    firn_particles_real(&s->world->particles,
                        s->field_c + n)[slot] = (firn_real)(slope + (rigid ? (double)rigid[n] : 0));
  }
}

static void set_velocity(const flip *s, size_t slot, const double v[3], flip_tally *tally) {
  const firn_particles *p = &s->world->particles;
  double mass = (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot];
  for (int a = 0; a < 3; a++) {
    firn_real *to = &firn_particles_real(p, FIRN_FIELD_VX + a)[slot];
    double before = (double)*to;
    *to = (firn_real)v[a];
    tally->gained[a] += mass * ((double)*to - before - s->dt * s->world->gravity[a]);
  }
}

// New velocity, and the grid's where the particle is.
static void take_velocity(const flip *s, const tile *t, const firn_real x[3], size_t slot,
                          double blend, firn_real pic[3], flip_tally *tally) {
  const firn_particles *p = &s->world->particles;
  bool splines = s->def.kernel == FIRN_FLIP_KERNEL_BSPLINE;
  double v[3];
  for (int a = 0; a < 3; a++) {
    stencil at[3];
    stencils_at(x, a, splines, at);
    pic[a] = sum_at(at, splines, -1, t->u[a]);
    double flipped = (double)firn_particles_real(p, FIRN_FIELD_VX + a)[slot] +
                     (double)sum_at(at, splines, -1, t->change[a]);
    v[a] = blend * flipped + (1 - blend) * (double)pic[a];
  }
  set_velocity(s, slot, v, tally);
  take_gradient(s, t->u, x, slot, NULL);
}

// The same of a particle of a rigid piece, and its displacement in cells.
static void ride(const flip *s, const tile *t, const flip_ride *r, const firn_real x[3],
                 size_t slot, firn_real way[3], flip_tally *tally) {
  double v[3];
  firn_real late[3];
  velocity_at(t->late, x, s->def.kernel == FIRN_FLIP_KERNEL_BSPLINE, late);
  for (int a = 0; a < 3; a++) {
    double by = (double)r->way[9 + a];
    v[a] = (double)late[a] + (double)r->speed[9 + a];
    for (int k = 0; k < 3; k++) {
      by += (double)r->way[3 * a + k] * (double)x[k];
      v[a] += (double)r->speed[3 * a + k] * (double)x[k];
    }
    way[a] = (firn_real)(by + s->dt / s->world->h * (double)late[a]);
  }
  set_velocity(s, slot, v, tally);
  take_gradient(s, t->late, x, slot, r->gradient);
}

// Whether the cell that a particle is in now is close to colliders.
static bool is_tight(const flip *s, size_t b, const firn_real x[3]) {
  int offset = 0;
  size_t cell = 0;
  for (int a = 0; a < 3; a++) {
    if (!(x[a] >= -4 && x[a] < 8)) return true;
    int i = (int)(x[a] + 4) - 4;
    offset = 3 * offset + (i < 0 ? 0 : i < 4 ? 1 : 2);
    cell = 4 * cell + (size_t)(i & 3);
  }
  uint32_t g = s->grid.target[b][offset];
  return g == FIRN_GRID_NONE || flip_bit(s->tight, FLIP_CELLS * (size_t)g + cell);
}

// Cells that a particle inside a collider is moved at once, twice in a step. What is deeper inside was never
// outside: snow that a collider is laid over comes out of it as it lies, not all of it onto the surface.
static const double OUT_AT_ONCE = 2;

static double distance_at(const flip *s, size_t b, uint64_t near, const firn_real x[3],
                          double at[3]) {
  const firn_block *block = &s->world->particles.block[b];
  for (int a = 0; a < 3; a++) at[a] = (4.0 * block->at[a] + (double)x[a]) * s->world->h;
  return flip_solid_distance(s->world, near, at, NULL, NULL, NULL);
}

void flip_push_out(const flip *s, size_t b, uint64_t near, const firn_real from[3],
                   firn_real x[3]) {
  double at[3], n[3], h = s->world->h, least = s->def.push_out * h;
  if (!is_tight(s, b, x)) return;
  for (int round = 0; round < 2; round++) {
    double d = distance_at(s, b, near, x, at);
    if (!(d < least)) return;
    flip_solid_distance(s->world, near, at, NULL, n, NULL);
    double by = fmin((least - d) / h, OUT_AT_ONCE);
    for (int a = 0; a < 3; a++) x[a] = (firn_real)((double)x[a] + by * n[a]);
  }
  // Where one collider stands on another, the next way out of each leads into the other.
  if (distance_at(s, b, near, x, at) < 0 && distance_at(s, b, near, from, at) >= 0)
    memcpy(x, from, 3 * sizeof *x);
}

uint64_t flip_colliders_near(const flip *s, size_t b) {
  const double reach = 2 * sqrt(3) + sqrt(3) * s->def.cfl + 1;
  const firn_world *world = s->world;
  double x[3], h = world->h;
  uint64_t near = 0;
  for (int a = 0; a < 3; a++) x[a] = (4.0 * world->particles.block[b].at[a] + 2) * h;
  for (int c = 0; c < world->collider_count; c++) {
    if (firn_collider_sample(&world->collider[c], x, NULL, NULL) < reach * h)
      near |= (uint64_t)1 << c % 64;
  }
  return near;
}

// What the grid cannot see of velocities, a share of which is lost in each step, goes with h^2: the
// viscosity of the blend is some (1 - flip) h^2/dt, which is kept at other cells than those of
// reference.
static double share_of_flip(const flip *s) {
  const double step = 5e-3; // s
  if (s->def.transfer != FIRN_FLIP_TRANSFER_FLIP) return 0;
  double share = s->def.flip_rescale ? pow(s->def.flip, s->dt / step) : s->def.flip;
  return fmax(0, share - (1 - share) * (flip_carry(s) - 1));
}

static void load_tile(const flip *s, size_t b, tile *t) {
  for (int a = 0; a < 3; a++) {
    load_channel(s, b, s->u[a], t->u[a]);
    load_channel(s, b, s->was[a], t->change[a]);
    if (s->riding.of) load_channel(s, b, s->rubbed[a], t->late[a]);
  }
  load_channel(s, b, s->fill[0], t->fill);
  load_channel(s, b, s->pressure[0], t->p);
  if (s->porous) load_channel(s, b, s->hurt[0], t->hurt);
}

// Density, pressure and durability.
static void take_state(const flip *s, const tile *t, const firn_real x[3], size_t slot) {
  const firn_particles *p = &s->world->particles;
  bool splines = s->def.kernel == FIRN_FLIP_KERNEL_BSPLINE;
  stencil middle[3];
  stencils_at(x, 3, splines, middle);
  firn_particles_real(p, s->field_fill)[slot] = sum_at(middle, splines, -1, t->fill);
  firn_particles_real(p, s->field_p)[slot] = sum_at(middle, splines, -1, t->p);
  if (!s->porous) return;
  firn_real *d = &firn_particles_real(p, s->field_d)[slot];
  *d = firn_max(0, *d + firn_min(0, sum_at(middle, splines, -1, t->hurt)));
}

flip_tally flip_move_scalar(const flip *s, size_t b, double blend) {
  const firn_particles *p = &s->world->particles;
  const firn_block *block = &p->block[b];
  bool splines = s->def.kernel == FIRN_FLIP_KERNEL_BSPLINE;
  uint64_t near = flip_colliders_near(s, b);
  double cells = s->dt / s->world->h;
  flip_tally tally = {0};
  tile own = {0}, *t = &own;
  load_tile(s, b, t);
  for (size_t slot = block->first; slot < block->first + block->count; slot++) {
    firn_real x[3], v[3], half[3], from[3];
    flip_ride r;
    double speed2 = 0;
    for (int a = 0; a < 3; a++) x[a] = firn_particles_real(p, FIRN_FIELD_X + a)[slot];
    take_state(s, t, x, slot);
    if (flip_ride_of(s, b, flip_cell_of(p, slot), &r)) {
      ride(s, t, &r, x, slot, v, &tally);
      for (int a = 0; a < 3; a++) x[a] += v[a];
    } else {
      take_velocity(s, t, x, slot, blend, v, &tally);
      if (!s->def.advect_grid) {
        for (int a = 0; a < 3; a++) half[a] = x[a] + (firn_real)(0.5 * cells * (double)v[a]);
        velocity_at(t->u, half, splines, v);
      }
      for (int a = 0; a < 3; a++) x[a] += (firn_real)(cells * (double)v[a]);
    }
    for (int a = 0; a < 3; a++) from[a] = firn_particles_real(p, FIRN_FIELD_X + a)[slot];
    if (near) flip_push_out(s, b, near, from, x);
    for (int a = 0; a < 3; a++) {
      double new = (double)firn_particles_real(p, FIRN_FIELD_VX + a)[slot];
      firn_particles_real(p, FIRN_FIELD_X + a)[slot] = x[a];
      speed2 += new *new;
    }
    // A nan comes through.
    if (!isfinite(x[0] + x[1] + x[2])) speed2 = (double)NAN;
    if (!(speed2 <= tally.speed2)) tally.speed2 = speed2;
    if (isnan(speed2)) break;
  }
  return tally;
}

void flip_advect(flip *s, bool *finite, double gained[3]) {
  double blend = share_of_flip(s), start = firn_cpu_seconds();
  flip_tally *tally = s->parts.data;
  FLIP_FOR_BLOCKS(s, g) {
    for (int a = 0; a < 3; a++)
      for (size_t i = FLIP_CELLS * g; i < FLIP_CELLS * (g + 1); i++)
        s->was[a][i] = s->u[a][i] - s->was[a][i];
  }
  FLIP_FOR_PARTICLE_BLOCKS(s, b) tally[b] = s->kernels->move(s, b, blend);
  *finite = true;
  s->memory.speed2_max = 0;
  memset(gained, 0, 3 * sizeof *gained);
  for (size_t b = 0; b < s->world->particles.block_count; b++) {
    *finite = *finite && isfinite(tally[b].speed2);
    s->memory.speed2_max = fmax(s->memory.speed2_max, tally[b].speed2);
    for (int a = 0; a < 3; a++) gained[a] += tally[b].gained[a];
  }
  s->cost.back += firn_cpu_seconds() - start;
}

// Farther than this, in cells, no particle is moved at once.
static const firn_real FARTHEST = FIRN_R(0.5);

void flip_displace(flip *s) {
  const firn_particles *p = &s->world->particles;
  bool splines = s->def.kernel == FIRN_FLIP_KERNEL_BSPLINE;
  FLIP_FOR_PARTICLE_BLOCKS(s, b) {
    const firn_block *block = &p->block[b];
    uint64_t near = flip_colliders_near(s, b);
    tile t = {0};
    for (int a = 0; a < 3; a++) load_channel(s, b, s->u[a], t.u[a]);
    for (size_t slot = block->first; slot < block->first + block->count; slot++) {
      firn_real x[3], by[3], from[3];
      for (int a = 0; a < 3; a++) x[a] = from[a] = firn_particles_real(p, FIRN_FIELD_X + a)[slot];
      velocity_at(t.u, x, splines, by);
      for (int a = 0; a < 3; a++) x[a] += firn_max(-FARTHEST, firn_min(FARTHEST, by[a]));
      if (near) flip_push_out(s, b, near, from, x);
      for (int a = 0; a < 3; a++) firn_particles_real(p, FIRN_FIELD_X + a)[slot] = x[a];
    }
  }
}
