// SPDX-License-Identifier: Apache-2.0
// The denoiser: less noise, the same edges, and nothing done where there is nothing to do.
#include "cache/scratch.h"

#include <firn/firn.h>

#include "base/isa.h"
#include "render/film.h"

enum { W = 96, H = 64 };

// A scene without noise: a soft shade with a sharp shadow across it, that only light shows, and a
// body of another albedo, that the planes show too.
static void scene(int x, int y, firn_v3 *light, firn_v3 *albedo) {
  const bool body = (x - 30) * (x - 30) + (y - 30) * (y - 30)<300, shadow = 3 * x + y> 230;
  *albedo = body ? (firn_v3){0.6f, 0.3f, 0.1f} : (firn_v3){0.8f, 0.8f, 0.8f};
  float shade = (0.8f + 0.3f * sinf(0.05f * (float)x)) * (shadow ? 0.25f : 1);
  *light = firn_v3_scale(shade, *albedo);
}

// Nearly normal, with variance 1.
static float normal_noise(uint32_t seed) {
  float sum = 0;
  for (uint32_t i = 0; i < 12; i++) sum += firn_noise(12 * seed + i);
  return sum - 6;
}

static void fill(firn_film *f, float noise, bool planes) {
  for (int i = 0; i < W * H; i++) {
    firn_v3 light, albedo;
    scene(i % W, i / W, &light, &albedo);
    float part[3] = {light.x, light.y, light.z}, variance[3];
    for (int k = 0; k < 3; k++) {
      float sigma = noise * sqrtf(part[k]);
      part[k] += sigma * normal_noise((uint32_t)(3 * i + k));
      // What 16 samples know of their own variance.
      variance[k] = sigma * sigma *
                    fmaxf(0.1f, 1 + 0.35f * normal_noise((uint32_t)(9999991 + 3 * i + k)));
    }
    f->light[i] = (firn_v3){part[0], part[1], part[2]};
    f->variance[i] = (firn_v3){variance[0], variance[1], variance[2]};
    f->alpha[i] = 1;
    if (!planes) continue;
    f->albedo[i] = albedo;
    f->normal[i] = (firn_v3){0, 1, 0};
    f->depth[i] = 10;
  }
}

// Mean squared error over the pixels within 3 of the shadow's edge, or over the others.
static double error(const firn_film *f, bool near_edge) {
  double sum = 0;
  int count = 0;
  for (int i = 0; i < W * H; i++) {
    firn_v3 light, albedo;
    int edge = abs(3 * (i % W) + i / W - 230);
    if ((edge < 9) != near_edge) continue;
    scene(i % W, i / W, &light, &albedo);
    firn_v3 d = firn_v3_sub(light, f->light[i]);
    sum += (double)firn_v3_dot(d, d);
    count++;
  }
  return sum / count;
}

static void noise_goes_and_edges_stay(void **state) {
  scratch *s = *state;
  for (int planes = 0; planes < 2; planes++) {
    firn_film f;
    assert_int_equal(firn_film_create(s->context, W, H, planes, &f), FIRN_OK);
    fill(&f, 0.1f, planes);
    double before = error(&f, false), edge_before = error(&f, true);
    assert_int_equal(firn_film_denoise(s->context, &f), FIRN_OK);
    // Means over tens of pixels that are alike; a blur by as much would make the edge, where light
    // falls by 0.6, ten times worse than it was.
    double after = error(&f, false), edge_after = error(&f, true);
    if (after > before / 10 || edge_after > edge_before / 4) {
      print_error("error %g -> %g, at the edge %g -> %g\n", before, after, edge_before, edge_after);
    }
    assert_true(after < before / 10);
    assert_true(edge_after < edge_before / 4);
    // What is left is known to be less.
    assert_true(f.variance[W * 50 + 10].x < 0.3f * 0.01f * 0.8f);
    firn_film_free(s->context, &f);
  }
}

static void a_picture_without_noise_stays_as_it_was(void **state) {
  scratch *s = *state;
  firn_film f;
  assert_int_equal(firn_film_create(s->context, W, H, true, &f), FIRN_OK);
  fill(&f, 0, true);
  f.light[20 * W + 80] = (firn_v3){9, 9, 9}; // a glint that is meant
  assert_int_equal(firn_film_denoise(s->context, &f), FIRN_OK);
  for (int i = 0; i < W * H; i++) {
    firn_v3 light, albedo;
    scene(i % W, i / W, &light, &albedo);
    if (i == 20 * W + 80) light = (firn_v3){9, 9, 9};
    assert_float_equal(f.light[i].x, light.x, 2e-5);
    assert_float_equal(f.light[i].z, light.z, 2e-5);
  }
  firn_film_free(s->context, &f);
}

static void what_only_the_planes_tell_apart_stays_apart(void **state) {
  scratch *s = *state;
  firn_film f;
  double mean[2][2] = {{0}}; // before and after, of the columns to both sides of the edge
  assert_int_equal(firn_film_create(s->context, W, H, true, &f), FIRN_OK);
  fill(&f, 0, true);
  for (int i = 0; i < W * H; i++) { // a step of half the noise, and of albedo
    const bool right = i % W >= W / 2;
    const float level = right ? 0.55f : 0.5f;
    f.light[i] = (firn_v3){level, level, level};
    f.albedo[i] = right ? (firn_v3){0.9f, 0.9f, 0.9f} : (firn_v3){0.5f, 0.5f, 0.5f};
    f.variance[i] = (firn_v3){0.01f, 0.01f, 0.01f};
    f.light[i].x += 0.1f * normal_noise((uint32_t)i);
  }
  for (int n = 0; n < 2; n++) {
    for (int y = 0; y < H; y++) {
      for (int k = 0; k < 2; k++) mean[n][k] += (double)f.light[y * W + W / 2 - 1 + k].y / H;
    }
    if (n == 0) assert_int_equal(firn_film_denoise(s->context, &f), FIRN_OK);
  }
  assert_float_equal(mean[1][1] - mean[1][0], mean[0][1] - mean[0][0], 0.01);
  firn_film_free(s->context, &f);
}

static void sparks_go_out(void **state) {
  scratch *s = *state;
  firn_film f;
  assert_int_equal(firn_film_create(s->context, W, H, true, &f), FIRN_OK);
  fill(&f, 0.05f, true);
  const int at = 50 * W + 20;
  f.light[at] = (firn_v3){40, 40, 40};
  f.variance[at] = (firn_v3){1500, 1500, 1500};
  assert_int_equal(firn_film_denoise(s->context, &f), FIRN_OK);
  for (int i = 0; i < W * H; i++) {
    firn_v3 light, albedo;
    scene(i % W, i / W, &light, &albedo);
    assert_true(f.light[i].x < light.x + 0.15f);
  }
  firn_film_free(s->context, &f);
}

static void the_bytes_do_not_depend_on_threads_nor_on_what_is_not_finite(void **state) {
  scratch *s = *state;
  firn_film f[2];
  for (int n = 0; n < 2; n++) {
    firn_context_def def = firn_default_context_def();
    firn_context *context;
    def.threads = n ? 3 : 1;
    assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
    assert_int_equal(firn_film_create(s->context, W, H, true, &f[n]), FIRN_OK);
    fill(&f[n], 0.1f, true);
    f[n].light[77].y = NAN;
    f[n].depth[78] = INFINITY;
    assert_int_equal(firn_film_denoise(context, &f[n]), FIRN_OK);
    firn_context_destroy(context);
  }
  assert_memory_equal(f[0].light, f[1].light, W * H * sizeof(firn_v3));
  for (int i = 0; i < W * H; i++) assert_true(isfinite(f[0].light[i].y));
  for (int n = 0; n < 2; n++) firn_film_free(s->context, &f[n]);
}

// Grain: light that goes with normals, which differ from pixel to pixel and have noise of their own.
static float grain(int i) {
  return 0.5f + 0.3f * (2 * firn_noise((uint32_t)i + 77777) - 1);
}

static void texture_that_goes_with_the_normals_stays(void **state) {
  scratch *s = *state;
  firn_film f;
  double before = 0, after = 0, texture = 0, kept = 0;
  assert_int_equal(firn_film_create(s->context, W, H, true, &f), FIRN_OK);
  fill(&f, 0, true);
  for (int i = 0; i < W * H; i++) {
    const float sigma = 0.15f, l = grain(i) + sigma * normal_noise((uint32_t)i);
    f.light[i] = (firn_v3){l, l, l};
    f.variance[i] = (firn_v3){sigma * sigma, sigma * sigma, sigma * sigma};
    f.albedo[i] = (firn_v3){0.9f, 0.9f, 0.9f};
    f.normal[i].x = 2 * (grain(i) - 0.5f) + 0.05f * normal_noise((uint32_t)i + 424242);
    f.normal_variance[i].x = 0.05f * 0.05f;
    before += pow((double)(l - grain(i)), 2);
  }
  assert_int_equal(firn_film_denoise(s->context, &f), FIRN_OK);
  for (int i = 0; i < W * H; i++) {
    const double is = (double)f.light[i].x - 0.5, was = (double)grain(i) - 0.5;
    after += (is - was) * (is - was);
    texture += was * was;
    kept += is * was;
  }
  // Neighbours have nothing in common but how light goes with normals. A mean without regard to these
  // would lose the texture, and a filter that finds nothing alike would leave the noise.
  if (after > before / 1.5 || kept < 0.9 * texture)
    print_error("error %g -> %g of %g, kept %g\n", before, after, texture, kept / texture);
  assert_true(after < before / 1.5);
  assert_true(kept > 0.9 * texture);
  firn_film_free(s->context, &f);
}

// A grain that flies alone, brighter than all around it and with features of its own, stays, and what
// is around it gets as clean as what is far from it: no square or star of noise is left.
static void a_lone_grain_is_no_star(void **state) {
  scratch *s = *state;
  enum { GRAINS = 12 };
  firn_film f;
  double near_it = 0, far = 0, grains = 0;
  int near_count = 0, far_count = 0;
  assert_int_equal(firn_film_create(s->context, W, H, true, &f), FIRN_OK);
  fill(&f, 0, true);
  for (int i = 0; i < W * H; i++) {
    const bool lone = i % W % 24 == 12 && i / W % 20 == 10;
    const float clean = lone ? 4 : 0.4f, sigma = 0.1f;
    const float l = clean + sigma * normal_noise((uint32_t)i);
    f.light[i] = (firn_v3){l, l, l};
    f.variance[i] = (firn_v3){sigma * sigma, sigma * sigma, sigma * sigma};
    f.albedo[i] = lone ? (firn_v3){1, 1, 1} : (firn_v3){0.3f, 0.3f, 0.3f};
    f.depth[i] = lone ? 5 : 10;
    f.normal[i] = lone ? (firn_v3){0, 0, 1} : (firn_v3){0, 1, 0};
  }
  assert_int_equal(firn_film_denoise(s->context, &f), FIRN_OK);
  for (int i = 0; i < W * H; i++) {
    const int dx = abs(i % W % 24 - 12), dy = abs(i / W % 20 - 10);
    const double d = (double)f.light[i].x - 0.4;
    if (i / W >= 60) continue; // half a cell of the pattern
    if (dx == 0 && dy == 0) {
      grains += (double)f.light[i].x / GRAINS;
    } else if (dx <= 3 && dy <= 3) {
      near_it += d * d;
      near_count++;
    } else if (dx > 5 || dy > 5) {
      far += d * d;
      far_count++;
    }
  }
  near_it /= near_count;
  far /= far_count;
  if (near_it > 2.5 * far || near_it > 0.1 * 0.1 / 10)
    print_error("variance %g near grains, %g far from them\n", near_it, far);
  assert_true(near_it < 2.5 * far);
  assert_true(near_it < 0.1 * 0.1 / 10);
  assert_float_equal(grains, 4, 0.1); // noise of 12 of them, 0.03, three times
  firn_film_free(s->context, &f);
}

static void the_bytes_do_not_depend_on_the_instruction_set(void **state) {
  scratch *s = *state;
  static const firn_isa isa[3] = {FIRN_ISA_SCALAR, FIRN_ISA_AVX2, FIRN_ISA_AVX512};
  firn_film first, f;
  for (int n = 0; n < 3; n++) {
    if (!firn_isa_available(isa[n])) continue;
    firn_context_def def = firn_default_context_def();
    firn_context *context;
    def.isa = isa[n];
    assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
    assert_int_equal(firn_film_create(s->context, W, H, true, &f), FIRN_OK);
    fill(&f, 0.1f, true);
    for (int i = 0; i < W * H; i++) {
      f.normal[i].x = 0.3f * grain(i);
      f.sunlit[i] = grain(i + 5000);
      f.sunlit_variance[i] = 0.01f * grain(i + 9000);
    }
    assert_int_equal(firn_film_denoise(context, &f), FIRN_OK);
    firn_context_destroy(context);
    if (n == 0) {
      first = f;
      continue;
    }
    assert_memory_equal(first.light, f.light, W * H * sizeof(firn_v3));
    firn_film_free(s->context, &f);
  }
  firn_film_free(s->context, &first);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_open, scratch_close)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(noise_goes_and_edges_stay),
      TEST(a_picture_without_noise_stays_as_it_was),
      TEST(what_only_the_planes_tell_apart_stays_apart),
      TEST(sparks_go_out),
      TEST(texture_that_goes_with_the_normals_stays),
      TEST(a_lone_grain_is_no_star),
      TEST(the_bytes_do_not_depend_on_the_instruction_set),
      TEST(the_bytes_do_not_depend_on_threads_nor_on_what_is_not_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
