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
#include "scene/schema_write.h"

typedef void (*visit_fn)(const firn_schema_record *record, const firn_schema_row *row);

static void visit(const firn_schema_record *record, int depth, visit_fn fn) {
  for (int i = 0; i < record->count; i++) {
    fn(record, &record->rows[i]);
    if (record->rows[i].record && depth < 4) visit(record->rows[i].record, depth + 1, fn);
  }
}

static void check_row(const firn_schema_record *record, const firn_schema_row *row) {
  const char *doc = firn_schema_doc(row) ? firn_schema_doc(row) : "";
  if (!*doc) fail_msg("%s: no doc", row->key);
  if (strchr(doc, '\n') || strlen(doc) > 90) fail_msg("%s: doc is long", row->key);
  if (firn_schema_find(record, row->key) != row)
    fail_msg("%s: twice in %s", row->key, record->name);
  if ((row->type >= FIRN_TYPE_RECORD) != (row->record != NULL)) fail_msg("%s: record", row->key);
  bool words = row->type == FIRN_TYPE_ENUM || row->type == FIRN_TYPE_WORDS;
  if (words != (row->choices || row->choice)) fail_msg("%s: choices", row->key);
  if (row->required && row->initial) fail_msg("%s: required and a default", row->key);
  if (row->when && !strchr(row->when, '=')) fail_msg("%s: when", row->key);
  // Everything that has a range or a dimension is a number.
  bool number = row->type == FIRN_TYPE_INT || row->type == FIRN_TYPE_REAL ||
                row->type == FIRN_TYPE_VEC3 || row->type == FIRN_TYPE_RANGE ||
                row->type == FIRN_TYPE_VEC2 || row->type == FIRN_TYPE_NUMBERS ||
                row->type == FIRN_TYPE_FORMULAS;
  if ((row->range || row->dimension) && !number) fail_msg("%s: a range or dimension", row->key);
  firn_interval in = firn_interval_parse(row->range);
  if (!(in.least <= in.most)) fail_msg("%s: range %s", row->key, row->range);
  char expected[200];
  firn_schema_expect(row, expected, sizeof expected);
  if (strlen(expected) < 5 || strlen(expected) > 260) fail_msg("%s: %s", row->key, expected);
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

static void assert_located(const firn_schema_record *record, const char *key, bool same,
                           const char *expected) {
  char path[100];
  bool found_same;
  assert_true(firn_schema_locate(record, key, &found_same, path, sizeof path));
  assert_string_equal(path, expected);
  assert_int_equal(found_same, same);
}

static void keys_are_found_wherever_they_live(void **state) {
  (void)state;
  assert_located(&firn_schema_root, "basis", true, "mpm.basis");
  assert_located(&firn_schema_root, "theta_c", true, "materials.*.theta_c");
  assert_located(&firn_schema_root, "sticky", true, "colliders[].sticky");
  assert_located(&firn_schema_root, "radius", true, "snow[].shape.sphere.radius");
  assert_located(&firn_schema_root, "thta_s", false, "materials.*.theta_s");
  assert_located(&firn_schema_collider, "rotate", true, "shape.rotate");
  char path[100];
  bool same;
  assert_false(firn_schema_locate(&firn_schema_root, "porosity", &same, path, sizeof path));
}

static char page[100000], written[100000];
static size_t used;

static void collect(void *user, const char *text) {
  (void)user;
  size_t n = strlen(text);
  assert_true(used + n < sizeof written);
  memcpy(written + used, text, n + 1);
  used += n;
}

// The page is committed so that it can be read without the program.
static void the_reference_page_is_what_the_schema_says(void **state) {
  (void)state;
  FILE *file = fopen(FIRN_TEST_SOURCE_DIR "/docs/scene-reference.md", "r");
  assert_non_null(file);
  size_t size = fread(page, 1, sizeof page - 1, file);
  fclose(file);
  used = 0;
  firn_scene_reference(collect, NULL);
  assert_true(size == used);
  if (strcmp(page, written) != 0)
    fail_msg("write docs/scene-reference.md anew: firn scenes --reference");
}

// Every key with its doc; `of` of several records would be found by the wrong one otherwise.
static void check_documented(const firn_schema_record *record, const firn_schema_row *row) {
  char quoted[64];
  snprintf(quoted, sizeof quoted, "| `%s` |", row->key);
  if (!strstr(page, quoted)) fail_msg("no %s of %s", quoted, record->name);
}

static void every_key_is_on_the_reference_page(void **state) {
  (void)state;
  visit(&firn_schema_root, 0, check_documented);
}

static void only_numbers_switches_and_words_are_keyed(void **state) {
  (void)state;
  firn_schema_records all = firn_schema_collect();
  int keyed = 0;
  for (int i = 0; i < all.count; i++)
    for (int k = 0; k < all.record[i]->count; k++) {
      const firn_schema_row *row = &all.record[i]->rows[k];
      if (!row->keyed) continue;
      keyed++;
      bool fits = row->type == FIRN_TYPE_BOOL || row->type == FIRN_TYPE_INT ||
                  row->type == FIRN_TYPE_REAL || row->type == FIRN_TYPE_VEC3 ||
                  (row->type == FIRN_TYPE_ENUM && row->choices);
      if (!fits) fail_msg("%s of %s cannot be keyed", row->key, all.record[i]->name);
    }
  assert_true(keyed > 20);
}

// A table that is full may have left records out.
static void every_record_is_collected(void **state) {
  (void)state;
  firn_schema_records all = firn_schema_collect();
  if (all.count >= FIRN_SCHEMA_RECORDS) fail_msg("FIRN_SCHEMA_RECORDS is too small");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_well_formed),
      cmocka_unit_test(ranges_mean_what_they_say),
      cmocka_unit_test(keys_are_found_wherever_they_live),
      cmocka_unit_test(the_reference_page_is_what_the_schema_says),
      cmocka_unit_test(every_key_is_on_the_reference_page),
      cmocka_unit_test(only_numbers_switches_and_words_are_keyed),
      cmocka_unit_test(every_record_is_collected),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
