// SPDX-License-Identifier: Apache-2.0
// Height fields: a triangulated surface over a rectangle in x and z, and what lies below it.
//
// Close to the surface the distance is that to the triangles: a pyramid of least and greatest
// heights, level by level of twice the cells' edge, leaves few of them to look at. To find the nearest
// one from far away would take long and serve nobody, so beyond a band of width B the answer is
//
//   max(B, |y - h| / sqrt(1 + steepest slope^2)),
//
// which is no more than the distance, and equals B where the distance does. Beyond the rectangle the nearest point of
// it is asked, at the same height, as if the surface went on as it is at the edge.
#include "geometry/height_field.h"

#include <math.h>
#include <string.h>

#include "geometry/noise.h"
#include "geometry/sdf.h"

enum { LEVELS = 28, STACK = 4 * LEVELS, BAND = 8 }; // band in cells

typedef struct level {
  int n[2];          // nodes along x and z
  double edge[2];    // m: of a node
  double (*lohi)[2]; // m: least and greatest height, [n[1]][n[0]]
} level;

typedef struct field {
  firn_shape base;
  firn_heights heights;
  double corner[3]; // m: of sample 0; y is what heights count from
  double cell[2];   // m, along x and z
  double bottom;    // m
  bool ground;      // no bottom, no sides
  double band;      // m
  double steepest;  // sqrt(1 + slope^2) of the steepest triangle
  int levels;
  level level[LEVELS];
} field;

static double height_at(const field *f, int i, int j) {
  return f->heights.value[(size_t)j * (size_t)f->heights.columns + (size_t)i];
}

static void release(firn_shape *shape) {
  field *f = (field *)shape;
  for (int l = 0; l < f->levels; l++) {
    firn_free(shape->context, f->level[l].lohi,
              (size_t)f->level[l].n[0] * (size_t)f->level[l].n[1] * sizeof *f->level[l].lohi);
  }
  firn_heights_free(&f->heights);
}

// ------------------------------------------------------------------------------------- distance

// The three corners of a triangle of cell (i, j), m from the field's corner: t = 0 holds the side
// along x, t = 1 the one along z; the diagonal runs from sample (i, j) to (i + 1, j + 1).
static void triangle(const field *f, int i, int j, int t, double out[3][3]) {
  const int at[3][2] = {{i, j}, {i + 1, j + 1}, {i + (t == 0), j + (t == 1)}};
  for (int c = 0; c < 3; c++) {
    out[c][0] = at[c][0] * f->cell[0];
    out[c][1] = height_at(f, at[c][0], at[c][1]);
    out[c][2] = at[c][1] * f->cell[1];
  }
}

// Height of the surface at x and z, which lie on the rectangle, and a vector upwards from it.
static double surface(const field *f, double x, double z, double up[3]) {
  double u = x / f->cell[0], v = z / f->cell[1];
  int i = (int)fmin(floor(u), f->heights.columns - 2), j = (int)fmin(floor(v), f->heights.rows - 2);
  u -= i;
  v -= j;
  double h00 = height_at(f, i, j), h11 = height_at(f, i + 1, j + 1);
  double side = u >= v ? height_at(f, i + 1, j) : height_at(f, i, j + 1);
  double more = fmax(u, v), less = fmin(u, v);
  up[0] = (u >= v ? h00 - side : side - h11) / f->cell[0];
  up[1] = 1;
  up[2] = (u >= v ? side - h11 : h00 - side) / f->cell[1];
  return h00 + more * (side - h00) + less * (h11 - side);
}

typedef struct nearest {
  double square;    // m^2
  double vector[3]; // m: from the surface to the point
  double normal[3]; // unit vector, upwards: of the triangle
  bool face;        // the nearest point is within the triangle
} nearest;

// The nearest point of triangle a, b, c to p (Ericson, Real-Time Collision Detection, 5.1.5):
// weights of b and c.
static void nearest_weights(const double ab[3], const double ac[3], const double ap[3],
                            double w[2]) {
  double d1 = firn_sdf_dot(ab, ap), d2 = firn_sdf_dot(ac, ap);
  double bb = firn_sdf_dot(ab, ab), cc = firn_sdf_dot(ac, ac), bc = firn_sdf_dot(ab, ac);
  double d3 = d1 - bb, d4 = d2 - bc, d5 = d1 - bc, d6 = d2 - cc;
  double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
  w[0] = w[1] = 0;
  if (d1 <= 0 && d2 <= 0) return; // a
  if (d3 >= 0 && d4 <= d3) {      // b
    w[0] = 1;
  } else if (d6 >= 0 && d5 <= d6) { // c
    w[1] = 1;
  } else if (vc <= 0 && d1 >= 0 && d3 <= 0) { // ab
    w[0] = d1 / (d1 - d3);
  } else if (vb <= 0 && d2 >= 0 && d6 <= 0) { // ac
    w[1] = d2 / (d2 - d6);
  } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) { // bc
    w[1] = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    w[0] = 1 - w[1];
  } else {
    w[0] = vb / (va + vb + vc);
    w[1] = vc / (va + vb + vc);
  }
}

static void try_triangle(const double corner[3][3], const double p[3], nearest *best) {
  double ab[3], ac[3], ap[3], w[2], v[3];
  for (int a = 0; a < 3; a++) {
    ab[a] = corner[1][a] - corner[0][a];
    ac[a] = corner[2][a] - corner[0][a];
    ap[a] = p[a] - corner[0][a];
  }
  const double n[3] = {ab[1] * ac[2] - ab[2] * ac[1], ab[2] * ac[0] - ab[0] * ac[2],
                       ab[0] * ac[1] - ab[1] * ac[0]};
  double height = firn_sdf_dot(n, ap); // over the plane, times |n|; to rounding
  if (height * height > (1 + 1e-9) * best->square * firn_sdf_dot(n, n)) return;
  nearest_weights(ab, ac, ap, w);
  for (int a = 0; a < 3; a++) v[a] = ap[a] - w[0] * ab[a] - w[1] * ac[a];
  double square = firn_sdf_dot(v, v);
  if (square >= best->square) return;
  best->square = square;
  memcpy(best->vector, v, sizeof v);
  firn_sdf_direction(n, best->normal);
  for (int a = 0; a < 3 && n[1] < 0; a++) best->normal[a] = -best->normal[a];
  best->face = w[0] > 0 && w[1] > 0 && w[0] + w[1] < 1;
}

static double square_apart(const field *f, int l, int i, int j, const double p[3]) {
  const level *at = &f->level[l];
  const double *lohi = at->lohi[(size_t)j * (size_t)at->n[0] + (size_t)i];
  double sum = 0, edge[2] = {at->edge[0], at->edge[1]};
  const double lo[3] = {i * edge[0], lohi[0], j * edge[1]};
  const double hi[3] = {(i + 1) * edge[0], lohi[1], (j + 1) * edge[1]};
  for (int a = 0; a < 3; a++) {
    double over = p[a] < lo[a] ? lo[a] - p[a] : p[a] - hi[a];
    if (over > 0) sum += over * over;
  }
  return sum;
}

typedef struct visit {
  int level, i, j;
  double square;
} visit;

// Pushes the node (i, j) of a level and the next ones along x and z, where they are, the nearest last.
static int push_four(const field *f, int l, int i, int j, const double p[3], double limit,
                     visit *stack, int top) {
  int first = top;
  for (int c = 0; c < 4; c++) {
    visit v = {l, i + (c & 1), j + (c >> 1), 0};
    if (v.i >= f->level[l].n[0] || v.j >= f->level[l].n[1]) continue;
    v.square = square_apart(f, l, v.i, v.j, p);
    if (v.square >= limit) continue;
    int place = top++;
    for (; place > first && stack[place - 1].square < v.square; place--) {
      stack[place] = stack[place - 1];
    }
    stack[place] = v;
  }
  return top;
}

// Begins with no more than four nodes: those of the lowest level that so many suffice in for all cells
// within the limit along x and z.
static int push_near(const field *f, const double p[3], double limit, visit *stack) {
  double reach = sqrt(limit);
  int lo[2], hi[2], l = 0;
  for (int k = 0; k < 2; k++) {
    double at = p[2 * k], last = f->level[0].n[k] - 1;
    lo[k] = (int)firn_sdf_clamp(floor((at - reach) / f->cell[k]), 0, last);
    hi[k] = (int)firn_sdf_clamp(floor((at + reach) / f->cell[k]), 0, last);
  }
  while ((hi[0] >> l) - (lo[0] >> l) > 1 || (hi[1] >> l) - (lo[1] >> l) > 1) l++;
  return push_four(f, l, lo[0] >> l, lo[1] >> l, p, limit, stack, 0);
}

// False if nothing is nearer than best is already.
static bool find_nearest(const field *f, const double p[3], nearest *best) {
  visit stack[STACK];
  double limit = best->square;
  int top = 0;
  double corner[3][3];
  // Downhill from the triangles straight above or below: a limit that most others are beyond.
  double at[2] = {p[0], p[2]};
  for (int step = 0; step < 8; step++) {
    int i = (int)fmin(fmax(at[0] / f->cell[0], 0), f->heights.columns - 2);
    int j = (int)fmin(fmax(at[1] / f->cell[1], 0), f->heights.rows - 2);
    double before = best->square;
    for (int t = 0; t < 2; t++) {
      triangle(f, i, j, t, corner);
      try_triangle(corner, p, best);
    }
    // A little beyond the nearest point, into the neighbour if that lies on an edge.
    double from[2] = {p[0] - best->vector[0], p[2] - best->vector[2]};
    if (!(best->square < before)) break;
    for (int k = 0; k < 2; k++) at[k] = from[k] + 1e-3 * (from[k] - at[k]);
  }
  top = push_near(f, p, best->square, stack);
  while (top) {
    visit v = stack[--top];
    if (v.square >= best->square) continue;
    if (v.level) {
      top = push_four(f, v.level - 1, 2 * v.i, 2 * v.j, p, best->square, stack, top);
      continue;
    }
    for (int t = 0; t < 2; t++) {
      triangle(f, v.i, v.j, t, corner);
      try_triangle(corner, p, best);
    }
  }
  return best->square < limit;
}

static double below_surface(const field *f, const double x[3], double normal[3]) {
  double size[2] = {(f->heights.columns - 1) * f->cell[0], (f->heights.rows - 1) * f->cell[1]};
  double r[3] = {x[0] - f->corner[0], x[1] - f->corner[1], x[2] - f->corner[2]};
  double p[3] = {firn_sdf_clamp(r[0], 0, size[0]), r[1], firn_sdf_clamp(r[2], 0, size[1])};
  double gap = p[1] - surface(f, p[0], p[2], normal), sign = gap > 0 ? 1 : -1;
  double d = fmax(fabs(gap) / f->steepest, f->band);
  nearest best = {.square = f->band * f->band};
  if (d <= f->band && find_nearest(f, p, &best)) {
    d = sqrt(best.square);
    for (int a = 0; a < 3; a++) {
      normal[a] = best.face || !(d > 0) ? best.normal[a] : sign * best.vector[a] / d;
    }
  }
  // Beyond the edge nothing changes outwards.
  if (p[0] != r[0]) normal[0] = 0;
  if (p[2] != r[2]) normal[2] = 0;
  firn_sdf_direction(normal, normal);
  return sign * d;
}

// The same without a search for the nearest triangle: the way straight down by the steepest slope, or
// that to the highest top; the normal is that of the triangle straight above or below.
static double look_below(const field *f, const double x[3], double normal[3]) {
  double size[2] = {(f->heights.columns - 1) * f->cell[0], (f->heights.rows - 1) * f->cell[1]};
  double r[3] = {x[0] - f->corner[0], x[1] - f->corner[1], x[2] - f->corner[2]};
  double p[3] = {firn_sdf_clamp(r[0], 0, size[0]), r[1], firn_sdf_clamp(r[2], 0, size[1])};
  double gap = p[1] - surface(f, p[0], p[2], normal),
         above = p[1] - f->level[f->levels - 1].lohi[0][1];
  if (p[0] != r[0]) normal[0] = 0;
  if (p[2] != r[2]) normal[2] = 0;
  return fmax(gap / f->steepest, above);
}

// What lies below the surface and, of a field that is no ground, within its block.
static double within_block(const field *f, const double x[3], double d, double normal[3]) {
  const firn_shape *shape = &f->base;
  if (f->ground) return d;
  double half[3], r[3], n[3];
  for (int a = 0; a < 3; a++) {
    half[a] = (shape->hi[a] - shape->lo[a]) / 2;
    r[a] = x[a] - (shape->hi[a] + shape->lo[a]) / 2;
  }
  double block = firn_sdf_box(half, r, n);
  if (block <= d) return d;
  memcpy(normal, n, sizeof n);
  return block;
}

static double distance(const firn_shape *shape, const double x[3], double time, double normal[3]) {
  const field *f = (const field *)shape;
  (void)time;
  return within_block(f, x, below_surface(f, x, normal), normal);
}

static double look(const firn_shape *shape, const double x[3], double time, double normal[3]) {
  const field *f = (const field *)shape;
  (void)time;
  return within_block(f, x, look_below(f, x, normal), normal);
}

static const firn_shape_ops ops = {.distance = distance, .release = release, .look = look};

// -------------------------------------------------------------------------------------- heights

firn_status firn_heights_alloc(firn_heights *heights, int columns, int rows) {
  size_t size = (size_t)columns * (size_t)rows * sizeof *heights->value;
  heights->value = firn_alloc(heights->context, size, "height field");
  if (!heights->value) return FIRN_ERROR_MEMORY;
  heights->columns = columns;
  heights->rows = rows;
  return FIRN_OK;
}

void firn_heights_free(firn_heights *heights) {
  if (!heights->value) return;
  firn_free(heights->context, heights->value,
            (size_t)heights->columns * (size_t)heights->rows * sizeof *heights->value);
  heights->value = NULL;
}

static firn_status copy_heights(firn_context *context, const firn_shape_def *def, const char *what,
                                firn_heights *heights) {
  for (int j = 0; j < def->rows; j++) {
    for (int i = 0; i < def->columns; i++) {
      double h = def->heights[(size_t)j * (size_t)def->columns + (size_t)i];
      if (isfinite(h)) continue;
      return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: heights[%d][%d] = %g m is not finite",
                       what, j, i, h);
    }
  }
  FIRN_TRY(firn_heights_alloc(heights, def->columns, def->rows));
  memcpy(heights->value, def->heights,
         (size_t)def->columns * (size_t)def->rows * sizeof *heights->value);
  return FIRN_OK;
}

// Eight samples to the finest wave, unless a number of them is given.
static int samples_for(const firn_shape_def *def, int given, double size) {
  int octaves = def->octaves ? def->octaves : 1;
  double fine = def->wavelength / ldexp(1, octaves - 1);
  return given ? given : (int)fmin(fmax(ceil(8 * size / fine) + 1, 2), 2049);
}

static firn_status noise_heights(firn_context *context, const firn_shape_def *def, const char *what,
                                 firn_heights *heights) {
  FIRN_TRY(firn_shape_check_positive(context, what, "wavelength", def->wavelength));
  FIRN_TRY(firn_shape_check_octaves(context, what, def->octaves));
  int columns = samples_for(def, def->columns, def->size[0]);
  int rows = samples_for(def, def->rows, def->size[1]), octaves = def->octaves ? def->octaves : 1;
  FIRN_TRY(firn_heights_alloc(heights, columns, rows));
  for (int j = 0; j < rows; j++) {
    for (int i = 0; i < columns; i++) {
      // From the middle, so that a larger field has the same hills; and between two layers of the
      // noise's lattice, on which its hills would be flatter.
      double x = (double)i / (columns - 1) - 0.5, z = (double)j / (rows - 1) - 0.5;
      heights->value[(size_t)j * (size_t)columns + (size_t)i] =
          def->amplitude * firn_noise3_octaves(def->seed, octaves,
                                               x * def->size[0] / def->wavelength, 0.5,
                                               z * def->size[1] / def->wavelength, NULL);
    }
  }
  return FIRN_OK;
}

static firn_status get_heights(firn_context *context, const firn_shape_def *def, const char *what,
                               firn_heights *heights) {
  heights->context = context;
  if (def->columns < 0 || def->rows < 0 || def->columns == 1 || def->rows == 1 ||
      (double)def->columns * def->rows > FIRN_HEIGHTS_MOST) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: a height field of %d x %d samples: it takes 2 x 2 to %d in all", what,
                     def->columns, def->rows, FIRN_HEIGHTS_MOST);
  }
  if (!def->heights && !isfinite(def->amplitude)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: amplitude = %g m is not finite", what,
                     def->amplitude);
  }
  if (def->heights) {
    if (def->columns && def->rows) return copy_heights(context, def, what, heights);
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: heights need columns = %d and rows = %d to be set", what, def->columns,
                     def->rows);
  }
  if (!def->image) return noise_heights(context, def, what, heights);
  FIRN_TRY(firn_heights_read_png(heights, def->image, def->amplitude, what));
  if (heights->columns > 1 && heights->rows > 1) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: image %s has %d x %d pixels; it takes 2 x 2",
                   what, def->image, heights->columns, heights->rows);
}

// --------------------------------------------------------------------------------------- making

static firn_status build_level(field *f, int l) {
  level *to = &f->level[l];
  const level *from = l ? &f->level[l - 1] : NULL;
  to->n[0] = from ? (from->n[0] + 1) / 2 : f->heights.columns - 1;
  to->edge[0] = from ? 2 * from->edge[0] : f->cell[0];
  to->edge[1] = from ? 2 * from->edge[1] : f->cell[1];
  to->n[1] = from ? (from->n[1] + 1) / 2 : f->heights.rows - 1;
  to->lohi = firn_alloc(f->base.context, (size_t)to->n[0] * (size_t)to->n[1] * sizeof *to->lohi,
                        "height field");
  if (!to->lohi) return FIRN_ERROR_MEMORY;
  f->levels = l + 1;
  for (int j = 0; j < to->n[1]; j++) {
    for (int i = 0; i < to->n[0]; i++) {
      double lo = INFINITY, hi = -INFINITY;
      for (int c = 0; c < 4; c++) {
        int di = c & 1, dj = c >> 1;
        if (!from) {
          lo = fmin(lo, height_at(f, i + di, j + dj));
          hi = fmax(hi, height_at(f, i + di, j + dj));
        } else if (2 * i + di < from->n[0] && 2 * j + dj < from->n[1]) {
          const double *part =
              from->lohi[(size_t)(2 * j + dj) * (size_t)from->n[0] + (size_t)(2 * i + di)];
          lo = fmin(lo, part[0]);
          hi = fmax(hi, part[1]);
        }
      }
      double *out = to->lohi[(size_t)j * (size_t)to->n[0] + (size_t)i];
      out[0] = lo;
      out[1] = hi;
    }
  }
  return FIRN_OK;
}

// sqrt(1 + slope^2) of the steepest triangle.
static double steepest(const field *f) {
  double most = 0;
  for (int j = 0; j + 1 < f->heights.rows; j++) {
    for (int i = 0; i + 1 < f->heights.columns; i++) {
      double a = height_at(f, i, j), b = height_at(f, i + 1, j), c = height_at(f, i, j + 1);
      double d = height_at(f, i + 1, j + 1);
      double x[2] = {(b - a) / f->cell[0], (d - c) / f->cell[0]};
      double z[2] = {(d - b) / f->cell[1], (c - a) / f->cell[1]};
      most = fmax(most, fmax(x[0] * x[0] + z[0] * z[0], x[1] * x[1] + z[1] * z[1]));
    }
  }
  return sqrt(1 + most);
}

// m^3 above the bottom; the mean height of a triangle is that of its corners.
static double volume(const field *f) {
  double sum = 0, above = f->corner[1] - f->bottom;
  for (int j = 0; j + 1 < f->heights.rows; j++) {
    double row = 0;
    for (int i = 0; i + 1 < f->heights.columns; i++) {
      row += (2 * height_at(f, i, j) + 2 * height_at(f, i + 1, j + 1) + height_at(f, i + 1, j) +
              height_at(f, i, j + 1)) /
                 6 +
             above;
    }
    sum += row;
  }
  return sum * f->cell[0] * f->cell[1];
}

static firn_status make(firn_context *context, const firn_shape_def *def, const char *what,
                        field *f) {
  static const char *const sizes[] = {"size[0]", "size[1]"};
  FIRN_TRY(firn_shape_check_finite3(context, what, "center", def->center));
  FIRN_TRY(firn_shape_check_positive(context, what, sizes[0], def->size[0]));
  FIRN_TRY(firn_shape_check_positive(context, what, sizes[1], def->size[1]));
  FIRN_TRY(firn_shape_check_zero_or_more(context, what, "depth", def->depth));
  FIRN_TRY(get_heights(context, def, what, &f->heights));
  f->cell[0] = def->size[0] / (f->heights.columns - 1);
  f->cell[1] = def->size[1] / (f->heights.rows - 1);
  do {
    FIRN_TRY(build_level(f, f->levels));
  } while (f->level[f->levels - 1].n[0] > 1 || f->level[f->levels - 1].n[1] > 1);
  f->band = BAND * fmax(f->cell[0], f->cell[1]);
  f->steepest = steepest(f);
  const double *lohi = f->level[f->levels - 1].lohi[0];
  firn_shape *base = &f->base;
  memcpy(base->center, def->center, sizeof base->center);
  f->corner[0] = def->center[0] - def->size[0] / 2;
  f->corner[1] = def->center[1];
  f->corner[2] = def->center[2] - def->size[1] / 2;
  f->ground = !(def->depth > 0);
  f->bottom = def->center[1] - def->depth;
  if (f->ground) {
    base->volume = INFINITY;
    return FIRN_OK;
  }
  base->bounded = true;
  const double lo[3] = {f->corner[0], f->bottom, f->corner[2]};
  const double hi[3] = {lo[0] + def->size[0], f->corner[1] + lohi[1], lo[2] + def->size[1]};
  memcpy(base->lo, lo, sizeof lo);
  memcpy(base->hi, hi, sizeof hi);
  if (!(hi[1] > lo[1])) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: the greatest height of %g m is below the bottom at depth = %g m", what,
                     lohi[1], def->depth);
  }
  if (lohi[0] >= -def->depth) base->volume = volume(f);
  return FIRN_OK;
}

firn_status firn_height_field_make(firn_context *context, const firn_shape_def *def,
                                   const char *what, firn_shape **out) {
  field *f = (field *)firn_shape_new(context, def->kind, &ops, sizeof *f);
  if (!f) return FIRN_ERROR_MEMORY;
  firn_status status = make(context, def, what, f);
  if (status != FIRN_OK) {
    firn_shape_release(&f->base);
    return status;
  }
  firn_shape_digest_add(&f->base, f->corner, sizeof f->corner);
  firn_shape_digest_add(&f->base, f->cell, sizeof f->cell);
  firn_shape_digest_add(&f->base, &f->bottom, sizeof f->bottom);
  firn_shape_digest_add(&f->base, f->heights.value,
                        (size_t)f->heights.columns * (size_t)f->heights.rows * sizeof(double));
  *out = &f->base;
  return FIRN_OK;
}
