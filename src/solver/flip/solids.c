// SPDX-License-Identifier: Apache-2.0
// Colliders, as the grid sees them (Batty et al. 2007): the share of each face that is open to the fluid,
// and how fast they move there. Distances are asked for at the corners of cells, and only in blocks that
// colliders reach, so what is thinner than a cell may be overlooked.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/flip/flip.h"

double flip_solid_distance(const firn_world *world, uint64_t beside, const double x[3],
                           int *nearest, double normal[3], double velocity[3]) {
  double least = (double)INFINITY;
  int found = -1;
  for (int c = 0; c < world->collider_count; c++) {
    if (world->collider[c].absent || !(beside >> c % 64 & 1)) continue;
    double d = firn_collider_sample(&world->collider[c], x, NULL, NULL);
    if (!(d < least)) continue;
    least = d;
    found = c;
  }
  if (nearest) *nearest = found;
  if (normal) memset(normal, 0, 3 * sizeof *normal);
  if (velocity) memset(velocity, 0, 3 * sizeof *velocity);
  if (found >= 0 && (normal || velocity))
    firn_collider_sample(&world->collider[found], x, normal, velocity);
  return least;
}

// Colliders that may be the nearest within `reach` of x, a bit each, and the distance of the one that is nearest
// to x: another that is farther away by twice the reach can be nearest nowhere in it.
static uint64_t colliders_beside(const firn_world *world, const double x[3], double reach,
                                 double *least) {
  uint64_t beside = 0;
  double away[64];
  *least = (double)INFINITY;
  for (int c = 0; c < 64; c++) away[c] = (double)INFINITY;
  for (int c = 0; c < world->collider_count; c++) {
    double d = firn_collider_sample(&world->collider[c], x, NULL, NULL);
    away[c % 64] = fmin(away[c % 64], d);
    *least = fmin(*least, d);
  }
  for (int c = 0; c < 64; c++)
    if (away[c] <= *least + 2 * reach) beside |= (uint64_t)1 << c;
  return beside;
}

// The share of a triangle on which a linear function is positive, from its values at the corners: where
// one has another sign than both others, the piece at that one is similar to the whole.
static double triangle_share(double a, double b, double c) {
  int positive = (a > 0) + (b > 0) + (c > 0);
  if (positive == 0 || positive == 3) return positive / 3;
  bool one = positive == 1;
  double odd = (a > 0) == one ? a : (b > 0) == one ? b : c, product = 1;
  const double corner[3] = {a, b, c};
  for (int i = 0, used = 0; i < 3; i++) {
    if (corner[i] == odd && !used++) continue;
    product *= odd / (odd - corner[i]);
  }
  return one ? product : 1 - product;
}

// The share of a square on which a distance is positive, from those of its corners in turn and of its
// middle: four triangles, exact where the distance is linear. Without the middle the square in a corner
// between two walls, where three distances are 0, would be cut in half.
double flip_open_share(const double corner[4], double middle) {
  double sum = 0;
  for (int i = 0; i < 4; i++) sum += triangle_share(corner[i], corner[(i + 1) % 4], middle) / 4;
  return sum;
}

// Shares below this many last digits are closed: what flows through them would be rounding.
static const double CLOSED = 1e1;

enum { NODES = 5 };

static void sample_nodes(const flip *s, size_t g, double node[NODES][NODES][NODES]) {
  double h = s->world->h, corner[3];
  flip_corner(s, g, 0, corner);
  for (int i = 0; i < NODES; i++)
    for (int j = 0; j < NODES; j++)
      for (int k = 0; k < NODES; k++) {
        double x[3] = {(corner[0] + i) * h, (corner[1] + j) * h, (corner[2] + k) * h};
        node[i][j][k] = flip_solid_distance(s->world, s->beside[g], x, NULL, NULL, NULL) / h -
                        FLIP_SKIN;
      }
}

// Share and velocity of the lower face of a cell.
static void set_face(flip *s, size_t g, int c, int a, const double corner[4], bool moving) {
  size_t i = FLIP_CELLS * g + (size_t)c;
  double x[3], velocity[3], h = s->world->h, share = 0;
  int open = 0;
  for (int k = 0; k < 4; k++) open += corner[k] > 0;
  s->open[a][i] = 1;
  if (open == 4) return;
  s->open[a][i] = 0;
  if (!open && !moving) return;
  flip_corner(s, g, c, x);
  for (int k = 0; k < 3; k++) x[k] = (x[k] + (k == a ? 0 : 0.5)) * h;
  double middle = flip_solid_distance(s->world, s->beside[g], x, NULL, NULL, velocity) / h -
                  FLIP_SKIN;
  if (open) share = flip_open_share(corner, middle);
  if (share < CLOSED * (double)FIRN_REAL_EPS) share = 0;
  s->open[a][i] = (firn_real)share;
  s->wall[a][i] = (firn_real)velocity[a];
}

static void cut_block(flip *s, size_t g, bool moving) {
  const double to_node = sqrt(3) / 2 + 1e-3; // from anywhere in a cell to the next of its corners
  double node[NODES][NODES][NODES];
  sample_nodes(s, g, node);
  for (int c = 0; c < FLIP_CELLS; c++) {
    int i = c >> 4, j = c >> 2 & 3, k = c & 3;
    double(*at)[NODES][NODES] = &node[i], sum = 0, least = (double)INFINITY;
    for (int n = 0; n < 8; n++) {
      double d = at[n >> 2][j + (n >> 1 & 1)][k + (n & 1)];
      sum += d;
      least = fmin(least, d);
    }
    if (sum < 0) s->inside[g] |= (uint64_t)1 << c;
    if (least < to_node + s->def.push_out) s->tight[g] |= (uint64_t)1 << c;
    const double x[4] = {at[0][j][k], at[0][j + 1][k], at[0][j + 1][k + 1], at[0][j][k + 1]};
    const double y[4] = {at[0][j][k], at[1][j][k], at[1][j][k + 1], at[0][j][k + 1]};
    const double z[4] = {at[0][j][k], at[1][j][k], at[1][j + 1][k], at[0][j + 1][k]};
    set_face(s, g, c, 0, x, moving);
    set_face(s, g, c, 1, y, moving);
    set_face(s, g, c, 2, z, moving);
  }
}

// Colliders that move, as of flip_solid_distance.
static uint64_t moving_colliders(const flip *s) {
  uint64_t moving = 0;
  for (int c = 0; c < s->world->collider_count; c++)
    if (firn_collider_speed_bound(&s->world->collider[c], s->dt) > 0)
      moving |= (uint64_t)1 << c % 64;
  return moving;
}

void flip_solids(flip *s) {
  const uint64_t movers = moving_colliders(s);
  const double reach = 2 * sqrt(3) * (1 + 1e-6) + FLIP_SKIN; // of a block, from its middle
  FLIP_FOR_BLOCKS(s, g) {
    double x[3], h = s->world->h;
    flip_corner(s, g, 0, x);
    for (int a = 0; a < 3; a++) x[a] = (x[a] + 2) * h;
    double away;
    s->beside[g] = colliders_beside(s->world, x, reach * h, &away);
    s->cut[g] = away <= reach * h;
    if (!s->cut[g] && away <= (reach + s->def.push_out) * h) s->tight[g] = UINT64_MAX;
    bool moving = s->beside[g] & movers;
    if (away < -reach * h && !moving) { // all of it is inside, where open and wall are 0
      s->inside[g] = s->tight[g] = UINT64_MAX;
      continue;
    }
    if (s->cut[g]) {
      cut_block(s, g, moving);
      continue;
    }
    for (int a = 0; a < 3; a++)
      for (size_t c = 0; c < FLIP_CELLS; c++) s->open[a][FLIP_CELLS * g + c] = 1;
  }
}
