// SPDX-License-Identifier: Apache-2.0
// labels: slow
// timeout: 240
// long in double
// Samples of surfaces: how near, how far, how many, on what, and that nothing else matters.
#include "geometry/solids.h"
//
#include <time.h>

#include "geometry/sdf.h"
#include "geometry/surface_samples.h"
#include "support/checker.h"

static const double PI = 3.14159265358979323846;
// Spacings: what is left when throwing ends is a 16th wide, and a throw is moved by as much as that.
// Throws at the surface never found more than 0.86.
static const double HOLE = 0.9;

static firn_shape *make(firn_context *context, firn_shape_def def) {
  firn_shape *shape = NULL;
  if (firn_shape_create(context, &def, &shape)) fail_msg("%s", firn_context_message(context));
  return shape;
}

static void end(firn_context *context) {
  assert_int_equal(firn_context_bytes(context), 0);
  firn_context_destroy(context);
}

static firn_surface_samples sample(const firn_shape *shape, const firn_surface_def *def) {
  firn_surface_samples s;
  if (firn_shape_surface(shape, def, "test", &s)) {
    fail_msg("%s", firn_context_message(shape->context));
  }
  return s;
}

// -------------------------------------------------------------------------------------- a hash grid

typedef struct grid {
  const firn_surface_samples *s;
  double cell; // m
  size_t slots;
  uint32_t *head, *next; // number of a sample plus 1
} grid;

static size_t slot_of(const grid *g, const double at[3]) {
  uint64_t h = 0;
  for (int a = 0; a < 3; a++) h = (h ^ (uint64_t)(int64_t)at[a]) * 0x9E3779B97F4A7C15u;
  return (size_t)(h >> 24) & (g->slots - 1);
}

static grid make_grid(const firn_surface_samples *s, double cell) {
  grid g = {.s = s, .cell = cell, .slots = 1024};
  while (g.slots < 2 * s->count) g.slots *= 2;
  g.head = calloc(g.slots, sizeof *g.head);
  g.next = calloc(s->count + 1, sizeof *g.next);
  assert_non_null(g.head);
  assert_non_null(g.next);
  for (size_t i = 0; i < s->count; i++) {
    double at[3];
    for (int a = 0; a < 3; a++) at[a] = floor(s->sample[i].position[a] / cell);
    size_t k = slot_of(&g, at);
    g.next[i] = g.head[k];
    g.head[k] = (uint32_t)i + 1;
  }
  return g;
}

static void free_grid(grid *g) {
  free(g->head);
  free(g->next);
}

// The distance from x to the nearest sample but one, up to a cell.
static double nearest(const grid *g, const double x[3], size_t but) {
  double least = INFINITY;
  for (int o = 0; o < 27; o++) {
    const double at[3] = {floor(x[0] / g->cell) + o / 9 - 1, floor(x[1] / g->cell) + o / 3 % 3 - 1,
                          floor(x[2] / g->cell) + o % 3 - 1};
    for (uint32_t i = g->head[slot_of(g, at)]; i; i = g->next[i - 1]) {
      if (i - 1 == but) continue;
      const double *y = g->s->sample[i - 1].position;
      least = fmin(least, sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                               (x[2] - y[2]) * (x[2] - y[2])));
    }
  }
  return least;
}

static double least_apart(const firn_surface_samples *s, double spacing) {
  grid g = make_grid(s, 2 * spacing);
  double least = INFINITY;
  for (size_t i = 0; i < s->count; i++) least = fmin(least, nearest(&g, s->sample[i].position, i));
  free_grid(&g);
  return least;
}

// The farthest that any point of the surface in [lo, hi] is from a sample, as far as throws at it tell.
static double widest_hole(const firn_surface_samples *s, const firn_shape *shape, double spacing,
                          const double lo[3], const double hi[3], size_t *hits) {
  grid g = make_grid(s, 2 * spacing);
  double widest = 0;
  *hits = 0;
  uint32_t throws = is_slow() ? 10000 : 150000;
  for (uint32_t i = 0; i < throws; i++) {
    double x[3], n[3], d = 1;
    solid_random(i, lo, hi, x);
    for (int k = 0; k < 40 && fabs(d) > 1e-6 * spacing; k++) {
      d = firn_shape_distance(shape, x, n);
      for (int a = 0; a < 3; a++) x[a] -= d * n[a];
    }
    bool in = fabs(d) < 1e-5 * spacing;
    for (int a = 0; a < 3; a++) in = in && x[a] >= lo[a] && x[a] < hi[a];
    if (!in) continue;
    ++*hits;
    widest = fmax(widest, nearest(&g, x, SIZE_MAX));
  }
  free_grid(&g);
  return widest;
}

typedef struct wanted {
  double area;         // m^2; 0: not known
  double least, most;  // samples for each square of the spacing
  double hole;         // spacings; 0: HOLE
  double lo[3], hi[3]; // m: where to look for holes; all 0: the bounds
} wanted;

static void check(const char *name, const firn_shape *shape, double spacing, wanted w) {
  firn_surface_def def = firn_default_surface_def(spacing);
  double lo[3], hi[3];
  if (!firn_shape_bounds(shape, lo, hi) || w.hi[0] > w.lo[0]) {
    memcpy(lo, w.lo, sizeof lo);
    memcpy(hi, w.hi, sizeof hi);
    for (int a = 0; a < 3; a++) def.lo[a] = lo[a] - 2 * spacing, def.hi[a] = hi[a] + 2 * spacing;
  } else {
    for (int a = 0; a < 3; a++) lo[a] -= spacing, hi[a] += spacing;
  }
  firn_surface_samples s = sample(shape, &def);
  assert_true(s.count > 0);
  for (size_t i = 0; i < s.count; i++) {
    const firn_surface_sample *p = &s.sample[i];
    double n[3], d = firn_shape_distance(shape, p->position, n), turned = 0, length = 0;
    if (!(fabs(d) < 1e-3 * spacing)) fail_msg("%s: sample %zu is %g m off", name, i, d);
    for (int a = 0; a < 3; a++) {
      turned += n[a] * p->normal[a];
      length += p->normal[a] * p->normal[a];
    }
    assert_true(fabs(length - 1) < 1e-9);
    if (!(turned > 1 - 1e-6))
      fail_msg("%s: normal of sample %zu is off by %g", name, i, 1 - turned);
    assert_true(p->triangle == FIRN_SAMPLE_NO_TRIANGLE);
  }
  double least = least_apart(&s, spacing) / spacing;
  size_t hits;
  double hole = widest_hole(&s, shape, spacing, lo, hi, &hits) / spacing;
  double per = w.area > 0 ? (double)s.count * spacing * spacing / w.area : 0;
  printf("%-24s %8zu samples, %.3f a square, least %.4f, hole %.4f of %zu\n", name, s.count, per,
         least, hole, hits);
  assert_true(hits > (is_slow() ? 100 : 1000));
  assert_true(least >= FIRN_SAMPLE_NEAREST - 1e-9);
  assert_true(hole <= (w.hole > 0 ? w.hole : HOLE));
  if (w.area > 0) assert_true(per >= w.least && per <= w.most);
  firn_surface_samples_free(&s);
}

// Random discs that leave no room for another cover 0.547 of a plane (Feder 1980): 0.547 / (pi/4 0.83^2)
// = 1.011 samples a square. On bodies some tens of spacings across, curvature and edges add some per cent.
static void thrown_samples_are_apart_and_leave_no_holes(void **state) {
  (void)state;
  firn_context *context = solid_context(2);
  const double zero[3] = {0, 0, 0}, from[3] = {-1, 0, 0}, to[3] = {1, 0.3, 0.2};
  const double axis[3] = {0.3, 1, 0.2}, radii[3] = {1, 0.5, 0.7};
  firn_shape *ball = make(context, firn_sphere(zero, 1));
  check("ball", ball, 0.03, (wanted){4 * PI, 0.95, 1.08, 0, {0}, {0}});
  check("small ball", ball, 0.7, (wanted){4 * PI, 0.7, 1.4, 0, {0}, {0}});
  check("tiny ball", ball, 10, (wanted){0});
  firn_shape *other = make(context, firn_sphere((double[]){0.8, 0.5, 0}, 0.7));
  firn_shape *ring = make(context, firn_torus(zero, axis, 1, 0.3));
  check("torus", ring, 0.04, (wanted){4 * PI * PI * 0.3, 0.95, 1.1, 0, {0}, {0}});
  firn_shape *egg = make(context, firn_ellipsoid(zero, radii));
  check("ellipsoid", egg, 0.04, (wanted){6.702, 0.93, 1.12, 0, {0}, {0}});
  firn_shape *can = make(context, firn_cylinder(from, to, 0.5));
  double length = sqrt(4.13);
  check("cylinder", can, 0.05, (wanted){PI * length + PI / 2, 0.93, 1.12, 0, {0}, {0}});
  firn_shape *hat = make(context, firn_cone(from, to, 0.5, 0));
  check("cone", hat, 0.05, (wanted){0});
  firn_shape *two = make(context, firn_union(2, (const firn_shape *[]){ball, other}));
  check("union", two, 0.05, (wanted){0});
  firn_shape *cut = make(context, firn_difference(2, (const firn_shape *[]){ball, other}));
  check("difference", cut, 0.05, (wanted){0});
  firn_shape *lens = make(context, firn_intersection(2, (const firn_shape *[]){ball, other}));
  check("intersection", lens, 0.05, (wanted){0});
  firn_shape *soft = make(context, firn_smooth_union(2, (const firn_shape *[]){ball, other}, 0.2));
  check("smooth union", soft, 0.05, (wanted){0});
  firn_shape *rough = make(context, firn_displace(ball, 0.08, 0.4, 2, 5));
  check("displaced", rough, 0.05, (wanted){0});
  firn_shape *skin = make(context, firn_shell(ball, 0.1, 0.1));
  check("shell", skin, 0.05, (wanted){4 * PI * (1.21 + 0.81), 0.93, 1.12, 0, {0}, {0}});
  firn_shape *word = make(context, firn_text(zero, "firn", 1, 0.3));
  check("text", word, 0.04, (wanted){0});
  firn_shape *hills = make(context, firn_height_noise(zero, (double[]){6, 6}, 0.4, 1.5, 3, 9));
  check("height field", hills, 0.05, (wanted){0, 0, 0, 0, {-2, -1, -2}, {2, 1.5, 2}});
  firn_shape *all[] = {ball, other, ring, egg,   can,  hat,  two,
                       cut,  lens,  soft, rough, skin, word, hills};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) firn_shape_release(all[i]);
  end(context);
}

// Plates thinner than the spacing, needles, and edges that the surface meets at small angles.
static void thin_shapes_have_no_holes(void **state) {
  (void)state;
  firn_context *context = solid_context(2);
  const double zero[3] = {0, 0, 0};
  firn_shape *plate = make(context, firn_box(zero, (double[]){1, 0.004, 0.6}));
  // One layer, or a little more: both sides share their samples.
  check("plate", plate, 0.04, (wanted){2.4, 0.9, 1.3, 0, {0}, {0}});
  firn_shape *rod = make(context, firn_capsule((double[]){-1, 0, 0}, (double[]){1, 1, 0}, 0.003));
  check("rod", rod, 0.04, (wanted){0});
  firn_shape *needle = make(context,
                            firn_cone((double[]){-1, 0, 0}, (double[]){1, 1, 0.3}, 0.05, 0));
  check("needle", needle, 0.05, (wanted){0});
  firn_shape *slab = make(context, firn_box(zero, (double[]){0.5, 0.06, 0.5}));
  check("slab of 2.4 spacings", slab, 0.05, (wanted){2 + 0.24, 0.9, 1.2, 0, {0}, {0}});
  firn_shape_release(plate);
  firn_shape_release(rod);
  firn_shape_release(needle);
  firn_shape_release(slab);
  end(context);
}

// ------------------------------------------------------------------------------------ flat surfaces

// Every sample of a half space has four others at exactly one spacing, along the same two axes.
static void half_spaces_have_a_square_lattice(void **state) {
  (void)state;
  firn_context *context = solid_context(2);
  const double d = 0.05, tilt = 0.7;
  const double normals[][3] = {{0, 1, 0}, {-sin(tilt), cos(tilt), 0}, {1, 2, 3}, {0, 0, -1}};
  for (int k = 0; k < 4; k++) {
    const double point[3] = {0.3, 0.123, -0.4};
    firn_shape *plane = make(context, firn_half_space(point, normals[k]));
    firn_surface_def def = firn_default_surface_def(d);
    for (int a = 0; a < 3; a++) def.lo[a] = -2, def.hi[a] = 2;
    firn_surface_samples s = sample(plane, &def);
    grid g = make_grid(&s, 2 * d);
    size_t inner = 0;
    for (size_t i = 0; i < s.count; i++) {
      const double *x = s.sample[i].position;
      assert_true(fabs(firn_shape_distance(plane, x, NULL)) < 1e-12);
      bool edge = false;
      for (int a = 0; a < 3; a++) edge = edge || fabs(x[a]) > 2 - 3 * d;
      if (edge) continue;
      inner++;
      int around = 0;
      for (size_t j = 0; j < s.count; j++) {
        const double *y = s.sample[j].position;
        double r = sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                        (x[2] - y[2]) * (x[2] - y[2]));
        assert_true(i == j || r > d * (1 - 1e-9));
        around += fabs(r - d) < 1e-9 * d;
      }
      assert_int_equal(around, 4);
      if (inner > 40) break;
    }
    assert_true(inner > 40);
    // Under the middles of the cells of a lattice that begins at the origin.
    if (k == 0) {
      double phase = s.sample[0].position[0] / d - 0.5;
      assert_true(fabs(phase - rint(phase)) < 1e-9);
      assert_int_equal(s.count, 80 * 80);
    }
    free_grid(&g);
    firn_surface_samples_free(&s);
    check("half space", plane, d, (wanted){0, 0, 0, 0.7072, {-1, -1, -1}, {1, 1, 1}});
    firn_shape_release(plane);
  }
  end(context);
}

static void boxes_have_lattices_with_samples_in_edges_and_corners(void **state) {
  (void)state;
  firn_context *context = solid_context(2);
  const double center[3] = {0.2, 0.3, -0.1}, half[3] = {0.5, 0.25, 0.15};
  firn_shape *box = make(context, firn_box(center, half));
  firn_surface_def def = firn_default_surface_def(0.05);
  firn_surface_samples s = sample(box, &def);
  assert_int_equal(s.count, 21 * 11 * 7 - 19 * 9 * 5); // the nodes of a lattice that are on faces
  int corners = 0;
  for (size_t i = 0; i < s.count; i++) {
    int at = 0;
    for (int a = 0; a < 3; a++) {
      double u = (s.sample[i].position[a] - center[a]) / half[a];
      at += fabs(fabs(u) - 1) < 1e-9;
    }
    corners += at == 3;
  }
  assert_int_equal(corners, 8);
  firn_surface_samples_free(&s);
  // Edges that are no whole number of spacings, turned, scaled and moved.
  double q[4];
  firn_rotation((double[]){1, 2, 3}, 1.1, q);
  firn_shape *moved = make(context, firn_transform(box, (double[]){5, -2, 1}, q, 1.37));
  double area = 1.37 * 1.37 * 8 * (0.5 * 0.25 + 0.25 * 0.15 + 0.15 * 0.5);
  check("moved box", moved, 0.05, (wanted){area, 0.93, 1.12, 0.8, {0}, {0}});
  check("coarse box", moved, 0.12, (wanted){area, 0.8, 1.3, 0.9, {0}, {0}});
  // A box on ground that is cut by another: lattices where they fit, throws between them.
  firn_shape *ground = make(context, firn_half_space((double[]){0, 0, 0}, (double[]){0, 1, 0}));
  firn_shape *pit = make(context, firn_sphere((double[]){-0.8, 0, 0}, 0.5));
  firn_shape *pair = make(context, firn_union(2, (const firn_shape *[]){ground, box}));
  firn_shape *site = make(context, firn_difference(2, (const firn_shape *[]){pair, pit}));
  check("site", site, 0.05, (wanted){0, 0, 0, 0, {-2, -1, -2}, {2, 1, 2}});
  firn_shape *all[] = {box, moved, ground, pit, pair, site};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) firn_shape_release(all[i]);
  end(context);
}

// ----------------------------------------------------------------------------- what does not matter

static bool is_same(const firn_surface_samples *s, const firn_surface_samples *t) {
  return s->count == t->count && memcmp(s->sample, t->sample, s->count * sizeof *s->sample) == 0;
}

// A body with a lattice in its ground, and throws everywhere else.
static firn_shape *make_mixed(firn_context *context) {
  firn_shape *ground = make(context, firn_half_space((double[]){0, 0, 0}, (double[]){0, 1, 0}));
  firn_shape *ball = make(context, firn_sphere((double[]){0.1, 0.1, 0.2}, 0.6));
  firn_shape *box = make(context, firn_box((double[]){-1, 0.2, 0}, (double[]){0.3, 0.4, 0.5}));
  firn_shape *both = make(context, firn_union(3, (const firn_shape *[]){ground, ball, box}));
  firn_shape_release(ground);
  firn_shape_release(ball);
  firn_shape_release(box);
  return both;
}

static void threads_do_not_matter(void **state) {
  (void)state;
  firn_surface_samples first = {0};
  firn_context *held = NULL;
  for (int threads = 1; threads <= 7; threads += 3) {
    firn_context *context = solid_context(threads);
    firn_shape *shape = make_mixed(context);
    firn_surface_def def = firn_default_surface_def(0.04);
    for (int a = 0; a < 3; a++) def.lo[a] = -2, def.hi[a] = 2;
    firn_surface_samples s = sample(shape, &def);
    firn_shape_release(shape);
    if (threads == 1) {
      first = s;
      held = context;
      continue;
    }
    assert_true(is_same(&s, &first));
    firn_surface_samples_free(&s);
    end(context);
  }
  firn_surface_samples_free(&first);
  end(held);
}

static int by_position(const void *a, const void *b) {
  return memcmp(((const firn_surface_sample *)a)->position,
                ((const firn_surface_sample *)b)->position, 3 * sizeof(double));
}

// Whatever boxes are asked for, a place has the same samples: a large box, and many small ones of odd
// sizes that fill it.
static void boxes_do_not_matter(void **state) {
  (void)state;
  firn_context *context = solid_context(2);
  firn_shape *shapes[3] = {
      make_mixed(context),
      make(context, firn_height_noise((double[]){0, 0, 0}, (double[]){6, 6}, 0.4, 1.5, 3, 9)),
      make(context, firn_sphere((double[]){0, 0, 0}, 1))};
  for (int k = 0; k < 3; k++) {
    firn_surface_def def = firn_default_surface_def(0.06);
    for (int a = 0; a < 3; a++) def.lo[a] = -1.5, def.hi[a] = 1.5;
    firn_surface_samples all = sample(shapes[k], &def), parts = {.context = context};
    parts.sample = calloc(2 * all.count + 1000, sizeof *parts.sample);
    assert_non_null(parts.sample);
    const double cuts[] = {-1.5, -0.83, -0.6, 0.11, 0.54, 1.5};
    for (int i = 0; i < 125; i++) {
      const int at[3] = {i / 25, i / 5 % 5, i % 5};
      firn_surface_def part = def;
      for (int a = 0; a < 3; a++) part.lo[a] = cuts[at[a]], part.hi[a] = cuts[at[a] + 1];
      firn_surface_samples s = sample(shapes[k], &part);
      if (s.count) memcpy(parts.sample + parts.count, s.sample, s.count * sizeof *s.sample);
      parts.count += s.count;
      assert_true(parts.count <= all.count);
      firn_surface_samples_free(&s);
    }
    qsort(all.sample, all.count, sizeof *all.sample, by_position);
    qsort(parts.sample, parts.count, sizeof *parts.sample, by_position);
    assert_true(is_same(&all, &parts));
    free(parts.sample);
    firn_surface_samples_free(&all);
    firn_shape_release(shapes[k]);
  }
  end(context);
}

static void seeds_matter_to_throws(void **state) {
  (void)state;
  firn_context *context = solid_context(2);
  firn_shape *ball = make(context, firn_sphere((double[]){0, 0, 0}, 1));
  firn_surface_def def = firn_default_surface_def(0.1);
  firn_surface_samples s = sample(ball, &def);
  def.seed = 1;
  firn_surface_samples t = sample(ball, &def);
  assert_false(is_same(&s, &t));
  firn_surface_samples_free(&s);
  firn_surface_samples_free(&t);
  firn_shape_release(ball);
  end(context);
}

// ------------------------------------------------------------------------------------------- meshes

// Any point of a mesh, by its number.
static void mesh_point(const firn_mesh *mesh, uint32_t i, double x[3]) {
  firn_philox r = firn_philox4x32(11, i, 3, 0);
  size_t t = (size_t)((uint64_t)r.v[0] * firn_mesh_triangle_count(mesh) >> 32);
  double u = firn_uniform(r.v[1]), v = firn_uniform(r.v[2]);
  if (u + v > 1) u = 1 - u, v = 1 - v;
  const double w[3] = {1 - u - v, u, v};
  for (int a = 0; a < 3; a++) {
    x[a] = 0;
    for (size_t k = 0; k < 3; k++) {
      x[a] += w[k] * firn_mesh_positions(
                         mesh)[3 * (size_t)firn_mesh_triangles(mesh)[3 * t + k] + (size_t)a];
    }
  }
}

static void check_mesh(const char *name, const firn_mesh *mesh, double spacing, double least_per,
                       double most_per) {
  firn_surface_def def = firn_default_surface_def(spacing);
  firn_surface_samples s;
  assert_int_equal(firn_mesh_surface(mesh, &def, "test", &s), FIRN_OK);
  firn_mesh_report report;
  firn_mesh_get_report(mesh, &report);
  for (size_t i = 0; i < s.count; i++) {
    const firn_surface_sample *p = &s.sample[i];
    assert_true(p->triangle < firn_mesh_triangle_count(mesh));
    double x[3] = {0, 0, 0}, sum = 0;
    for (size_t k = 0; k < 3; k++) {
      sum += p->weight[k];
      assert_true(p->weight[k] >= -1e-12);
      uint32_t v = firn_mesh_triangles(mesh)[3 * (size_t)p->triangle + k];
      for (size_t a = 0; a < 3; a++) {
        x[a] += p->weight[k] * firn_mesh_positions(mesh)[3 * (size_t)v + a];
      }
    }
    assert_true(fabs(sum - 1) < 1e-12);
    for (int a = 0; a < 3; a++) assert_true(fabs(x[a] - p->position[a]) < 1e-9 * spacing);
  }
  grid g = make_grid(&s, 2 * spacing);
  double hole = 0;
  for (uint32_t i = 0; i < (is_slow() ? 20000u : 150000u); i++) {
    double x[3];
    mesh_point(mesh, i, x);
    hole = fmax(hole, nearest(&g, x, SIZE_MAX) / spacing);
  }
  free_grid(&g);
  double per = (double)s.count * spacing * spacing / report.area;
  double least = least_apart(&s, spacing) / spacing;
  printf("%-24s %8zu samples, %.3f a square, least %.4f, hole %.4f\n", name, s.count, per, least,
         hole);
  assert_true(least >= FIRN_SAMPLE_NEAREST - 1e-9);
  assert_true(hole <= HOLE);
  assert_true(per >= least_per && per <= most_per);
  // Another number of threads.
  firn_context *context = s.context;
  firn_surface_samples t;
  int threads = context->threads;
  context->threads = 5;
  assert_int_equal(firn_mesh_surface(mesh, &def, "test", &t), FIRN_OK);
  context->threads = threads;
  assert_true(is_same(&s, &t));
  firn_surface_samples_free(&s);
  firn_surface_samples_free(&t);
}

static void meshes_are_covered_closed_or_open(void **state) {
  (void)state;
  firn_context *context = solid_context(2);
  solid s = {0};
  solid_bumpy_torus(&s, 120, 60);
  firn_mesh *mesh = solid_mesh(context, &s);
  check_mesh("mesh, small triangles", mesh, 0.1, 0.9, 1.15);
  check_mesh("mesh, large triangles", mesh, 0.02, 0.95, 1.08);
  firn_mesh_release(mesh);
  s.triangles /= 2; // half of it, open
  mesh = solid_mesh(context, &s);
  firn_mesh_report report;
  firn_mesh_get_report(mesh, &report);
  assert_false(report.closed);
  check_mesh("open mesh", mesh, 0.05, 0.9, 1.15);
  firn_mesh_release(mesh);
  solid_free(&s);
  solid_box(&s, (double[]){-1, -0.01, -1}, (double[]){1, 0.01, 1});
  mesh = solid_mesh(context, &s);
  check_mesh("thin mesh", mesh, 0.05, 0.45, 0.65); // a layer for both sides
  firn_mesh_release(mesh);
  solid_free(&s);
  end(context);
}

// A mesh that is turned, stretched and moved takes its samples along, with the velocity of its vertices.
static void samples_go_with_their_triangles(void **state) {
  (void)state;
  firn_context *context = solid_context(2);
  solid s = {0};
  solid_sphere(&s, (double[]){0, 0, 0}, 1, 24);
  firn_mesh *mesh = solid_mesh(context, &s);
  firn_surface_def def = firn_default_surface_def(0.1);
  firn_surface_samples before, now;
  assert_int_equal(firn_mesh_surface(mesh, &def, "test", &before), FIRN_OK);
  assert_int_equal(firn_mesh_surface(mesh, &def, "test", &now), FIRN_OK);
  size_t n = firn_mesh_vertex_count(mesh);
  double *x = malloc(3 * n * sizeof *x), *v = malloc(3 * n * sizeof *v);
  double(*velocity)[3] = malloc(now.count * sizeof *velocity);
  assert_true(x && v && velocity);
  const double *p = firn_mesh_positions(mesh);
  for (size_t i = 0; i < n; i++) { // x y z -> -y + 3, 2 x, z: turned by a quarter, stretched
    const double to[3] = {3 - p[3 * i + 1], 2 * p[3 * i], p[3 * i + 2]};
    memcpy(x + 3 * i, to, sizeof to);
    for (size_t a = 0; a < 3; a++) v[3 * i + a] = 5 * to[a];
  }
  firn_surface_samples_carry(&now, firn_mesh_triangles(mesh), x, v, velocity);
  for (size_t i = 0; i < now.count; i++) {
    const double *from = before.sample[i].position, *to = now.sample[i].position;
    const double *m = before.sample[i].normal, *k = now.sample[i].normal;
    assert_true(fabs(to[0] - (3 - from[1])) < 1e-12);
    assert_true(fabs(to[1] - 2 * from[0]) < 1e-12);
    assert_true(fabs(to[2] - from[2]) < 1e-12);
    double to_be[3] = {-m[1], m[0] / 2, m[2]}, unit[3]; // by the inverse transpose
    firn_sdf_direction(to_be, unit);
    for (int a = 0; a < 3; a++) {
      assert_true(fabs(k[a] - unit[a]) < 1e-9);
      assert_true(fabs(velocity[i][a] - 5 * to[a]) < 1e-12);
    }
  }
  free(x);
  free(v);
  free(velocity);
  firn_surface_samples_free(&before);
  firn_surface_samples_free(&now);
  firn_mesh_release(mesh);
  solid_free(&s);
  end(context);
}

// A level set is sampled where its own zero is, and so is a body between two keys.
static void level_sets_and_deforming_bodies_are_sampled(void **state) {
  (void)state;
  firn_context *context = solid_context(2);
  solid s = {0};
  solid_sphere(&s, (double[]){0, 0, 0}, 1, 40);
  firn_mesh *mesh = solid_mesh(context, &s);
  firn_shape_def d = firn_mesh_shape(mesh);
  d.voxel = 0.05;
  firn_shape *shape = make(context, d);
  check("level set of a mesh", shape, 0.08, (wanted){4 * PI, 0.9, 1.12, 0, {0}, {0}});
  firn_shape_release(shape);

  solid moved = {0};
  solid_sphere(&moved, (double[]){1, 0, 0}, 1, 40);
  firn_mesh *later = solid_mesh(context, &moved);
  firn_sequence_def keys = firn_default_sequence_def();
  keys.count = 2;
  keys.times = (double[]){0, 2};
  keys.meshes = (const firn_mesh *[]){mesh, later};
  keys.voxel = 0.05;
  firn_sequence *body;
  assert_int_equal(firn_sequence_create(context, &keys, &body), FIRN_OK);
  firn_surface_def def = firn_default_surface_def(0.08);
  def.time = 1;
  firn_surface_samples t;
  assert_int_equal(firn_sequence_surface(body, &def, "test", &t), FIRN_OK);
  assert_true(fabs((double)t.count * 0.0064 / (4 * PI) - 1) < 0.1);
  for (size_t i = 0; i < t.count; i++) { // the ball half way; polygons and voxels blur it
    const double *x = t.sample[i].position;
    double r = sqrt((x[0] - 0.5) * (x[0] - 0.5) + x[1] * x[1] + x[2] * x[2]);
    assert_true(fabs(r - 1) < 6e-3);
  }
  firn_surface_samples_free(&t);
  firn_sequence_release(body);
  firn_mesh_release(mesh);
  firn_mesh_release(later);
  solid_free(&s);
  solid_free(&moved);
  end(context);
}

// ------------------------------------------------------------------------------------------- errors

static void wrong_questions_are_refused(void **state) {
  (void)state;
  firn_context *context = solid_context(1);
  firn_shape *plane = make(context, firn_half_space((double[]){0, 0, 0}, (double[]){0, 1, 0}));
  firn_surface_def def = firn_default_surface_def(0);
  firn_surface_samples s;
  assert_int_equal(firn_shape_surface(plane, &def, "wall", &s), FIRN_ERROR_ARGUMENT);
  assert_non_null(strstr(firn_context_message(context), "wall: spacing = 0 m"));
  def.spacing = 0.1;
  assert_int_equal(firn_shape_surface(plane, &def, "wall", &s), FIRN_ERROR_ARGUMENT);
  assert_non_null(strstr(firn_context_message(context), "smaller box"));
  def.lo[0] = 1;
  def.hi[0] = -1;
  assert_int_equal(firn_shape_surface(plane, &def, "wall", &s), FIRN_ERROR_ARGUMENT);
  assert_non_null(strstr(firn_context_message(context), "from 1 m to -1 m along x"));
  // Nothing of the surface is in the box.
  firn_shape *ball = make(context, firn_sphere((double[]){0, 0, 0}, 1));
  for (int a = 0; a < 3; a++) def.lo[a] = 5, def.hi[a] = 6;
  s = sample(ball, &def);
  assert_int_equal(s.count, 0);
  firn_surface_samples_free(&s);
  firn_shape_release(ball);
  firn_shape_release(plane);
  end(context);
}

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Printed, not held: machines differ.
static void many_samples_take_a_while(void **state) {
  (void)state;
  if (is_slow()) skip();
  firn_context *context = solid_context(2);
  firn_shape *ball = make(context, firn_sphere((double[]){0, 0, 0}, 1));
  firn_surface_def def = firn_default_surface_def(sqrt(4 * PI * 1e-5));
  double t = cpu_seconds();
  firn_surface_samples s = sample(ball, &def);
  printf("ball: %.2f us a sample\n", (cpu_seconds() - t) / (double)s.count * 1e6);
  assert_true(fabs((double)s.count / 1e5 - 1.03) < 0.02);
  firn_surface_samples_free(&s);
  firn_shape_release(ball);
  firn_shape *plane = make(context, firn_half_space((double[]){0, 0, 0}, (double[]){1, 5, 2}));
  def = firn_default_surface_def(3e-3);
  for (int a = 0; a < 3; a++) def.lo[a] = -0.5, def.hi[a] = 0.5;
  t = cpu_seconds();
  s = sample(plane, &def);
  printf("half space: %.2f us a sample\n", (cpu_seconds() - t) / (double)s.count * 1e6);
  firn_surface_samples_free(&s);
  firn_shape_release(plane);
  end(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(thrown_samples_are_apart_and_leave_no_holes),
      cmocka_unit_test(thin_shapes_have_no_holes),
      cmocka_unit_test(half_spaces_have_a_square_lattice),
      cmocka_unit_test(boxes_have_lattices_with_samples_in_edges_and_corners),
      cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test(boxes_do_not_matter),
      cmocka_unit_test(seeds_matter_to_throws),
      cmocka_unit_test(meshes_are_covered_closed_or_open),
      cmocka_unit_test(samples_go_with_their_triangles),
      cmocka_unit_test(level_sets_and_deforming_bodies_are_sampled),
      cmocka_unit_test(wrong_questions_are_refused),
      cmocka_unit_test(many_samples_take_a_while),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
