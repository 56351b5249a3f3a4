// SPDX-License-Identifier: Apache-2.0
// What is allowed in a scene but hardly meant is told, and what only looks like it is not.
#include <unistd.h>

#include "scene/setup.h"

#define HEAD   "firn: 1\nh: 1 cm\n"
#define GROUND "colliders:\n  - {name: ground, shape: {half_space: {}}}\n"

typedef struct {
  int count;
  firn_scene_error last;
} told;

static void note(void *user, const firn_scene_error *advice) {
  told *t = user;
  t->count++;
  t->last = *advice;
}

static told advice_on(const char *text) {
  firn_scene *scene = read_scene(text);
  firn_sim *sim = build(scene);
  told t = {0};
  assert_int_equal(firn_scene_advise(scene, sim, note, &t), FIRN_OK);
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
  return t;
}

static void expect(const char *text, int line, int column, const char *begins, const char *holds) {
  told t = advice_on(text);
  if (t.count != 1) fail_msg("%d warnings for\n%s", t.count, text);
  if (t.last.line != line || t.last.column != column ||
      strncmp(t.last.message, begins, strlen(begins)) != 0 || !strstr(t.last.message, holds))
    fail_msg("found %d:%d: %s", t.last.line, t.last.column, t.last.message);
}

static void expect_none(const char *text) {
  told t = advice_on(text);
  if (t.count) fail_msg("found %s", t.last.message);
}

static void snow_under_the_ground_is_told(void **state) {
  (void)state;
  // A quarter of 16 cm, less half a cell: 21 %.
  expect(HEAD
         "snow:\n  - shape: {box: {center: [0, 4 cm, 0], size: [16 cm, 16 cm, 16 cm]}}\n" GROUND,
         4, 12, "snow[0].shape: about 2", "under the surface of 'ground'");
  expect_none(
      HEAD "snow:\n  - shape: {box: {center: [0, 8 cm, 0], size: [16 cm, 16 cm, 16 cm]}}\n" GROUND);
}

// A surface is described to mpm and to sph in different numbers, and a scene for both says both.
static void friction_of_the_other_solver_is_told(void **state) {
  (void)state;
  const char *snow =
      "snow:\n  - shape: {box: {center: [0, 8 cm, 0], size: [16 cm, 16 cm, 16 cm]}}\n";
  static const struct {
    const char *solver, *surface, *path; // path NULL: nothing is told
  } cases[] = {
      {"sph", "friction: 0.1", "colliders[0].friction: sph does not know it"},
      {"sph", "friction: 0.1, friction_viscosity: 0.2", NULL},
      {"sph", "friction_viscosity: 0.2, adhesion: 3", NULL},
      {"mpm", "friction: 0.1", NULL},
      {"mpm", "friction_viscosity: 0.2", "colliders[0].friction_viscosity: mpm does not know it"},
      {"mpm", "adhesion: 3", "colliders[0].adhesion: mpm has none"},
      {"mpm", "adhesion: 3, sticky: true", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[400];
    snprintf(text, sizeof text,
             HEAD "solver: %s\n%scolliders:\n  - {shape: {half_space: {}}, %s}\n", cases[i].solver,
             snow, cases[i].surface);
    // Where the value stands.
    size_t column = strlen("  - {shape: {half_space: {}}, ") + strcspn(cases[i].surface, ":") + 3;
    if (cases[i].path)
      expect(text, 7, (int)column, cases[i].path, "");
    else
      expect_none(text);
  }
}

static void elastic_snow_on_printed_walls_is_told(void **state) {
  (void)state;
  static const struct {
    const char *law, *solver;
    bool told;
  } cases[] = {{"elastic", "sph", true},
               {"snow", "sph", false},
               {"elastic", "mpm", false},
               {"elastic", "sph\nsph: {walls: mirrored}", false},
               {"elastic", "sph\nsph: {walls: printed}", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[400];
    snprintf(
        text, sizeof text,
        HEAD
        "materials:\n  m: {law: %s}\nsolver: %s\nsnow:\n  - {shape: {box: {center: [0, 8 cm, 0], "
        "size: [16 cm, 16 cm, 16 cm]}}, material: m}\n" GROUND,
        cases[i].law, cases[i].solver);
    if (cases[i].told)
      expect(text, 4, 12, "sph.walls: elastic snow settles", "mirrored");
    else
      expect_none(text);
  }
}

// Beside a load walls are as printed, whatever the scene says.
static void mirrored_walls_beside_a_load_are_told(void **state) {
  (void)state;
  const char *plate =
      "  - {name: plate, shape: {half_space: {point: [0, 16 cm, 0], normal: [0, -1, 0]}}, "
      "load: {mass: 1}}\n";
  const char *bed =
      "snow:\n  - {shape: {box: {center: [0, 8 cm, 0], size: [16 cm, 16 cm, 16 cm]}}, "
      "material: m}\n";
  char text[700];
  snprintf(text, sizeof text,
           HEAD "solver: sph\nsph: {walls: mirrored}\nmaterials: {m: {law: elastic}}\n%s" GROUND
                "%s",
           bed, plate);
  expect(text, 4, 14, "sph.walls: mirrored has no effect", "load");
  snprintf(text, sizeof text, HEAD "solver: sph\nmaterials: {m: {law: elastic}}\n%s" GROUND "%s",
           bed, plate);
  expect_none(text);
}

static void snow_inside_a_collider_is_told(void **state) {
  (void)state;
  const char *ball = "snow:\n  - shape: {sphere: {center: [0, 0, 0], radius: 8 cm}}\n";
  char text[400];
  snprintf(text, sizeof text, HEAD "%s%s", ball,
           "colliders:\n  - {name: post, shape: {capsule: {from: [0, -1, 0], to: [0, 1, 0], "
           "radius: 2 cm}}}\n");
  expect(text, 4, 12, "snow[0].shape: about ", "inside 'post'");
  // Where it is by then does not matter.
  snprintf(text, sizeof text, HEAD "%s%s", ball,
           "colliders:\n  - name: post\n    shape: {capsule: {from: [1, -1, 0], to: [1, 1, 0], "
           "radius: 2 cm}}\n    velocity: [-1, 0, 0]\n");
  expect_none(text);
}

static void snow_inside_other_snow_is_told(void **state) {
  (void)state;
  expect(HEAD "snow:\n  - shape: {box: {center: [0, 0, 0], size: [10 cm, 10 cm, 10 cm]}}\n"
              "  - shape: {sphere: {center: [0, 5 cm, 0], radius: 3 cm}}\n",
         5, 12, "snow[1].shape: it overlaps snow[0]", "twice the density");
  // All of it, though half of such a ball is skin.
  expect(HEAD "snow:\n  - shape: {sphere: {center: [0, 0, 0], radius: 3 cm}}\n"
              "  - shape: {sphere: {center: [0, 0, 0], radius: 3 cm}}\n",
         5, 12, "snow[1].shape: it overlaps snow[0]: about 100 % of the two lie in both", "");
  // Layers that touch, and what comes later.
  expect_none(HEAD "snow:\n  - shape: {box: {center: [0, 0, 0], size: [10 cm, 10 cm, 10 cm]}}\n"
                   "  - shape: {box: {center: [0, 10 cm, 0], size: [10 cm, 10 cm, 10 cm]}}\n"
                   "  - shape: {sphere: {center: [0, 5 cm, 0], radius: 3 cm}}\n    time: 1 s\n");
}

#define BALL "snow: [{shape: {sphere: {center: [0, 1, 0], radius: 10 cm}}}]\n"

// A drum with lugs along its lower side.
#define TREAD(width, count, step)                                                                  \
  HEAD BALL "colliders:\n  - shape:\n      union:\n"                                               \
            "        - box: {center: [0, 0, 0], size: [20 cm, 20 cm, 20 cm]}\n"                    \
            "        - repeat:\n"                                                                  \
            "            of: {box: {center: [-9 cm, -105 mm, 0], size: [" width                    \
            ", 1 cm, 20 cm]}}\n            count: [" count ", 1, 1]\n            step: [" step     \
            ", 0, 0]\n"

static void a_tread_finer_than_a_cell_is_told(void **state) {
  (void)state;
  expect(TREAD("4 mm", "16", "12 mm"), 6, 7, "colliders[0].shape: parts of ",
         "cells of 1 cm; 2 resolve them: quality ");
  expect_none(TREAD("3 cm", "4", "6 cm"));
}

#define WALL(thickness)                                                                            \
  HEAD BALL "colliders:\n  - {name: wall, shape: {box: {center: [0, 0, 0], size: [" thickness      \
            ", 50 cm, 50 cm]}}}\n"

static void a_sheet_thinner_than_a_cell_is_told(void **state) {
  (void)state;
  expect(WALL("5 mm"), 5, 25, "colliders[0].shape: parts of 5 mm (about ",
         "have 0.5 cells of 1 cm; 2 resolve them: quality 4 or more, or 2 cm");
  expect_none(WALL("2 cm"));
  expect_none(WALL("50 cm")); // edges and corners are none
}

static void snow_thinner_than_a_cell_is_told(void **state) {
  (void)state;
  expect(HEAD "snow:\n  - shape: {box: {center: [0, 0, 0], size: [30 cm, 4 mm, 30 cm]}}\n", 4, 12,
         "snow[0].shape: parts of 4 mm (about ", "have 0.4 cells of 1 cm; 4 resolve them");
}

// What is known of a shape may be a bound of its distance, or a distance near its surface alone, and
// says little of how thick it is.
static void what_is_thick_is_not_called_thin(void **state) {
  (void)state;
  expect_none(HEAD
              "snow:\n  - shape:\n      displace: {of: {sphere: {center: [0, 0, 0], radius: 5 cm}}"
              ", amplitude: 5 mm, wavelength: 2 cm}\n");
  // A mesh of 8 voxels across, twice as thick as a cell, and the same at three quarters of a cell.
  static const char cube[] = "v -1 -1 -1\nv -1 -1 1\nv -1 1 -1\nv -1 1 1\nv 1 -1 -1\nv 1 -1 1\n"
                             "v 1 1 -1\nv 1 1 1\nf 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\n"
                             "f 1 3 7 5\nf 2 6 8 4\n";
  char path[] = "/tmp/firn_advise_XXXXXX.obj", text[400];
  int file = mkstemps(path, 4);
  assert_true(file >= 0 && write(file, cube, sizeof cube - 1) == sizeof cube - 1);
  close(file);
  static const char mesh[] = HEAD BALL
      "colliders:\n  - shape: {mesh: {file: %s, voxel: %s}, scale: %s}\n";
  snprintf(text, sizeof text, mesh, path, "25 cm", "0.01");
  expect_none(text);
  snprintf(text, sizeof text, mesh, path, "25 cm", "0.00375");
  expect(text, 5, 12, "colliders[0].shape: parts of ", "have 0.7");
  unlink(path);
}

// Whether one collider of the shape in a grid of cells h is called thin, or not, as it is.
static bool told_right(const char *h, const char *shape, const char *rotate, const char *move,
                       bool thin) {
  char text[600];
  snprintf(text, sizeof text,
           "firn: 1\nh: %s\nsnow: [{shape: {sphere: {center: [0, 9, 0], radius: 50 cm}}}]\n"
           "colliders:\n  - {shape: {%s, rotate: [%s], move: [%s]}}\n",
           h, shape, rotate, move);
  firn_scene *scene = read_scene(text);
  told t = {0};
  assert_int_equal(firn_scene_advise(scene, NULL, note, &t), FIRN_OK);
  firn_scene_destroy(scene);
  if (t.count == (int)thin) return true;
  print_message("%s in %s, turned by %s, moved by %s: %s\n", shape, h, rotate, move,
                t.count ? t.last.message : "nothing told");
  return false;
}

// Points near an edge or a corner, many on what is a few cells wide, are no thin parts, wherever
// rounding puts them. Sizes and places are those of no cell.
static void a_few_cells_are_not_called_thin(void **state) {
  (void)state;
  static const char *const turns[] = {"0, 0, 0", "0, 30 deg, 0", "20 deg, 50 deg, -35 deg"};
  static const char *const places[] = {"0, 0, 0", "0, 0.2, 0", "1.37, -0.613, 2.041"};
  static const struct {
    const char *h, *shape;
    bool thin;
  } cases[] = {
      {"20 cm", "box: {center: [0, 0, 0], size: [1.6, 40 cm, 1]}", false},
      {"20 cm", "box: {center: [0, 0, 0], size: [50 cm, 60 cm, 1]}", false},
      {"10 cm", "box: {center: [0, 0, 0], size: [20 cm, 20 cm, 20 cm]}", false},
      {"10 cm", "box: {center: [0, 0, 0], size: [25 cm, 30 cm, 50 cm]}", false},
      {"10 cm", "box: {center: [0, 0, 0], size: [15 cm, 15 cm, 15 cm]}", false},
      {"10 cm", "box: {center: [0, 0, 0], size: [15 cm, 70 cm, 15 cm]}", false},
      {"10 cm", "cylinder: {from: [0, 0, 0], to: [0, 15 cm, 0], radius: 75 mm}", false},
      {"10 cm", "cylinder: {from: [0, 0, 0], to: [0, 60 cm, 0], radius: 10 cm}", false},
      {"10 cm", "box: {center: [0, 0, 0], size: [5 cm, 50 cm, 50 cm]}", true},
      {"10 cm", "box: {center: [0, 0, 0], size: [80 cm, 5 cm, 15 cm]}", true},
      {"10 cm", "cylinder: {from: [0, 0, 0], to: [0, 5 cm, 0], radius: 20 cm}", true},
  };
  int wrong = 0;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int turn = 0; turn < 3; turn++)
      for (int place = 0; place < 3; place++)
        wrong += !told_right(cases[c].h, cases[c].shape, turns[turn], places[place], cases[c].thin);
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(snow_under_the_ground_is_told),
      cmocka_unit_test(friction_of_the_other_solver_is_told),
      cmocka_unit_test(elastic_snow_on_printed_walls_is_told),
      cmocka_unit_test(mirrored_walls_beside_a_load_are_told),
      cmocka_unit_test(snow_inside_a_collider_is_told),
      cmocka_unit_test(snow_inside_other_snow_is_told),
      cmocka_unit_test(a_tread_finer_than_a_cell_is_told),
      cmocka_unit_test(a_sheet_thinner_than_a_cell_is_told),
      cmocka_unit_test(snow_thinner_than_a_cell_is_told),
      cmocka_unit_test(what_is_thick_is_not_called_thin),
      cmocka_unit_test(a_few_cells_are_not_called_thin),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
