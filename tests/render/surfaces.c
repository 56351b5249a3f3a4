// SPDX-License-Identifier: Apache-2.0
// Rays against bodies, compared with closed forms.
#include "cache/scratch.h"

#include <firn/render.h>

#include "render/surfaces.h"

#define PI 3.14159265358979324
// Far from the world's origin, so that a mix-up of the two frames shows.
static const double stage[3] = {1000, -50, 300};

typedef struct ball {
  double center[3], radius; // world metres
} ball;

static double ball_distance(const void *user, int body, const double p[3], double normal[3]) {
  const ball *b = (const ball *)user + body;
  double d[3], n = 0;
  for (int k = 0; k < 3; k++) {
    d[k] = p[k] - b->center[k];
    n += d[k] * d[k];
  }
  n = sqrt(n);
  for (int k = 0; k < 3 && normal; k++) normal[k] = d[k] / n;
  return n - b->radius;
}

static const firn_look_def grey = {.albedo = {0.5, 0.5, 0.5}, .gloss = 0, .roughness = 0};

// A ball by its distance, center in metres from the stage's origin.
static firn_surface_def ball_def(const ball *b, int number) {
  firn_surface_def def = {
      .look = grey, .distance = ball_distance, .user = b - number, .body = number};
  const float r = (float)b->radius;
  firn_v3 c = {(float)(b->center[0] - stage[0]), (float)(b->center[1] - stage[1]),
               (float)(b->center[2] - stage[2])};
  def.low = firn_v3_sub(c, (firn_v3){r, r, r});
  def.high = firn_v3_add(c, (firn_v3){r, r, r});
  return def;
}

static float noise(int i, int k) {
  return firn_noise((uint32_t)(7919 * i + k));
}

// A ray from around a point that passes near another.
static firn_ray ray_to(int i, float spread) {
  firn_ray ray = {{4 * noise(i, 0) - 2, 4 * noise(i, 1) - 2, 4 + noise(i, 2)}, {0, 0, 0}, 0};
  firn_v3 to = {spread * (noise(i, 3) - 0.5f), spread * (noise(i, 4) - 0.5f),
                spread * (noise(i, 5) - 0.5f)};
  ray.along = firn_v3_unit(firn_v3_sub(to, ray.from));
  return ray;
}

// Where a ray meets a sphere around `at`; infinity: not.
static double sphere_t(const firn_ray *ray, firn_v3 at, double r) {
  double b = 0, c = -r * r;
  const float o[3] = {at.x - ray->from.x, at.y - ray->from.y, at.z - ray->from.z};
  const float v[3] = {ray->along.x, ray->along.y, ray->along.z};
  for (int k = 0; k < 3; k++) {
    b += (double)o[k] * (double)v[k];
    c += (double)o[k] * (double)o[k];
  }
  double root = b * b - c;
  return root > 0 && b > 0 ? b - sqrt(root) : INFINITY;
}

static firn_surfaces *make(scratch *s, int count, const firn_surface_def *defs) {
  firn_surfaces *out = NULL;
  firn_status status = firn_surfaces_create(s->context, count, defs, stage, &out);
  if (status) print_error("%s\n", firn_context_message(s->context));
  assert_int_equal(status, FIRN_OK);
  return out;
}

static void a_ball_by_its_distance_is_hit_where_geometry_says(void **state) {
  scratch *s = *state;
  const ball b = {{stage[0], stage[1], stage[2]}, 1};
  firn_surface_def def = ball_def(&b, 0);
  def.body = 0;
  firn_surfaces *f = make(s, 1, &def);
  int hits = 0;
  for (int i = 0; i < 3000; i++) {
    firn_ray ray = ray_to(i, 3);
    double t = sphere_t(&ray, (firn_v3){0, 0, 0}, 1);
    firn_hit hit;
    bool met = firn_surfaces_hit(f, &ray, INFINITY, &hit);
    assert_int_equal(firn_surfaces_block(f, &ray, INFINITY), met);
    firn_v3 d = firn_ray_at(&ray, -firn_v3_dot(ray.from, ray.along));
    if (fabs(sqrt((double)firn_v3_dot(d, d)) - 1) < 1e-3) continue; // grazes
    assert_int_equal(met, t < INFINITY);
    if (!met) continue;
    hits++;
    // A hit is 3.5e-5 m near, along a ray up to 1 / 0.045 times that without the last step, with it
    // the error is of second order.
    assert_float_equal(hit.t, t, 1e-4);
    firn_v3 p = firn_ray_at(&ray, hit.t);
    assert_true(firn_v3_dot(hit.normal, p) > 0.9999f);
    assert_true(firn_v3_dot(hit.normal, ray.along) < 0);
    // A ray that leaves does not meet the surface again, and one to the far side is blocked.
    firn_ray on = {firn_hit_leave(&hit, p, hit.normal), hit.normal, 0};
    assert_false(firn_surfaces_block(f, &on, INFINITY));
    firn_v3 a, c;
    firn_axes_about(hit.geometric, &a, &c);
    on.along = firn_v3_unit(firn_v3_add(a, firn_v3_scale(0.02f, hit.geometric)));
    assert_false(firn_surfaces_block(f, &on, INFINITY));
    assert_false(firn_surfaces_block(f, &ray, hit.t * 0.999f));
    assert_true(firn_surfaces_block(f, &ray, hit.t * 1.001f));
  }
  assert_in_range(hits, 500, 2900);
  // From within it is not there.
  firn_ray in = {{0, 0, 0}, {0, 1, 0}, 0};
  assert_false(firn_surfaces_block(f, &in, INFINITY));
  firn_surfaces_free(f);
}

// A sphere of latitudes and longitudes.
enum { ROWS = 64, COLUMNS = 128, VERTICES = (ROWS + 1) * COLUMNS, TRIANGLES = 2 * ROWS * COLUMNS };
typedef struct globe {
  float vertex[VERTICES][3], shut[VERTICES][3];
  uint32_t triangle[TRIANGLES][3];
} globe;

static void fill_globe(globe *g, const float move[3]) {
  for (int i = 0; i <= ROWS; i++) {
    for (int j = 0; j < COLUMNS; j++) {
      double a = PI * i / ROWS, b = 2 * PI * j / COLUMNS;
      const double p[3] = {sin(a) * cos(b), cos(a), sin(a) * sin(b)};
      for (int k = 0; k < 3; k++) {
        g->vertex[i * COLUMNS + j][k] = (float)p[k];
        g->shut[i * COLUMNS + j][k] = (float)p[k] + move[k];
      }
      if (i == ROWS) continue;
      uint32_t c = (uint32_t)(i * COLUMNS + j), r = (uint32_t)(i * COLUMNS + (j + 1) % COLUMNS);
      const uint32_t two[2][3] = {{c, r, c + COLUMNS}, {r, r + COLUMNS, c + COLUMNS}};
      memcpy(g->triangle[2 * (i * COLUMNS + j)], two, sizeof two);
    }
  }
}

static void a_mesh_of_a_ball_is_hit_like_the_ball_also_in_motion(void **state) {
  scratch *s = *state;
  const float move[3] = {0.5f, -1, 0.25f};
  globe *g = test_malloc(sizeof *g);
  fill_globe(g, move);
  firn_surface_def def = {.look = grey,
                          .vertex_count = VERTICES,
                          .triangle_count = TRIANGLES,
                          .vertex = g->vertex[0],
                          .vertex_shut = g->shut[0],
                          .triangle = g->triangle[0],
                          .smooth = true,
                          .body = 7,
                          .velocity = {5, -10, 2.5f}};
  firn_surfaces *f = make(s, 1, &def);
  test_free(g); // nothing of it is needed any more
  for (int i = 0; i < 3000; i++) {
    firn_ray ray = ray_to(i, 3);
    ray.time = noise(i, 9);
    firn_v3 at = {move[0] * ray.time, move[1] * ray.time, move[2] * ray.time};
    double outer = sphere_t(&ray, at, 1), inner = sphere_t(&ray, at, 0.999);
    firn_hit hit;
    bool met = firn_surfaces_hit(f, &ray, INFINITY, &hit);
    // The mesh lies between the sphere and one smaller by the sagitta, 1 - cos(pi/128) cos(pi/128).
    if (inner < INFINITY) assert_true(met);
    if (!(outer < INFINITY)) assert_false(met);
    if (!met || !(inner < INFINITY)) continue;
    assert_in_range((int)(1e6f * hit.t), (int)(1e6 * outer) - 20, (int)(1e6 * inner) + 20);
    firn_v3 n = firn_v3_sub(firn_ray_at(&ray, hit.t), at);
    // Smooth normals are those of the sphere but for the flatness of a triangle; facets are not.
    assert_true(firn_v3_dot(n, hit.normal) > 0.9985f);
    assert_int_equal(hit.body, 7);
    assert_float_equal(hit.velocity.y, -10, 0);
  }
  // From within, normals are on this side.
  firn_ray in = {{0, 0, 0}, {0.6f, 0.64f, 0.48f}, 0};
  firn_hit hit;
  assert_true(firn_surfaces_hit(f, &in, INFINITY, &hit));
  assert_true(firn_v3_dot(hit.normal, in.along) < -0.99f);
  assert_true(firn_v3_dot(hit.geometric, in.along) < -0.99f);
  firn_surfaces_free(f);
}

static void edges_of_a_smooth_mesh_stay_sharp(void **state) {
  scratch *s = *state;
  // Two squares that meet at a right angle, and one that goes on at 20 degrees.
  const float c = 0.93969262f, d = 0.34202014f;
  const float vertex[8][3] = {{0, 0, 0},  {0, 0, -1}, {1, 0, -1},      {1, 0, 0},
                              {0, -1, 0}, {1, -1, 0}, {0, -d, -1 - c}, {1, -d, -1 - c}};
  const uint32_t triangle[6][3] = {{0, 3, 2}, {0, 2, 1}, {0, 4, 5},
                                   {0, 5, 3}, {1, 2, 7}, {1, 7, 6}};
  firn_surface_def def = {.look = grey,
                          .vertex_count = 8,
                          .triangle_count = 6,
                          .vertex = vertex[0],
                          .triangle = triangle[0],
                          .smooth = true};
  firn_surfaces *f = make(s, 1, &def);
  firn_hit hit;
  firn_ray ray = {{0.5f, 1, -0.02f}, {0, -1, 0}, 0}; // at the right angle
  assert_true(firn_surfaces_hit(f, &ray, INFINITY, &hit));
  assert_true(hit.normal.y > 0.999f);
  ray.from.z = -0.98f; // at the gentle one: between the two
  assert_true(firn_surfaces_hit(f, &ray, INFINITY, &hit));
  assert_true(hit.geometric.y > 0.999f);
  assert_in_range((int)(1000 * hit.normal.y), 975, 992); // cos(10 degrees) is 0.985
  firn_surfaces_free(f);
}

static void a_moving_ball_by_distance_is_where_its_motion_takes_it(void **state) {
  scratch *s = *state;
  const ball b = {{stage[0] + 1, stage[1], stage[2]}, 0.7};
  firn_surface_def def = ball_def(&b, 0);
  def.velocity = (firn_v3){0, 2, 0};
  def.spin = (firn_v3){0, 0, (float)(PI / 2 / 0.1)}; // a quarter turn about the stage's origin
  def.shutter = 0.1;
  firn_surfaces *f = make(s, 1, &def);
  for (int i = 0; i < 2000; i++) {
    firn_ray ray = ray_to(i, 3);
    ray.time = noise(i, 9);
    double angle = PI / 2 * (double)ray.time;
    firn_v3 at = {(float)cos(angle), (float)(sin(angle) + 0.2 * (double)ray.time), 0};
    double t = sphere_t(&ray, at, 0.7);
    firn_hit hit;
    bool met = firn_surfaces_hit(f, &ray, INFINITY, &hit);
    firn_v3 o = firn_v3_sub(ray.from, at);
    firn_v3 side = firn_v3_sub(o, firn_v3_scale(firn_v3_dot(o, ray.along), ray.along));
    if (fabs(sqrt((double)firn_v3_dot(side, side)) - 0.7) < 1e-3) continue;
    assert_int_equal(met, t < INFINITY);
    if (!met) continue;
    assert_float_equal(hit.t, t, 1e-4);
    firn_v3 n = firn_v3_unit(firn_v3_sub(firn_ray_at(&ray, hit.t), at));
    assert_true(firn_v3_dot(n, hit.normal) > 0.9999f);
    // v + w x (p - pivot), the pivot having moved along
    firn_v3 p = firn_ray_at(&ray, hit.t);
    assert_float_equal(hit.velocity.x, -PI / 2 / 0.1 * (double)(p.y - 0.2f * ray.time), 1e-3);
    assert_float_equal(hit.velocity.y, 2 + PI / 2 / 0.1 * (double)p.x, 1e-3);
  }
  firn_surfaces_free(f);
}

static double box_distance(const void *user, int body, const double p[3], double normal[3]) {
  (void)user;
  (void)body;
  double out = 0, in = -INFINITY, n[3] = {0};
  int side = 0;
  for (int k = 0; k < 3; k++) {
    double x = p[k] - stage[k], d = fabs(x) - (0.5 + 0.25 * k);
    n[k] = d > 0 ? copysign(d, x) : 0;
    out += n[k] * n[k];
    if (d > in) {
      in = d;
      side = k;
    }
  }
  if (in <= 0) n[side] = p[side] < stage[side] ? -1 : 1;
  double length = in <= 0 ? 1 : sqrt(out);
  for (int k = 0; k < 3 && normal; k++) normal[k] = n[k] / length;
  return in > 0 ? length : in;
}

static void a_box_by_its_distance_has_flat_sides(void **state) {
  scratch *s = *state;
  firn_surface_def def = {
      .look = grey, .distance = box_distance, .low = {-0.5f, -0.75f, -1}, .high = {0.5f, 0.75f, 1}};
  firn_surfaces *f = make(s, 1, &def);
  for (int i = 0; i < 3000; i++) {
    firn_ray ray = ray_to(i, 2);
    const float o[3] = {ray.from.x, ray.from.y, ray.from.z};
    const float v[3] = {ray.along.x, ray.along.y, ray.along.z};
    double t0 = 0, t1 = INFINITY;
    for (int k = 0; k < 3; k++) {
      double h = 0.5 + 0.25 * k, a = (-h - (double)o[k]) / (double)v[k];
      double b = (h - (double)o[k]) / (double)v[k];
      t0 = fmax(t0, fmin(a, b));
      t1 = fmin(t1, fmax(a, b));
    }
    if (fabs(t1 - t0) < 2e-3) continue; // touches an edge
    firn_hit hit;
    bool met = firn_surfaces_hit(f, &ray, INFINITY, &hit);
    assert_int_equal(met, t0 < t1);
    if (met) assert_float_equal(hit.t, t0, 2e-4);
  }
  firn_surfaces_free(f);
}

static void a_plane_is_exact_one_sided_and_cut_to_its_box(void **state) {
  scratch *s = *state;
  const double n[3] = {0.36, 0.8, 0.48};
  firn_surface_def def = {.look = grey, .low = {-50, -40, -50}, .high = {50, 40, 50}};
  for (int k = 0; k < 3; k++) def.plane[k] = n[k];
  def.plane[3] = -1;
  for (int k = 0; k < 3; k++) def.plane[3] += n[k] * stage[k];
  firn_surfaces *f = make(s, 1, &def);
  int hits = 0, cut = 0;
  for (int i = 0; i < 4000; i++) {
    firn_ray ray = ray_to(i, 3);
    ray.along = firn_v3_unit((firn_v3){noise(i, 7) - 0.5f, noise(i, 8) - 0.7f, noise(i, 9) - 0.5f});
    const float o[3] = {ray.from.x, ray.from.y, ray.from.z};
    const float v[3] = {ray.along.x, ray.along.y, ray.along.z};
    double a = -1, c = 0;
    for (int k = 0; k < 3; k++) {
      a -= n[k] * (double)o[k];
      c += n[k] * (double)v[k];
    }
    double t = a / c;
    firn_v3 p = firn_ray_at(&ray, (float)t);
    bool in = fmaxf(fabsf(p.x), fmaxf(1.25f * fabsf(p.y), fabsf(p.z))) < 50;
    bool expected = c < 0 && t > 0 && in;
    cut += c < 0 && t > 0 && !in;
    firn_hit hit;
    assert_int_equal(firn_surfaces_hit(f, &ray, INFINITY, &hit), expected);
    assert_int_equal(firn_surfaces_block(f, &ray, INFINITY), expected);
    if (!expected) continue;
    hits++;
    assert_float_equal(hit.t, t, 1e-5 * t);
    assert_float_equal(hit.normal.y, 0.8f, 1e-6);
    // Rounding of p must not put the next ray below the plane.
    firn_ray on = {firn_hit_leave(&hit, firn_ray_at(&ray, hit.t), hit.normal), ray.along, 0};
    on.along = firn_v3_unit(firn_v3_sub(ray.along, firn_v3_scale(1.99f * (float)c, hit.normal)));
    assert_false(firn_surfaces_block(f, &on, INFINITY));
    on.from = firn_hit_leave(&hit, firn_ray_at(&ray, hit.t), firn_v3_scale(-1, hit.normal));
    on.along = (firn_v3){-0.36f, -0.8f, -0.48f};
    assert_false(firn_surfaces_block(f, &on, INFINITY));
  }
  assert_true(hits > 500 && cut > 50);
  firn_ray under = {{0, -5, 0}, {0, 1, 0}, 0}; // from within the half space, out of it
  assert_false(firn_surfaces_block(f, &under, INFINITY));
  firn_surfaces_free(f);
}

static void the_nearest_of_several_bodies_is_hit(void **state) {
  scratch *s = *state;
  ball balls[3];
  firn_surface_def defs[4];
  for (int i = 0; i < 3; i++) {
    balls[i] = (ball){{stage[0], stage[1], stage[2] - 3 * i}, 1};
    defs[i] = ball_def(&balls[i], i);
    defs[i].user = balls;
  }
  defs[1].look = (firn_look_def){.albedo = {0.1, 0.2, 0.3}, .gloss = 0.04, .roughness = 0.2};
  defs[3] = (firn_surface_def){.look = grey,
                               .plane = {0, 1, 0, stage[1] - 2},
                               .body = 9,
                               .low = {-9, -9, -9},
                               .high = {9, 9, 9}};
  firn_surfaces *f = make(s, 4, defs);
  firn_ray ray = {{0, 0, 5}, {0, 0, -1}, 0};
  firn_hit hit;
  assert_true(firn_surfaces_hit(f, &ray, INFINITY, &hit));
  assert_int_equal(hit.body, 0);
  assert_null(hit.coat);
  ray.from.z = -1.5f;
  assert_true(firn_surfaces_hit(f, &ray, INFINITY, &hit));
  assert_int_equal(hit.body, 1);
  assert_non_null(hit.coat);
  assert_float_equal(hit.albedo.y, 0.2f, 0);
  assert_float_equal(hit.t, 0.5f, 1e-4);
  ray.along = (firn_v3){0, -1, 0};
  assert_true(firn_surfaces_hit(f, &ray, INFINITY, &hit));
  assert_int_equal(hit.body, 9);
  assert_float_equal(hit.t, 2, 1e-6);
  firn_surfaces_free(f);
}

static void many_threads_may_ask_at_once(void **state) {
  scratch *s = *state;
  enum { N = 4000 };
  static const ball balls[2] = {{{1000, -50, 300}, 1}, {{1001, -49, 301}, 0.8}};
  firn_surface_def defs[2] = {ball_def(&balls[0], 0), ball_def(&balls[1], 1)};
  firn_surfaces *f = make(s, 2, defs);
  float alone[N], together[N];
  for (int i = 0; i < N; i++) {
    firn_ray ray = ray_to(i, 3);
    firn_hit hit;
    alone[i] = firn_surfaces_hit(f, &ray, INFINITY, &hit) ? hit.t : -1;
  }
#pragma omp parallel for schedule(dynamic, 16) num_threads(4)
  for (int i = 0; i < N; i++) {
    firn_ray ray = ray_to(i, 3);
    firn_hit hit;
    together[i] = firn_surfaces_hit(f, &ray, INFINITY, &hit) ? hit.t : -1;
  }
  assert_memory_equal(alone, together, sizeof alone);
  firn_surfaces_free(f);
}

static void no_surfaces_are_nothing_and_bad_ones_are_named(void **state) {
  scratch *s = *state;
  firn_surfaces *f = NULL;
  firn_ray ray = {{0, 0, 5}, {0, 0, -1}, 0};
  firn_hit hit;
  assert_int_equal(firn_surfaces_create(s->context, 0, NULL, stage, &f), FIRN_OK);
  assert_false(firn_surfaces_hit(f, &ray, INFINITY, &hit));
  assert_false(firn_surfaces_block(NULL, &ray, INFINITY));
  firn_surfaces_free(f);

  const float corner[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  const uint32_t beyond[3] = {0, 1, 3};
  firn_surface_def def = {
      .look = grey, .vertex_count = 3, .triangle_count = 1, .vertex = corner, .triangle = beyond};
  assert_int_equal(firn_surfaces_create(s->context, 1, &def, stage, &f), FIRN_ERROR_ARGUMENT);
  assert_message(s, "vertex 3");
  def.look.albedo[1] = 1.5;
  assert_int_equal(firn_surfaces_create(s->context, 1, &def, stage, &f), FIRN_ERROR_ARGUMENT);
  assert_message(s, "albedo");
  def = (firn_surface_def){.look = grey};
  assert_int_equal(firn_surfaces_create(s->context, 1, &def, stage, &f), FIRN_ERROR_ARGUMENT);
  assert_message(s, "neither");
  assert_null(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_open, scratch_close)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_ball_by_its_distance_is_hit_where_geometry_says),
      TEST(a_mesh_of_a_ball_is_hit_like_the_ball_also_in_motion),
      TEST(edges_of_a_smooth_mesh_stay_sharp),
      TEST(a_moving_ball_by_distance_is_where_its_motion_takes_it),
      TEST(a_box_by_its_distance_has_flat_sides),
      TEST(a_plane_is_exact_one_sided_and_cut_to_its_box),
      TEST(the_nearest_of_several_bodies_is_hit),
      TEST(many_threads_may_ask_at_once),
      TEST(no_surfaces_are_nothing_and_bad_ones_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
