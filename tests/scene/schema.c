// SPDX-License-Identifier: Apache-2.0
// The rows of the schema make sense by themselves: what the reader relies on without looking.
#include "scene/schema.h"

#include <firn/firn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scene/scene.h"

typedef void (*visit_fn)(const firn_schema_record *record, const firn_schema_row *row);

static void visit(const firn_schema_record *record, int depth, visit_fn fn) {
  for (int i = 0; i < record->count; i++) {
    fn(record, &record->rows[i]);
    if (record->rows[i].record && depth < 6) visit(record->rows[i].record, depth + 1, fn);
  }
}

static void check_row(const firn_schema_record *record, const firn_schema_row *row) {
  const char *doc = row->doc ? row->doc : "";
  if (!*doc) fail_msg("%s: no doc", row->key);
  if (strchr(doc, '\n') || strlen(doc) > 90) fail_msg("%s: doc is long", row->key);
  if (firn_schema_find(record, row->key) != row)
    fail_msg("%s: twice in %s", row->key, record->name);
  if ((row->type >= FIRN_TYPE_RECORD) != (row->record != NULL)) fail_msg("%s: record", row->key);
  if ((row->type == FIRN_TYPE_ENUM) != (row->choices != NULL)) fail_msg("%s: choices", row->key);
  if (row->required && row->initial) fail_msg("%s: required and a default", row->key);
  if (row->when && !strchr(row->when, '=')) fail_msg("%s: when", row->key);
  // Everything that has a range or a dimension is a number.
  bool number = row->type == FIRN_TYPE_INT || row->type == FIRN_TYPE_REAL ||
                row->type == FIRN_TYPE_VEC3 || row->type == FIRN_TYPE_RANGE;
  if ((row->range || row->dimension) && !number) fail_msg("%s: a range or dimension", row->key);
  firn_interval in = firn_interval_parse(row->range);
  if (!(in.least <= in.most)) fail_msg("%s: range %s", row->key, row->range);
  char expected[200];
  firn_schema_expect(row, expected, sizeof expected);
  if (strlen(expected) < 5 || strlen(expected) > 180) fail_msg("%s: %s", row->key, expected);
}

static void rows_are_well_formed(void **state) {
  (void)state;
  visit(&firn_schema_root, 0, check_row);
}

static void ranges_mean_what_they_say(void **state) {
  (void)state;
  firn_interval a = firn_interval_parse("(0, 1]");
  assert_false(firn_interval_holds(&a, 0));
  assert_true(firn_interval_holds(&a, 1e-300));
  assert_true(firn_interval_holds(&a, 1));
  assert_false(firn_interval_holds(&a, 1.0000001));
  assert_false(firn_interval_holds(&a, NAN));
  firn_interval b = firn_interval_parse("[-2.5, inf)");
  assert_true(firn_interval_holds(&b, -2.5));
  assert_true(firn_interval_holds(&b, 1e300));
  assert_false(firn_interval_holds(&b, INFINITY));
  firn_interval c = firn_interval_parse("[0, inf]");
  assert_true(firn_interval_holds(&c, INFINITY));
  firn_interval d = firn_interval_parse(NULL);
  assert_true(firn_interval_holds(&d, -1e300));
  assert_false(firn_interval_holds(&d, -INFINITY));
}

static void keys_are_found_wherever_they_live(void **state) {
  (void)state;
  char path[100];
  assert_true(firn_schema_locate("flip", path, sizeof path));
  assert_string_equal(path, "mpm.flip");
  assert_true(firn_schema_locate("theta_c", path, sizeof path));
  assert_string_equal(path, "materials.*.theta_c");
  assert_true(firn_schema_locate("sticky", path, sizeof path));
  assert_string_equal(path, "colliders[].sticky");
  assert_true(firn_schema_locate("radius", path, sizeof path));
  assert_string_equal(path, "snow[].shape.sphere.radius");
  assert_false(firn_schema_locate("viscosity", path, sizeof path));
}

static char page[65536];

static void check_documented(const firn_schema_record *record, const firn_schema_row *row) {
  char quoted[64];
  snprintf(quoted, sizeof quoted, "`%s`", row->key);
  if (!strstr(page, quoted)) fail_msg("docs/scenes.md has no %s of %s", quoted, record->name);
}

static void every_key_is_on_the_page_about_scenes(void **state) {
  (void)state;
  FILE *file = fopen(FIRN_TEST_SOURCE_DIR "/docs/scenes.md", "r");
  assert_non_null(file);
  size_t size = fread(page, 1, sizeof page - 1, file);
  fclose(file);
  assert_true(size > 1000 && size < sizeof page - 1);
  visit(&firn_schema_root, 0, check_documented);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_well_formed),
      cmocka_unit_test(ranges_mean_what_they_say),
      cmocka_unit_test(keys_are_found_wherever_they_live),
      cmocka_unit_test(every_key_is_on_the_page_about_scenes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
