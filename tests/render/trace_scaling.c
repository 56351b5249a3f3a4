// SPDX-License-Identifier: Apache-2.0
// long
// timeout: 300
// wraps: firn_walk_kernel_get
// The same snow on finer and finer grids: the steps that light takes must not go with the resolution, since
// empty space is stepped over and cells stay about as wide as light flies.
#include "render/trace_case.h"

static uint64_t steps; // of light, so far
static const firn_walk_kernel *real;

static void count_steps(const firn_walk_view *view, firn_walk *walk) {
  uint64_t before = walk->steps;
  real->walk(view, walk);
  __atomic_add_fetch(&steps, walk->steps - before, __ATOMIC_RELAXED);
}

const firn_walk_kernel *__wrap_firn_walk_kernel_get(firn_isa isa);
const firn_walk_kernel *__real_firn_walk_kernel_get(firn_isa isa);
const firn_walk_kernel *__wrap_firn_walk_kernel_get(firn_isa isa) {
  static firn_walk_kernel counting;
  real = __real_firn_walk_kernel_get(isa);
  counting = *real;
  counting.walk = count_steps;
  return &counting;
}

static firn_v3 white(const void *user, firn_v3 along) {
  (void)user;
  (void)along;
  return (firn_v3){1, 1, 1};
}
static bool sun_of(const void *user, firn_sunlight *out) {
  (void)user;
  *out = (firn_sunlight){firn_v3_unit((firn_v3){1, 0.5f, 1}), 1e-5f, {3e4f, 3e4f, 3e4f}};
  return true;
}

static void steps_grow_less_than_the_resolution(void **state) {
  (void)state;
  enum { COUNT = 20000, W = 96, H = 96 };
  firn_context *context = trace_context(FIRN_ISA_AUTO, 2);
  double *position = malloc(3 * COUNT * sizeof *position);
  float *mass = malloc(COUNT * sizeof *mass);
  for (uint32_t i = 0, seed = 0; i < COUNT;) { // a ball of 12 cm
    double p[3], square = 0;
    for (int a = 0; a < 3; a++) {
      p[a] = 0.12 * (2 * (double)firn_noise(seed++) - 1);
      square += p[a] * p[a];
    }
    if (square > 0.12 * 0.12) continue;
    for (int a = 0; a < 3; a++) position[3 * i + (uint32_t)a] = p[a];
    mass[i++] = (float)(400 * 4.18879 * 0.12 * 0.12 * 0.12 / COUNT);
  }
  firn_camera camera = trace_camera(W, H);
  camera.open.eye = camera.shut.eye = (firn_v3){0, 0, 1};
  camera.half_height = 0.2f;
  const firn_light_table lights = {.sky = white, .sun = sun_of};
  firn_film film;
  assert_int_equal(firn_film_create(context, W, H, false, &film), FIRN_OK);
  const int across[4] = {128, 256, 512, 704};
  double taken[4];
  for (int k = 0; k < 4; k++) {
    firn_volume_def def = {.count = COUNT,
                           .position = position,
                           .mass = mass,
                           .voxel = 0.288 / across[k],
                           .kernel = 0.012};
    firn_volume *volume = NULL;
    assert_int_equal(firn_volume_build(context, &def, &volume), FIRN_OK);
    firn_studio studio = {
        .volume = volume,
        .medium = {.extinction = 1.81f, .albedo = {0.9998f, 0.9999f, 0.99995f}, .g = 0.5f},
        .camera = &camera};
    firn_trace_def trace = {.samples = 32, .seed = 8};
    firn_trace_stats stats;
    steps = 0;
    assert_int_equal(firn_trace_with(context, &studio, &lights, &trace, &film, &stats), FIRN_OK);
    taken[k] = (double)steps;
    printf("    %d^3: %.3g steps, %.3g events, %.2f bytes a voxel\n", across[k], taken[k],
           (double)stats.events,
           (double)firn_volume_bytes(volume) / (double)firn_volume_voxels(volume));
    assert_true(firn_volume_bytes(volume) <= 8 * firn_volume_voxels(volume));
    firn_volume_free(volume);
  }
  assert_true(taken[2] < 2 * taken[1]);
  assert_true(taken[3] < 704.0 / 256 * taken[1]);
  firn_film_free(context, &film);
  free(position);
  free(mass);
  firn_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(steps_grow_less_than_the_resolution)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
