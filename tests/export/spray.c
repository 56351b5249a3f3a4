// SPDX-License-Identifier: Apache-2.0
// Lone particles in a surface: each a ball of its own, and none where the snow is solid.
#include "api/setup.h"

#include "base/memory.h"
#include "cache/export_surface.h"

#define H     0.1   // m
#define DENSE 400.0 // kg/m^3
enum { MOST = 40000, CORNERS = 12, FACES = 20 };

static float position[MOST][3], velocity[MOST][3], mass[MOST];

// Particles of undisturbed snow's mass, apart by that many cells, from corner to corner.
static void add_box(firn_cloud *cloud, const double low[3], const double high[3], double apart) {
  const double step = apart * H;
  int n[3];
  for (int c = 0; c < 3; c++) n[c] = (int)ceil((high[c] - low[c]) / step - 0.5);
  for (int k = 0; k < n[0] * n[1] * n[2]; k++) {
    const int at[3] = {k / n[2] / n[1], k / n[2] % n[1], k % n[2]};
    const size_t i = cloud->count++;
    assert_true(i < MOST);
    for (int c = 0; c < 3; c++) {
      position[i][c] = (float)(low[c] + (at[c] + 0.5) * step);
      velocity[i][c] = (float)(i % 17 + (size_t)c);
    }
    mass[i] = (float)(DENSE * H * H * H / 8);
  }
}

static firn_cloud cloud_of(firn_context *context) {
  firn_cloud cloud = {.context = context, .h = H, .field_count = 3};
  cloud.field[0] = (firn_cloud_field){"position", FIRN_ARCHIVE_F32, 3, position};
  cloud.field[1] = (firn_cloud_field){"mass", FIRN_ARCHIVE_F32, 1, mass};
  cloud.field[2] = (firn_cloud_field){"velocity", FIRN_ARCHIVE_F32, 3, velocity};
  return cloud;
}

static firn_surface surface_of(const firn_cloud *cloud, double spray) {
  firn_raster raster;
  firn_surface surface;
  MUST(cloud->context, firn_raster_build(cloud, H, 0.5 * H, true, &raster));
  MUST(cloud->context, firn_surface_build(&raster, 0.5 * DENSE, 5, &surface));
  MUST(cloud->context, firn_surface_add_spray(&surface, cloud, &raster, 0.5 * DENSE, DENSE, spray));
  firn_raster_free(&raster);
  return surface;
}

// Of the triangles from one on, by the divergence theorem: positive where they face outwards.
static double volume_from(const firn_surface *s, size_t first, size_t end) {
  double volume = 0;
  for (size_t t = first; t < end; t++) {
    const float *a = s->position[s->triangle[t][0]], *b = s->position[s->triangle[t][1]],
                *c = s->position[s->triangle[t][2]];
    for (int k = 0; k < 3; k++) {
      int l = (k + 1) % 3, m = (k + 2) % 3;
      volume += (double)a[k] * ((double)b[l] * (double)c[m] - (double)b[m] * (double)c[l]) / 6;
    }
  }
  return volume;
}

// Each edge of a ball is run along once in each direction.
static void check_ball(const firn_surface *s, size_t first_triangle, size_t first_vertex) {
  int edge[CORNERS][CORNERS] = {{0}};
  for (size_t t = first_triangle; t < first_triangle + FACES; t++)
    for (int k = 0; k < 3; k++) {
      size_t a = s->triangle[t][k] - first_vertex, b = s->triangle[t][(k + 1) % 3] - first_vertex;
      assert_true(a < CORNERS && b < CORNERS);
      assert_int_equal(edge[a][b]++, 0);
    }
  int count = 0;
  for (int a = 0; a < CORNERS; a++)
    for (int b = 0; b < CORNERS; b++) {
      assert_int_equal(edge[a][b], edge[b][a]);
      count += edge[a][b];
    }
  assert_int_equal(count, 2 * 30);
}

// ----------------------------------------------------------------------------------------- tests

static void a_lone_particle_is_a_ball_of_its_volume(void **state) {
  (void)state;
  firn_context *context = make_context(2, FIRN_ISA_AUTO);
  firn_cloud cloud = cloud_of(context);
  add_box(&cloud, (double[]){0, 0, 0}, (double[]){1, 1, 1}, 0.5);
  const size_t solid = cloud.count;
  add_box(&cloud, (double[]){2, 0, 0}, (double[]){3, 3, 3}, 10);
  mass[solid] *= 0.125f; // half as wide
  const size_t lone = cloud.count - solid;
  assert_int_equal(lone, 9);
  firn_surface without = surface_of(&cloud, 0), with = surface_of(&cloud, 1),
               wide = surface_of(&cloud, 2);
  // What was there before stays as it was, and the box's corners may have a ball each.
  const size_t v0 = without.vertex_count, t0 = without.triangle_count,
               balls = (with.triangle_count - t0) / FACES, corners = balls - lone;
  assert_memory_equal(with.position, without.position, v0 * sizeof *with.position);
  assert_memory_equal(with.normal, without.normal, v0 * sizeof *with.normal);
  assert_memory_equal(with.velocity, without.velocity, v0 * sizeof *with.velocity);
  assert_memory_equal(with.triangle, without.triangle, t0 * sizeof *with.triangle);
  assert_true(balls >= lone && corners <= 8);
  assert_int_equal(with.vertex_count, v0 + balls * CORNERS);
  for (size_t k = 0; k < lone; k++) {
    const size_t i = solid + k, v = v0 + (corners + k) * CORNERS, t = t0 + (corners + k) * FACES;
    double own = (double)mass[i] / DENSE, volume = volume_from(&with, t, t + FACES);
    check_ball(&with, t, v);
    // Floats 3 m from the origin: 2e-7 m of a radius of 0.03.
    if (fabs(volume - own) > 1e-4 * own) fail_msg("ball %zu: %g, not %g", k, volume, own);
    assert_true(fabs(volume_from(&wide, t, t + FACES) - 8 * own) < 1e-4 * 8 * own);
    for (size_t n = v; n < v + CORNERS; n++) {
      double out = 0, length = 0, dot = 0;
      for (int c = 0; c < 3; c++) {
        double d = (double)with.position[n][c] - (double)position[i][c];
        out += d * d;
        length += (double)with.normal[n][c] * (double)with.normal[n][c];
        dot += d * (double)with.normal[n][c];
        assert_true(with.velocity[n][c] == velocity[i][c]);
      }
      assert_true(fabs(length - 1) < 1e-5 && fabs(dot - sqrt(out)) < 1e-3 * dot);
    }
  }
  firn_surface_free(&without);
  firn_surface_free(&with);
  firn_surface_free(&wide);
  drop_context(context);
}

// Powder of 0.3 of the density, evenly spread, is below the level of 0.5: nothing of it is lost.
static void powder_is_there_with_all_its_volume(void **state) {
  (void)state;
  firn_context *context = make_context(2, FIRN_ISA_AUTO);
  firn_cloud cloud = cloud_of(context);
  add_box(&cloud, (double[]){-1, -1, -1}, (double[]){1, 1, 1}, 0.5 / cbrt(0.3));
  firn_surface surface = surface_of(&cloud, 1);
  assert_int_equal(surface.triangle_count, cloud.count * FACES);
  double wanted = (double)cloud.count * H * H * H / 8;
  assert_true(fabs(volume_from(&surface, 0, surface.triangle_count) - wanted) < 1e-4 * wanted);
  firn_surface_free(&surface);
  drop_context(context);
}

// Neither faces nor edges of solid snow have balls, which would look like beads.
static void solid_snow_has_none(void **state) {
  (void)state;
  firn_context *context = make_context(2, FIRN_ISA_AUTO);
  firn_cloud cloud = cloud_of(context);
  add_box(&cloud, (double[]){0, 0, 0}, (double[]){1.5, 1, 1}, 0.5);
  firn_surface without = surface_of(&cloud, 0), with = surface_of(&cloud, 1);
  assert_true(with.triangle_count <= without.triangle_count + (size_t)8 * FACES);
  firn_surface_free(&without);
  firn_surface_free(&with);
  drop_context(context);
}

static void threads_do_not_change_a_byte(void **state) {
  (void)state;
  firn_surface surface[2];
  firn_context *context[2];
  for (int i = 0; i < 2; i++) {
    context[i] = make_context(1 + 4 * i, FIRN_ISA_AUTO);
    firn_cloud cloud = cloud_of(context[i]);
    add_box(&cloud, (double[]){0, 0, 0}, (double[]){1, 1, 1}, 0.5);
    add_box(&cloud, (double[]){1, 0, 0}, (double[]){2, 1, 1}, 1);
    surface[i] = surface_of(&cloud, 1);
  }
  size_t n = surface[0].vertex_count;
  assert_int_equal(surface[1].vertex_count, n);
  assert_true(n > 500 * CORNERS);
  assert_memory_equal(surface[1].position, surface[0].position, n * sizeof *surface[0].position);
  assert_memory_equal(surface[1].triangle, surface[0].triangle,
                      surface[0].triangle_count * sizeof *surface[0].triangle);
  for (int i = 0; i < 2; i++) {
    firn_surface_free(&surface[i]);
    drop_context(context[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_lone_particle_is_a_ball_of_its_volume),
      cmocka_unit_test(powder_is_there_with_all_its_volume),
      cmocka_unit_test(solid_snow_has_none),
      cmocka_unit_test(threads_do_not_change_a_byte),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
