// SPDX-License-Identifier: Apache-2.0
// labels: M34 slow
// Level sets: interpolation, what they answer far away, and key frames.
#include "solids.h"

#include "support/checker.h"
#include "support/context.h"

#include "geometry/level_set.h"
#include "geometry/level_set_sequence.h"

// One rounding of a stored value.
#define EPS FIRN_REAL_EPS

// ------------------------------------------------------------------------------------- given grids

enum { NX = 21, NY = 14, NZ = 30 };

typedef double (*scalar_fn)(const double x[3]);
typedef void (*vector_fn)(const double x[3], double out[3]);

// A grid of known functions; values belong to the caller.
typedef struct lattice {
  firn_distance_grid grid;
  double distance[NX * NY * NZ], velocity[3 * NX * NY * NZ];
} lattice;

static lattice *make_lattice(scalar_fn distance, vector_fn velocity) {
  lattice *l = calloc(1, sizeof *l);
  assert_non_null(l);
  l->grid = (firn_distance_grid){.origin = {-1.1, 0.3, 2}, .voxel = 0.125, .nodes = {NX, NY, NZ}};
  l->grid.distance = l->distance;
  l->grid.velocity = velocity ? l->velocity : NULL;
  for (int z = 0, i = 0; z < NZ; z++) {
    for (int y = 0; y < NY; y++) {
      for (int x = 0; x < NX; x++, i++) {
        double p[3] = {-1.1 + 0.125 * x, 0.3 + 0.125 * y, 2 + 0.125 * z};
        l->distance[i] = distance(p);
        if (velocity) velocity(p, l->velocity + 3 * i);
      }
    }
  }
  return l;
}

static firn_level_set *level_set_of(const lattice *l) {
  firn_level_set *set;
  assert_int_equal(firn_level_set_from_grid(context, &l->grid, "grid", &set), FIRN_OK);
  return set;
}

// Inside the grid, but for a margin.
static void point_of(uint32_t i, double margin, double p[3]) {
  const double lo[3] = {-1.1 + margin, 0.3 + margin, 2 + margin};
  const double hi[3] = {-1.1 + 2.5 - margin, 0.3 + 1.625 - margin, 2 + 3.625 - margin};
  solid_random(i, lo, hi, p);
}

// Products of the coordinates are what trilinear interpolation has exactly.
static double trilinear(const double x[3]) {
  return 0.3 + 0.5 * x[0] - 0.25 * x[1] + 0.1 * x[2] + 0.2 * x[0] * x[1] - 0.3 * x[1] * x[2] +
         0.15 * x[2] * x[0] + 0.4 * x[0] * x[1] * x[2];
}

static void trilinear_gradient(const double x[3], double g[3]) {
  g[0] = 0.5 + 0.2 * x[1] + 0.15 * x[2] + 0.4 * x[1] * x[2];
  g[1] = -0.25 + 0.2 * x[0] - 0.3 * x[2] + 0.4 * x[0] * x[2];
  g[2] = 0.1 - 0.3 * x[1] + 0.15 * x[0] + 0.4 * x[0] * x[1];
}

static void interpolation_and_its_gradient_are_exact(void **state) {
  (void)state;
  lattice *l = make_lattice(trilinear, trilinear_gradient);
  firn_level_set *set = level_set_of(l);
  for (uint32_t i = 0; i < 2000; i++) {
    double p[3], g[3], expected[3], v[3];
    point_of(i, 0, p);
    double phi = firn_level_set_sample(set, p, g);
    trilinear_gradient(p, expected);
    firn_level_set_velocity(set, p, v);
    // Values are at most 10; half a rounding of each node, and some more on the way in double.
    assert_true(fabs(phi - trilinear(p)) < 10 * EPS + 1e-13);
    for (int a = 0; a < 3; a++) {
      assert_true(fabs(g[a] - expected[a]) < 10 * EPS / 0.125 + 1e-12); // differences over a voxel
      assert_true(fabs(v[a] - expected[a]) < 10 * EPS + 1e-13);
    }
  }
  firn_level_set_release(set);
  free(l);
}

static double ball(const double x[3]) {
  double r[3] = {x[0] - 0.1, x[1] - 1.1, x[2] - 3.5};
  return sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) - 0.5;
}

// A body within the grid is further away, seen from outside, than its box and than the value at the
// nearest point of the box.
static void outside_the_grid_distances_are_lower_bounds_and_continuous(void **state) {
  (void)state;
  lattice *l = make_lattice(ball, NULL);
  firn_level_set *set = level_set_of(l);
  for (uint32_t i = 0; i < 5000; i++) {
    double p[3], q[3], g[3];
    solid_random(i, (double[]){-6, -5, -3}, (double[]){6, 6, 10}, p);
    double phi = firn_level_set_sample(set, p, g), error = 0.125 * 0.125 / 8 * 3 / 0.5;
    assert_true(phi <= ball(p) + error); // interpolation: h^2/8 times three curvatures of 1/r
    assert_true((phi < 0) == (ball(p) < 0) || fabs(ball(p)) < error);
    for (int a = 0; a < 3; a++) {
      memcpy(q, p, sizeof q);
      q[a] += 1e-6;
      double slope = (firn_level_set_sample(set, q, NULL) - phi) / 1e-6;
      assert_true(fabs(slope) < 1.05);
    }
  }
  assert_true(firn_level_set_sample(set, (double[]){1e300, 0, 0}, NULL) > 0);
  assert_true(isfinite(firn_level_set_sample(set, (double[]){NAN, NAN, NAN}, NULL)) ||
              true); // any answer, but no crash
  firn_level_set_release(set);
  free(l);
}

// --------------------------------------------------------------------------------------- key frames

// M34. Linear phi, moving with v: phi(x, t) = n (x - v t) + c. Between keys the formula of section 8
// gives (1 - g) phi_0(x - g T v) + g phi_1(x + (1 - g) T v), both n (x - g T v) + c.
static const double slope[3] = {0.36, 0.48, 0.8}, drift[3] = {0.25, -0.5, 0.375};
static double key_time;

static double moving_plane(const double x[3]) {
  double d = -2.1;
  for (int a = 0; a < 3; a++) d += slope[a] * (x[a] - drift[a] * key_time);
  return d;
}

static void drifting(const double x[3], double out[3]) {
  (void)x;
  memcpy(out, drift, sizeof drift);
}

static void key_frames_of_a_linear_field_are_exact(void **state) {
  (void)state;
  enum { KEYS = 3 };
  const double times[KEYS] = {1, 1.5, 2.25};
  firn_level_set *keys[KEYS];
  firn_sequence *q;
  for (int k = 0; k < KEYS; k++) {
    key_time = times[k];
    lattice *l = make_lattice(moving_plane, drifting);
    keys[k] = level_set_of(l);
    free(l);
  }
  assert_int_equal(firn_sequence_from_level_sets(context, KEYS, times, keys, false, "test", &q),
                   FIRN_OK);
  for (int k = 0; k < KEYS; k++) firn_level_set_release(keys[k]);
  for (uint32_t i = 0; i < 2000; i++) {
    double p[3], n[3], v[3], time = 1 + 1.25 * firn_uniform(firn_philox4x32(1, i, 2, 0).v[0]);
    point_of(i, 0.4, p); // the foot points, at most 0.5 |v| T away, stay in the grid
    double phi = firn_sequence_sample(q, p, time, n, v);
    key_time = time;
    // |phi| is at most 4, and the drift is a sum of powers of two.
    assert_true(fabs(phi - moving_plane(p)) < (EPS > 1e-10 ? 4 * EPS : 1e-12));
    for (int a = 0; a < 3; a++) {
      assert_true(v[a] == drift[a]);
      assert_true(fabs(n[a] - slope[a]) < 4 * EPS / 0.125 + 1e-12);
    }
  }
  // Before and after, it rests at the first and the last key.
  double p[3] = {0, 1, 3.5}, v[3];
  key_time = 1;
  assert_true(fabs(firn_sequence_sample(q, p, -7, NULL, v) - moving_plane(p)) < 4 * EPS);
  assert_true(v[0] == 0 && v[1] == 0 && v[2] == 0);
  key_time = 2.25;
  assert_true(fabs(firn_sequence_sample(q, p, 9, NULL, v) - moving_plane(p)) < 4 * EPS);
  assert_false(firn_sequence_moves(q, 3, 4));
  assert_true(firn_sequence_moves(q, 2, 4));
  assert_true(fabs(q->speed - sqrt(0.0625 + 0.25 + 0.140625)) < 1e-6);
  firn_sequence_release(q);
}

static solid sphere_at(double x, int n) {
  solid s = {0};
  solid_sphere(&s, (double[]){x, 0, 0}, 0.5, n);
  return s;
}

// A sphere that moves by more than its radius between keys, as meshes.
static firn_sequence *moving_spheres(int n0, int n1) {
  solid s0 = sphere_at(0, n0), s1 = sphere_at(0.7, n1);
  const firn_mesh *meshes[2] = {solid_mesh(context, &s0), solid_mesh(context, &s1)};
  firn_sequence_def def = firn_default_sequence_def();
  def.count = 2;
  def.times = (double[]){0, 0.1};
  def.meshes = meshes;
  def.voxel = 0.025;
  firn_sequence *q;
  assert_int_equal(firn_sequence_create(context, &def, &q), FIRN_OK);
  firn_mesh_release(meshes[0]);
  firn_mesh_release(meshes[1]);
  solid_free(&s0);
  solid_free(&s1);
  return q;
}

// M34. With the same triangles in both keys, the vertices tell how it moves, and the sphere in
// between is as good as the keys: chords of pi r / 48 are off by 2.7e-4 m along and across, where a
// facet's middle adds both, and interpolation over h by h^2/8 (2/r) = 3.1e-4 m.
static void key_frames_of_a_translating_sphere_keep_it_a_sphere(void **state) {
  (void)state;
  firn_sequence *q = moving_spheres(48, 48);
  for (uint32_t i = 0; i < 4000; i++) {
    firn_philox r = firn_philox4x32(3, i, 4, 0);
    double g = firn_uniform(r.v[0]), z = 2 * firn_uniform(r.v[1]) - 1;
    double turn = 2 * M_PI * firn_uniform(r.v[2]), off = 0.1 * firn_uniform(r.v[3]) - 0.05;
    double u[3] = {sqrt(1 - z * z) * cos(turn), z, sqrt(1 - z * z) * sin(turn)}, p[3], n[3], v[3];
    for (int a = 0; a < 3; a++) p[a] = (a ? 0 : 0.7 * g) + (0.5 + off) * u[a];
    double phi = firn_sequence_sample(q, p, 0.1 * g, n, v);
    assert_true(fabs(phi - off) < 8.5e-4);
    assert_true(fabs(v[0] - 7) < 1e-4 && fabs(v[1]) < 1e-4 && fabs(v[2]) < 1e-4);
    // The normal of the facet or of the interpolant is off by pi / 48 at most.
    assert_true(n[0] * u[0] + n[1] * u[1] + n[2] * u[2] > cos(2 * M_PI / 48));
  }
  assert_true(fabs(q->speed - 7) < 1e-4);
  firn_sequence_release(q);
}

// A bar that turns about z by 10 degrees from key to key. Vertices move along chords, which are off
// the arc by r a^2 / 8 at most, r the half length; so is everything that is interpolated between.
static void key_frames_of_a_turning_bar_follow_it(void **state) {
  (void)state;
  enum { KEYS = 4 };
  double step = M_PI / 18, times[KEYS], r = 0.5;
  const firn_mesh *meshes[KEYS];
  for (int k = 0; k < KEYS; k++) {
    solid s = {0};
    solid_box(&s, (double[]){-r, -0.1, -0.1}, (double[]){r, 0.1, 0.1});
    for (size_t i = 0; i < s.vertices; i++) {
      double *p = s.position + 3 * i, x = p[0], y = p[1];
      p[0] = x * cos(step * k) - y * sin(step * k);
      p[1] = x * sin(step * k) + y * cos(step * k);
    }
    times[k] = 0.5 * k;
    meshes[k] = solid_mesh(context, &s);
    solid_free(&s);
  }
  firn_sequence_def def = firn_default_sequence_def();
  def.count = KEYS;
  def.times = times;
  def.meshes = meshes;
  def.voxel = 0.02;
  firn_sequence *q;
  assert_int_equal(firn_sequence_create(context, &def, &q), FIRN_OK);
  double chord = 0.51 * step * step / 8, rate = step / 0.5, worst = 0, slip = 0;
  for (uint32_t i = 0; i < 3000; i++) {
    firn_philox n = firn_philox4x32(9, i, 1, 0);
    double time = 0.5 + 0.5 * firn_uniform(n.v[0]), a = rate * time, v[3];
    // On the long side, not nearer to its edges than two voxels.
    double x = 0.9 * r * (2 * firn_uniform(n.v[1]) - 1), y = n.v[2] & 1 ? 0.1 : -0.1;
    double p[3] = {x * cos(a) - y * sin(a), x * sin(a) + y * cos(a),
                   0.05 * (2 * firn_uniform(n.v[3]) - 1)};
    worst = fmax(worst, fabs(firn_sequence_sample(q, p, time, NULL, v)));
    slip = fmax(slip, hypot(v[0] + rate * p[1], v[1] - rate * p[0]));
  }
  print_message("off by %.2g m, allowed %.2g m; velocity off by %.2g of %.2g m/s\n", worst, chord,
                slip, rate * r);
  assert_true(worst < chord + 1e-5);
  // The velocity of a point of the body is held against where it was and will be at the keys, half a
  // step of turning away at most: a / 2 of the speed.
  assert_true(slip < 0.5 * step * rate * r);
  firn_sequence_release(q);
  for (int k = 0; k < KEYS; k++) firn_mesh_release(meshes[k]);
}

// With other triangles only the motion along the normal is known. It is the best at the poles of the
// motion, and nothing half way between.
static void without_common_vertices_the_normal_motion_is_known(void **state) {
  (void)state;
  solid s0 = sphere_at(0, 40), s1 = sphere_at(0.02, 33);
  const firn_mesh *meshes[2] = {solid_mesh(context, &s0), solid_mesh(context, &s1)};
  firn_sequence_def def = firn_default_sequence_def();
  def.count = 2;
  def.times = (double[]){0, 0.1};
  def.meshes = meshes;
  def.voxel = 0.025;
  firn_sequence *q;
  assert_int_equal(firn_sequence_create(context, &def, &q), FIRN_OK);
  double v[3];
  // 0.2 m/s; facets of different cut make 1e-3 m of 0.02 m doubtful.
  firn_sequence_sample(q, (double[]){0.5, 0, 0}, 0, NULL, v);
  assert_true(fabs(v[0] - 0.2) < 0.02);
  firn_sequence_sample(q, (double[]){-0.5, 0, 0}, 0, NULL, v);
  assert_true(fabs(v[0] - 0.2) < 0.02);
  firn_sequence_sample(q, (double[]){0, 0.5, 0}, 0, NULL, v);
  assert_true(fabs(v[0]) < 0.02 && fabs(v[1]) < 0.02);
  firn_sequence_release(q);
  firn_mesh_release(meshes[0]);
  firn_mesh_release(meshes[1]);
  solid_free(&s0);
  solid_free(&s1);
}

static void loops_go_on_for_ever(void **state) {
  (void)state;
  double x[4] = {0, 0.1, 0, 0}, times[4] = {0, 1, 2, 3};
  solid s[4];
  const firn_mesh *meshes[4];
  for (int i = 0; i < 4; i++) {
    s[i] = sphere_at(x[i], 16);
    meshes[i] = solid_mesh(context, &s[i]);
  }
  firn_sequence_def def = firn_default_sequence_def();
  def.count = 4;
  def.times = times;
  def.meshes = meshes;
  def.voxel = 0.05;
  def.loop = true;
  firn_sequence *q;
  assert_int_equal(firn_sequence_create(context, &def, &q), FIRN_OK);
  for (int i = 0; i < 50; i++) {
    double p[3] = {0.4, 0.2, 0.1 * (i % 7)}, v[3], w[3], time = 0.06 * i;
    double here = firn_sequence_sample(q, p, time, NULL, v);
    double later = firn_sequence_sample(q, p, time + 3 * 7, NULL, w);
    double before = firn_sequence_sample(q, p, time - 3, NULL, w);
    assert_true(fabs(here - later) < 1e-9 && fabs(here - before) < 1e-9);
  }
  // It comes from rest and goes: half of 0.1 m/s where it turns, central differences at the first key.
  double v[3];
  firn_sequence_sample(q, (double[]){0.5, 0, 0}, 3e9, NULL, v);
  assert_true(fabs(v[0] - 0.05) < 1e-6);
  firn_sequence_release(q);
  for (int i = 0; i < 4; i++) {
    firn_mesh_release(meshes[i]);
    solid_free(&s[i]);
  }
}

// ---------------------------------------------------------------------------------------- from meshes

static void distances_are_exact_near_and_bounds_far_away(void **state) {
  (void)state;
  solid s = sphere_at(0, 100);
  firn_mesh *mesh = solid_mesh(context, &s);
  firn_level_set *set;
  firn_level_set_def def = {.voxel = 0.01};
  assert_int_equal(firn_level_set_from_mesh(context, mesh, &def, "test", &set), FIRN_OK);
  double H = 8 * 0.01, steepest = 0;
  for (uint32_t i = 0; i < 8000; i++) {
    double p[3], q[3], g[3];
    solid_random(i, (double[]){-1, -1, -1}, (double[]){1, 1, 1}, p);
    double d = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - 0.5;
    double phi = firn_level_set_sample(set, p, g);
    // Facets: 0.5 (pi/100)^2 / 8 + the other way = 1.3e-4 m; interpolation: h^2/8 (2/r) = 5e-5 m.
    if (fabs(phi) < 0.03) {
      assert_true(fabs(phi - d) < 2e-4);
      double length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
      assert_true(fabs(length - 1) < 0.02);
      // The gradient is that of the interpolant, inside a cell.
      for (int a = 0; a < 3; a++) {
        memcpy(q, p, sizeof q);
        double cell = (p[a] - set->origin[a]) / 0.01;
        if (fabs(cell - nearbyint(cell)) < 0.02) continue;
        q[a] += 1e-4;
        double forward = firn_level_set_sample(set, q, NULL);
        q[a] -= 2e-4;
        double slope_a = (forward - firn_level_set_sample(set, q, NULL)) / 2e-4;
        // Values are rounded by EPS / 2 of 0.03 m and the interpolant bends along other axes only.
        assert_true(fabs(slope_a - g[a]) < 1e-6 + 0.03 * EPS / 1e-4);
      }
    } else {
      // Never more than the distance. Less by H^2/4 (|d| curves off the two tangents by 1/(r + d), 1
      // - d/(r + d) of which the bound does not see) / |d| at most, to second order: not near the
      // middle, where the distance has a kink.
      assert_true((phi < 0) == (d < 0));
      assert_true(fabs(phi) <= fabs(d) + 2e-4);
      assert_true(fabs(phi) >= fmin(0.03, fabs(d)) - 2e-4);
      double short_of = 1.2 * H * H / 4 / fabs(d) * 0.5 / (0.5 + d) + 2e-4;
      bool in_box = fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2]))) < 0.55;
      if (in_box && fabs(d) > H && d > -0.35) assert_true(fabs(phi) > fabs(d) - short_of);
    }
    memcpy(q, p, sizeof q);
    q[i % 3] += 1e-3;
    steepest = fmax(steepest, fabs(firn_level_set_sample(set, q, NULL) - phi) / 1e-3);
  }
  print_message("changes by at most %.3f m per m\n", steepest);
  assert_true(steepest < 2); // just outside the band, where the bound catches up
  firn_level_set_release(set);
  firn_mesh_release(mesh);
  solid_free(&s);
}

static void threads_do_not_matter(void **state) {
  (void)state;
  solid s = {0};
  solid_bumpy_torus(&s, 60, 30);
  firn_level_set *first = NULL;
  firn_context *own[3];
  firn_level_set *set[3];
  for (int i = 0; i < 3; i++) {
    own[i] = solid_context(1 + 2 * i);
    firn_mesh *mesh = solid_mesh(own[i], &s);
    firn_level_set_def def = {.voxel = is_slow() ? 0.08 : 0.04};
    assert_int_equal(firn_level_set_from_mesh(own[i], mesh, &def, "test", &set[i]), FIRN_OK);
    firn_mesh_release(mesh);
    if (!first) first = set[i];
    assert_int_equal(set[i]->block_count, first->block_count);
    assert_memory_equal(set[i]->value, first->value,
                        first->block_count * FIRN_LEVEL_SET_BLOCK * sizeof *first->value);
    size_t corners = (size_t)(first->blocks[0] + 1) * (size_t)(first->blocks[1] + 1) *
                     (size_t)(first->blocks[2] + 1);
    assert_memory_equal(set[i]->corner, first->corner, corners * sizeof *first->corner);
  }
  for (int i = 0; i < 3; i++) {
    firn_level_set_release(set[i]);
    firn_context_destroy(own[i]);
  }
  solid_free(&s);
}

// ------------------------------------------------------------------------------------------ bad input

static void expect(firn_status status, const char *part) {
  assert_int_not_equal(status, FIRN_OK);
  if (strstr(firn_context_message(context), part)) return;
  fail_msg("'%s' is not in '%s'", part, firn_context_message(context));
}

static void bad_input_is_told(void **state) {
  (void)state;
  lattice *l = make_lattice(ball, NULL);
  firn_level_set *set;
  firn_distance_grid grid = l->grid;
  grid.voxel = 0;
  expect(firn_level_set_from_grid(context, &grid, "grid", &set), "voxel 0 m");
  grid = l->grid;
  grid.nodes[1] = 1;
  expect(firn_level_set_from_grid(context, &grid, "grid", &set), "nodes[1] = 1");
  grid = l->grid;
  l->distance[NX * NY * 2 + NX * 3 + 4] = NAN;
  expect(firn_level_set_from_grid(context, &grid, "grid", &set), "node (4 3 2)");
  free(l);

  solid s = sphere_at(0, 8);
  s.triangles -= 3;
  firn_mesh *open = solid_mesh(context, &s);
  firn_level_set_def def = {.voxel = 0.05};
  expect(firn_level_set_from_mesh(context, open, &def, "collider 'a'", &set), "collider 'a': ");
  expect(firn_level_set_from_mesh(context, open, &def, "x", &set), "open edges in 1 hole");
  firn_mesh_release(open);
  s.triangles += 3;
  firn_mesh *mesh = solid_mesh(context, &s);
  def.voxel = 1e-6;
  expect(firn_level_set_from_mesh(context, mesh, &def, "x", &set), "voxel");
  def = (firn_level_set_def){.voxel = -1};
  expect(firn_level_set_from_mesh(context, mesh, &def, "x", &set), "voxel -1 m");
  def = (firn_level_set_def){.band = -1};
  expect(firn_level_set_from_mesh(context, mesh, &def, "x", &set), "band of -1");

  firn_sequence *q;
  firn_sequence_def sequence = firn_default_sequence_def();
  expect(firn_sequence_create(context, &sequence, &q), "one key");
  sequence.count = 2;
  sequence.times = (double[]){1, 1};
  expect(firn_sequence_create(context, &sequence, &q), "times[1] = 1 s");
  sequence.times = (double[]){1, 2};
  expect(firn_sequence_create(context, &sequence, &q), "either meshes or grids");
  sequence.meshes = (const firn_mesh *[]){mesh, NULL};
  expect(firn_sequence_create(context, &sequence, &q), "meshes[1] is NULL");
  firn_mesh_release(mesh);
  solid_free(&s);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_context, close_context)
  const struct CMUnitTest tests[] = {
      TEST(interpolation_and_its_gradient_are_exact),
      TEST(outside_the_grid_distances_are_lower_bounds_and_continuous),
      TEST(key_frames_of_a_linear_field_are_exact),
      TEST(key_frames_of_a_translating_sphere_keep_it_a_sphere),
      TEST(key_frames_of_a_turning_bar_follow_it),
      TEST(without_common_vertices_the_normal_motion_is_known),
      TEST(loops_go_on_for_ever),
      TEST(distances_are_exact_near_and_bounds_far_away),
      TEST(threads_do_not_matter),
      TEST(bad_input_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
