// SPDX-License-Identifier: Apache-2.0
// labels: slow
// processors: 2
// wraps: firn_bvh_nearest
// Large and awkward meshes as distance fields: how much work it is, and what is inside.
#include "solids.h"

#include "base/clock.h"
#include "geometry/bvh.h"
#include "geometry/level_set.h"

static firn_level_set *field_of(firn_context *context, const firn_mesh *mesh, double voxel) {
  firn_level_set *set;
  firn_level_set_def def = {.voxel = voxel};
  firn_status status = firn_level_set_from_mesh(context, mesh, &def, "test", &set);
  if (status != FIRN_OK) fail_msg("%s", firn_context_message(context));
  return set;
}

// Everything a case needs, made from a solid and given back.
typedef struct fixture {
  firn_context *context;
  firn_mesh *mesh;
  firn_level_set *set;
  double lo[3], hi[3]; // m: half as large again as the mesh
} fixture;

static fixture make(const solid *s, double voxel) {
  fixture f = {.context = solid_context(2)};
  f.mesh = solid_mesh(f.context, s);
  f.set = field_of(f.context, f.mesh, voxel);
  firn_mesh_report r;
  firn_mesh_get_report(f.mesh, &r);
  for (int a = 0; a < 3; a++) {
    double half = 0.75 * (r.hi[a] - r.lo[a]), middle = 0.5 * (r.hi[a] + r.lo[a]);
    f.lo[a] = middle - half;
    f.hi[a] = middle + half;
  }
  return f;
}

static void unmake(fixture *f) {
  firn_level_set_release(f->set);
  firn_mesh_release(f->mesh);
  assert_int_equal(firn_context_bytes(f->context), 0);
  firn_context_destroy(f->context);
}

static size_t searches; // for a nearest point, counted

firn_bvh_hit __wrap_firn_bvh_nearest(const firn_bvh *bvh, firn_vec3 p, uint32_t hint);
firn_bvh_hit __real_firn_bvh_nearest(const firn_bvh *bvh, firn_vec3 p, uint32_t hint);
firn_bvh_hit __wrap_firn_bvh_nearest(const firn_bvh *bvh, firn_vec3 p, uint32_t hint) {
  __atomic_add_fetch(&searches, 1, __ATOMIC_RELAXED);
  return __real_firn_bvh_nearest(bvh, p, hint);
}

static double sample(const fixture *f, const double p[3]) {
  return firn_level_set_sample(f->set, p, NULL);
}

// ----------------------------------------------------------------------------------- a large mesh

// Nearest points are searched for at the 9^3 nodes of blocks near the surface; of all blocks at the corners,
// the middle and, near the surface, the middles of octants. So the work goes with the surface, not with the box around
// it. How long it takes is printed, not held: machines differ.
static void closed_mesh_of_200k_triangles_takes_a_search_a_node_and_has_the_right_sign(
    void **state) {
  (void)state;
  solid s = {0};
  solid_bumpy_torus(&s, 500, 200);
  searches = 0;
  double wall = firn_seconds();
  fixture f = make(&s, 0);
  size_t blocks = f.set->block_count, corners = 1, all = 1;
  for (int a = 0; a < 3; a++) {
    corners *= (size_t)f.set->blocks[a] + 1;
    all *= (size_t)f.set->blocks[a];
  }
  print_message("%zu triangles: %.2f s, %zu searches, %zu of %zu blocks, %.1f MB\n", s.triangles,
                firn_seconds() - wall, searches, blocks, all,
                1e-6 * (double)firn_level_set_bytes(f.set));
  assert_int_equal(firn_mesh_triangle_count(f.mesh), 200000);
  assert_true(searches <= 9 * 9 * 9 * blocks + corners + 9 * all);

  // The sharpest bumps have a curvature of 0.02 (23^2 / 1.35^2 + 5^2 / 0.27^2) + ... = 15/m or so.
  // Chords of 2 pi 1.4 / 500 m are off by 6e-4 m there, trilinear interpolation over h by
  // 3/8 h^2 15/m = 4.6e-3 m; no other point may be on the wrong side.
  double h = f.set->voxel, tolerance = 6e-4 + 3.0 / 8 * h * h * 15, worst = 0;
  int near = 0, inside = 0;
  for (uint32_t i = 0; i < 100000; i++) {
    double p[3];
    solid_random(i, f.lo, f.hi, p);
    double depth = bumpy_torus_depth(p), phi = sample(&f, p);
    inside += depth < 0;
    near += fabs(depth) <= tolerance;
    if ((phi < 0) != (depth < 0)) worst = fmax(worst, fabs(depth));
  }
  print_message("inside %d, within %.2g m of the surface %d, wrong at most %.2g m from it\n",
                inside, tolerance, near, worst);
  assert_true(worst <= tolerance);
  assert_true(near < 2000 && inside > 5000);
  unmake(&f);
  solid_free(&s);
}

// The same against the winding number, which knows nothing of torus or tubes, summed over all
// triangles. Points anywhere: the field's surface is the mesh's but for the interpolation.
static void sign_agrees_with_the_winding_number(void **state) {
  (void)state;
  solid s = {0};
  solid_bumpy_torus(&s, 120, 60);
  fixture f = make(&s, 0);
  firn_bvh bvh;
  assert_int_equal(firn_bvh_create(f.mesh, &bvh), FIRN_OK);
  int checked = 0;
  for (uint32_t i = 0; i < 120; i++) {
    double p[3];
    solid_random(i, f.lo, f.hi, p);
    firn_vec3 q = firn_vec3_sub(firn_vec3_make(p[0], p[1], p[2]), bvh.middle);
    double exact = firn_bvh_winding(&bvh, q, INFINITY), lumped = firn_bvh_winding(&bvh, q, 2);
    // A sum of 14400 angles, each right to a few units in the last place.
    assert_true(fabs(exact - nearbyint(exact)) < 1e-10);
    assert_true(fabs(lumped - exact) < 0.1);
    firn_bvh_hit hit = firn_bvh_nearest(&bvh, q, 0);
    if (hit.distance2 < f.set->voxel * f.set->voxel) continue;
    checked++;
    assert_true((sample(&f, p) < 0) == (exact > 0.5));
  }
  assert_true(checked > 70);
  firn_bvh_free(&bvh);
  unmake(&f);
  solid_free(&s);
}

// ------------------------------------------------------------------------------------ awkward ones

typedef bool (*inside_fn)(const double p[3]);

// Points further from all surfaces than half a voxel must be on the right side.
static void check_sign(const solid *s, double voxel, inside_fn inside, int least_inside) {
  fixture f = make(s, voxel);
  firn_bvh bvh;
  assert_int_equal(firn_bvh_create(f.mesh, &bvh), FIRN_OK);
  int count = 0;
  for (uint32_t i = 0; i < 6000; i++) {
    double p[3];
    solid_random(i, f.lo, f.hi, p);
    firn_vec3 q = firn_vec3_sub(firn_vec3_make(p[0], p[1], p[2]), bvh.middle);
    if (firn_bvh_nearest(&bvh, q, 0).distance2 < 0.25 * f.set->voxel * f.set->voxel) continue;
    count += inside(p);
    if ((sample(&f, p) < 0) == inside(p)) continue;
    fail_msg("(%g %g %g) has distance %g", p[0], p[1], p[2], sample(&f, p));
  }
  assert_true(count >= least_inside);
  firn_bvh_free(&bvh);
  unmake(&f);
}

static double away(const double p[3], double x, double y, double z) {
  return sqrt((p[0] - x) * (p[0] - x) + (p[1] - y) * (p[1] - y) + (p[2] - z) * (p[2] - z));
}

static bool in_two_balls(const double p[3]) {
  return away(p, 0, 0, 0) < 0.5 || away(p, 0.6, 0.1, 0) < 0.4;
}

// Seen from inside one ball, the surface of the other within is no border.
static void overlapping_pieces_are_one_body(void **state) {
  (void)state;
  solid s = {0};
  solid_sphere(&s, (double[]){0, 0, 0}, 0.5, 40);
  solid_sphere(&s, (double[]){0.6, 0.1, 0}, 0.4, 40);
  check_sign(&s, 0.025, in_two_balls, 500);

  // Not even the nodes on that surface are outside, though their distance is next to nothing.
  fixture f = make(&s, 0.025);
  for (int z = -20; z <= 20; z++) {
    for (int y = -20; y <= 20; y++) {
      for (int x = -20; x <= 20; x++) {
        double p[3] = {0.025 * x, 0.025 * y, 0.025 * z};
        if (away(p, 0, 0, 0) < 0.45) assert_true(sample(&f, p) <= 0);
      }
    }
  }
  unmake(&f);
  solid_free(&s);
}

static bool in_hollow_ball(const double p[3]) {
  double r = away(p, 0, 0, 0);
  return r < 0.5 && r > 0.3 - 2e-3;
}

static void cavities_are_outside(void **state) {
  (void)state;
  solid s = {0};
  solid_sphere(&s, (double[]){0, 0, 0}, 0.5, 40);
  size_t outer = s.triangles;
  solid_sphere(&s, (double[]){0, 0, 0}, 0.3, 40);
  for (size_t t = outer; t < s.triangles; t++) {
    uint32_t *c = s.triangle + 3 * t, swap = c[1];
    c[1] = c[2];
    c[2] = swap;
  }
  check_sign(&s, 0.025, in_hollow_ball, 500);
  solid_free(&s);
}

static bool in_touching_boxes(const double p[3]) {
  bool first = p[0] > 0 && p[0] < 1 && p[1] > 0 && p[1] < 1 && p[2] > 0 && p[2] < 1;
  bool second = p[0] > 1 && p[0] < 2 && p[1] > 1 && p[1] < 2 && p[2] > 0 && p[2] < 1;
  return first || second;
}

// The edge they share has four triangles.
static void boxes_that_share_an_edge_are_both_inside(void **state) {
  (void)state;
  solid s = {0};
  solid_box(&s, (double[]){0, 0, 0}, (double[]){1, 1, 1});
  solid_box(&s, (double[]){1, 1, 0}, (double[]){2, 2, 1});
  check_sign(&s, 0.03, in_touching_boxes, 500);
  solid_free(&s);
}

static bool in_plates(const double p[3]) {
  (void)p;
  return false; // a quarter of a voxel thick: no point is further from it than half a voxel
}

// Thin plates must not leak: far from them nothing is inside.
static void thin_plates_do_not_leak(void **state) {
  (void)state;
  solid s = {0};
  for (int i = 0; i < 3; i++) {
    solid_box(&s, (double[]){0, 0.2 * i, 0}, (double[]){1, 0.2 * i + 0.01, 1});
  }
  check_sign(&s, 0.04, in_plates, 0);
  solid_free(&s);
}

static bool in_far_ball(const double p[3]) {
  return away(p, 5000, -3000, 8000) < 0.5;
}

static void mesh_far_from_the_origin_is_as_good(void **state) {
  (void)state;
  solid s = {0};
  solid_sphere(&s, (double[]){5000, -3000, 8000}, 0.5, 30);
  check_sign(&s, 0.025, in_far_ball, 500);
  solid_free(&s);
}

// Inside out, or with single triangles turned over.
static void orientation_is_mended(void **state) {
  (void)state;
  solid s = {0};
  solid_sphere(&s, (double[]){0, 0, 0}, 0.5, 20);
  for (int flip = 0; flip < 2; flip++) {
    for (size_t t = 0; t < s.triangles; t++) {
      uint32_t *c = s.triangle + 3 * t, swap = c[1];
      if (flip == 1 && t % 7) continue;
      c[1] = c[2];
      c[2] = swap;
    }
    fixture f = make(&s, 0);
    firn_mesh_report r;
    firn_mesh_get_report(f.mesh, &r);
    assert_true(r.closed && r.turned > 0 && r.volume > 0);
    assert_true(sample(&f, (double[]){0, 0, 0}) < 0);
    assert_true(sample(&f, (double[]){0.6, 0, 0}) > 0);
    unmake(&f);
  }
  solid_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_mesh_of_200k_triangles_takes_a_search_a_node_and_has_the_right_sign),
      cmocka_unit_test(sign_agrees_with_the_winding_number),
      cmocka_unit_test(overlapping_pieces_are_one_body),
      cmocka_unit_test(cavities_are_outside),
      cmocka_unit_test(boxes_that_share_an_edge_are_both_inside),
      cmocka_unit_test(thin_plates_do_not_leak),
      cmocka_unit_test(mesh_far_from_the_origin_is_as_good),
      cmocka_unit_test(orientation_is_mended),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
