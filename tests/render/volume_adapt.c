// SPDX-License-Identifier: Apache-2.0
// Kernels that adapt: packed snow is smooth and its surface no softer, spray is uneven, mass is kept, and
// nothing jumps.
#include "render/trace_case.h"

#include "render/volume_shape.h"

enum { SIDE = 40, LAYERS = 10, BED = SIDE * SIDE * LAYERS, SPRAY = 200, COUNT = BED + SPRAY };

#define SPACING 0.01
#define MASS    4e-4f // 400 kg/m3

typedef struct snow {
  double position[3 * COUNT];
  float velocity[3 * COUNT], mass[COUNT];
  firn_volume_def def;
} snow;

// A bed of particles 1 cm apart and jittered, with its surface at y = 0 on its upper side, and grains that
// fly over it, 6 cm apart. It is drawn as pictures are by default.
static snow *make_snow(double adapt) {
  snow *s = calloc(1, sizeof *s);
  for (int i = 0; i < COUNT; i++) {
    const int flies = i - BED;
    const double at[3] = {i % SIDE - SIDE / 2 + 0.5, i / (SIDE * SIDE) - LAYERS + 0.5,
                          i / SIDE % SIDE - SIDE / 2 + 0.5};
    const double over[3] = {6 * (flies % 8) - 21, 20 + 6 * (flies / 64), 6 * (flies / 8 % 8) - 21};
    for (int a = 0; a < 3; a++) {
      double jitter = (double)firn_noise((uint32_t)(3 * i + a)) - 0.5;
      s->position[3 * i + a] = SPACING * ((flies < 0 ? at[a] : over[a]) + jitter);
    }
    s->velocity[3 * i] = flies < 0 ? 0 : 3;
    s->mass[i] = MASS;
  }
  s->def = (firn_volume_def){.count = COUNT,
                             .position = s->position,
                             .mass = s->mass,
                             .voxel = 0.42 * SPACING,
                             .kernel = 1.2 * SPACING,
                             .anisotropy = 1,
                             .adapt = adapt,
                             .spacing = SPACING,
                             .detail = 0.7,
                             .detail_size = SPACING};
  return s;
}

static firn_volume *must_build(firn_context *context, const firn_volume_def *def) {
  firn_volume *volume = NULL;
  assert_int_equal(firn_volume_build(context, def, &volume), FIRN_OK);
  return volume;
}

// Sum over the nodes of all blocks, each counted once.
static double mass_of(const firn_volume *v) {
  double sum = 0;
  for (size_t b = 0; b < v->count; b++)
    for (int z = 0; z < 8; z++)
      for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++)
          sum += (double)v->density[b * FIRN_BLOCK_NODES + (size_t)((z * 9 + y) * 9 + x)] *
                 (double)v->majorant[b] / FIRN_DENSITY_ONE;
  return sum * pow((double)v->voxel, 3);
}

// Crumbs are splines, off by 1e-3 where they are no whole number of voxels wide, as wide kernels of the
// bed are; those that lie thin in its surface, a voxel or so, by some per cent, half of them up and half
// down. Noise is left out: it takes and gives by design.
static void mass_is_kept(void **state) {
  (void)state;
  firn_context *context = trace_context(FIRN_ISA_AUTO, 2);
  snow *s = make_snow(1);
  s->def.detail = 0;
  const size_t first[3] = {0, BED, 0}, count[3] = {COUNT, SPRAY, BED};
  const double bound[3] = {0.01, 0.003, 0.01};
  for (int i = 0; i < 3; i++) {
    firn_volume_def def = s->def;
    def.count = count[i];
    def.position += 3 * first[i];
    firn_volume *v = must_build(context, &def);
    assert_true(fabs(mass_of(v) / ((double)count[i] * (double)MASS) - 1) < bound[i]);
    firn_volume_free(v);
  }
  free(s);
  firn_context_destroy(context);
}

// m, where density goes through a level on the way down through the surface of the bed.
static double height_at(const firn_volume *v, float x, float z, float level) {
  for (int i = 0; i < 800; i++) {
    float y = 0.03f - 1e-4f * (float)i;
    if (firn_volume_density(v, (firn_v3){x, y, z}) > level) return (double)y;
  }
  return -0.05;
}

typedef struct surface {
  double rough; // m, rms of its height
  double soft;  // m, from a tenth to a half of the bulk's density
} surface;

static surface measure(const firn_volume *v) {
  enum { N = 60 };
  surface out = {0, 0};
  double sum = 0, square = 0;
  for (int i = 0; i < N * N; i++) {
    float x = 0.25f * ((float)(i % N) / N - 0.5f), z = 0.25f * ((float)(i / N) / N - 0.5f);
    double half = height_at(v, x, z, 200);
    sum += half;
    square += half * half;
    out.soft += (height_at(v, x, z, 40) - half) / (N * N);
  }
  sum /= N * N;
  out.rough = sqrt(square / (N * N) - sum * sum);
  return out;
}

// The surface of the bed is a third as rough as with one kernel, or smoother, and the air above it is as
// clear: smoothness does not come from blur, as that of a kernel twice as wide does.
static void packed_snow_is_smooth_and_its_surface_sharp(void **state) {
  (void)state;
  firn_context *context = trace_context(FIRN_ISA_AUTO, 2);
  surface of[3];
  for (int i = 0; i < 3; i++) {
    snow *s = make_snow(i == 1);
    if (i == 2) {
      s->def.kernel *= 2;
      s->def.anisotropy = s->def.detail = 0;
    }
    firn_volume *v = must_build(context, &s->def);
    of[i] = measure(v);
    print_message("rough %g m, soft %g m\n", of[i].rough, of[i].soft);
    firn_volume_free(v);
    free(s);
  }
  assert_true(of[1].rough < of[0].rough / 3);
  assert_true(of[1].soft <= of[0].soft);
  assert_true(of[2].soft > of[0].soft);
  firn_context_destroy(context);
}

// Kernels in a layer of packed grains are wider than the brush where it is thick, and not where single ones
// lie on something: gaps between these stay open. The layer is as wide as one looks, and level.
static void a_layer_of_single_grains_is_no_veil(void **state) {
  (void)state;
  const firn_grain_fit by = {.kernel = 3, .amount = 1, .adapt = 1, .spacing = 2.5f};
  const firn_grain grain = {.mass = 1, .size = 1, .bulk = 1 / (2.5f * 2.5f * 2.5f)};
  const double layers[2] = {1, 4}, window = 2.7 * 2.5;
  float reach[2];
  for (int i = 0; i < 2; i++) {
    firn_grain_company company = {.window = pow(window, 3),
                                  .endless = 5.0 / 12 * window * window,
                                  .mass = 2.7 * 2.7 * layers[i],
                                  .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    company.variance[0] = company.variance[2] = company.endless;
    company.variance[1] = (layers[i] * layers[i] - 1) / 12 * 2.5 * 2.5;
    const firn_grain_shape shape = firn_grain_shape_of(&by, &grain, &company);
    assert_true(shape.loose == 0);
    assert_true(shape.reach[1] < shape.reach[0]);
    reach[i] = shape.reach[0];
    print_message("%g voxels\n", (double)reach[i]);
  }
  // Those of single grains get some of the volume back that being thin takes from them.
  assert_true(reach[0] < 2 * 3 * 1.5f);
  assert_true(reach[1] > 2 * 3 * 1.5f);
}

// A grain in flight is five crumbs of its mass, no two grains alike; with a size of its own it stays whole.
static void grains_in_flight_differ(void **state) {
  (void)state;
  firn_grain_fit by = {.kernel = 3, .amount = 1, .adapt = 1, .spacing = 2.5f};
  firn_grain crumbs[FIRN_GRAIN_CRUMBS], again[FIRN_GRAIN_CRUMBS];
  double least = 1e9, most = 0;
  for (uint32_t n = 0; n < 1000; n++) {
    const firn_grain grain = {.at = {4, 4, 4}, .mass = 2, .seed = firn_scramble(n), .size = 1};
    assert_int_equal(firn_grain_crumbs(&by, &grain, 1.5f, crumbs), FIRN_GRAIN_CRUMBS);
    firn_grain_crumbs(&by, &grain, 1.5f, again);
    assert_memory_equal(crumbs, again, sizeof crumbs);
    double mass = 0;
    for (int i = 0; i < FIRN_GRAIN_CRUMBS; i++) {
      mass += (double)crumbs[i].mass;
      assert_true(by.kernel * crumbs[i].size >= 1); // voxel: nodes tell no less
      for (int a = 0; a < 3; a++)
        assert_true(fabsf(crumbs[i].at[a] - 4) + 2 * by.kernel * crumbs[i].size <=
                    firn_grain_crumbs_reach(&by));
    }
    assert_true(fabs(mass - 1.5) < 1e-6);
    least = fmin(least, (double)crumbs[0].mass);
    most = fmax(most, (double)crumbs[0].mass);
  }
  assert_true(most > 1.5 * least);
  by.whole = true;
  const firn_grain grain = {.at = {4, 4, 4}, .mass = 2, .seed = 7, .size = 0.5f};
  assert_int_equal(firn_grain_crumbs(&by, &grain, 1.5f, crumbs), 1);
  assert_true(crumbs[0].mass == 1.5f && crumbs[0].size == 0.5f && crumbs[0].at[0] == 4);
}

// The same sums whatever draws them.
static void the_same_bytes_come_from_any_threads_and_instructions(void **state) {
  (void)state;
  const firn_isa isa[3] = {FIRN_ISA_AUTO, FIRN_ISA_AUTO, FIRN_ISA_SCALAR};
  const int threads[3] = {1, 4, 2};
  snow *s = make_snow(1);
  s->def.velocity = s->velocity;
  s->def.shutter = 0.01;
  firn_volume *v[3];
  firn_context *context[3];
  for (int i = 0; i < 3; i++) {
    context[i] = trace_context(isa[i], threads[i]);
    v[i] = must_build(context[i], &s->def);
    assert_int_equal(v[i]->count, v[0]->count);
    assert_memory_equal(v[i]->density, v[0]->density, v[0]->count * FIRN_BLOCK_NODES * 2);
    assert_memory_equal(v[i]->velocity, v[0]->velocity, v[0]->count * FIRN_BLOCK_VELOCITIES * 6);
  }
  for (int i = 0; i < 3; i++) {
    firn_volume_free(v[i]);
    firn_context_destroy(context[i]);
  }
  free(s);
}

enum { EDGE = 6, LUMP = EDGE * EDGE * EDGE };

// Largest change of density where the grains of a lump are, in a step of many in which it comes apart from
// packed to loose.
static double largest_change(firn_context *context, int steps) {
  snow *s = make_snow(1);
  double last[LUMP] = {0}, most = 0;
  s->def.count = LUMP;
  s->def.detail = 0;
  for (int n = 0; n <= steps; n++) {
    for (int i = 0; i < LUMP; i++) {
      const int at[3] = {i % EDGE, i / EDGE % EDGE, i / EDGE / EDGE};
      for (int a = 0; a < 3; a++)
        s->position[3 * i + a] = SPACING * (1 + 0.6 * n / steps) *
                                 (at[a] + 0.5 * (double)firn_noise((uint32_t)(3 * i + a)));
    }
    firn_volume *v = must_build(context, &s->def);
    for (int i = 0; i < LUMP; i++) {
      firn_v3 p = {(float)s->position[3 * i], (float)s->position[3 * i + 1],
                   (float)s->position[3 * i + 2]};
      double density = (double)firn_volume_density(v, p);
      if (n) most = fmax(most, fabs(density - last[i]));
      last[i] = density;
    }
    firn_volume_free(v);
  }
  free(s);
  return most;
}

// Steps a quarter as long change it by a quarter, give or take what a curve does; a jump would not care.
static void nothing_jumps_while_snow_comes_apart(void **state) {
  (void)state;
  firn_context *context = trace_context(FIRN_ISA_AUTO, 2);
  double coarse = largest_change(context, 60), fine = largest_change(context, 240);
  print_message("%g and %g kg/m3 a step\n", coarse, fine);
  assert_true(fine < 0.4 * coarse);
  firn_context_destroy(context);
}

// Voxels so small that kernels of two spacings would not fit into a tile, and masses as large as floats can
// be. What is drawn beyond a tile is found by whoever watches memory.
static void odd_snow_is_drawn_within_bounds(void **state) {
  (void)state;
  firn_context *context = trace_context(FIRN_ISA_AUTO, 2);
  snow *s = make_snow(1);
  firn_volume_def def = s->def;
  def.detail = 0;
  def.count = 60;
  def.voxel = SPACING / 40;
  def.kernel = 0.5 * SPACING;
  firn_volume *v = must_build(context, &def);
  assert_true(fabs(mass_of(v) / (60 * (double)MASS) - 1) < 0.01);
  firn_volume_free(v);
  for (int i = 0; i < 20; i++) s->mass[i] = 3e38f;
  v = must_build(context, &s->def);
  for (size_t b = 0; b < v->count; b++) assert_true(isfinite(v->majorant[b]) && v->majorant[b] > 0);
  firn_volume_free(v);
  free(s);
  firn_context_destroy(context);
}

static void what_cannot_be_adapted_to_is_refused(void **state) {
  (void)state;
  firn_context *context = trace_context(FIRN_ISA_AUTO, 1);
  snow *s = make_snow(1);
  firn_volume *v;
  s->def.spacing = 0;
  assert_int_equal(firn_volume_build(context, &s->def, &v), FIRN_ERROR_ARGUMENT);
  s->def.spacing = SPACING;
  s->def.adapt = 1.5;
  assert_int_equal(firn_volume_build(context, &s->def, &v), FIRN_ERROR_ARGUMENT);
  free(s);
  firn_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_is_kept),
      cmocka_unit_test(packed_snow_is_smooth_and_its_surface_sharp),
      cmocka_unit_test(a_layer_of_single_grains_is_no_veil),
      cmocka_unit_test(grains_in_flight_differ),
      cmocka_unit_test(the_same_bytes_come_from_any_threads_and_instructions),
      cmocka_unit_test(nothing_jumps_while_snow_comes_apart),
      cmocka_unit_test(odd_snow_is_drawn_within_bounds),
      cmocka_unit_test(what_cannot_be_adapted_to_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
