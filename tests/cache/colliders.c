// SPDX-License-Identifier: Apache-2.0
// colliders.csv: what is written is what outside tools expect, and resuming leaves the same bytes.
#include "cache/scratch.h"

#include <math.h>

#include "cache/colliders.h"

static firn_collider_row row(int frame, const char *name) {
  return (firn_collider_row){
      .frame = frame,
      .time = 0.5 * frame,
      .name = name,
      .force = {.time = 0.5,
                .force = {1, -2.5, frame},
                .torque = {0, 1e-7, 3},
                .impulse = {0.5, -1.25, 0.5 * frame},
                .power = 8,
                .work = 4.0 * frame},
      // A turn of 300 degrees about y is one of -60.
      .state = {.pivot = {frame, 2, 0},
                .rotation = {0, 0.5, 0, -sqrt(0.75)},
                .velocity = {-1, 0, 0},
                .spin = {0, 0, 2}},
  };
}

static void expect(scratch *s, const char *text) {
  char *found;
  size_t size;
  assert_int_equal(firn_file_get(s->context, s->path, &found, &size), FIRN_OK);
  assert_int_equal(size, strlen(text));
  assert_memory_equal(found, text, size);
  firn_free(s->context, found, size + 1);
}

#define HEADER                                                                                     \
  "frame,time,name,force_x,force_y,force_z,torque_x,torque_y,torque_z,impulse_x,impulse_y,"        \
  "impulse_z,position_x,position_y,position_z,rotation_x,rotation_y,rotation_z,velocity_x,"        \
  "velocity_y,velocity_z,spin_x,spin_y,spin_z,work,power\n"
// Of frame 1, behind its name.
#define NUMBERS "1,-2.5,1,0,1e-07,3,0.5,-1.25,0.5,1,2,0,0,-1.04719755,0,-1,0,0,0,0,2,4,8\n"

static void rows_are_as_promised(void **state) {
  scratch *s = *state;
  const char *path = scratch_path(s, "colliders.csv");
  firn_collider_row rows[] = {row(1, "floor"), row(1, "a, \"b\"")};
  assert_int_equal(firn_colliders_create(s->context, path), FIRN_OK);
  assert_int_equal(firn_colliders_append(s->context, path, rows, 2), FIRN_OK);
  assert_int_equal(firn_colliders_append(s->context, path, NULL, 0), FIRN_OK);
  expect(s, HEADER "1,0.5,floor," NUMBERS "1,0.5,\"a, \"\"b\"\"\"," NUMBERS);
}

static void truncated_files_go_on_with_the_same_bytes(void **state) {
  scratch *s = *state;
  const char *path = scratch_path(s, "colliders.csv");
  assert_int_equal(firn_colliders_create(s->context, path), FIRN_OK);
  for (int frame = 1; frame <= 3; frame++) {
    firn_collider_row rows[] = {row(frame, "x"), row(frame, "y")};
    assert_int_equal(firn_colliders_append(s->context, path, rows, 2), FIRN_OK);
  }
  char *before, *after;
  size_t size, again;
  assert_int_equal(firn_file_get(s->context, path, &before, &size), FIRN_OK);
  firn_rows all;
  assert_int_equal(firn_colliders_open(s->context, path, &all), FIRN_OK);
  assert_int_equal(firn_rows_cut(&all, path, 1, &again), FIRN_OK);
  firn_rows_close(&all);
  expect(s, HEADER "1,0.5,x," NUMBERS "1,0.5,y," NUMBERS);
  for (int frame = 2; frame <= 3; frame++) {
    firn_collider_row rows[] = {row(frame, "x"), row(frame, "y")};
    assert_int_equal(firn_colliders_append(s->context, path, rows, 2), FIRN_OK);
  }
  assert_int_equal(firn_file_get(s->context, path, &after, &again), FIRN_OK);
  assert_int_equal(size, again);
  assert_memory_equal(before, after, size);
  firn_free(s->context, before, size + 1);
  firn_free(s->context, after, again + 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(rows_are_as_promised, scratch_open, scratch_close),
      cmocka_unit_test_setup_teardown(truncated_files_go_on_with_the_same_bytes, scratch_open,
                                      scratch_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
