// SPDX-License-Identifier: Apache-2.0
// Meshes from arrays: what is found out about them, and what is mended.
#include "solids.h"

#include "support/context.h"

static firn_mesh_report report_of(const solid *s, const firn_mesh_def *def) {
  firn_mesh *mesh;
  firn_mesh_report r;
  firn_status status = firn_mesh_create(context, def, s->vertices, s->position, s->triangles,
                                        s->triangle, &mesh);
  if (status != FIRN_OK) fail_msg("%s", firn_context_message(context));
  firn_mesh_get_report(mesh, &r);
  firn_mesh_release(mesh);
  return r;
}

static solid unit_box(void) {
  solid s = {0};
  solid_box(&s, (double[]){0, 0, 0}, (double[]){1, 1, 1});
  return s;
}

// Takes triangle t out.
static void remove_triangle(solid *s, size_t t) {
  memmove(s->triangle + 3 * t, s->triangle + 3 * (t + 1),
          (s->triangles - t - 1) * 3 * sizeof *s->triangle);
  s->triangles--;
}

static void closed_meshes_know_their_volume(void **state) {
  (void)state;
  firn_mesh_def def = firn_default_mesh_def();
  solid s = unit_box();
  solid_box(&s, (double[]){1000, 0, 0}, (double[]){1001, 2, 0.5});
  firn_mesh_report r = report_of(&s, &def);
  assert_true(r.closed);
  assert_int_equal(r.pieces, 2);
  assert_int_equal(r.triangles, 24);
  assert_int_equal(r.vertices, 16);
  assert_int_equal(r.open_edges + r.holes + r.nonmanifold_edges + r.dropped + r.turned, 0);
  assert_true(fabs(r.volume - 2) < 1e-10); // coordinates of 500 m, cubed, times eps
  assert_true(fabs(r.area - 6 - 2 * (2 + 0.5 + 1)) < 1e-12);
  solid_free(&s);
}

static void an_open_mesh_is_reported_with_its_boundary_edges(void **state) {
  (void)state;
  firn_mesh_def def = firn_default_mesh_def();
  solid s = unit_box();
  remove_triangle(&s, 10); // half of the side x = 1: (1 0 0) (1 1 0) (1 1 1)
  remove_triangle(&s, 0);  // half of the side z = 0: (0 0 0) (0 1 0) (1 1 0)
  firn_mesh_report r = report_of(&s, &def);
  assert_false(r.closed);
  assert_int_equal(r.open_edges, 6);
  assert_int_equal(r.holes, 1); // they touch in a corner
  assert_int_equal(r.edge_count, FIRN_MESH_EDGES);
  assert_true(r.volume == 0);
  // Each of the edges told is one of the six.
  static const double expected[6][2][3] = {
      {{0, 0, 0}, {0, 1, 0}}, {{0, 1, 0}, {1, 1, 0}}, {{0, 0, 0}, {1, 1, 0}},
      {{1, 0, 0}, {1, 1, 0}}, {{1, 1, 0}, {1, 1, 1}}, {{1, 0, 0}, {1, 1, 1}},
  };
  for (int i = 0; i < r.edge_count; i++) {
    bool found = false;
    for (int k = 0; k < 6; k++) {
      for (int turn = 0; turn < 2; turn++) {
        found = found || (!memcmp(r.edges[i][turn], expected[k][0], sizeof expected[k][0]) &&
                          !memcmp(r.edges[i][!turn], expected[k][1], sizeof expected[k][1]));
      }
    }
    assert_true(found);
  }
  solid_free(&s);

  // Apart, they are two; and the sentence says so.
  s = unit_box();
  remove_triangle(&s, 11);
  remove_triangle(&s, 9); // (0 0 0) (0 1 1) (0 1 0)
  r = report_of(&s, &def);
  assert_int_equal(r.open_edges, 6);
  assert_int_equal(r.holes, 2);
  firn_mesh *mesh = solid_mesh(context, &s);
  char text[1024], cut[20];
  size_t length = firn_mesh_describe(mesh, text, sizeof text);
  assert_int_equal(length, strlen(text));
  assert_non_null(strstr(text, "not closed: 6 open edges in 2 holes, such as from ("));
  assert_int_equal(firn_mesh_describe(mesh, cut, sizeof cut), length);
  assert_memory_equal(cut, text, sizeof cut - 1);
  firn_shape_def shape = firn_mesh_shape(mesh);
  assert_true(shape.kind == FIRN_SHAPE_MESH && shape.mesh == mesh);
  firn_mesh_release(mesh);
  solid_free(&s);
}

// A fan over a flat hole gives back what was there.
static void holes_are_filled_on_request(void **state) {
  (void)state;
  firn_mesh_def def = firn_default_mesh_def();
  def.holes = FIRN_HOLES_FILL;
  solid s = unit_box();
  remove_triangle(&s, 11); // the whole side x = 1
  remove_triangle(&s, 10);
  remove_triangle(&s, 9); // half of the side x = 0
  firn_mesh_report r = report_of(&s, &def);
  assert_true(r.closed);
  assert_int_equal(r.filled_holes, 2);
  assert_int_equal(r.triangles, 9 + 4 + 3);
  assert_int_equal(r.open_edges + r.holes + (size_t)r.edge_count, 0);
  assert_true(fabs(r.volume - 1) < 1e-12 && fabs(r.area - 6) < 1e-12);
  solid_free(&s);
}

static void repeated_vertices_are_welded(void **state) {
  (void)state;
  firn_mesh_def def = firn_default_mesh_def();
  solid box = unit_box(), s = {0};
  for (size_t i = 0; i < 3 * box.triangles; i++) {
    const double *p = box.position + 3 * (size_t)box.triangle[i];
    // Off by less than 1e-6 m, differently each time.
    solid_vertex(&s, p[0] + 1e-8 * (double)i, p[1], p[2] - 1e-8 * (double)i);
    if (i % 3 == 2) solid_triangle(&s, (uint32_t)i - 2, (uint32_t)i - 1, (uint32_t)i);
  }
  firn_mesh_report r = report_of(&s, &def);
  assert_false(r.closed);
  assert_int_equal(r.pieces, 12);
  def.weld = 1e-5;
  r = report_of(&s, &def);
  assert_true(r.closed);
  assert_int_equal(r.vertices, 8);
  assert_int_equal(r.welded, 28);
  assert_int_equal(r.pieces, 1);
  // Too much of it, and nothing is left.
  def.weld = 10;
  firn_mesh *mesh;
  assert_int_equal(
      firn_mesh_create(context, &def, s.vertices, s.position, s.triangles, s.triangle, &mesh),
      FIRN_ERROR_FORMAT);
  assert_non_null(strstr(firn_context_message(context), "make weld smaller"));
  solid_free(&box);
  solid_free(&s);
}

static void useless_triangles_are_dropped(void **state) {
  (void)state;
  firn_mesh_def def = firn_default_mesh_def();
  solid s = unit_box();
  solid_triangle(&s, 3, 3, 1);
  const uint32_t *t = s.triangle + 3 * 4;
  solid_triangle(&s, t[1], t[2], t[0]); // the fifth again
  solid_vertex(&s, 9, 9, 9);            // and a vertex of nobody's
  firn_mesh_report r = report_of(&s, &def);
  assert_true(r.closed);
  assert_int_equal(r.dropped, 2);
  assert_int_equal(r.triangles, 12);
  assert_int_equal(r.vertices, 8);
  assert_true(r.hi[0] == 1);
  solid_free(&s);
}

// A one-sided surface has no orientation to be given; it stays open and harms nobody.
static void one_sided_surfaces_stay_open(void **state) {
  (void)state;
  firn_mesh_def def = firn_default_mesh_def();
  solid s = {0};
  enum { N = 15 };
  for (int i = 0; i < N; i++) {
    double u = 2 * M_PI * i / N;
    for (int k = -1; k <= 1; k += 2) {
      double r = 1 + 0.3 * k * cos(u / 2);
      solid_vertex(&s, r * cos(u), 0.3 * k * sin(u / 2), r * sin(u));
    }
  }
  for (uint32_t i = 0; i < N; i++) {
    uint32_t a = 2 * i, b = 2 * i + 1, c = i + 1 < N ? 2 * i + 2 : 1, d = i + 1 < N ? 2 * i + 3 : 0;
    solid_triangle(&s, a, b, c);
    solid_triangle(&s, b, d, c);
  }
  firn_mesh_report r = report_of(&s, &def);
  assert_false(r.closed);
  assert_int_equal(r.holes, 1); // its border is one line
  assert_int_equal(r.turned, 0);
  solid_free(&s);
}

// A star of five points: concave, so a fan from a corner would cover too much.
static void concave_polygons_are_cut_into_what_they_cover(void **state) {
  (void)state;
  char obj[2048] = "", face[256] = "f";
  double expected = 0, x[10], y[10];
  for (int i = 0; i < 10; i++) {
    double r = i % 2 ? 0.3 : 1;
    x[i] = r * cos(M_PI * i / 5), y[i] = r * sin(M_PI * i / 5);
    sprintf(obj + strlen(obj), "v %.17g %.17g 0\n", x[i], y[i]);
    sprintf(face + strlen(face), " %d", i + 1);
  }
  for (int i = 0; i < 10; i++) expected += 0.5 * (x[i] * y[(i + 1) % 10] - x[(i + 1) % 10] * y[i]);
  sprintf(obj + strlen(obj), "%s", face);
  firn_mesh_def def = firn_default_mesh_def();
  firn_mesh *mesh;
  assert_int_equal(firn_mesh_read_memory(context, "star.obj", obj, strlen(obj), &def, &mesh),
                   FIRN_OK);
  firn_mesh_report r;
  firn_mesh_get_report(mesh, &r);
  assert_int_equal(r.triangles, 8);
  assert_true(fabs(r.area - expected) < 1e-14);
  firn_mesh_release(mesh);
}

static void bad_arrays_are_told(void **state) {
  (void)state;
  firn_mesh_def def = firn_default_mesh_def();
  solid s = unit_box();
  firn_mesh *mesh;
#define CREATE()                                                                                   \
  firn_mesh_create(context, &def, s.vertices, s.position, s.triangles, s.triangle, &mesh)
#define TOLD(part) assert_non_null(strstr(firn_context_message(context), part))
  s.triangle[7] = 8;
  assert_int_equal(CREATE(), FIRN_ERROR_ARGUMENT);
  TOLD("triangle 2 has corner 8, but there are 8 vertices");
  s.triangle[7] = 0;
  s.position[4] = INFINITY;
  assert_int_equal(CREATE(), FIRN_ERROR_FORMAT);
  TOLD("vertex 1 has y = inf m");
  s.position[4] = 0;
  def.scale = -1;
  assert_int_equal(CREATE(), FIRN_ERROR_ARGUMENT);
  TOLD("scale -1 must be positive");
  def = firn_default_mesh_def();
  def.weld = NAN;
  assert_int_equal(CREATE(), FIRN_ERROR_ARGUMENT);
  TOLD("weld");
  assert_int_equal(firn_mesh_create(context, &def, 0, NULL, 0, NULL, &mesh), FIRN_ERROR_ARGUMENT);
  def = firn_default_mesh_def();
  s.triangles = 0;
  assert_int_equal(CREATE(), FIRN_ERROR_FORMAT);
  TOLD("no triangles");
  firn_mesh_release(NULL);
  assert_null(firn_mesh_retain(NULL));
  solid_free(&s);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_context, close_context)
  const struct CMUnitTest tests[] = {
      TEST(closed_meshes_know_their_volume),
      TEST(an_open_mesh_is_reported_with_its_boundary_edges),
      TEST(holes_are_filled_on_request),
      TEST(repeated_vertices_are_welded),
      TEST(useless_triangles_are_dropped),
      TEST(one_sided_surfaces_stay_open),
      TEST(concave_polygons_are_cut_into_what_they_cover),
      TEST(bad_arrays_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
