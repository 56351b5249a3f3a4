// SPDX-License-Identifier: Apache-2.0
// Which changes of a scene keep a run from going on, and how they are told.
#include "scene/setup.h"

#include "scene/difference.h"

static const char whole[] = "firn: 1\n"
                            "title: \"a\"\n"
                            "frames: 20\n"
                            "gravity: [0, -9.81, 0]\n"
                            "mpm:\n"
                            "  flip: 0.95\n"
                            "snow:\n"
                            "  - shape:\n"
                            "      sphere:\n"
                            "        radius: 0.1\n"
                            "    material: powder\n"
                            "emitters: []\n"
                            "colliders:\n"
                            "  - name: \"ground\"\n"
                            "    friction: 0.5\n"
                            "    parts:\n"
                            "      - name: \"hand\"\n"
                            "output:\n"
                            "  precision: 32\n"
                            "  every: 2\n"
                            "preview:\n"
                            "  extent: 0\n";

// What sets whole apart from itself with old replaced by new.
static firn_scene_difference after(const char *old, const char *new) {
  static char text[2000];
  const char *at = strstr(whole, old);
  assert_non_null(at);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - whole), whole, new, at + strlen(old));
  firn_scene_difference d;
  assert_int_equal(firn_scene_compare(context, whole, strlen(whole), text, strlen(text), &d),
                   FIRN_OK);
  return d;
}

static void what_leaves_the_simulation_alone_does_not_count(void **state) {
  (void)state;
  static const char *const changes[][2] = {
      {"title: \"a\"", "title: \"b\""},
      {"frames: 20", "frames: 30"},
      {"extent: 0", "extent: 0.5\n  view: [1, 0, 0]"},
      {"precision: 32", "precision: 16\n  fields: [jp]"},
      {"every: 2", "every: 4"},
      {"friction: 0.5", "friction: 0.5\n    look:\n      albedo: 0.2"},
      {"name: \"hand\"", "name: \"hand\"\n        look:\n          albedo: 0.2"},
      {"preview:", "render:\n  spp: 4\npreview:"},
  };
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    firn_scene_difference d = after(changes[i][0], changes[i][1]);
    assert_false(d.same);
    assert_int_equal(d.count, 0);
  }
  firn_scene_difference d = after("title", "title");
  assert_true(d.same && d.count == 0);
}

static void what_matters_is_named_with_its_values(void **state) {
  (void)state;
  static const char *const changes[][3] = {
      {"flip: 0.95", "flip: 0.5", "mpm.flip is 0.5 now, and was 0.95"},
      {"[0, -9.81, 0]", "[0, 0, 0]", "gravity is [0, 0, 0] now, and was [0, -9.81, 0]"},
      {"radius: 0.1", "radius: 0.2", "snow[0].shape.sphere.radius is 0.2 now, and was 0.1"},
      {"\"ground\"", "\"floor\"", "colliders[0].name is \"floor\" now, and was \"ground\""},
      {"every: 2", "every: 1", "output.every is 1 now, and was 2"},
      {"every: 2", "every: 3", "output.every is 3 now, and was 2"},
      {"    material: powder\n", "", "snow[0].material is gone; it was powder"},
      {"  - name: \"ground\"", "  - name: \"ball\"\n  - name: \"ground\"",
       "colliders[0].name is \"ball\" now, and was \"ground\""},
      {"mpm:", "seed: 4\nmpm:", "seed is new: 4"},
      {"emitters: []", "emitters:\n  - stop: 1", "emitters is [{stop: 1}] now, and was []"},
  };
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    firn_scene_difference d = after(changes[i][0], changes[i][1]);
    assert_string_equal(d.text, changes[i][2]);
    assert_true(d.count >= 1);
  }
  assert_int_equal(after("flip: 0.95", "flip: 0.5\n  cfl: 1").count, 2);
}

// What a program may set between two steps; other things particles were made with.
static void a_branch_may_change_more(void **state) {
  (void)state;
  static const char was[] =
      "h: 0.1\ngravity: [0, -9.81, 0]\nmaterials:\n  powder:\n    law: snow\n"
      "    young: 5\n    density: 400\n    durability: 1\n"
      "    jp_range: [0, .inf]\nmpm:\n  flip: 0.95\n  basis: cubic\n"
      "  volume: density\ncolliders:\n"
      "  - name: \"a\"\n    friction: 0.5\n    forces: true\n"
      "forces:\n  - name: \"b\"\n    uniform:\n      acceleration: [1, 0, 0]\n"
      "    steady: false\n  - drag:\n      rate: 1\n      gust:\n"
      "        strength: 1\n      file: \"a.csv\"\n";
  static const struct {
    const char *old, *new, *path; // path "": it may
    bool moved;
  } cases[] = {
      {"-9.81", "-1", "", false},
      {"young: 5", "young: 6", "", false},
      {"law: snow", "law: sand", "materials.powder.law", false},
      {"powder:", "firm:", "materials.firm", false},
      {"flip: 0.95", "flip: 0.5", "", false},
      {"basis: cubic", "basis: quadratic", "mpm.basis", false},
      {"h: 0.1", "h: 0.2", "h", false},
      {"friction: 0.5", "friction: 0.1", "", true},
      {"forces: true", "forces: true\n    motion:\n      velocity: [1, 0, 0]", "", true},
      {"forces: true", "forces: false", "colliders[0].forces", false},
      {"\"a\"", "\"b\"", "colliders[0].name", false},
      {"density: 400", "density: 300", "materials.powder.density", false},
      {"durability: 1", "durability: 0.5", "materials.powder.durability", false},
      {"[0, .inf]", "[0.5, 2]", "", false},
      {"volume: density", "volume: nominal", "mpm.volume", false},
      // Nobody conducts.
      {"friction: 0.5", "friction: 0.5\n    temperature: 250", "colliders[0].temperature", false},
      {"[1, 0, 0]", "[2, 0, 0]", "", false},
      {"steady: false", "steady: true", "", false},
      {"rate: 1", "rate: 2", "", false},
      {"strength: 1", "strength: 2", "", false},
      {"a.csv", "b.csv", "forces[1].drag.file", false},
      {"uniform:\n      acceleration: [1, 0, 0]", "vortex:\n      strength: 1", "forces[0].vortex",
       false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char now[900];
    const char *at = strstr(was, cases[i].old);
    assert_non_null(at);
    snprintf(now, sizeof now, "%.*s%s%s", (int)(at - was), was, cases[i].new,
             at + strlen(cases[i].old));
    firn_scene_difference d;
    assert_int_equal(firn_scene_compare_branch(context, was, strlen(was), now, strlen(now), &d),
                     FIRN_OK);
    assert_string_equal(d.path, cases[i].path);
    assert_int_equal(d.count > 0, *cases[i].path != 0);
    assert_int_equal(d.moved, cases[i].moved);
  }
}

static void a_branch_may_heat_a_collider_where_snow_conducts(void **state) {
  (void)state;
  static const char was[] = "materials:\n  a:\n    conductivity: 1\ncolliders:\n  - name: \"a\"\n";
  static const char now[] = "materials:\n  a:\n    conductivity: 1\ncolliders:\n  - name: \"a\"\n"
                            "    temperature: 260\n";
  firn_scene_difference d;
  assert_int_equal(firn_scene_compare_branch(context, was, strlen(was), now, strlen(now), &d),
                   FIRN_OK);
  assert_int_equal(d.count, 0);
  assert_true(d.moved);
}

static void long_values_are_cut(void **state) {
  (void)state;
  char list[400];
  size_t used = (size_t)snprintf(list, sizeof list, "gravity: [1");
  for (int i = 0; i < 90; i++) used += (size_t)snprintf(list + used, sizeof list - used, ", 10");
  snprintf(list + used, sizeof list - used, "]");
  firn_scene_difference d = after("gravity: [0, -9.81, 0]", list);
  assert_non_null(strstr(d.text, "10, 1... now, and was [0, -9.81, 0]"));
}

static void what_is_no_scene_is_said(void **state) {
  (void)state;
  static const char *const bad[] = {"", "a: [", "- 1", "\tx"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    firn_scene_difference d;
    assert_int_equal(firn_scene_compare(context, bad[i], strlen(bad[i]), whole, strlen(whole), &d),
                     FIRN_OK);
    assert_int_equal(d.count, 1);
    assert_non_null(strstr(d.text, "not a scene"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_leaves_the_simulation_alone_does_not_count),
      cmocka_unit_test(what_matters_is_named_with_its_values),
      cmocka_unit_test(a_branch_may_change_more),
      cmocka_unit_test(a_branch_may_heat_a_collider_where_snow_conducts),
      cmocka_unit_test(long_values_are_cut),
      cmocka_unit_test(what_is_no_scene_is_said),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
