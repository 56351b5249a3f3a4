// SPDX-License-Identifier: Apache-2.0
// Good scenes mean what they say; wrong ones are told where and why.
#include <firn/firn.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene/scene.h"
#include "support/comma.h"

static firn_context *context;

static int setup(void **state) {
  (void)state;
  firn_context_def def = firn_default_context_def();
  def.threads = 1;
  return firn_context_create(&def, &context) != FIRN_OK;
}

static int teardown(void **state) {
  (void)state;
  size_t held = firn_context_bytes(context);
  firn_context_destroy(context);
  return held != 0; // every scene of these tests was given back in full
}

static firn_scene *read_with(const char *text, int count, const char *const *overrides) {
  firn_scene *scene = NULL;
  firn_status status = firn_scene_read(context, "test.yaml", text, strlen(text), count, overrides,
                                       &scene);
  assert_non_null(scene);
  assert_true(status == (firn_scene_error_count(scene) ? FIRN_ERROR_SCENE : FIRN_OK));
  return scene;
}

static firn_scene *read_good(const char *text) {
  firn_scene *scene = read_with(text, 0, NULL);
  if (firn_scene_error_count(scene)) fail_msg("%s", firn_context_message(context));
  return scene;
}

#define SNOW "snow: [{shape: {sphere: {center: [0, 0, 0], radius: 1}}}]\n"
#define HEAD "firn: 1\nh: 1 cm\n"

static void a_scene_is_read_in_si_with_defaults(void **state) {
  (void)state;
  firn_scene *scene = read_good(
      "firn: 1\n"
      "title: \"quoted: yes\"\n"
      "spacing: 5 mm\n"
      "quality: 2\n"
      "fps: 50\n"
      "gravity: [0, -9.81 m/s^2, 0]\n"
      "mpm: {basis: quadratic, dt: 0.1 ms, krylov: minres}\n"
      "materials:\n"
      "  soft: {preset: powder, young: 20 kPa}\n"
      "snow:\n"
      "  - shape: {box: {center: [0, 1, 0], size: [10 cm, 20 cm, 3 dm]}}\n"
      "    velocity: [0 m/s, -5 m/s, 36 km/h]\n"
      "colliders:\n"
      "  - {name: wall, shape: {half_space: {normal: [1, 0, 0]}}}\n"
      "  - {shape: {sphere: {center: [0, 0, 0], radius: 1}}, sticky: true}\n");
  assert_true(scene->h == 0.005);
  assert_true(firn_scene_frame_seconds(scene) == 0.02);
  assert_int_equal(firn_scene_frames(scene), 48);
  const firn_value *root = scene->root;
  assert_string_equal(firn_value_text(root, "title"), "quoted: yes");
  const firn_value *mpm = firn_value_find(root, "mpm");
  assert_true(firn_value_is(mpm, "basis", "quadratic"));
  assert_true(firn_value_is(mpm, "transfer", "flip"));
  assert_true(firn_value_number(mpm, "dt") == 0.1 * 1e-3);
  assert_true(firn_value_number(mpm, "flip") == 0.95);
  const firn_value *soft = firn_value_find(firn_value_find(root, "materials"), "soft");
  firn_material_def powder;
  assert_int_equal(firn_material_preset(context, "powder", &powder), FIRN_OK);
  assert_true(firn_value_number(soft, "young") == 20e3);
  assert_true(firn_value_number(soft, "theta_c") == powder.theta_c);
  assert_true(firn_value_number(soft, "density") == powder.density);
  const firn_value *body = firn_value_find(root, "snow")->first;
  assert_string_equal(firn_value_text(body, "material"), "soft"); // the only one
  const firn_value *box = firn_value_find(firn_value_find(body, "shape"), "box");
  assert_true(firn_value_vec3(box, "size")[1] == 20 * 1e-2);
  assert_true(fabs(firn_value_vec3(body, "velocity")[2] - 10) < 1e-14);
  const firn_value *colliders = firn_value_find(root, "colliders");
  assert_string_equal(firn_value_text(colliders->first, "name"), "wall");
  assert_string_equal(firn_value_text(colliders->first->next, "name"), "collider_1");
  assert_true(firn_value_number(colliders->first->next, "sticky") == 1);
  assert_true(firn_value_number(colliders->first, "friction") == 0.5);
  firn_scene_destroy(scene);
}

static void json_is_a_scene_too(void **state) {
  (void)state;
  firn_scene *scene = read_good(
      "{\"firn\": 1, \"h\": \"5 mm\", \"snow\": [{\"shape\": {\"sphere\": "
      "{\"center\": [0, 0, 0], \"radius\": 0.1}}}]}");
  assert_true(scene->h == 5 * 1e-3);
  firn_scene_destroy(scene);
}

static void anchors_and_merge_keys_copy(void **state) {
  (void)state;
  firn_scene *scene = read_good(HEAD "materials:\n"
                                     "  a: &a {young: 10 kPa, poisson: 0.3}\n"
                                     "  b: {<<: *a, young: 20 kPa}\n"
                                     "snow:\n"
                                     "  - &ball\n"
                                     "    shape: {sphere: {center: [0, 0, 0], radius: 1}}\n"
                                     "    material: a\n"
                                     "  - {<<: *ball, material: b}\n");
  const firn_value *b = firn_value_find(firn_value_find(scene->root, "materials"), "b");
  assert_true(firn_value_number(b, "young") == 20e3);
  assert_true(firn_value_number(b, "poisson") == 0.3);
  const firn_value *second = firn_value_find(scene->root, "snow")->first->next;
  assert_string_equal(firn_value_text(second, "material"), "b");
  firn_scene_destroy(scene);
}

static void resolved_text_reads_back_to_itself(void **state) {
  (void)state;
  firn_scene *scene = read_good(
      "firn: 1\ntitle: \"a \\\"b\\\" \\\\ c\"\nspacing: 3.3333 mm\nquality: 0.7\n"
      "materials: {e: {law: elastic}, s: {jp_range: [0.6, 20]}}\n"
      "colliders: [{shape: {half_space: {}}}]\n"
      "snow: [{shape: {sphere: {center: [0, 0, 0], radius: 1}}, material: powder}]\n");
  firn_scene *again = read_good(firn_scene_resolved_text(scene));
  assert_string_equal(firn_scene_resolved_text(scene), firn_scene_resolved_text(again));
  assert_true(scene->h == again->h);
  firn_scene_destroy(again);
  firn_scene_destroy(scene);
}

// Also what YAML does not take as it is: control characters of Latin-1, line ends of Unicode, byte
// order marks, and codes that are no characters.
static void text_of_any_characters_reads_back_to_itself(void **state) {
  (void)state;
  firn_scene *scene = read_good(
      "firn: 1\nh: 0.5 cm\n" SNOW
      "title: \"\\t\\n\\r\\e\\x7f\\x80\\x85\\x9b\\xa0\\u2028\\u2029\\uFEFF"
      "\\uFFFD\\uFFFE\\uFFFF\\U0001F328\\U0010FFFF \\u00e9\"\n");
  firn_scene *again = read_good(firn_scene_resolved_text(scene));
  const char *title = firn_value_text(scene->root, "title");
  assert_string_equal(title,
                      "\t\n\r\x1b\x7f\xc2\x80\xc2\x85\xc2\x9b\xc2\xa0\xe2\x80\xa8\xe2\x80\xa9"
                      "\xef\xbb\xbf\xef\xbf\xbd\xef\xbf\xbe\xef\xbf\xbf"
                      "\xf0\x9f\x8c\xa8\xf4\x8f\xbf\xbf \xc3\xa9");
  assert_string_equal(firn_value_text(again->root, "title"), title);
  firn_scene_destroy(again);
  firn_scene_destroy(scene);
}

static void overrides_change_what_the_file_says(void **state) {
  (void)state;
  static const char *const overrides[] = {
      "mpm.flip=0.9",
      "snow.0.velocity=[1, 2 m/s, 3]",
      "snow[0].shape.box.size=[1, 1, 1]", // takes the sphere's place ...
      "snow[0].shape.box.center=[0, 0, 0]",
      "colliders.ground.friction=50 %",
      "materials.firm.young=1 MPa",
      "spacing=2 cm", // and spacing that of h
      "title=one: two",
  };
  firn_scene *scene = read_with(HEAD "mpm:\n" SNOW "colliders:\n  - {name: x, shape: {half_space: "
                                     "{}}}\n  - {name: ground, shape: {half_space: {}}}\n",
                                7, overrides);
  if (firn_scene_error_count(scene)) fail_msg("%s", firn_context_message(context));
  const firn_value *root = scene->root;
  assert_true(scene->h == 0.04);
  assert_true(firn_value_number(firn_value_find(root, "mpm"), "flip") == 0.9);
  const firn_value *body = firn_value_find(root, "snow")->first;
  assert_true(firn_value_vec3(body, "velocity")[2] == 3);
  assert_non_null(firn_value_find(firn_value_find(body, "shape"), "box"));
  assert_null(firn_value_find(firn_value_find(body, "shape"), "sphere"));
  assert_true(firn_value_number(firn_value_find(root, "colliders")->first->next, "friction") ==
              0.5);
  const firn_value *firm = firn_value_find(firn_value_find(root, "materials"), "firm");
  assert_true(firn_value_number(firm, "young") == 1e6);
  assert_null(strstr(firn_scene_resolved_text(scene), "\nh:"));
  firn_scene_destroy(scene);
}

static void a_decimal_comma_of_the_users_locale_changes_nothing(void **state) {
  (void)state;
  if (!comma_begin()) skip();
  firn_scene *scene = read_good(
      "firn: 1\nh: 0.5 cm\ntitle: ${quality} of it\nquality: 2.0 / 0.8\n" SNOW);
  comma_end();
  assert_true(firn_value_number(scene->root, "h") == 0.5 * 1e-2);
  assert_non_null(strstr(firn_scene_resolved_text(scene), "title: \"2.5 of it\"\n"));
  assert_non_null(strstr(firn_scene_resolved_text(scene), "\nh: 0.005\n"));
  firn_scene_destroy(scene);
}

// ------------------------------------------------------------------------------- wrong scenes

typedef struct {
  const char *text;
  int line, column;
  const char *message; // part of it
} wrong;

static const wrong wrongs[] = {
    // not YAML, not a scene
    {"", 1, 1, "an empty file; expected a scene"},
    {"# nothing\n", 1, 1, "expected a scene"},
    {"snow", 1, 1, "found a single value; expected a scene"},
    {"- firn: 1\n", 1, 1, "found a list; expected a scene"},
    {"firn: 1\nh: [1, 2\nfps: 3\n", 3, 4, "not valid YAML"},
    {"firn: 1\n\th: 1\n", 2, 1, "not valid YAML"},
    {"firn: 1\nh: \"1\n", 3, 1, "not valid YAML"},
    {"firn: 1\nh: *nobody\n", 2, 4, "not valid YAML"},
    {"firn: 1\nh: \xff\n", 2, 4, "not UTF-8"},
    {HEAD SNOW "---\nfirn: 1\n", 5, 1, "a second document"},
    {"firn: 1\nh: 1\nmpm: &a {flip: *a}\n" SNOW, 3, 6, "an anchor contains itself"},
    {HEAD SNOW "? [a, b]\n: 1\n", 4, 3, "expected a key, found a list"},
    {HEAD SNOW "title: \"a\\0b\"\n", 4, 8, "zero byte"},
    // the version
    {"h: 1 cm\n" SNOW, 1, 1, "key 'firn' is missing"},
    {"h: 1 cm\nfirn: 1\n" SNOW, 2, 1, "'h' stands before it"},
    {"firn: 2\nh: 1 cm\n" SNOW, 1, 7,
     "firn: 2 is out of range; expected a whole number equal to 1"},
    // keys
    {HEAD SNOW "gravty: [0, 0, 0]\n", 4, 1, "gravty: unknown key; did you mean 'gravity'?"},
    {HEAD SNOW "mpm: {flp: 1}\n", 4, 7, "mpm.flp: unknown key; did you mean 'flip'?"},
    {HEAD SNOW "mpm: {dt_max: {kyes: [[0 s, 1 ms]]}}\n", 4, 15,
     "mpm.dt_max: found a map without keys; expected a time of at least 0 and at most 1 s "
     "(unit s), or {keys: [[time, value], ...]}"},
    {HEAD SNOW "young: 1\n", 4, 1, "young: unknown key here; there is materials.*.young"},
    {HEAD SNOW "zzz: 1\n", 4, 1, "unknown key; the keys of a scene are firn, include"},
    {HEAD "snow: [{shap: {sphere: {center: [0, 0, 0], radius: 1}}}]\n", 3, 9,
     "snow[0].shap: unknown key; did you mean 'shape'?"},
    {HEAD "snow: [{shape: {spere: {radius: 1}}}]\n", 3, 17,
     "snow[0].shape.spere: unknown key; did you mean 'sphere'?"},
    {HEAD SNOW "h: 2 cm\n", 4, 1, "key 'h' was already given at 2:1"},
    {HEAD SNOW "mpm:\n  dt: 1\n  dt: 2\n", 6, 3, "key 'dt' was already given at 5:3"},
    {HEAD SNOW "spacing: 1\n", 2, 1, "'spacing' and 'h' exclude each other"},
    {"firn: 1\n" SNOW, 1, 1, "key 'spacing' or 'h' is missing; expected a length above 0"},
    {HEAD, 1, 1, "key 'snow' is missing: bodies of snow; expected a list"},
    {HEAD "snow: [{shape: {sphere: {radius: 1}}}]\n", 3, 25,
     "snow[0].shape.sphere: key 'center' is missing"},
    {HEAD "snow: [{}]\n", 3, 8, "snow[0]: key 'shape' or 'points' is missing"},
    // types
    {HEAD SNOW "frames: many\n", 4, 9, "frames: 'many' is not a number; expected a whole number"},
    {HEAD SNOW "frames: 1.5\n", 4, 9, "frames: 1.5 is not whole"},
    {HEAD SNOW "frames: [1]\n", 4, 9, "frames: found a list; expected a whole number"},
    {HEAD SNOW "frames:\n", 4, 8, "frames: '(nothing)' is not a number"},
    {HEAD SNOW "gravity: -9.81\n", 4, 10,
     "gravity: found a single value; expected a list [x, y, z]"},
    {HEAD SNOW "gravity: [0, -9.81]\n", 4, 10, "gravity: found a list of 2"},
    {HEAD SNOW "gravity: [0, down, 0]\n", 4, 14, "gravity[1]: 'down' is not a number"},
    {HEAD SNOW "mpm: fast\n", 4, 6, "mpm: found a single value; expected a map"},
    {HEAD SNOW "mpm: {flip_rescale: yes}\n", 4, 21,
     "found 'yes'; expected true or false; write true"},
    {HEAD SNOW "mpm: {flip_rescale: Off}\n", 4, 21,
     "found 'Off'; expected true or false; write false"},
    {HEAD SNOW "mpm: {flip_rescale: 7}\n", 4, 21, "found '7'; expected true or false"},
    {HEAD SNOW "mpm: {basis: cubik}\n", 4, 14,
     "mpm.basis: unknown choice 'cubik'; did you mean 'cubic'? Expected one of cubic, quadratic"},
    {HEAD SNOW "mpm: {basis: 7}\n", 4, 14, "mpm.basis: unknown choice '7'; expected one of cubic"},
    {HEAD SNOW "solver: pbd\n", 4, 9, "solver: unknown choice 'pbd'; expected one of mpm, sph"},
    {HEAD "snow: {shape: {}}\n", 3, 7, "begin each item with '- '"},
    {HEAD "snow: [ball]\n", 3, 8, "snow[0]: found a single value; expected a map"},
    {HEAD "snow: [{shape: ball}]\n", 3, 16, "expected a map with one key: half_space, sphere, box"},
    {HEAD "snow: [{shape: {}}]\n", 3, 16, "expected a map with one key: half_space, sphere, box"},
    {HEAD "snow: [{shape: {half_space: {}}}]\n", 3, 16, "snow[0].shape: this shape has no end"},
    {HEAD "snow: [{shape: {sphere: {center: [0, 0, 0], radius: 1}, box: {}}}]\n", 3, 57,
     "'sphere' and 'box' exclude each other"},
    {HEAD "snow: []\n", 3, 7, "snow: the list is empty"},
    {HEAD SNOW "title: [a]\n", 4, 8, "title: found a list; expected a text"},
    {HEAD SNOW "materials: [a]\n", 4, 12, "materials: found a list; expected a map from names"},
    {HEAD SNOW "materials: {a b: {}}\n", 4, 13, "not a name"},
    {HEAD SNOW "materials: {a: 5}\n", 4, 16, "materials.a: found a single value"},
    // units and ranges
    {"firn: 1\nh: 5 kg\n" SNOW, 2, 4, "h: '5 kg' is a mass; expected a length above 0 (unit m)"},
    {"firn: 1\nh: 5 mn\n" SNOW, 2, 4, "unknown unit 'mn'"},
    {"firn: 1\nh: 0\n" SNOW, 2, 4, "h: 0 is out of range"},
    {"firn: 1\nh: -1 cm\n" SNOW, 2, 4, "h: -1 cm is out of range"},
    {"firn: 1\nh: .inf\n" SNOW, 2, 4, "h: .inf is out of range"},
    {"firn: 1\nh: .nan\n" SNOW, 2, 4, "h: .nan is not a usable number"},
    {"firn: 1\nh: nan\n" SNOW, 2, 4, "h: nan is not a usable number"},
    {"firn: 1\nh: 1e400\n" SNOW, 2, 4, "too large"},
    {HEAD SNOW "gravity: [0, -9.81 m/s, 0]\n", 4, 14,
     "gravity[1]: '-9.81 m/s' is a velocity; expected an acceleration (unit m/s^2) for y"},
    {HEAD SNOW "materials: {a: {young: 140 kN}}\n", 4, 24,
     "'140 kN' is a force; expected a pressure"},
    {HEAD SNOW "materials: {a: {young: 0}}\n", 4, 24, "materials.a.young: 0 is out of range"},
    {HEAD SNOW "materials: {a: {poisson: 0.5}}\n", 4, 26,
     "expected a number above -1 and below 0.5"},
    {HEAD SNOW "materials: {a: {poisson: -1}}\n", 4, 26, "out of range"},
    {HEAD SNOW "materials: {a: {theta_c: 1}}\n", 4, 26, "out of range"},
    {HEAD SNOW "materials: {a: {theta_s: -0.1}}\n", 4, 26, "out of range"},
    {HEAD SNOW "materials: {a: {hardening: -1}}\n", 4, 28, "out of range"},
    {HEAD SNOW "materials: {a: {density: 0}}\n", 4, 26, "out of range"},
    {HEAD SNOW "materials: {a: {jp_range: [2, 1]}}\n", 4, 27, "first number is larger"},
    {HEAD SNOW "mpm: {flip: 1.5}\n", 4, 13,
     "mpm.flip: 1.5 is out of range; expected a number of at least 0 and at most 1"},
    {HEAD SNOW "mpm: {tolerance: 0}\n", 4, 18, "out of range"},
    {HEAD "snow: [{shape: {sphere: {center: [0, 0, 0], radius: 0}}}]\n", 3, 53,
     "snow[0].shape.sphere.radius: 0 is out of range"},
    {HEAD "snow: [{shape: {box: {center: [0, 0, 0], size: [1, -1, 1]}}}]\n", 3, 52,
     "snow[0].shape.box.size[1]: -1 is out of range"},
    {HEAD SNOW "colliders: [{shape: {half_space: {}}, friction: -0.1}]\n", 4, 49, "out of range"},
    {HEAD SNOW "colliders: [{shape: {half_space: {}}, spin: [0, 3 1/s, 0]}]\n", 4, 49,
     "'3 1/s' is a rate; expected an angular velocity (unit rad/s)"},
    // values that do not fit each other
    {HEAD SNOW "materials: {a: {preset: pwder}}\n", 4, 25,
     "unknown preset 'pwder'; did you mean 'powder'?"},
    {HEAD SNOW "materials: {a: {law: elastic, theta_c: 0.1}}\n", 4, 40,
     "materials.a.theta_c: the law 'elastic' has no such number"},
    {HEAD
     "materials: {firm: {}}\nsnow: [{shape: {sphere: {center: [0, 0, 0], radius: 1}}, material: "
     "frim}]\n",
     4, 68, "snow[0].material: no material 'frim'; did you mean 'firm'?"},
    {HEAD "snow: [{shape: {sphere: {center: [0, 0, 0], radius: 1}}, seeding: lattice, per_cell: "
          "9}]\n",
     3, 86, "snow[0].per_cell: 9 is not a cube"},
    {HEAD "snow: [{shape: {sphere: {center: [0, 0, 0], radius: 1}}, seeding: jittered, per_cell: "
          "2.5}]\n",
     3, 87, "snow[0].per_cell: 2.5 is not whole"},
    {HEAD SNOW "periodic: [0.05, 0, 0]\n", 4, 11, "x: 0.05 m is 5 cells of 0.01 m"},
    {HEAD SNOW "mpm: {krylov: cg}\n", 4, 15, "cg needs hessian: psd"},
    {HEAD SNOW "mpm: {dt_min: 1 s, dt_max: 1 ms}\n", 4, 15,
     "mpm.dt_min: 1 s is longer than dt_max"},
    {HEAD SNOW "mpm: {dt_min: 0.1 ms, dt: 0.01 ms}\n", 4, 27, "shorter than dt_min"},
    {HEAD SNOW "colliders: [{shape: {half_space: {normal: [0, 0, 0]}}}]\n", 4, 43, "no direction"},
    {HEAD SNOW "colliders: [{name: a, shape: {half_space: {}}}, {name: a, shape: {half_space: "
               "{}}}]\n",
     4, 56, "another collider is called 'a' too"},
    {HEAD SNOW "colliders: [{name: \"a,b\", shape: {half_space: {}}}]\n", 4, 20,
     "without commas and quotes"},
    {HEAD SNOW "preview: {view: [0, 0, 0]}\n", 4, 17, "no direction"},
    {HEAD SNOW "mpm: {<<: 5}\n", 4, 11, "expected a map or a list of maps to merge"},
};

static void wrong_scenes_are_told_where_and_why(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
    firn_scene *scene = read_with(wrongs[i].text, 0, NULL);
    bool found = false;
    char list[4096] = "";
    size_t used = 0;
    for (int e = 0; e < firn_scene_error_count(scene); e++) {
      const firn_scene_error *error = firn_scene_error_get(scene, e);
      found = found || (error->line == wrongs[i].line && error->column == wrongs[i].column &&
                        strstr(error->message, wrongs[i].message));
      if (used < sizeof list)
        used += (size_t)snprintf(list + used, sizeof list - used, "  %d:%d: %s\n", error->line,
                                 error->column, error->message);
    }
    if (!found)
      fail_msg("%s\nexpected %d:%d: ...%s...\n%s", wrongs[i].text, wrongs[i].line, wrongs[i].column,
               wrongs[i].message, list);
    firn_scene_destroy(scene);
  }
}

// One mistake makes one message: a table that reports too much hides what matters.
static void one_mistake_makes_one_message(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
    firn_scene *scene = read_with(wrongs[i].text, 0, NULL);
    if (firn_scene_error_count(scene) > 1) {
      const firn_scene_error *second = firn_scene_error_get(scene, 1);
      fail_msg("%s\n%d errors, the second one %d:%d: %s", wrongs[i].text,
               firn_scene_error_count(scene), second->line, second->column, second->message);
    }
    firn_scene_destroy(scene);
  }
}

static void all_errors_are_reported_in_the_order_of_the_file(void **state) {
  (void)state;
  firn_scene *scene = read_with("firn: 1\n"
                                "frames: many\n"
                                "gravty: [0, 0, 0]\n"
                                "h: 5 kg\n"
                                "mpm: {flip: 2, bassis: cubic}\n" SNOW,
                                0, NULL);
  static const int places[][2] = {{2, 9}, {3, 1}, {4, 4}, {5, 13}, {5, 16}};
  assert_int_equal(firn_scene_error_count(scene), 5);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(firn_scene_error_get(scene, i)->line, places[i][0]);
    assert_int_equal(firn_scene_error_get(scene, i)->column, places[i][1]);
  }
  assert_null(firn_scene_error_get(scene, 5));
  assert_non_null(strstr(firn_context_message(context), "test.yaml:2:9: frames: 'many'"));
  assert_non_null(strstr(firn_context_message(context), "(and 4 more)"));
  firn_scene_destroy(scene);
}

static void wrong_overrides_are_named(void **state) {
  (void)state;
  static const struct {
    const char *override, *message;
  } cases[] = {
      {"flip", "--set flip: expected path.to.key=value"},
      {"=1", "expected path.to.key=value"},
      {"mpm..flip=1", "empty step"},
      {"mpm.flp=1", "--set mpm.flp=1: mpm.flp: unknown key; did you mean 'flip'?"},
      {"mpm.flip=2", "--set mpm.flip=2: mpm.flip: 2 is out of range"},
      {"snow.3.velocity=[0, 0, 0]", "no item '3'; the list has 1"},
      {"snow.ball.velocity=[0, 0, 0]", "no item 'ball'"},
      {"h.x=1", "there is a single value, '1 cm', where 'x' would be"},
      {"h=[1", "not valid YAML"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    firn_scene *scene = read_with(HEAD SNOW, 1, &cases[i].override);
    assert_int_equal(firn_scene_error_count(scene), 1);
    const firn_scene_error *error = firn_scene_error_get(scene, 0);
    assert_int_equal(error->line, 0);
    if (!strstr(error->message, cases[i].message)) fail_msg("%s", error->message);
    firn_scene_destroy(scene);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_scene_is_read_in_si_with_defaults),
      cmocka_unit_test(json_is_a_scene_too),
      cmocka_unit_test(anchors_and_merge_keys_copy),
      cmocka_unit_test(resolved_text_reads_back_to_itself),
      cmocka_unit_test(text_of_any_characters_reads_back_to_itself),
      cmocka_unit_test(overrides_change_what_the_file_says),
      cmocka_unit_test(a_decimal_comma_of_the_users_locale_changes_nothing),
      cmocka_unit_test(wrong_scenes_are_told_where_and_why),
      cmocka_unit_test(one_mistake_makes_one_message),
      cmocka_unit_test(all_errors_are_reported_in_the_order_of_the_file),
      cmocka_unit_test(wrong_overrides_are_named),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
