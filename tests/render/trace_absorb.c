// SPDX-License-Identifier: Apache-2.0
// labels: R2 R3 R8
// One flight at a time: what comes through, by delta and by ratio tracking, and which way it turns.
#include "render/phase.h"
#include "render/trace_case.h"

static void slab_that_only_absorbs_lets_through_exp(void **state) {
  (void)state;
  trace_sky below = {0, 1};
  firn_light_table lights = {.user = &below, .sky = trace_sky_at};
  firn_trace_def def = {.samples = 200, .seed = 31};
  TRACE_FOR_ISAS(context) {
    const float depth[3] = {0.1f, 1, 4};
    for (int i = 0; i < 3; i++) {
      firn_volume *volume = trace_slab(context, 33, 20, depth[i], NULL);
      trace_result r = trace_mean(context, volume, trace_medium(0, 0, 0, 0.5f), &lights, def);
      assert_near("delta tracking", r.mean[0], r.error[0], exp(-(double)depth[i]), 1e-5);
      firn_volume_free(volume);
    }
  }
}

// The view of a volume for walks without a picture; sigma is [count] and its cells.
static firn_walk_view view_of(const firn_volume *volume, float *sigma) {
  bool split = firn_walk_bound(volume->context, volume, volume->voxel, sigma,
                               sigma + volume->count);
  firn_walk_view v = {.index = volume->index,
                      .sigma = sigma,
                      .cells = sigma + volume->count,
                      .split = split,
                      .density = volume->density,
                      .size = {volume->size[0], volume->size[1], volume->size[2]},
                      .thin_after = INFINITY,
                      .most = 1e6f,
                      .roulette = 20};
  return v;
}

static void seed_lane(firn_walk *w, int i, uint32_t seed) {
  w->s0[i] = (int32_t)firn_scramble(seed);
  w->s1[i] = (int32_t)(firn_scramble(seed + 0x9e3779b9u) | 1);
}

// Rays of mode 2 straight down through the middle: mean and standard error of what they bring.
static void ratio_track(firn_context *context, const firn_volume *volume, int rays, double *mean,
                        double *error) {
  float *sigma = malloc(volume->count * (1 + FIRN_WALK_CELLS) * sizeof *sigma);
  firn_walk_view view = view_of(volume, sigma);
  const firn_walk_kernel *walker = firn_walk_kernel_get(firn_context_isa(context));
  static firn_walk w;
  double sum = 0, square = 0;
  int n = 0;
  firn_v3 at = {4.3f + 8 * (float)(volume->size[0] / 2), 3.1f + 8 * (float)(volume->size[1] / 2),
                8 * (float)volume->size[2]};
  for (; n < rays; n += walker->lanes) {
    for (int i = 0; i < FIRN_WALK_WIDTH; i++) w.mode[i] = 3;
    int busy = walker->lanes;
    for (int i = 0; i < walker->lanes; i++) {
      assert_true(firn_walk_place(&view, &w, i, at, (firn_v3){0, 0, -1}));
      w.limit[i] = INFINITY;
      w.exact[i] = w.pass[i] = w.sr[i] = 1;
      w.mode[i] = 2;
      w.lr[i] = w.stop[i] = w.events[i] = 0;
      seed_lane(&w, i, (uint32_t)(n + i));
    }
    while (busy) {
      walker->walk(&view, &w);
      for (int i = 0; i < walker->lanes; i++) {
        if (!(w.stop[i] > 0)) continue;
        assert_int_equal(w.stop[i], FIRN_WALK_BACK);
        double l = (double)w.lr[i];
        sum += l;
        square += l * l;
        w.stop[i] = 0;
        w.mode[i] = 3;
        busy--;
      }
    }
  }
  free(sigma);
  *mean = sum / n;
  *error = sqrt((square / n - *mean * *mean) / n);
}

static void shadow_rays_let_through_exp_and_so_in_uneven_snow(void **state) {
  (void)state;
  const float column[12] = {0, 0.3f, 0.02f, 0.01f, 0, 0, 0.2f, 0.22f, 0.05f, 0.1f, 0.09f, 0.01f};
  TRACE_FOR_ISAS(context) {
    const float depth[3] = {0.2f, 1, 5};
    for (int i = 0; i < 6; i++) {
      firn_volume *volume = trace_slab(context, 17, 12, depth[i % 3], i < 3 ? NULL : column);
      double mean, error;
      ratio_track(context, volume, 100000, &mean, &error);
      assert_near("ratio tracking", mean, error, exp(-(double)depth[i % 3]), 1e-5);
      firn_volume_free(volume);
    }
  }
}

// A spike beside the ray makes the majorant of its block 20 times as large as the ray needs: more work,
// the same answer.
static void a_majorant_that_is_too_high_changes_nothing(void **state) {
  (void)state;
  enum { N = 17 };
  const int nodes[3] = {N, N, N};
  TRACE_FOR_ISAS(context) {
    for (int spike = 0; spike < 2; spike++) {
      static float density[N * N * N];
      for (int i = 0; i < N * N * N; i++) density[i] = 0.1f;
      // At the corner of the block that the ray goes through; the ray passes 3 voxels away.
      if (spike)
        for (int z = 0; z < N; z++) density[(z * N + 7) * N + 7] = 2;
      firn_volume *volume = trace_volume(context, nodes, (firn_v3){0, 0, 0}, density);
      double mean, error;
      ratio_track(context, volume, 60000, &mean, &error);
      assert_near("ratio tracking", mean, error, exp(-0.1 * N), 1e-5);
      if (spike) assert_true(volume->majorant[volume->count / 2] > 1);
      trace_sky below = {0, 1};
      firn_light_table lights = {.user = &below, .sky = trace_sky_at};
      firn_trace_def def = {.samples = 400, .seed = 32};
      // The camera of trace_mean looks down the z axis: put that beside the spike.
      volume->low = (firn_v3){-13.3f, -13.1f, 0};
      trace_result r = trace_mean(context, volume, trace_medium(0, 0, 0, 0), &lights, def);
      assert_near("delta tracking", r.mean[0], r.error[0], exp(-0.1 * N), 1e-5);
      firn_volume_free(volume);
    }
  }
}

static void legendre(double cosine, double sum[2], double square[2]) {
  const double p[2] = {cosine, 0.5 * (3 * cosine * cosine - 1)};
  for (int k = 0; k < 2; k++) {
    sum[k] += p[k];
    square[k] += p[k] * p[k];
  }
}

static void check_legendre(const char *what, const double sum[2], const double square[2], int n,
                           double g) {
  const double expected[2] = {g, g * g};
  for (int k = 0; k < 2; k++) {
    double mean = sum[k] / n, error = sqrt((square[k] / n - mean * mean) / n);
    assert_near(what, mean, error, expected[k], 0);
  }
}

// The moments of Henyey and Greenstein's function are the powers of g; the sign counts.
static void directions_turn_as_henyey_and_greenstein_say(void **state) {
  (void)state;
  enum { N = 160000 };
  const float gs[3] = {0.5f, -0.3f, 0};
  for (int k = 0; k < 3; k++) {
    double sum[2] = {0}, square[2] = {0}, whole = 0;
    for (int i = 0; i < N; i++)
      legendre((double)firn_phase_hg_cosine(gs[k], ((float)i + 0.5f) / N), sum, square);
    check_legendre("inverse", sum, square, N, (double)gs[k]);
    for (int i = 0; i < N; i++)
      whole += 2 * 3.14159265358979 * 2.0 / N *
               (double)firn_phase_hg(gs[k], -1 + 2 * ((float)i + 0.5f) / N);
    assert_true(fabs(whole - 1) < 1e-4);
  }
  TRACE_FOR_ISAS(context) {
    firn_volume *volume = trace_slab(context, 17, 17, 170, NULL);
    float *sigma = malloc(volume->count * (1 + FIRN_WALK_CELLS) * sizeof *sigma);
    firn_walk_view view = view_of(volume, sigma);
    const firn_walk_kernel *walker = firn_walk_kernel_get(firn_context_isa(context));
    static firn_walk w;
    view.first = true;
    for (int k = 0; k < 3; k++) {
      view.g = gs[k];
      for (int c = 0; c < 3; c++) view.albedo[c] = 1;
      double sum[2] = {0}, square[2] = {0}, around[3] = {0};
      int n = 0;
      firn_v3 in = {0.6f, -0.48f, 0.64f};
      for (; n < N / 4; n += walker->lanes) {
        for (int i = 0; i < FIRN_WALK_WIDTH; i++) w.mode[i] = 3;
        for (int i = 0; i < walker->lanes; i++) {
          assert_true(firn_walk_place(&view, &w, i, (firn_v3){8.5f, 8.5f, 8.5f}, in));
          w.limit[i] = INFINITY;
          w.exact[i] = w.wr[i] = w.wg[i] = w.wb[i] = 1;
          w.mode[i] = w.stop[i] = w.events[i] = 0;
          seed_lane(&w, i, (uint32_t)(n + i));
        }
        int busy = walker->lanes;
        while (busy) {
          walker->walk(&view, &w);
          for (int i = 0; i < walker->lanes; i++) {
            if (!(w.stop[i] > 0)) continue;
            assert_int_equal(w.stop[i], FIRN_WALK_FIRST);
            double d[3] = {(double)w.dx[i], (double)w.dy[i], (double)w.dz[i]};
            assert_true(fabs(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - 1) < 1e-5);
            legendre(d[0] * (double)in.x + d[1] * (double)in.y + d[2] * (double)in.z, sum, square);
            for (int c = 0; c < 3; c++) around[c] += d[c];
            w.stop[i] = 0;
            w.mode[i] = 3;
            busy--;
          }
        }
      }
      check_legendre(firn_isa_name(trace_isas[isa_]), sum, square, n, (double)gs[k]);
      // No side is preferred: the mean direction is g times the old one.
      const double before[3] = {(double)in.x, (double)in.y, (double)in.z};
      for (int c = 0; c < 3; c++)
        assert_near("mean direction", around[c] / n, 1 / sqrt(3.0 * n), (double)gs[k] * before[c],
                    0);
    }
    free(sigma);
    firn_volume_free(volume);
  }
}

// Snow so dense that light gets nowhere between two events: a picture all the same. In grey of albedo 1/2
// it looks like a half space (0.03 < R < 0.2 whatever g).
static void endless_extinction_ends(void **state) {
  (void)state;
  trace_sky all = {1, 1};
  firn_light_table lights = {.user = &all, .sky = trace_sky_at};
  firn_trace_def def = {.samples = 20, .seed = 33};
  TRACE_FOR_ISAS(context) {
    const float depth[2] = {100, 1e20f};
    for (int i = 0; i < 2; i++) {
      firn_volume *volume = trace_slab(context, 33, 20, depth[i], NULL);
      firn_medium medium = trace_medium(0.5f, 0.5f, 0.5f, 0);
      medium.extinction = 3e38f;
      trace_result r = trace_mean(context, volume, medium, &lights, def);
      assert_true(r.mean[0] > 0.03 && r.mean[0] < 0.2);
      firn_volume_free(volume);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slab_that_only_absorbs_lets_through_exp),
      cmocka_unit_test(shadow_rays_let_through_exp_and_so_in_uneven_snow),
      cmocka_unit_test(a_majorant_that_is_too_high_changes_nothing),
      cmocka_unit_test(directions_turn_as_henyey_and_greenstein_say),
      cmocka_unit_test(endless_extinction_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
