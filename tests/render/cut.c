// SPDX-License-Identifier: Apache-2.0
// Cuts: what lies beyond their planes is gone from a volume, what lies before them is as it was.
#include "render/cut.h"

#include "render/trace_case.h"

enum { N = 41, HALF = N / 2 };
static const double origin[3] = {3, -2, 1};

// A cube of 1 kg/m3, 40 voxels of 1 m, around the origin of the stage.
static firn_volume *cube(firn_context *context) {
  const int nodes[3] = {N, N, N};
  static float density[N * N * N];
  for (int i = 0; i < N * N * N; i++) density[i] = 1;
  return trace_volume(context, nodes, (firn_v3){-HALF, -HALF, -HALF}, density);
}

static firn_cuts make(firn_context *context, int count, const firn_cut_def *defs) {
  firn_cuts cuts;
  assert_int_equal(firn_cuts_make(context, "test", count, defs, &cuts), FIRN_OK);
  return cuts;
}

// Beyond all planes of any cut, by how far: 0 or less where it is not. Told apart from the code by
// going through cases and not by least and greatest.
static bool is_beyond(const firn_cut_def *cut, const double x[3], double margin) {
  for (int i = 0; i < cut->count; i++) {
    const double *n = cut->plane[i];
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (n[0] * x[0] + n[1] * x[1] + n[2] * x[2] <= n[3] + margin * length) return false;
  }
  return true;
}

// Density falls over a voxel to each side of a face. Between nodes it is trilinear, so that a point sees
// what is up to a voxel away along each axis, sqrt(3) of way: beyond 2.8 voxels it is 0 or 1, to the 16
// bits that nodes have.
static void what_is_beyond_is_gone_and_nothing_else(void **state) {
  (void)state;
  firn_context *context = trace_context(FIRN_ISA_AUTO, 2);
  const firn_cut_def one = {.count = 1, .plane = {{0, 0, 7, 7 * 1.3}}},
                     oblique = {.count = 1, .plane = {{1, 2, -0.5, 3}}},
                     corner = {.count = 2, .plane = {{1, 0, 0, 3}, {0, 0, -2, -4}}},
                     slice[2] = {{.count = 1, .plane = {{0, 1, 0, 4.5}}},
                                 {.count = 1, .plane = {{0, -1, 0, 7}}}};
  const struct {
    int count;
    const firn_cut_def *cut;
  } cases[] = {{0, NULL}, {1, &one}, {1, &oblique}, {1, &corner}, {2, slice}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    firn_volume *volume = cube(context);
    firn_cuts cuts = make(context, cases[k].count, cases[k].cut);
    firn_volume_cut(volume, &cuts, origin);
    int gone = 0, left = 0;
    for (uint32_t i = 0; i < 20000; i++) {
      firn_v3 p = {36 * (firn_noise(3 * i) - 0.5f), 36 * (firn_noise(3 * i + 1) - 0.5f),
                   36 * (firn_noise(3 * i + 2) - 0.5f)};
      const double x[3] = {(double)p.x + origin[0], (double)p.y + origin[1],
                           (double)p.z + origin[2]};
      bool beyond = false, near = false;
      for (int c = 0; c < cases[k].count; c++) {
        beyond = beyond || is_beyond(&cases[k].cut[c], x, 2.8);
        near = near || is_beyond(&cases[k].cut[c], x, -2.8);
      }
      float density = firn_volume_density(volume, p);
      if (beyond) assert_true(density == 0);
      if (!near) assert_true(fabsf(density - 1) < 1e-4f);
      gone += beyond;
      left += !near;
    }
    assert_true(left > 2000 && (gone > 2000) == (k > 0));
    firn_volume_free(volume);
  }
  firn_context_destroy(context);
}

// A face between two layers of nodes is where it was asked for: half the density is left there.
static void a_face_lies_where_it_was_asked_for(void **state) {
  (void)state;
  firn_context *context = trace_context(FIRN_ISA_AUTO, 1);
  for (int k = 0; k < 10; k++) {
    double at = 0.1 * k;
    firn_volume *volume = cube(context);
    const firn_cut_def def = {.count = 1, .plane = {{2, 0, 0, 2 * (origin[0] + at)}}};
    firn_cuts cuts = make(context, 1, &def);
    firn_volume_cut(volume, &cuts, origin);
    for (int i = 0; i < 5; i++)
      assert_true(fabsf(firn_volume_density(volume, (firn_v3){(float)at, (float)i, 2}) - 0.5f) <
                  1e-4f);
    firn_volume_free(volume);
  }
  firn_context_destroy(context);
}

static void nonsense_is_refused(void **state) {
  (void)state;
  firn_context *context = trace_context(FIRN_ISA_AUTO, 1);
  const firn_cut_def flat = {.count = 1, .plane = {{0, 0, 0, 1}}},
                     wild = {.count = 1, .plane = {{1, 0, 0, (double)NAN}}},
                     empty = {.count = 0, .plane = {{0}}},
                     many = {.count = FIRN_CUT_PLANES + 1, .plane = {{1, 0, 0, 0}}};
  const firn_cut_def *const bad[] = {&flat, &wild, &empty, &many};
  firn_cuts cuts;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(firn_cuts_make(context, "test", 1, bad[i], &cuts), FIRN_ERROR_ARGUMENT);
  assert_int_equal(firn_cuts_make(context, "test", FIRN_CUTS + 1, &flat, &cuts),
                   FIRN_ERROR_ARGUMENT);
  assert_int_equal(firn_cuts_make(context, "test", 1, NULL, &cuts), FIRN_ERROR_ARGUMENT);
  firn_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_beyond_is_gone_and_nothing_else),
      cmocka_unit_test(a_face_lies_where_it_was_asked_for),
      cmocka_unit_test(nonsense_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
