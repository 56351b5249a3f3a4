// SPDX-License-Identifier: Apache-2.0
// Volumes: where the mass of particles goes, bounds that bound, and input that is no good.
#include "render/trace_case.h"

#include "render/volume_grain.h"

enum { SIDE = 16, COUNT = SIDE * SIDE * SIDE };

typedef struct cloud {
  double position[3 * COUNT];
  float velocity[3 * COUNT], mass[COUNT];
  firn_volume_def def;
} cloud;

// A cube of 16^3 particles 1 cm apart around (5, 0, 0) m, jittered, 400 kg/m3.
static cloud *make_cloud(void) {
  cloud *c = calloc(1, sizeof *c);
  for (int i = 0; i < COUNT; i++) {
    const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
    for (int a = 0; a < 3; a++) {
      double jitter = 0.006 * ((double)firn_noise((uint32_t)(3 * i + a)) - 0.5);
      c->position[3 * i + a] = 0.01 * (at[a] - 7.5) + jitter + (a ? 0 : 5);
    }
    c->velocity[3 * i] = 2;
    c->velocity[3 * i + 1] = (float)at[1];
    c->mass[i] = 4e-4f;
  }
  c->def = (firn_volume_def){.count = COUNT,
                             .position = c->position,
                             .velocity = c->velocity,
                             .mass = c->mass,
                             .origin = {5, 0, 0},
                             .voxel = 0.005,
                             .kernel = 0.02};
  return c;
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

// The spline sums to 1 over nodes where its width is a whole number of voxels; 16 bits leave 1e-5.
static void mass_is_kept(void **state) {
  (void)state;
  firn_context *context = trace_context(FIRN_ISA_AUTO, 2);
  cloud *c = make_cloud();
  const double kernel[4] = {0.02, 0.02, 0.005, 0.03}, voxel[4] = {0.005, 0.02, 0.005, 0.003};
  for (int i = 0; i < 4; i++) {
    c->def.kernel = kernel[i];
    c->def.voxel = voxel[i];
    firn_volume *v = must_build(context, &c->def);
    assert_true(fabs(mass_of(v) / (COUNT * 4e-4) - 1) < 1e-4);
    assert_true(firn_volume_bytes(v) <= 8 * firn_volume_voxels(v));
    firn_volume_free(v);
  }
  c->def.kernel = 0.02;
  c->def.voxel = 0.005;
  c->def.anisotropy = 1;
  firn_volume *v = must_build(context, &c->def);
  assert_true(fabs(mass_of(v) / (COUNT * 4e-4) - 1) < 0.02); // the radial kernel has no such sum
  firn_volume_free(v);
  free(c);
  firn_context_destroy(context);
}

static double spline(double x) {
  double a = fabs(x);
  return a < 1 ? 0.5 * a * a * a - a * a + 2.0 / 3 : a < 2 ? pow(2 - a, 3) / 6 : 0;
}

// A particle of half the size is eight times as dense in its middle, and one of any size has its mass, all
// the same with fitted kernels. Sizes of no use are held in bounds.
static void a_particle_is_as_wide_as_its_size(void **state) {
  (void)state;
  firn_context *context = trace_context(FIRN_ISA_AUTO, 2);
  const float size[] = {1, 0.5f, 2, 1e-9f, 1e9f, NAN}, seen[] = {1, 0.5f, 2, 0.4f, 2.5f, 0.4f};
  const double at[3] = {0, 0, 0};
  const float mass = 1e-3f;
  for (int fitted = 0; fitted < 2; fitted++) {
    float one = 0;
    for (int i = 0; i < 6; i++) {
      const firn_volume_def def = {.count = 1,
                                   .position = at,
                                   .mass = &mass,
                                   .size = &size[i],
                                   .voxel = 0.002,
                                   .kernel = 0.02,
                                   .anisotropy = fitted};
      firn_volume *v = must_build(context, &def);
      float middle = firn_volume_density(v, (firn_v3){0, 0, 0});
      if (i == 0) one = middle;
      // Nodes tell the smallest, 0.6 * 0.4 of 10 voxels wide where fitted, to some per cent.
      assert_true(fabs((double)(middle / one) * pow((double)seen[i], 3) - 1) < 1e-3);
      assert_true(fabs(mass_of(v) / (double)mass - 1) < (fitted ? 0.02 : 1e-3));
      firn_volume_free(v);
    }
  }
  firn_context_destroy(context);
}

// At nodes the volume is the sum of the solver's kernels, in a place far from the world's origin too.
static void density_at_nodes_is_the_sum_of_kernels(void **state) {
  (void)state;
  firn_context *context = trace_context(FIRN_ISA_AUTO, 2);
  cloud *c = make_cloud();
  firn_volume *v = must_build(context, &c->def);
  for (int n = 0; n < 60; n++) {
    int node[3];
    for (int a = 0; a < 3; a++) node[a] = (int)(firn_scramble((uint32_t)(3 * n + a)) % 44) - 22;
    double sum = 0, h = c->def.kernel;
    for (int i = 0; i < COUNT; i++) {
      double w = 4e-4;
      for (int a = 0; a < 3; a++)
        w *= spline((node[a] * 0.005 + c->def.origin[a] - c->position[3 * i + a]) / h) / h;
      sum += w;
    }
    firn_v3 p = {(float)node[0] * 0.005f, (float)node[1] * 0.005f, (float)node[2] * 0.005f};
    assert_true(fabs((double)firn_volume_density(v, p) - sum) < 0.02 + 1e-4 * sum);
  }
  firn_volume_free(v);
  free(c);
  firn_context_destroy(context);
}

static void bounds_bound_and_empty_blocks_are_far_from_snow(void **state) {
  (void)state;
  firn_context *context = trace_context(FIRN_ISA_AUTO, 2);
  cloud *c = make_cloud();
  for (int i = 0; i < 40; i++) c->position[3 * i + 1] += 0.5; // an island
  firn_volume *v = must_build(context, &c->def);
  for (uint32_t n = 0; n < 20000; n++) {
    float at[3];
    int b[3];
    for (uint32_t a = 0; a < 3; a++) {
      at[a] = firn_noise(3 * n + a) * (float)(8 * v->size[a]);
      b[a] = (int)at[a] / 8;
    }
    firn_v3 p = firn_v3_add(v->low,
                            (firn_v3){at[0] * v->voxel, at[1] * v->voxel, at[2] * v->voxel});
    float density = firn_volume_density(v, p);
    int32_t block = v->index[firn_volume_cell(v, b[0], b[1], b[2])];
    if (block < 0) {
      assert_true(density == 0);
      for (int k = 0; k < 27; k++) { // the corners of what it says is empty
        int d = -block - 1, x = b[0] + d * (k % 3 - 1), y = b[1] + d * (k / 3 % 3 - 1),
            z = b[2] + d * (k / 9 - 1);
        if (x < 0 || y < 0 || z < 0 || x >= v->size[0] || y >= v->size[1] || z >= v->size[2])
          continue;
        assert_true(v->index[firn_volume_cell(v, x, y, z)] < 0);
      }
      continue;
    }
    assert_true(density <= v->majorant[block] * 1.00002f);
    assert_true(density >= v->minorant[block] - 0.01f);
  }
  firn_volume_free(v);
  free(c);
  firn_context_destroy(context);
}

static void the_same_bytes_come_from_any_number_of_threads(void **state) {
  (void)state;
  cloud *c = make_cloud();
  c->def.shutter = 0.01;
  c->def.detail = 0.3;
  c->def.detail_size = 0.01;
  c->def.anisotropy = 0.7;
  firn_volume *v[2];
  firn_context *context[2];
  for (int i = 0; i < 2; i++) {
    context[i] = trace_context(FIRN_ISA_AUTO, 1 + 3 * i);
    v[i] = must_build(context[i], &c->def);
  }
  assert_int_equal(v[0]->count, v[1]->count);
  assert_memory_equal(v[0]->density, v[1]->density, v[0]->count * FIRN_BLOCK_NODES * 2);
  assert_memory_equal(v[0]->velocity, v[1]->velocity, v[0]->count * FIRN_BLOCK_VELOCITIES * 6);
  for (int i = 0; i < 2; i++) {
    firn_volume_free(v[i]);
    firn_context_destroy(context[i]);
  }
  free(c);
}

static void velocity_is_that_of_the_particles_nearby(void **state) {
  (void)state;
  firn_context *context = trace_context(FIRN_ISA_AUTO, 1);
  cloud *c = make_cloud();
  firn_volume *v = must_build(context, &c->def);
  for (int i = -3; i <= 3; i++) {
    firn_v3 u = firn_volume_velocity(v, (firn_v3){0, 0.01f * (float)i, 0});
    assert_true(fabsf(u.x - 2) < 0.01f);
    assert_true(fabsf(u.y - (7.5f + (float)i)) < 0.35f); // kernels and 2 cm between nodes smooth it
    assert_true(fabsf(u.z) < 0.01f);
  }
  firn_v3 up = firn_volume_gradient(v, (firn_v3){0, 0.08f, 0});
  assert_true(up.y < 0 && fabsf(up.x) < -0.3f * up.y);
  firn_volume_free(v);
  free(c);
  firn_context_destroy(context);
}

// Noise is fixed to its particle: snow that moves by half a voxel looks as if the grid had moved.
static void detail_moves_with_the_particles(void **state) {
  (void)state;
  firn_context *context = trace_context(FIRN_ISA_AUTO, 2);
  cloud *c = make_cloud();
  firn_volume *plain = must_build(context, &c->def);
  c->def.detail = 0.3;
  c->def.detail_size = 0.02;
  firn_volume *still = must_build(context, &c->def);
  for (int i = 0; i < COUNT; i++) c->position[3 * i] += 0.01; // two voxels
  firn_volume *moved = must_build(context, &c->def);
  for (int i = 0; i < COUNT; i++) c->position[3 * i] += 0.0025; // and a half
  firn_volume *half = must_build(context, &c->def);
  double varies = 0, swims = 0, blurs = 0;
  for (uint32_t n = 0; n < 4000; n++) {
    firn_v3 p = {0.05f * (2 * firn_noise(3 * n) - 1), 0.05f * (2 * firn_noise(3 * n + 1) - 1),
                 0.05f * (2 * firn_noise(3 * n + 2) - 1)};
    double a = (double)firn_volume_density(plain, p), b = (double)firn_volume_density(still, p);
    p.x += 0.01f;
    double d = (double)firn_volume_density(moved, p);
    p.x += 0.0025f;
    double e = (double)firn_volume_density(half, p);
    varies += (b - a) * (b - a);
    swims += (d - b) * (d - b);
    blurs += (e - b) * (e - b);
  }
  assert_true(sqrt(varies / 4000) > 20); // of 400 kg/m3
  assert_true(swims < 1e-4 * varies);
  assert_true(blurs < 0.1 * varies);
  firn_volume_free(plain);
  firn_volume_free(still);
  firn_volume_free(moved);
  firn_volume_free(half);
  free(c);
  firn_context_destroy(context);
}

static void bad_particles_are_left_out_and_counted(void **state) {
  (void)state;
  firn_context *context = trace_context(FIRN_ISA_AUTO, 2);
  cloud *c = make_cloud();
  c->position[0] = NAN;
  c->position[4] = INFINITY;
  c->position[6] = 1e12; // a stray: an index up to there would not fit into memory
  c->mass[3] = -1;
  c->mass[4] = NAN;
  c->velocity[15] = NAN;
  c->def.shutter = 0.01;
  firn_volume *v = must_build(context, &c->def);
  assert_int_equal(firn_volume_skipped(v), 5);
  assert_true(fabs(mass_of(v) / ((COUNT - 5) * 4e-4) - 1) < 1e-3);
  firn_volume_free(v);

  c->def.count = 0;
  v = must_build(context, &c->def);
  assert_int_equal(firn_volume_voxels(v), 0);
  assert_true(firn_volume_density(v, (firn_v3){0, 0, 0}) == 0);
  firn_volume_free(v);
  c->def.count = COUNT;
  c->def.voxel = 0;
  assert_int_equal(firn_volume_build(context, &c->def, &v), FIRN_ERROR_ARGUMENT);
  assert_null(v);
  free(c);
  firn_context_destroy(context);
}

// Places that no int holds, a box as long as no double holds, and two grains so far apart along one axis
// that neither the keys of blocks nor floats would tell all voxels between them apart.
static void whatever_is_too_far_away_is_left_out(void **state) {
  (void)state;
  firn_context *context = trace_context(FIRN_ISA_AUTO, 2);
  cloud *c = make_cloud();
  c->def.origin[0] = 0;
  c->def.kernel = 0.005;
  const double far[3] = {1.7e308 * 0.005, 1e12, 2.5e5}; // m
  for (int n = 0; n < 3; n++) {
    for (int i = 0; i < 3; i++) {
      c->position[3 * i] = i == 2 ? -far[n] : far[n] * (1 - 1e-9 * i);
      c->position[3 * i + 1] = c->position[3 * i + 2] = 0.01;
    }
    for (int alone = 0; alone < 2; alone++) { // the far ones only, or all
      c->def.count = alone ? 3 : COUNT;
      firn_volume *v = must_build(context, &c->def);
      if (!alone) assert_int_equal(firn_volume_skipped(v), 3);
      for (int a = 0; a < 3; a++) assert_in_range(v->size[a], 0, 1 << 17);
      firn_volume_free(v);
    }
  }
  free(c);
  firn_context_destroy(context);
}

// Masses and velocities as large as floats can be: the numbers that come of them are finite.
static void densities_and_velocities_stay_finite(void **state) {
  (void)state;
  firn_context *context = trace_context(FIRN_ISA_AUTO, 1);
  cloud *c = make_cloud();
  for (int i = 0; i < 20; i++) c->mass[i] = 3e38f;
  for (int i = 0; i < 60; i++) c->velocity[i] = i % 2 ? 3e38f : -3e38f;
  firn_volume *v = must_build(context, &c->def);
  for (size_t b = 0; b < v->count; b++) assert_true(isfinite(v->majorant[b]) && v->majorant[b] > 0);
  assert_true(isfinite(v->velocity_unit));
  firn_volume_free(v);
  free(c);
  firn_context_destroy(context);
}

// A hair below the side of a block a float says 8; a kernel as wide as half a block reaches just to the
// end of the tile from there. What is drawn beyond is found by whoever watches memory.
static void a_grain_at_the_very_end_of_its_block_stays_within_the_tile(void **state) {
  (void)state;
  firn_context *context = trace_context(FIRN_ISA_AUTO, 1);
  const double at = 8 - 1e-12, position[3] = {at, at, at};
  const float mass = 1;
  firn_volume_def def = {.count = 1, .position = position, .mass = &mass, .voxel = 1, .kernel = 4};
  for (int n = 0; n < 2; n++) {
    def.anisotropy = n ? 1e-9 : 0;
    firn_volume *v = must_build(context, &def);
    assert_true(fabs(mass_of(v) - 1) < 0.02); // also alone, with no neighbour to be fitted to
    firn_volume_free(v);
  }
  firn_context_destroy(context);
}

static double quadratic(double x) {
  double a = fabs(x);
  return a < 0.5 ? 0.75 - a * a : a < 1.5 ? 0.5 * (1.5 - a) * (1.5 - a) : 0;
}

// A slanted lump around a corner of eight cells. Where no bound is reached a fitted kernel G turns the
// covariance C of the neighbourhood into that of endless snow, G C G = 1/3: here C by the plain sum over
// all grains, each with the weight of its cell. Moments are floats of distances to 4 from numbers to 24,
// so off by 1e-5 of them.
static void fitted_kernels_have_the_covariance_of_their_neighbours(void **state) {
  (void)state;
  enum { MANY = 200, H = 4 };
  firn_grain grains[MANY];
  firn_bin homes[8];
  firn_grain_shape shape[MANY];
  double p[MANY][3];
  size_t n = 0, home_count = 0;
  for (int k = 0; k < 8; k++) {
    const int at[3] = {1 + k % 2, 1 + k / 2 % 2, 1 + k / 4};
    firn_bin home = {.key = firn_cell_key(at), .first = (uint32_t)n};
    for (uint32_t i = 0; i < MANY; i++) {
      double u[3];
      for (uint32_t a = 0; a < 3; a++) u[a] = (double)firn_noise(3 * i + a) - 0.5;
      const double q[3] = {16 + 5 * u[0], 16 + 2 * u[0] + 3.5 * u[1], 16 + u[1] + 3 * u[2]};
      if ((q[0] >= 16) != at[0] - 1 || (q[1] >= 16) != at[1] - 1 || (q[2] >= 16) != at[2] - 1)
        continue;
      grains[n] = (firn_grain){.mass = 1e-3f * (1 + (float)(i % 3)), .size = 1};
      for (int a = 0; a < 3; a++) {
        grains[n].at[a] = (float)(q[a] - 8 * at[a]);
        p[n][a] = 8 * at[a] + (double)grains[n].at[a];
      }
      home.count++;
      n++;
    }
    assert_true(home.count > 0);
    homes[home_count++] = home;
  }
  assert_int_equal(n, MANY);
  firn_context *context = trace_context(FIRN_ISA_AUTO, 2);
  const firn_bins bins = {.context = context, .points = n, .count = home_count, .bin = homes};
  const firn_grain_fit by = {.kernel = H, .amount = 1};
  assert_int_equal(firn_grains_fit(&by, &bins, grains, shape), FIRN_OK);
  for (size_t i = 0; i < n; i++) {
    double mass = 0, mean[3] = {0, 0, 0}, square[3][3] = {{0}};
    for (size_t k = 0; k < n; k++) {
      double w = (double)grains[k].mass;
      for (int a = 0; a < 3; a++) w *= quadratic(floor(p[k][a] / H) + 0.5 - p[i][a] / H);
      mass += w;
      for (int a = 0; a < 3; a++) {
        mean[a] += w * p[k][a];
        for (int b = 0; b < 3; b++) square[a][b] += w * p[k][a] * p[k][b];
      }
    }
    const float *s = shape[i].g;
    const double g[3][3] = {{(double)s[0], (double)s[3], (double)s[4]},
                            {(double)s[3], (double)s[1], (double)s[5]},
                            {(double)s[4], (double)s[5], (double)s[2]}};
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) {
        double sum = 0;
        for (int a = 0; a < 3; a++)
          for (int b = 0; b < 3; b++)
            sum += g[r][a] * (square[a][b] / mass - mean[a] * mean[b] / mass / mass) * g[b][c];
        assert_true(fabs(sum - (r == c ? 1.0 / 3 : 0)) < 1e-4);
      }
  }
  firn_context_destroy(context);
}

// A block full of grains, and one grain more 1e4 kernels away along all three axes, which a lattice
// without gaps would need 40 TB for. What it costs is its own cell and its place in a few lists: less
// than a block of floats. The others' shapes are the same to the bit, and it is small, as spray is.
static void a_stray_costs_its_fitted_kernel_and_little_more(void **state) {
  (void)state;
  enum { IN_BLOCK = 512, FAR = 5000 };
  firn_grain grains[IN_BLOCK + 1];
  firn_grain_shape shape[2][IN_BLOCK + 1];
  firn_bin homes[2] = {
      {.key = firn_cell_key((int32_t[3]){1, 1, 1}), .count = IN_BLOCK},
      {.key = firn_cell_key((int32_t[3]){FAR, FAR, FAR}), .first = IN_BLOCK, .count = 1}};
  for (uint32_t i = 0; i <= IN_BLOCK; i++) {
    grains[i] = (firn_grain){.mass = 1e-3f, .size = 1};
    for (uint32_t a = 0; a < 3; a++) grains[i].at[a] = 8 * firn_noise(3 * i + a);
  }
  size_t peak[2];
  for (size_t n = 0; n < 2; n++) {
    firn_context *context = trace_context(FIRN_ISA_AUTO, 2);
    const firn_bins bins = {
        .context = context, .points = IN_BLOCK + n, .count = 1 + n, .bin = homes};
    const firn_grain_fit by = {.kernel = 4, .amount = 1};
    assert_int_equal(firn_grains_fit(&by, &bins, grains, shape[n]), FIRN_OK);
    peak[n] = firn_context_peak_bytes(context);
    assert_int_equal(firn_context_bytes(context), 0);
    firn_context_destroy(context);
  }
  assert_memory_equal(shape[0], shape[1], IN_BLOCK * sizeof **shape);
  assert_true(peak[1] > peak[0] && peak[1] - peak[0] < 512 * sizeof(float));
  for (int a = 0; a < 3; a++) {
    assert_true(fabsf(shape[1][IN_BLOCK].g[a] - 1 / (4 * 0.6f)) < 1e-6f);
    assert_true(fabsf(shape[1][IN_BLOCK].g[3 + a]) < 1e-6f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_is_kept),
      cmocka_unit_test(a_particle_is_as_wide_as_its_size),
      cmocka_unit_test(density_at_nodes_is_the_sum_of_kernels),
      cmocka_unit_test(bounds_bound_and_empty_blocks_are_far_from_snow),
      cmocka_unit_test(the_same_bytes_come_from_any_number_of_threads),
      cmocka_unit_test(velocity_is_that_of_the_particles_nearby),
      cmocka_unit_test(detail_moves_with_the_particles),
      cmocka_unit_test(bad_particles_are_left_out_and_counted),
      cmocka_unit_test(whatever_is_too_far_away_is_left_out),
      cmocka_unit_test(densities_and_velocities_stay_finite),
      cmocka_unit_test(a_grain_at_the_very_end_of_its_block_stays_within_the_tile),
      cmocka_unit_test(fitted_kernels_have_the_covariance_of_their_neighbours),
      cmocka_unit_test(a_stray_costs_its_fitted_kernel_and_little_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
