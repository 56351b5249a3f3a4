// SPDX-License-Identifier: Apache-2.0
// Meshes as shapes.
#include "solids.h"

static void a_mesh_is_a_shape_like_others(void **state) {
  (void)state;
  firn_context *context = solid_context(2);
  solid s = {0};
  solid_sphere(&s, (double[]){1, 2, 3}, 0.5, 48);
  firn_mesh *mesh = solid_mesh(context, &s);
  firn_shape_def def = firn_mesh_shape(mesh);
  def.voxel = 0.025;
  firn_shape *shape, *moved;
  assert_int_equal(firn_shape_create(context, &def, &shape), FIRN_OK);
  firn_mesh_release(mesh); // the shape does not need it any more
  double lo[3], hi[3], volume = 4.0 / 3 * M_PI * 0.125;
  assert_true(firn_shape_bounds(shape, lo, hi));
  for (int a = 0; a < 3; a++) {
    // A voxel more than the mesh, which misses the sphere by a facet's height at most.
    assert_true(lo[a] <= a + 0.5 && lo[a] > a + 0.5 - 0.026);
    assert_true(hi[a] >= a + 1.5 && hi[a] < a + 1.5 + 0.026);
  }
  // Facets cut off 1 - (1 - h/r)^3, h = 2/3 of the sagittas (pi/48)^2/8 r along and across.
  assert_true(fabs(firn_shape_volume(shape) / volume - 1) < 3e-3);

  // Half as large again, and elsewhere.
  firn_shape_def transform = firn_transform(shape, (double[]){-1.5, 0, 0}, (double[4]){0}, 1.5);
  assert_int_equal(firn_shape_create(context, &transform, &moved), FIRN_OK);
  firn_shape_release(shape);
  for (uint32_t i = 0; i < 2000; i++) {
    double p[3], n[3], r[3], d = 0, along = 0, length = 0;
    solid_random(i, (double[]){-2, 1, 2.5}, (double[]){2, 5, 6.5}, p);
    for (int a = 0; a < 3; a++) {
      r[a] = p[a] - (a == 0 ? 0 : a == 1 ? 3 : 4.5);
      d += r[a] * r[a];
    }
    d = sqrt(d) - 0.75;
    double phi = firn_shape_distance(moved, p, n);
    for (int a = 0; a < 3; a++) along += n[a] * r[a] / (d + 0.75), length += n[a] * n[a];
    assert_true(fabs(length - 1) < 1e-12);
    assert_true((phi < 0) == (d < 0) || fabs(d) < 2e-3);
    assert_true(fabs(phi) < fabs(d) + 2e-3);
    if (fabs(d) < 0.1) assert_true(fabs(phi - d) < 2e-3 && along > 0.99);
  }
  firn_shape_release(moved);
  solid_free(&s);
  assert_int_equal(firn_context_bytes(context), 0);
  firn_context_destroy(context);
}

static void an_open_mesh_is_no_shape(void **state) {
  (void)state;
  firn_context *context = solid_context(1);
  solid s = {0};
  solid_box(&s, (double[]){0, 0, 0}, (double[]){1, 1, 1});
  s.triangles--;
  firn_mesh *mesh = solid_mesh(context, &s);
  firn_shape_def def = firn_mesh_shape(mesh);
  firn_shape *shape;
  assert_int_equal(firn_shape_create(context, &def, &shape), FIRN_ERROR_ARGUMENT);
  assert_non_null(strstr(firn_context_message(context), "3 open edges in 1 hole"));
  def.mesh = NULL;
  assert_int_equal(firn_shape_create(context, &def, &shape), FIRN_ERROR_ARGUMENT);
  firn_mesh_release(mesh);
  solid_free(&s);
  assert_int_equal(firn_context_bytes(context), 0);
  firn_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mesh_is_a_shape_like_others),
      cmocka_unit_test(an_open_mesh_is_no_shape),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
