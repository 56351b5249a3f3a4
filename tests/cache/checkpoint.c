// SPDX-License-Identifier: Apache-2.0
// timeout: 60
// Checkpoints: a loaded simulation goes on bit by bit, and a file that does not fit is refused.
#include "scratch.h"

#include <fcntl.h>

#include <firn/firn.h>

#include "base/random.h"
#include "cache/archive.h"
#include "cache/archive_seal.h"
#include "math/real.h"

// A ball that hits the ground, of two materials, one of which varies from particle to particle.
static firn_sim *make(scratch *s, firn_transfer transfer, double h, bool filled) {
  firn_sim_def def = firn_default_sim_def();
  firn_sim *sim;
  int soft, hard;
  def.h = h;
  def.mpm.transfer = transfer;
  def.mpm.integrator = FIRN_INTEGRATOR_EXPLICIT;
  assert_int_equal(firn_sim_create(s->context, &def, &sim), FIRN_OK);
  firn_material_def material = firn_default_material_def();
  assert_int_equal(firn_sim_add_material(sim, &material, &soft), FIRN_OK);
  material.young *= 2;
  assert_int_equal(firn_sim_add_material(sim, &material, &hard), FIRN_OK);
  firn_collider_def ground = firn_default_collider_def();
  ground.shape = firn_half_space((double[3]){0, 0, 0}, (double[3]){0, 1, 0});
  ground.friction = 0.3;
  assert_int_equal(firn_sim_add_collider(sim, &ground, NULL), FIRN_OK);
  if (!filled) return sim;
  firn_fill_def fill = firn_default_fill_def();
  fill.shape = firn_sphere((double[3]){0, 0.031, 0}, 0.03);
  fill.material = hard;
  fill.velocity[1] = -3;
  assert_int_equal(firn_sim_fill(sim, &fill), FIRN_OK);
  enum { N = 40 };
  double position[N][3], young[N];
  for (uint32_t i = 0; i < N; i++) {
    young[i] = 1e5 * (1 + firn_uniform(firn_philox4x32(3, i, 9, 0).v[0]));
    for (uint32_t k = 0; k < 3; k++) {
      position[i][k] = 0.03 * firn_uniform(firn_philox4x32(3, i, k, 0).v[0]) + (k == 1 ? 0.06 : 0);
    }
  }
  firn_particles_def more = firn_default_particles_def();
  more.count = N;
  more.position = position[0];
  more.young = young;
  more.material = soft;
  assert_int_equal(firn_sim_add_particles(sim, &more), FIRN_OK);
  return sim;
}

static void steps(firn_sim *sim, int count) {
  for (int i = 0; i < count; i++) assert_int_equal(firn_sim_step(sim, 0, NULL), FIRN_OK);
}

// After `before` steps: saved, loaded elsewhere, both go on; whole states are compared by their
// files.
static void continues_alike(scratch *s, firn_transfer transfer, int before) {
  firn_sim *sim = make(s, transfer, 0.01, true), *other = make(s, transfer, 0.01, false);
  steps(sim, before);
  assert_int_equal(firn_sim_save(sim, scratch_path(s, "a.hdf")), FIRN_OK);
  assert_int_equal(firn_sim_load(other, scratch_path(s, "a.hdf")), FIRN_OK);
  assert_true(firn_sim_time(sim) == firn_sim_time(other));
  assert_int_equal(firn_sim_count(sim), firn_sim_count(other));
  assert_int_equal(firn_sim_save(other, scratch_path(s, "b.hdf")), FIRN_OK);
  assert_same_bytes(s, "a.hdf", "b.hdf");
  steps(sim, 25);
  steps(other, 25);
  assert_int_equal(firn_sim_save(sim, scratch_path(s, "a.hdf")), FIRN_OK);
  assert_int_equal(firn_sim_save(other, scratch_path(s, "b.hdf")), FIRN_OK);
  assert_same_bytes(s, "a.hdf", "b.hdf");
  firn_sim_destroy(sim);
  firn_sim_destroy(other);
}

static void a_loaded_simulation_goes_on_bit_by_bit(void **state) {
  scratch *s = *state;
  continues_alike(s, FIRN_TRANSFER_FLIP, 40);
  continues_alike(s, FIRN_TRANSFER_APIC, 40);
}

static void particles_that_never_moved_are_saved_too(void **state) {
  continues_alike(*state, FIRN_TRANSFER_FLIP, 0);
}

static void an_empty_simulation_is_saved_too(void **state) {
  scratch *s = *state;
  firn_sim *sim = make(s, FIRN_TRANSFER_FLIP, 0.01, false);
  firn_sim *other = make(s, FIRN_TRANSFER_FLIP, 0.01, false);
  assert_int_equal(firn_sim_save(sim, scratch_path(s, "a.hdf")), FIRN_OK);
  assert_int_equal(firn_sim_load(other, scratch_path(s, "a.hdf")), FIRN_OK);
  assert_int_equal(firn_sim_count(other), 0);
  firn_sim_destroy(sim);
  firn_sim_destroy(other);
}

static void what_does_not_fit_is_refused(void **state) {
  scratch *s = *state;
  firn_sim *sim = make(s, FIRN_TRANSFER_FLIP, 0.01, true);
  assert_int_equal(firn_sim_save(sim, scratch_path(s, "a.hdf")), FIRN_OK);
  assert_int_equal(firn_sim_write_frame(sim, scratch_path(s, "frame.hdf")), FIRN_OK);
  firn_sim_destroy(sim);

  sim = make(s, FIRN_TRANSFER_FLIP, 0.02, false);
  assert_int_equal(firn_sim_load(sim, scratch_path(s, "a.hdf")), FIRN_ERROR_FORMAT);
  assert_message(s, "a.hdf", "h is 0.01", "0.02");
  firn_sim_destroy(sim);
  sim = make(s, FIRN_TRANSFER_APIC, 0.01, false);
  assert_int_equal(firn_sim_load(sim, scratch_path(s, "a.hdf")), FIRN_ERROR_FORMAT);
  assert_message(s, "a.hdf", "transfer");
  firn_sim_destroy(sim);
  sim = make(s, FIRN_TRANSFER_FLIP, 0.01, false);
  assert_int_equal(firn_sim_load(sim, scratch_path(s, "frame.hdf")), FIRN_ERROR_FORMAT);
  assert_message(s, "frame.hdf", "not a checkpoint");
  assert_int_equal(firn_sim_load(sim, scratch_path(s, "none.hdf")), FIRN_ERROR_IO);
  firn_material_def material = firn_default_material_def();
  assert_int_equal(firn_sim_add_material(sim, &material, NULL), FIRN_OK);
  assert_int_equal(firn_sim_load(sim, scratch_path(s, "a.hdf")), FIRN_ERROR_FORMAT);
  assert_message(s, "a.hdf", "materials is 2", "3");
  firn_sim_destroy(sim);
}

// A world of one material and one collider, some of it otherwise.
static firn_sim *make_world(scratch *s, double gravity, double young, double friction, int walls) {
  firn_sim_def def = firn_default_sim_def();
  firn_sim *sim;
  def.gravity[1] = gravity;
  assert_int_equal(firn_sim_create(s->context, &def, &sim), FIRN_OK);
  firn_material_def material = firn_default_material_def();
  material.young = young;
  assert_int_equal(firn_sim_add_material(sim, &material, NULL), FIRN_OK);
  for (int i = 0; i < walls; i++) {
    firn_collider_def wall = firn_default_collider_def();
    wall.name = i ? "wall" : "ground";
    wall.friction = friction;
    wall.shape = firn_half_space((double[3]){0, -i, 0}, (double[3]){i, 1, 0});
    assert_int_equal(firn_sim_add_collider(sim, &wall, NULL), FIRN_OK);
  }
  return sim;
}

static void a_world_made_otherwise_is_refused_and_named(void **state) {
  scratch *s = *state;
  firn_sim *sim = make_world(s, -9.81, 1e5, 0.5, 2);
  assert_int_equal(firn_sim_save(sim, scratch_path(s, "a.hdf")), FIRN_OK);
  // What a setter changes is no part of how the world was made.
  assert_int_equal(firn_sim_set_gravity(sim, (double[3]){0, -1, 0}), FIRN_OK);
  assert_int_equal(firn_sim_load(sim, scratch_path(s, "a.hdf")), FIRN_OK);
  firn_sim_destroy(sim);
  const struct {
    double gravity, young, friction;
    int walls;
    const char *said;
  } others[] = {{-1.62, 1e5, 0.5, 2, "gravity"},
                {-9.81, 2e5, 0.5, 2, "a material"},
                {-9.81, 1e5, 0.4, 2, "collider 0, 'ground'"},
                {-9.81, 1e5, 0.5, 1, "2 colliders, here are 1"}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    sim = make_world(s, others[i].gravity, others[i].young, others[i].friction, others[i].walls);
    assert_int_equal(firn_sim_load(sim, scratch_path(s, "a.hdf")), FIRN_ERROR_STATE);
    assert_message(s, "a.hdf", others[i].said);
    firn_sim_destroy(sim);
  }
  sim = make_world(s, -9.81, 1e5, 0.5, 2);
  assert_int_equal(firn_sim_load(sim, scratch_path(s, "a.hdf")), FIRN_OK);
  firn_sim_destroy(sim);
}

static void a_checkpoint_says_what_it_is_of(void **state) {
  scratch *s = *state;
  firn_sim *sim = make(s, FIRN_TRANSFER_FLIP, 0.01, true);
  steps(sim, 3);
  assert_int_equal(firn_sim_save(sim, scratch_path(s, "a.hdf")), FIRN_OK);
  firn_checkpoint_info info;
  assert_int_equal(firn_checkpoint_read(s->context, scratch_path(s, "a.hdf"), &info), FIRN_OK);
  assert_int_equal(info.particles, firn_sim_count(sim));
  assert_true(info.time == firn_sim_time(sim) && info.h == 0.01);
  assert_string_equal(info.precision, firn_precision());
  assert_string_equal(info.solver, "mpm");
  assert_int_equal(info.frame, -1);
  assert_int_equal(firn_sim_write_frame(sim, scratch_path(s, "frame.hdf")), FIRN_OK);
  assert_int_equal(firn_checkpoint_read(s->context, scratch_path(s, "frame.hdf"), &info),
                   FIRN_ERROR_FORMAT);
  assert_message(s, "frame.hdf", "not a checkpoint");
  firn_sim_destroy(sim);
}

// Makes a sealed copy of a checkpoint in which one element of one array is another.
static void tamper(scratch *s, const char *array, size_t row, int column, uint64_t value) {
  char *data, *after;
  size_t n, m;
  firn_archive *a;
  firn_archive_info info;
  assert_int_equal(firn_archive_open(s->context, scratch_path(s, "a.hdf"), &a), FIRN_OK);
  assert_int_equal(firn_archive_describe(a, array, &info), FIRN_OK);
  size_t width = (size_t)info.components * firn_archive_type_size(info.type);
  uint32_t *table = malloc(info.count * width);
  assert_int_equal(firn_archive_read(a, array, info.type, info.count, info.components, table),
                   FIRN_OK);
  firn_archive_close(a);
  // Arrays lie in one piece, so that the bytes can be found.
  scratch_read(s, "a.hdf", &data, &n);
  after = memmem(data, n, table, info.count * width);
  assert_non_null(after);
  m = row * width + (size_t)column * firn_archive_type_size(info.type);
  memcpy(after + m, &value, firn_archive_type_size(info.type));
  int fd = open(scratch_path(s, "a.hdf"), O_RDONLY);
  uint64_t content;
  assert_int_equal(firn_seal_check(s->context, "a.hdf", fd, n, &content), FIRN_OK);
  close(fd);
  assert_int_equal(firn_file_put(s->context, scratch_path(s, "bad.hdf"), data, content), FIRN_OK);
  fd = open(scratch_path(s, "bad.hdf"), O_RDWR);
  assert_int_equal(firn_seal_write(s->context, "bad.hdf", fd, content), FIRN_OK);
  close(fd);
  firn_free(s->context, data, n + 1);
  free(table);
}

static void tables_that_would_lead_astray_are_refused(void **state) {
  scratch *s = *state;
  firn_sim *sim = make(s, FIRN_TRANSFER_FLIP, 0.01, true);
  steps(sim, 5);
  assert_int_equal(firn_sim_save(sim, scratch_path(s, "a.hdf")), FIRN_OK);
  firn_sim_destroy(sim);
  const uint64_t nan = sizeof(firn_real) == 8 ? 0x7ff8000000000000u : 0x7fc00000u;
  const struct {
    const char *array;
    size_t row;
    int column;
    uint64_t value; // little-endian, as wide as the element
  } bad[] = {
      {"particles/blocks", 1, 3, 1u << 30}, {"particles/blocks", 1, 4, 1u << 30},
      {"particles/blocks", 0, 4, 0},        {"particles/blocks", 1, 0, 0x7fffffff},
      {"particles/units", 0, 1, 1000},      {"particles/units", 0, 2, 3},
      {"particles/units", 0, 3, 1},         {"particles/field/id", 0, 0, 1u << 31},
      {"particles/field/id", 0, 0, 7},      {"particles/field/material", 0, 0, 2},
      {"particles/field/x", 1, 0, nan},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    tamper(s, bad[i].array, bad[i].row, bad[i].column, bad[i].value);
    sim = make(s, FIRN_TRANSFER_FLIP, 0.01, false);
    assert_int_equal(firn_sim_load(sim, scratch_path(s, "bad.hdf")), FIRN_ERROR_FORMAT);
    assert_message(s, "bad.hdf", "damaged");
    assert_int_equal(firn_sim_count(sim), 0);
    // It can still be used.
    assert_int_equal(firn_sim_load(sim, scratch_path(s, "a.hdf")), FIRN_OK);
    steps(sim, 1);
    firn_sim_destroy(sim);
  }
}

static bool same_bytes(scratch *s, const char *a, const char *b) {
  size_t size[2];
  char *data[2];
  scratch_read(s, a, &data[0], &size[0]);
  scratch_read(s, b, &data[1], &size[1]);
  bool same = size[0] == size[1] && memcmp(data[0], data[1], size[0]) == 0;
  for (int i = 0; i < 2; i++) firn_free(s->context, data[i], size[i] + 1);
  return same;
}

static void a_picture_of_a_simulation_appears(void **state) {
  scratch *s = *state;
  firn_sim *sim = make(s, FIRN_TRANSFER_FLIP, 0.01, true);
  firn_preview_def def = firn_default_preview_def();
  def.width = 64;
  def.height = 36;
  assert_int_equal(firn_sim_preview(sim, &def, scratch_path(s, "a.png")), FIRN_OK);
  assert_true(scratch_exists(s, "a.png"));
  def.width = -1;
  assert_int_equal(firn_sim_preview(sim, &def, scratch_path(s, "b.png")), FIRN_ERROR_ARGUMENT);
  assert_false(scratch_exists(s, "b.png"));
  def.width = 64;
  // A floor that was turned into a wall behind the snow shows, and so does a corner of two planes.
  const double origin[3] = {0, 0, 0}, back[3] = {0, 0, -0.2};
  const firn_shape_def floor_def = firn_half_space(origin, (double[3]){0, 1, 0});
  const firn_shape_def side_def = firn_half_space(origin, (double[3]){1, 0, 0});
  firn_shape *shapes[2];
  assert_int_equal(firn_shape_create(s->context, &floor_def, &shapes[0]), FIRN_OK);
  assert_int_equal(firn_shape_create(s->context, &side_def, &shapes[1]), FIRN_OK);
  firn_collider_def wall = firn_default_collider_def();
  wall.shape = firn_union(2, (const firn_shape *const *)shapes);
  assert_int_equal(firn_sim_add_collider(sim, &wall, NULL), FIRN_OK);
  assert_int_equal(firn_sim_preview(sim, &def, scratch_path(s, "corner.png")), FIRN_OK);
  assert_false(same_bytes(s, "a.png", "corner.png"));
  double upright[4];
  firn_rotation((double[3]){1, 0, 0}, 1.5707963267948966, upright);
  wall.shape = firn_transform(shapes[0], back, upright, 1);
  assert_int_equal(firn_sim_add_collider(sim, &wall, NULL), FIRN_OK);
  assert_int_equal(firn_sim_preview(sim, &def, scratch_path(s, "wall.png")), FIRN_OK);
  assert_false(same_bytes(s, "corner.png", "wall.png"));
  firn_shape_release(shapes[0]);
  firn_shape_release(shapes[1]);
  firn_sim_destroy(sim);
  sim = make(s, FIRN_TRANSFER_FLIP, 0.01, false);
  def.width = 64;
  assert_int_equal(firn_sim_preview(sim, &def, scratch_path(s, "empty.png")), FIRN_OK);
  firn_sim_destroy(sim);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_open, scratch_close)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_loaded_simulation_goes_on_bit_by_bit),
      TEST(particles_that_never_moved_are_saved_too),
      TEST(an_empty_simulation_is_saved_too),
      TEST(what_does_not_fit_is_refused),
      TEST(a_world_made_otherwise_is_refused_and_named),
      TEST(a_checkpoint_says_what_it_is_of),
      TEST(tables_that_would_lead_astray_are_refused),
      TEST(a_picture_of_a_simulation_appears),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
