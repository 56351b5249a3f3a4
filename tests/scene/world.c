// SPDX-License-Identifier: Apache-2.0
// timeout: 60
// Shapes, motion, sources and keyed values as a scene says them are what the simulation has.
#include "scene/setup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/scene.h"

#define BALL "snow: [{shape: {sphere: {center: [0, 5, 0], radius: 5 cm}}}]\n"
#define HEAD "firn: 1\nh: 2 cm\n"

// Every kind, with its volume and a box that it must just fill.
static const struct {
  const char *shape;
  double volume, lo[3], hi[3], within;
} shapes[] = {
    {"{sphere: {center: [1, 2, 3], radius: 2}}", 33.510321638291124, {-1, 0, 1}, {3, 4, 5}, 1e-12},
    {"{box: {center: [1, 2, 3], size: [2, 4, 6]}}", 48, {0, 0, 0}, {2, 4, 6}, 1e-12},
    {"{ellipsoid: {center: [0, 0, 0], radii: [1, 2, 3]}}",
     25.132741228718345,
     {-1, -2, -3},
     {1, 2, 3},
     1e-12},
    {"{capsule: {from: [0, 0, 0], to: [0, 1, 0], radius: 1}}",
     7.3303828583761843,
     {-1, -1, -1},
     {1, 2, 1},
     1e-12},
    {"{cylinder: {from: [0, 0, 0], to: [0, 2, 0], radius: 1}}",
     6.2831853071795862,
     {-1, 0, -1},
     {1, 2, 1},
     1e-12},
    {"{cone: {from: [0, 0, 0], to: [0, 3, 0], radius: 1}}",
     3.1415926535897931,
     {-1, 0, -1},
     {1, 3, 1},
     1e-12},
    {"{torus: {center: [0, 0, 0], radius: 2, tube: 0.5}}",
     9.8696044010893580,
     {-2.5, -0.5, -2.5},
     {2.5, 0.5, 2.5},
     1e-12},
    {"{prism: {center: [0, 1, 0], size: [2, 2, 4]}}", 8, {-1, 0, -2}, {1, 2, 2}, 1e-12},
    {"{polygon: {points: [[0, 0], [4, 0], [4, 3], [0, 3]], holes: [{points: [[1, 1], [2, 1], [2, "
     "2], "
     "[1, 2]]}], depth: 2}}",
     22,
     {0, 0, -1},
     {4, 3, 1},
     1e-9},
    {"{path: {points: [[0, 0], [2, 0]], thickness: 1, depth: 2}}",
     5.5707963267948966,
     {-0.5, -0.5, -1},
     {2.5, 0.5, 1},
     0.02},
    {"{union: [{box: {center: [0, 0, 0], size: [2, 2, 2]}}, {box: {center: [5, 0, 0], size: [2, 2, "
     "2]}}]}",
     16,
     {-1, -1, -1},
     {6, 1, 1},
     0.02},
    {"{intersection: [{box: {center: [0, 0, 0], size: [2, 2, 2]}}, {half_space: {}}]}",
     4,
     {-1, -1, -1},
     {1, 1, 1},
     0.02},
    {"{difference: [{box: {center: [0, 0, 0], size: [2, 2, 2]}}, {half_space: {}}]}",
     4,
     {-1, -1, -1},
     {1, 1, 1},
     0.02},
    {"{shell: {of: {sphere: {center: [0, 0, 0], radius: 2}}, inward: 1}}",
     29.321531433504735,
     {-2, -2, -2},
     {2, 2, 2},
     0.02},
    {"{offset: {of: {sphere: {center: [0, 0, 0], radius: 1}}, by: 1}}",
     33.510321638291124,
     {-2, -2, -2},
     {2, 2, 2},
     0.02},
    {"{repeat: {of: {box: {center: [0, 0, 0], size: [1, 1, 1]}}, count: [3, 1, 2], step: [2, 0, "
     "2]}}",
     6,
     {-0.5, -0.5, -0.5},
     {4.5, 0.5, 2.5},
     0.02},
    {"{mirror: {of: {box: {center: [2, 0, 0], size: [1, 1, 1]}}, axis: x}}",
     2,
     {-2.5, -0.5, -0.5},
     {2.5, 0.5, 0.5},
     0.02},
    {"{box: {center: [1, 0, 0], size: [2, 2, 4]}, scale: 2, rotate: [0, 0, 90 deg], move: [0, 1, "
     "0]}",
     128,
     {-2, 1, -4},
     {2, 5, 4},
     1e-9},
};

static void shapes_are_what_their_keys_say(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    char text[600];
    snprintf(text, sizeof text, "firn: 1\nh: 1\nsnow: [{shape: %s}]\n", shapes[i].shape);
    firn_scene *scene = read_scene(text);
    const firn_value *body = firn_value_find(scene->root, "snow")->first;
    const firn_shape *shape = firn_value_find(body, "shape")->shape;
    assert_non_null(shape);
    double lo[3], hi[3], volume = firn_shape_volume(shape);
    if (!(fabs(volume / shapes[i].volume - 1) <= shapes[i].within))
      fail_msg("%s: %.17g m^3", shapes[i].shape, volume);
    assert_true(firn_shape_bounds(shape, lo, hi));
    // Bounds hold the shape; those of derived shapes may be wider.
    for (int a = 0; a < 3; a++)
      if (!(lo[a] <= shapes[i].lo[a] + 1e-9 && hi[a] >= shapes[i].hi[a] - 1e-9) ||
          (shapes[i].within < 1e-6 &&
           !(lo[a] >= shapes[i].lo[a] - 1e-9 && hi[a] <= shapes[i].hi[a] + 1e-9)))
        fail_msg("%s: %c from %g to %g", shapes[i].shape, "xyz"[a], lo[a], hi[a]);
    assert_true(fabs(firn_scene_particles(scene) - 8 * volume) <= 1e-9 * volume);
    firn_scene_destroy(scene);
  }
}

static void shapes_without_closed_form_are_made(void **state) {
  (void)state;
  static const char *const all[] = {
      "{text: {text: \"AB\\nC\", height: 1, depth: 0.5, thickness: 0.2, align: left}}",
      "{height_field: {wavelength: 1, octaves: 2, size: [2, 2], amplitude: 0.2, depth: 1}}",
      "{smooth_union: {of: [{sphere: {center: [0, 0, 0], radius: 1}}, {sphere: {center: [1, 0, 0], "
      "radius: 1}}], radius: 0.5}}",
      "{displace: {of: {sphere: {center: [0, 0, 0], radius: 1}}, amplitude: 0.1, wavelength: 1, "
      "octaves: 2}}",
      "{path: {points: [[0, 0], [0, 1]], bulge: [0.4, 0], thickness: 0.1, depth: 1}}",
      "{polygon: {points: [[0, 0], [1, 0]], bulge: [1, 1], depth: 1}}", // a disc of two arcs
      "{capsule: {from: [0, 0, 0], to: [0, 1, 0], radius: 1, radius_to: 0.5}}",
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    char text[600];
    snprintf(text, sizeof text, "firn: 1\nh: 0.2\nsnow: [{shape: %s}]\n", all[i]);
    firn_scene *scene = read_scene(text);
    firn_sim *sim = build(scene);
    double expected = firn_scene_particles(scene), count = (double)firn_sim_count(sim);
    // Random seeding and a quadrature of 1 %: a few hundred particles are off by a few per cent.
    if (!(fabs(count / expected - 1) < 0.2)) fail_msg("%s: %g of %g", all[i], count, expected);
    firn_sim_destroy(sim);
    firn_scene *again = read_scene(firn_scene_resolved_text(scene));
    assert_string_equal(firn_scene_resolved_text(again), firn_scene_resolved_text(scene));
    firn_scene_destroy(again);
    firn_scene_destroy(scene);
  }
}

static void step_to(const firn_scene *scene, firn_sim *sim, double time) {
  while (firn_sim_time(sim) < time - 1e-12) {
    if (firn_scene_apply(scene, sim) != FIRN_OK) fail_msg("%s", firn_context_message(context));
    if (firn_sim_step(sim, time - firn_sim_time(sim), NULL) != FIRN_OK)
      fail_msg("%s", firn_context_message(context));
  }
}

static void colliders_move_as_keyed(void **state) {
  (void)state;
  firn_scene *scene = read_scene(
      HEAD
      "gravity: [0, 0, 0]\nmpm: {dt_max: 10 ms, integrator: implicit}\n" BALL "colliders:\n"
      "  - {name: still, shape: {half_space: {}}}\n"
      "  - {name: slides, shape: {sphere: {center: [9, 0, 0], radius: 1}}, velocity: [2, 0, 0]}\n"
      "  - name: keyed\n"
      "    shape: {box: {center: [0, -9, 0], size: [1, 1, 1]}}\n"
      "    motion:\n"
      "      pivot: [1, -9, 0]\n"
      "      translation: {keys: [[0 s, [0, 0, 0]], [0.1 s, [1, 2, 3]]]}\n"
      "      rotation: {keys: [[0 s, [0, 0, 0]], [0.1 s, [0, 0, 90 deg]]]}\n"
      "  - name: winds\n"
      "    shape: {box: {center: [0, -9, 0], size: [1, 1, 1]}}\n"
      "    motion: {axis: [0, 2, 0], angle: {keys: [[0, 0], [0.1 s, 1.25 rev]]}}\n"
      "  - name: shakes\n"
      "    shape: {box: {center: [0, -9, 0], size: [1, 1, 1]}}\n"
      "    motion: {oscillation: {translation: [0, 0, 5 cm], frequency: 5 Hz}}\n");
  firn_sim *sim = build(scene);
  step_to(scene, sim, 0.05);
  firn_collider_state at;
  assert_int_equal(firn_sim_collider(sim, 1, &at), FIRN_OK);
  assert_string_equal(at.name, "slides");
  assert_true(fabs(at.pivot[0] - 9.1) < 1e-9 && fabs(at.velocity[0] - 2) < 1e-12);
  assert_int_equal(firn_sim_collider(sim, 2, &at), FIRN_OK);
  for (int a = 0; a < 3; a++) {
    assert_true(fabs(at.pivot[a] - ((const double[]){1, -9, 0}[a] + 0.5 * (a + 1))) < 1e-9);
    assert_true(fabs(at.velocity[a] - 10 * (a + 1)) < 1e-9);
  }
  double eighth = sin(3.14159265358979323846 / 8); // of half of 45 degrees
  assert_true(fabs(at.rotation[2] - eighth) < 1e-9);
  assert_true(fabs(at.spin[2] - 3.14159265358979323846 / 2 / 0.1) < 1e-9);
  assert_int_equal(firn_sim_collider(sim, 3, &at), FIRN_OK);
  assert_true(fabs(at.spin[1] - 2.5 * 3.14159265358979323846 / 0.1) < 1e-9);
  assert_int_equal(firn_sim_collider(sim, 4, &at), FIRN_OK);
  assert_true(fabs(at.pivot[2] - 0.05) < 1e-9); // sin(2 pi 5 0.05) = 1
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
}

static void parts_hang_together(void **state) {
  (void)state;
  firn_scene *scene = read_scene(
      HEAD BALL
      "colliders:\n"
      "  - name: walker\n"
      "    parts:\n"
      "      - {name: hip, motion: {velocity: [0, 0, 1]}}\n"
      "      - name: thigh\n"
      "        parent: hip\n"
      "        shape: {capsule: {from: [0, 1, 0], to: [0, 0.5, 0], radius: 5 cm}}\n"
      "        motion: {pivot: [0, 1, 0], rotation: {keys: [[0, [-20 deg, 0, 0]], [0.5, [20 deg, "
      "0, "
      "0]], [1, [-20 deg, 0, 0]]], interpolate: spline, loop: true}}\n"
      "      - {name: shin, parent: thigh, shape: {capsule: {from: [0, 0.5, 0], to: [0, 0, 0], "
      "radius: 4 cm}}}\n");
  firn_sim *sim = build(scene);
  assert_int_equal(firn_sim_collider_count(sim), 1);
  assert_int_equal(firn_sim_step(sim, 1e-4, NULL), FIRN_OK);
  firn_sim_destroy(sim);
  firn_scene *again = read_scene(firn_scene_resolved_text(scene));
  assert_string_equal(firn_scene_resolved_text(again), firn_scene_resolved_text(scene));
  firn_scene_destroy(again);
  firn_scene_destroy(scene);
}

static void keyed_values_reach_the_simulation(void **state) {
  (void)state;
  firn_scene *scene = read_scene(
      HEAD
      "mpm: {dt_max: 10 ms, integrator: implicit, flip: {keys: [[0 s, 0.9], [0.1 s, 0.5]]}}\n"
      "gravity: {keys: [[0 s, [0, 0, 0]], [0.1 s, [10, 0, 0]]]}\n"
      "materials: {soft: {young: {keys: [[0 s, 100 kPa], [0.1 s, 200 kPa]]}}}\n" BALL "colliders:\n"
      "  - {name: floor, shape: {half_space: {}}, friction: {keys: [[0, 0.1], [0.1, 0.3]]},\n"
      "     friction_viscosity: {keys: [[0, 1], [0.1, 2]]}, adhesion: {keys: [[0, 0], [0.1, 5]]},\n"
      "     sticky: {keys: [[0, false], [0.05, true]]}}\n");
  firn_sim *sim = build(scene);
  firn_collider_state at;
  firn_mpm_def mpm;
  assert_int_equal(firn_sim_collider(sim, 0, &at), FIRN_OK);
  assert_true(at.friction == 0.1 && at.friction_viscosity == 1 && at.adhesion == 0 && !at.sticky);
  step_to(scene, sim, 0.06);
  assert_int_equal(firn_scene_apply(scene, sim), FIRN_OK);
  assert_int_equal(firn_sim_collider(sim, 0, &at), FIRN_OK);
  assert_true(fabs(at.friction - 0.22) < 1e-9 && at.sticky);
  assert_true(fabs(at.friction_viscosity - 1.6) < 1e-9 && fabs(at.adhesion - 3) < 1e-9);
  assert_int_equal(firn_sim_mpm(sim, &mpm), FIRN_OK);
  assert_true(fabs(mpm.flip - (0.9 - 0.4 * 0.6)) < 1e-9);
  step_to(scene, sim, 0.1);
  // The velocity is the integral of gravity, 10 t^2 / 0.2 = 0.5 m/s at 0.1 s, less half a step's
  // worth, since each step takes the value at its beginning: 10 steps of 10 ms give 0.45.
  firn_sums sums;
  assert_int_equal(firn_sim_sums(sim, &sums), FIRN_OK);
  double v = sums.momentum[0] / sums.mass;
  if (!(v > 0.44 && v < 0.5)) fail_msg("%g m/s", v);
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
}

static void splines_stay_within_what_the_key_allows(void **state) {
  (void)state;
  firn_scene *scene = read_scene(
      HEAD BALL
      "colliders: [{shape: {half_space: {}}, friction: {keys: [[0, 1], [0.01, 0], [0.011, "
      "0.0001], [0.1, 1]], interpolate: spline}}]\n");
  firn_sim *sim = build(scene);
  for (int i = 0; i < 20; i++) {
    step_to(scene, sim, 0.001 * i);
    firn_collider_state at;
    assert_int_equal(firn_scene_apply(scene, sim), FIRN_OK);
    assert_int_equal(firn_sim_collider(sim, 0, &at), FIRN_OK);
    assert_true(at.friction >= 0);
  }
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
}

// A modulus must be above 0, and a spline that swings below has nowhere to stop there.
static void splines_stay_off_bounds_that_are_left_out(void **state) {
  (void)state;
  firn_scene *scene = read_scene(
      HEAD "materials: {a: {young: {keys: [[0 s, 100 MPa], [0.01 s, 10 kPa], [0.012 s, 11 kPa]], "
           "interpolate: spline}}}\n" BALL);
  const firn_value *a = firn_value_find(firn_value_find(scene->root, "materials"), "a");
  double least = INFINITY;
  for (int i = 0; i <= 60; i++) {
    double young = firn_scene_material_def(a, 0.0002 * i).young;
    assert_true(young >= 10e3 && young <= 100e6);
    least = fmin(least, young);
  }
  assert_true(least == 10e3);
  firn_scene_destroy(scene);
}

static void snow_varies_as_the_scene_says(void **state) {
  (void)state;
  firn_scene *scene = read_scene(
      "firn: 1\nh: 2 cm\nsnow:\n"
      "  - shape: {box: {center: [0, 0, 0], size: [40 cm, 40 cm, 40 cm]}}\n"
      "    seeding: lattice\n"
      "    variation:\n"
      "      - {of: density, height: [0, .inf], factor: 2, offset: 100 kg/m^3}\n"
      "      - {of: [young], amplitude: 50 %, wavelength: \"6 * ${h}\"}\n");
  firn_sim *sim = build(scene);
  firn_sums sums;
  assert_int_equal(firn_sim_sums(sim, &sums), FIRN_OK);
  // Below 400 kg/m^3, above 2 * 400 + 100; masses are float in one precision.
  double expected = 0.4 * 0.4 * 0.2 * (400 + 900);
  if (!(fabs(sums.mass / expected - 1) < 1e-5)) fail_msg("%g kg, expected %g", sums.mass, expected);
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
}

static void sources_and_bounds_act(void **state) {
  (void)state;
  firn_scene *scene = read_scene(
      HEAD
      "gravity: [0, 0, 0]\nmpm: {dt_max: 10 ms, integrator: implicit}\n"
      "snow: [{shape: {box: {center: [0, 0, 0], size: [8 cm, 8 cm, 8 cm]}}, seeding: lattice},\n"
      "       {shape: {box: {center: [2, 0, 0], size: [8 cm, 8 cm, 8 cm]}}, seeding: lattice,\n"
      "        time: 35 ms}]\n"
      "emitters: [{shape: {sphere: {center: [1, 1, 0], radius: 5 cm}}, particles: 1000 1/s,\n"
      "            stop: 20 ms, max_count: 15}]\n"
      "sinks: [{shape: {box: {center: [0, 3 cm, 0], size: [8 cm, 2 cm, 8 cm]}}, start: 15 ms}]\n"
      "kill_box: {min: [-.inf, -2 cm, -.inf]}\n"
      "probes: [{name: all, box: {center: [0, 0, 0], size: [9, 9, 9]}},\n"
      "         {point: {center: [0, 0, 0], radius: 1}},\n"
      "         {plane: {point: [0, 1, 0], normal: [0, 2, 0], reach: 3}}]\n"
      "output: {precision: 16, fields: [velocity, jp], every: 2, checkpoints: 5}\n");
  firn_sim *sim = build(scene);
  const size_t first = 512; // 4^3 cells of 8; the second body comes later
  assert_int_equal(firn_sim_count(sim), first);
  step_to(scene, sim, 0.03);
  // A quarter of the cube lies in the sink, a quarter outside the box; 15 particles came.
  assert_int_equal(firn_sim_count(sim), first / 2 + 15);
  step_to(scene, sim, 0.05);
  // The second body lost what lies below the box.
  assert_int_equal(firn_sim_count(sim), first / 2 + 15 + 3 * first / 4);
  int count;
  const firn_probe_def *probes = firn_scene_probes(scene, &count);
  assert_int_equal(count, 3);
  assert_string_equal(probes[0].name, "all");
  assert_string_equal(probes[1].name, "probe_1");
  assert_true(probes[0].kind == FIRN_PROBE_BOX && probes[0].half[1] == 4.5);
  assert_true(probes[1].kind == FIRN_PROBE_POINT && probes[1].radius == 1);
  assert_true(probes[2].kind == FIRN_PROBE_PLANE && probes[2].radius == 3 &&
              probes[2].normal[1] == 2 && probes[2].center[1] == 1);
  firn_output_def output = firn_scene_output(scene);
  assert_int_equal(output.precision, 16);
  assert_int_equal(output.field_count, 2);
  assert_string_equal(output.fields[1], "jp");
  assert_int_equal(output.every, 2);
  assert_int_equal(output.checkpoints, 5);
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
}

// 3.6 m of water an hour are 1 kg/m^2 s: on 0.16 m^2, 16 g in 0.1 s, and flakes of 4 mm at 100 kg/m^3
// have 6.4 mg each. From 0.1 s on it is half of that. Lots come every 2 ms or with the step after.
static void snow_falls_as_the_scene_says(void **state) {
  (void)state;
  firn_scene *scene = read_scene(
      HEAD "mpm: {dt_max: 0.5 ms}\nmaterials: {powder: {density: 100 kg/m^3}}\n"
           "snow: [{shape: {box: {center: [5, 0, 0], size: [8 cm, 8 cm, 8 cm]}}}]\n"
           "gravity: [0, 0, 0]\n"
           "emitters:\n"
           "  - shape: {box: {center: [0, 1, 0], size: [40 cm, 10 cm, 40 cm]}}\n"
           "    snowfall: {keys: [[0 s, 3600 mm/h], [0.1 s, 1800 mm/h]], interpolate: step}\n"
           "    flake: 4 mm\n"
           "    velocity: [0, -2, 0]\n");
  firn_sim *sim = build(scene);
  step_to(scene, sim, 0.1);
  double due = 0.16 * 0.1 / 6.4e-6;
  double n = (double)firn_sim_emitted(sim, 0);
  assert_true(n <= due + 1 && n > due * 0.97);
  step_to(scene, sim, 0.2);
  n = (double)firn_sim_emitted(sim, 0);
  assert_true(n <= 1.5 * due + 1 && n > 1.5 * due * 0.98);
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
}

static void wind_blows_as_the_scene_says(void **state) {
  (void)state;
  char path[] = "/tmp/firn-wind-XXXXXX.csv", text[2000];
  int fd = mkstemps(path, 4);
  assert_true(fd >= 0);
  FILE *file = fdopen(fd, "w");
  fprintf(file, "x,y,z,vx,vy,vz\n");
  for (int i = 7; i >= 0; i--) { // vy = 10 z, from behind
    fprintf(file, "%d,%d,%d,0,%d,0\n", i & 1, i >> 1 & 1, i >> 2, 10 * (i >> 2));
  }
  fclose(file);
  snprintf(text, sizeof text,
           HEAD BALL "wind:\n"
                     "  velocity: {keys: [[0 s, [1, 0, 0]], [1 s, [5, 0, 0]]]}\n"
                     "  gust: {strength: 50 %%, period: 0.4 s, noise: 0}\n"
                     "  swirl: {speed: 2 m/s, center: [3, 0, 0], axis: [0, 0, 2], radius: 0.5}\n"
                     "  around: {cylinder: {center: [0, 0, 0], axis: [0, 0, 1], radius: 1 m}}\n"
                     "  file: %s\n",
           path);
  firn_scene *scene = read_scene(text);
  firn_sim *sim = build(scene);
  // At (0, 2, 0.5), 0.1 s: the sine is at its top, the cylinder makes it 1 + 1/4 of that, the vortex has
  // sqrt(13) / 0.5 radii, and the grid gives 5.
  double q = sqrt(13) / 0.5, turn = 2 * 2 / 0.5 / (1 + q * q), u[3];
  firn_sim_wind_at(sim, (double[]){0, 2, 0.5}, 0.1, u);
  assert_true(fabs(u[0] - (1.5 * 1.25 - turn * 2)) < 1e-12);
  assert_true(fabs(u[1] - (5 - turn * 3)) < 1e-12);
  assert_true(fabs(u[2]) < 1e-12);
  step_to(scene, sim, 0.05);
  double time = firn_sim_time(sim), v[3];
  firn_sim_wind_at(sim, (double[]){0, 2, 0.5}, 0.1, v);
  assert_true(v[0] > u[0] && fabs(v[0] - u[0] - 4 * time * 1.5 * 1.25) < 0.02); // of the last step
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
  unlink(path);
}

static void sand_is_sand(void **state) {
  (void)state;
  firn_scene *scene = read_scene(HEAD
                                 "materials: {beach: {law: sand, friction_angle: 35 deg}}\n" BALL);
  const firn_value *beach = firn_value_find(firn_value_find(scene->root, "materials"), "beach");
  firn_material_def sand;
  assert_int_equal(firn_material_preset(context, "sand", &sand), FIRN_OK);
  assert_true(firn_value_number(beach, "density") == sand.density);
  assert_null(firn_value_find(beach, "theta_c"));
  assert_true(fabs(firn_value_number(beach, "friction_angle") - 0.61086523819801530) < 1e-15);
  firn_sim *sim = build(scene);
  assert_int_equal(firn_sim_step(sim, 1e-4, NULL), FIRN_OK);
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes_are_what_their_keys_say),
      cmocka_unit_test(shapes_without_closed_form_are_made),
      cmocka_unit_test(colliders_move_as_keyed),
      cmocka_unit_test(parts_hang_together),
      cmocka_unit_test(keyed_values_reach_the_simulation),
      cmocka_unit_test(splines_stay_within_what_the_key_allows),
      cmocka_unit_test(splines_stay_off_bounds_that_are_left_out),
      cmocka_unit_test(snow_varies_as_the_scene_says),
      cmocka_unit_test(sources_and_bounds_act),
      cmocka_unit_test(snow_falls_as_the_scene_says),
      cmocka_unit_test(wind_blows_as_the_scene_says),
      cmocka_unit_test(sand_is_sand),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
