// SPDX-License-Identifier: Apache-2.0
// Surfaces: closed, of the right size, the same at any number of threads.
#include "api/setup.h"

#include "base/memory.h"
#include "cache/export_surface.h"
#include "support/checker.h"
#include "world/cell_key.h"

#define PI    3.14159265358979323846
#define H     0.1   // m
#define DENSE 400.0 // kg/m^3

// Snow as a cloud: eight particles a cell, in a lattice, wherever inside says so.
typedef struct snow {
  firn_cloud cloud;
  float *position, *mass, *velocity;
} snow;

typedef bool (*inside_fn)(const double x[3]);

static void make_snow(firn_context *context, inside_fn inside, double reach, snow *s) {
  int n = (int)(2 * reach / (0.5 * H));
  size_t most = (size_t)n * (size_t)n * (size_t)n, count = 0;
  s->position = malloc(3 * most * sizeof *s->position);
  s->velocity = malloc(3 * most * sizeof *s->velocity);
  s->mass = malloc(most * sizeof *s->mass);
  assert_true(s->position && s->velocity && s->mass);
  for (size_t i = 0; i < most; i++) {
    const size_t at[3] = {i % (size_t)n, i / (size_t)n % (size_t)n, i / (size_t)n / (size_t)n};
    double x[3];
    for (int c = 0; c < 3; c++) x[c] = -reach + ((double)at[c] + 0.5) * 0.5 * H;
    if (!inside(x)) continue;
    for (size_t c = 0; c < 3; c++) {
      s->position[3 * count + c] = (float)x[c];
      s->velocity[3 * count + c] = (float)(x[(c + 1) % 3]);
    }
    s->mass[count++] = (float)(DENSE * H * H * H / 8);
  }
  s->cloud = (firn_cloud){.context = context, .count = count, .h = H, .field_count = 3};
  s->cloud.field[0] = (firn_cloud_field){"position", FIRN_ARCHIVE_F32, 3, s->position};
  s->cloud.field[1] = (firn_cloud_field){"mass", FIRN_ARCHIVE_F32, 1, s->mass};
  s->cloud.field[2] = (firn_cloud_field){"velocity", FIRN_ARCHIVE_F32, 3, s->velocity};
}

static void drop_snow(snow *s) {
  free(s->position);
  free(s->velocity);
  free(s->mass);
}

static firn_surface surface_of(firn_context *context, const snow *s, double cell, double level,
                               int smooth) {
  firn_raster raster;
  firn_surface surface;
  MUST(context, firn_raster_build(&s->cloud, H, cell, true, &raster));
  MUST(context, firn_surface_build(&raster, level * DENSE, smooth, &surface));
  firn_raster_free(&raster);
  return surface;
}

// ---------------------------------------------------------------------------------- measurements

static int by_number(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// Every edge is run along once in each direction, and no triangle has two corners in one vertex.
// Returns the Euler characteristic V - E + F.
static long check_closed(const firn_surface *s) {
  size_t n = 3 * s->triangle_count;
  uint64_t *edge = malloc((n + 1) * sizeof *edge);
  assert_non_null(edge);
  for (size_t t = 0; t < s->triangle_count; t++) {
    for (int k = 0; k < 3; k++) {
      uint64_t a = s->triangle[t][k], b = s->triangle[t][(k + 1) % 3];
      assert_true(a < s->vertex_count && a != b);
      edge[3 * t + (size_t)k] = a << 32 | b;
    }
  }
  qsort(edge, n, sizeof *edge, by_number);
  for (size_t i = 0; i < n; i++) {
    uint64_t back = edge[i] << 32 | edge[i] >> 32;
    if (i) assert_true(edge[i] != edge[i - 1]);
    assert_non_null(bsearch(&back, edge, n, sizeof *edge, by_number));
  }
  free(edge);
  return (long)s->vertex_count - (long)(n / 2) + (long)s->triangle_count;
}

// Volume by the divergence theorem, area, and the least cosine between a face and its vertices'
// normals.
static void measure(const firn_surface *s, double *volume, double *area, double *cosine) {
  *volume = *area = 0;
  *cosine = 1;
  for (size_t t = 0; t < s->triangle_count; t++) {
    double p[3][3], u[3], v[3], n[3];
    for (int k = 0; k < 3; k++) {
      for (int c = 0; c < 3; c++) p[k][c] = (double)s->position[s->triangle[t][k]][c];
    }
    for (int c = 0; c < 3; c++) {
      u[c] = p[1][c] - p[0][c];
      v[c] = p[2][c] - p[0][c];
    }
    for (int c = 0; c < 3; c++) {
      n[c] = u[(c + 1) % 3] * v[(c + 2) % 3] - u[(c + 2) % 3] * v[(c + 1) % 3];
    }
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    *area += length / 2;
    for (int c = 0; c < 3; c++) *volume += p[0][c] * n[c] / 6;
    for (int k = 0; k < 3 && length > 1e-9; k++) {
      const float *normal = s->normal[s->triangle[t][k]];
      double dot = 0;
      for (int c = 0; c < 3; c++) dot += n[c] / length * (double)normal[c];
      *cosine = fmin(*cosine, dot);
    }
  }
}

// ----------------------------------------------------------------------------------------- tests

#define RADIUS 1.0 // 10 cells

static bool in_ball(const double x[3]) {
  return x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < RADIUS * RADIUS;
}

// The half density of a ball that the spline has blurred lies inside its surface by the variance of
// the spline over the radius, (h^2/3)/R = 0.0033 R: 1 % of the volume, 0.7 % of the area. The
// lattice of particles, half a cell apart, adds a stair of about its own volume error: the ball of
// 33 480 lattice cells is right to 0.2 %. 2 % is left for both.
static void a_ball_has_the_volume_and_area_of_a_ball(void **state) {
  (void)state;
  static const double cells[] = {H, 0.5 * H, 0.25 * H, 1.7 * H};
  firn_context *context = make_context(2, FIRN_ISA_AUTO);
  snow s;
  make_snow(context, in_ball, 1.2 * RADIUS, &s);
  for (int i = 0; i < 4; i++) {
    firn_surface surface = surface_of(context, &s, cells[i], 0.5, 5);
    double volume, area, cosine, far = 0, near = 2;
    assert_int_equal(check_closed(&surface), 2);
    measure(&surface, &volume, &area, &cosine);
    // Cells larger than h blur more: variance 1.7^2 as large.
    double wanted = 4 * PI / 3, slack = cells[i] > H ? 0.05 : 0.02;
    if (fabs(volume - wanted) > slack * wanted || fabs(area - 4 * PI) > slack * 4 * PI) {
      fail_msg("cell %g: volume %g, area %g", cells[i], volume, area);
    }
    assert_true(cosine > 0.7); // outward, and smooth
    for (size_t v = 0; v < surface.vertex_count; v++) {
      const float *p = surface.position[v];
      double r = sqrt((double)p[0] * (double)p[0] + (double)p[1] * (double)p[1] +
                      (double)p[2] * (double)p[2]);
      far = fmax(far, r);
      near = fmin(near, r);
    }
    // Nowhere off by more than a third of a cell of the simulation.
    if (cells[i] <= H && (far > RADIUS + H / 3 || near < RADIUS - H / 3)) {
      fail_msg("cell %g: radius %g to %g", cells[i], near, far);
    }
    firn_surface_free(&surface);
  }
  drop_snow(&s);
  drop_context(context);
}

static bool in_torus(const double x[3]) {
  double r = sqrt(x[0] * x[0] + x[2] * x[2]) - 0.8;
  return r * r + x[1] * x[1] < 0.09;
}
static bool in_two(const double x[3]) {
  double a = (x[0] - 0.6) * (x[0] - 0.6), b = (x[0] + 0.6) * (x[0] + 0.6);
  double r = x[1] * x[1] + x[2] * x[2];
  return a + r < 0.16 || b + r < 0.16;
}
static bool in_hollow(const double x[3]) {
  double r = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
  return r < 1 && r > 0.25;
}

static void the_shape_of_the_snow_is_kept(void **state) {
  (void)state;
  static const struct {
    inside_fn inside;
    long euler;
  } cases[] = {{in_torus, 0}, {in_two, 4}, {in_hollow, 4}};
  firn_context *context = make_context(2, FIRN_ISA_AUTO);
  for (int i = 0; i < 3; i++) {
    snow s;
    make_snow(context, cases[i].inside, 1.3, &s);
    firn_surface surface = surface_of(context, &s, H, 0.5, 3);
    assert_int_equal(check_closed(&surface), cases[i].euler);
    firn_surface_free(&surface);
    drop_snow(&s);
  }
  drop_context(context);
}

static uint32_t mix(uint32_t x) {
  x = (x ^ x >> 16) * 0x45d9f3bu;
  x = (x ^ x >> 16) * 0x45d9f3bu;
  return x ^ x >> 16;
}

// Every one of the 256 cases beside many others: 28^3 nodes of random density with nothing around
// them. Closed all the same, also across blocks, and where diagonals could meet in a face.
static void noise_makes_a_closed_surface_too(void **state) {
  (void)state;
  enum { BLOCKS = 4, EDGE = 8 * BLOCKS };
  static const double levels[] = {0.2, 0.5, 0.8};
  static uint64_t key[BLOCKS * BLOCKS * BLOCKS];
  static float density[BLOCKS * BLOCKS * BLOCKS * FIRN_RASTER_NODES];
  firn_context *context = make_context(2, FIRN_ISA_AUTO);
  size_t n = 0;
  for (int b = 0; b < BLOCKS * BLOCKS * BLOCKS; b++) {
    const int32_t at[3] = {b / BLOCKS / BLOCKS, b / BLOCKS % BLOCKS, b % BLOCKS};
    key[b] = firn_cell_key(at);
    for (int k = 0; k < FIRN_RASTER_NODES; k++, n++) {
      int x[3] = {8 * at[0] + (k >> 6), 8 * at[1] + (k >> 3 & 7), 8 * at[2] + (k & 7)};
      bool inner = true;
      for (int c = 0; c < 3; c++) inner = inner && x[c] > 1 && x[c] < EDGE - 2;
      density[n] = inner ? (float)(mix((uint32_t)n) % 1000) / 1000 : 0;
    }
  }
  const firn_raster raster = {.context = context,
                              .cell = H,
                              .count = BLOCKS * BLOCKS * BLOCKS,
                              .key = key,
                              .density = density};
  for (int i = 0; i < 3; i++) {
    firn_surface surface;
    MUST(context, firn_surface_build(&raster, levels[i], 0, &surface));
    assert_true(surface.triangle_count > 10000);
    check_closed(&surface);
    firn_surface_free(&surface);
  }
  drop_context(context);
}

// Each face of a cube is cut in the same way from both sides, and the triangles of a case have no
// edge in a face but the cuts.
static void the_cases_fit_together(void **state) {
  (void)state;
  static firn_cube_case cases[256];
  firn_cube_cases(cases);
  assert_int_equal(cases[0].triangles, 0);
  assert_int_equal(cases[255].triangles, 0);
  assert_int_equal(cases[1].triangles, 1);
  for (int inside = 0; inside < 256; inside++) {
    const firn_cube_case *c = &cases[inside];
    int edges[15][15] = {{0}}, crossed = 0;
    for (int t = 0; t < c->triangles; t++) {
      for (int k = 0; k < 3; k++) edges[c->triangle[t][k]][c->triangle[t][(k + 1) % 3]]++;
    }
    for (int e = 0; e < 12; e++) {
      int a = firn_cube_edge_corner(e), b = a | 1 << e / 4, used = 0;
      bool is = (inside >> a & 1) != (inside >> b & 1);
      for (int k = 0; k < 15; k++) used += edges[e][k];
      assert_true(is == (used > 0));
      crossed += is;
    }
    int border = 0;
    for (int a = 0; a < 15; a++) {
      for (int b = 0; b < 15; b++) {
        assert_true(edges[a][b] <= 1);
        border += edges[a][b] && !edges[b][a];
      }
    }
    assert_int_equal(border, crossed); // as many cuts in the faces as crossed edges
  }
}

static void threads_do_not_change_a_byte(void **state) {
  (void)state;
  firn_surface surface[3];
  firn_context *context[3];
  for (int i = 0; i < 3; i++) {
    snow s;
    context[i] = make_context(i == 2 ? 7 : i + 1, FIRN_ISA_AUTO);
    make_snow(context[i], in_torus, 1.3, &s);
    surface[i] = surface_of(context[i], &s, (is_slow() ? 1 : 0.5) * H, 0.5, 5);
    drop_snow(&s);
  }
  for (int i = 1; i < 3; i++) {
    size_t n = surface[0].vertex_count, bytes = n * sizeof *surface[0].position;
    assert_int_equal(surface[i].vertex_count, n);
    assert_int_equal(surface[i].triangle_count, surface[0].triangle_count);
    assert_memory_equal(surface[i].position, surface[0].position, bytes);
    assert_memory_equal(surface[i].normal, surface[0].normal, bytes);
    assert_memory_equal(surface[i].velocity, surface[0].velocity, bytes);
    assert_memory_equal(surface[i].triangle, surface[0].triangle,
                        surface[0].triangle_count * sizeof *surface[0].triangle);
  }
  for (int i = 0; i < 3; i++) {
    firn_surface_free(&surface[i]);
    drop_context(context[i]);
  }
}

// All mass is on the grid, and momentum with it; a velocity that is linear in space comes back at
// the vertices, since cubic splines reproduce it inside the snow and the blur moves it by less than
// a cell outside.
static void the_grid_holds_the_mass_and_the_velocity(void **state) {
  (void)state;
  firn_context *context = make_context(2, FIRN_ISA_AUTO);
  snow s;
  make_snow(context, in_ball, 1.2 * RADIUS, &s);
  static const double cells[] = {0.3 * H, H, 2 * H};
  for (int i = is_slow() ? 1 : 0; i < 3; i++) {
    firn_raster r;
    MUST(context, firn_raster_build(&s.cloud, H, cells[i], true, &r));
    double mass = 0, momentum = 0, real = 0, volume = pow(cells[i], 3);
    for (size_t n = 0; n < r.count * FIRN_RASTER_NODES; n++) mass += (double)r.density[n] * volume;
    for (size_t n = 0; n < r.count * FIRN_RASTER_NODES; n++) {
      momentum += (double)r.momentum[3 * n] * volume;
    }
    for (size_t p = 0; p < s.cloud.count; p++) real += (double)s.mass[p];
    // Sums of B-splines over nodes are 1 when the nodes are h or h over a whole number apart, and
    // within 1e-3 of it at other spacings below h; 1e-5 is float.
    double slack = i == 0 ? 2e-3 : 1e-5;
    if (fabs(mass - real) > slack * real) fail_msg("cell %g: %g of %g kg", cells[i], mass, real);
    assert_true(fabs(momentum) < 1e-3 * real); // the ball spins in place
    firn_raster_free(&r);
  }
  firn_surface surface = surface_of(context, &s, H, 0.5, 0);
  for (size_t v = 0; v < surface.vertex_count; v++) {
    for (int c = 0; c < 3; c++) {
      double wanted = (double)surface.position[v][(c + 1) % 3];
      assert_true(fabs((double)surface.velocity[v][c] - wanted) < H);
    }
  }
  firn_surface_free(&surface);
  drop_snow(&s);
  drop_context(context);
}

static bool nowhere(const double x[3]) {
  (void)x;
  return false;
}

static void no_snow_has_no_surface_and_bad_input_is_named(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  snow s;
  make_snow(context, nowhere, 1, &s);
  firn_surface surface = surface_of(context, &s, H, 0.5, 5);
  assert_int_equal(surface.vertex_count, 0);
  assert_int_equal(surface.triangle_count, 0);
  firn_raster r;
  MUST_FAIL(context, firn_raster_build(&s.cloud, H, 0.2 * H, true, &r), FIRN_ERROR_ARGUMENT, "0.02",
            "quarter");
  drop_snow(&s);

  make_snow(context, in_ball, 1.2, &s);
  s.position[7] = INFINITY;
  MUST_FAIL(context, firn_raster_build(&s.cloud, H, H, true, &r), FIRN_ERROR_DOMAIN, "particle 2",
            "inf");
  s.position[7] = 0;
  s.cloud.field_count = 2;
  MUST_FAIL(context, firn_raster_build(&s.cloud, H, H, true, &r), FIRN_ERROR_FORMAT, "velocities");
  s.cloud.field_count = 1;
  MUST_FAIL(context, firn_raster_build(&s.cloud, H, H, false, &r), FIRN_ERROR_FORMAT, "masses");
  s.cloud.field_count = 2;
  MUST(context, firn_raster_build(&s.cloud, H, H, false, &r));
  MUST_FAIL(context, firn_surface_build(&r, 0, 1, &surface), FIRN_ERROR_ARGUMENT, "positive");
  firn_raster_free(&r);
  drop_snow(&s);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_has_the_volume_and_area_of_a_ball),
      cmocka_unit_test(the_shape_of_the_snow_is_kept),
      cmocka_unit_test(noise_makes_a_closed_surface_too),
      cmocka_unit_test(the_cases_fit_together),
      cmocka_unit_test(threads_do_not_change_a_byte),
      cmocka_unit_test(the_grid_holds_the_mass_and_the_velocity),
      cmocka_unit_test(no_snow_has_no_surface_and_bad_input_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
