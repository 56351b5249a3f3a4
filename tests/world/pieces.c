// SPDX-License-Identifier: Apache-2.0
// Connected pieces: how many, how heavy, and whose particles.
#define _GNU_SOURCE // mkstemps

#include "api/setup.h"

#include <unistd.h>

#include "world/pieces.h"

enum { MOST = 20000 };

typedef struct cloud {
  size_t count;
  double position[3 * MOST], mass[MOST];
} cloud;

// A cube of n^3 particles, four a metre, whose first is at (x, y, z); each of mass m.
static void add_cube(cloud *c, int n, double x, double y, double z, double m) {
  for (int i = 0; i < n * n * n; i++) {
    double *p = c->position + 3 * c->count;
    p[0] = x + 0.25 * (i % n);
    p[1] = y + 0.25 * (i / n % n);
    p[2] = z + 0.25 * (i / n / n);
    c->mass[c->count++] = m;
  }
}

static firn_pieces find(firn_context *context, const firn_pieces_def *def, const cloud *c,
                        uint32_t *label) {
  firn_pieces out;
  MUST(context, firn_pieces_find(context, def, c->count, c->position, c->mass, 1, &out, label));
  return out;
}

static void lumps_are_counted_and_weighed(void **state) {
  (void)state;
  static cloud c;
  c.count = 0;
  // Cells are 1 m. Three lumps with two empty cells or more between them, and three single grains.
  add_cube(&c, 8, -7.9, 0.1, 0.1, 1);    // 512
  add_cube(&c, 16, 0.1, 0.1, 0.1, 0.5);  // 4096 of half the mass
  add_cube(&c, 4, 0.1, -30.9, 0.1, 100); // 64, the heaviest
  add_cube(&c, 1, 50.5, 0.5, 0.5, 1);
  add_cube(&c, 1, 60.5, 0.5, 0.5, 1);
  add_cube(&c, 1, 61.5, 1.5, 1.5, 1); // touches the one before by a corner
  firn_context *context = make_context(1, FIRN_ISA_SCALAR);
  static uint32_t label[MOST];
  double mass[5];
  firn_pieces_def def = firn_default_pieces_def();
  def.room = 5;
  def.mass = mass;
  firn_pieces p = find(context, &def, &c, label);
  assert_int_equal(p.count, 3);
  assert_true(mass[0] == 6400 && mass[1] == 2048 && mass[2] == 512 && mass[3] == 0);
  assert_true(p.mass == 6400 + 2048 + 512 && p.largest == 6400 && p.median == 2048);
  assert_true(fabs(p.mean - p.mass / 3) < 1e-9);
  assert_int_equal(p.dust, 2); // the two grains that touch are one lump
  assert_int_equal(p.dust_particles, 3);
  assert_true(p.dust_mass == 3);
  assert_int_equal(label[0], 2);
  assert_int_equal(label[512], 1);
  assert_int_equal(label[512 + 4096], 0);
  assert_int_equal(label[c.count - 1], UINT32_MAX);

  def.least = 1;
  assert_int_equal(find(context, &def, &c, NULL).count, 5);
  drop_context(context);
}

// Cells touch in 26 directions; each must join, whatever the order of the keys.
static void neighbours_in_all_directions_join(void **state) {
  (void)state;
  static cloud c;
  firn_context *context = make_context(1, FIRN_ISA_SCALAR);
  firn_pieces_def def = firn_default_pieces_def();
  def.least = 1;
  for (int n = 0; n < 125; n++) {
    int d[3] = {n / 25 - 2, n / 5 % 5 - 2, n % 5 - 2};
    bool near = abs(d[0]) <= 1 && abs(d[1]) <= 1 && abs(d[2]) <= 1;
    c.count = 0;
    add_cube(&c, 1, 0.5, 0.5, 0.5, 1);
    add_cube(&c, 1, 0.5 + d[0], 0.5 + d[1], 0.5 + d[2], 1);
    assert_int_equal(find(context, &def, &c, NULL).count, near ? 1 : 2);
  }
  drop_context(context);
}

// A chain of 3000 cells that winds through space is one piece, and two when links are taken out.
static void a_long_chain_is_one_piece(void **state) {
  (void)state;
  static cloud c;
  firn_context *context = make_context(1, FIRN_ISA_SCALAR);
  firn_pieces_def def = firn_default_pieces_def();
  def.least = 1;
  for (int cut = 0; cut < 2; cut++) {
    c.count = 0;
    for (int i = 0; i < 3000; i++) {
      if (cut && (i == 1234 || i == 1235)) continue;
      // A meander: rows of 50 that turn, three cells apart, joined at alternate ends.
      int row = i / 53, at = i % 53, x = at < 50 ? at : 49, z = at < 50 ? 0 : at - 49;
      if (row % 2) x = 49 - x;
      add_cube(&c, 1, x + 0.5, 0.5, 3.0 * row + z + 0.5, 1);
    }
    assert_int_equal(find(context, &def, &c, NULL).count, 1 + cut);
  }
  drop_context(context);
}

static void thin_cells_do_not_join(void **state) {
  (void)state;
  static cloud c;
  c.count = 0;
  add_cube(&c, 8, 0.1, 0.1, 0.1, 1); // 64 a cell
  add_cube(&c, 8, 4.1, 0.1, 0.1, 1);
  for (int i = 0; i < 2; i++) add_cube(&c, 1, 2.5 + i, 0.5, 0.5, 1); // a thread between
  firn_context *context = make_context(1, FIRN_ISA_SCALAR);
  firn_pieces_def def = firn_default_pieces_def();
  assert_int_equal(find(context, &def, &c, NULL).count, 1);
  def.density = 2; // kg/m^3: a cell with one grain of 1 kg has less
  firn_pieces p = find(context, &def, &c, NULL);
  assert_int_equal(p.count, 2);
  assert_int_equal(p.dust, 0);
  assert_int_equal(p.dust_particles, 2);
  drop_context(context);
}

static void a_simulation_and_its_frame_agree(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_SCALAR);
  firn_sim *sim = make_sim(context, NULL);
  firn_pieces a, b;
  MUST(context, firn_sim_pieces(sim, NULL, &a));
  assert_int_equal(a.count, 0);
  firn_fill_def ball = firn_default_fill_def();
  ball.shape = firn_sphere((double[]){0, 0.1, 0}, 0.05);
  MUST(context, firn_sim_fill(sim, &ball));
  ball.shape = firn_sphere((double[]){0.2, 0.1, 0}, 0.03);
  MUST(context, firn_sim_fill(sim, &ball));
  MUST(context, firn_sim_pieces(sim, NULL, &a));
  assert_int_equal(a.count, 2);
  firn_sums sums;
  MUST(context, firn_sim_sums(sim, &sums));
  assert_true(fabs(a.mass + a.dust_mass - sums.mass) < 1e-6 * sums.mass);
  char path[] = "/tmp/firn-pieces-XXXXXX.hdf";
  int fd = mkstemps(path, 4);
  assert_true(fd >= 0);
  close(fd);
  MUST(context, firn_sim_write_frame(sim, path));
  firn_frame *frame;
  MUST(context, firn_frame_open(context, path, &frame));
  MUST(context, firn_frame_pieces(frame, NULL, &b));
  assert_int_equal(b.count, 2);
  assert_true(fabs(a.largest - b.largest) < 1e-5 * a.largest);
  firn_frame_close(frame);
  unlink(path);
  firn_sim_destroy(sim);
  drop_context(context);
}

static void bad_input_is_named(void **state) {
  (void)state;
  static cloud c;
  c.count = 0;
  add_cube(&c, 1, NAN, 0, 0, 1);
  firn_context *context = make_context(1, FIRN_ISA_SCALAR);
  firn_pieces_def def = firn_default_pieces_def();
  firn_pieces p;
  MUST_FAIL(context, firn_pieces_find(context, &def, 1, c.position, c.mass, 1, &p, NULL),
            FIRN_ERROR_DOMAIN, "particle 0", "nan");
  def.cell = -1;
  MUST_FAIL(context, firn_pieces_find(context, &def, 1, c.position, c.mass, 1, &p, NULL),
            FIRN_ERROR_ARGUMENT, "cell", "-1");
  def = firn_default_pieces_def();
  def.room = 3;
  MUST_FAIL(context, firn_pieces_find(context, &def, 1, c.position, c.mass, 1, &p, NULL),
            FIRN_ERROR_ARGUMENT, "room");
  assert_int_equal(firn_sim_pieces(NULL, NULL, &p), FIRN_ERROR_ARGUMENT);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lumps_are_counted_and_weighed),
      cmocka_unit_test(neighbours_in_all_directions_join),
      cmocka_unit_test(a_long_chain_is_one_piece),
      cmocka_unit_test(thin_cells_do_not_join),
      cmocka_unit_test(a_simulation_and_its_frame_agree),
      cmocka_unit_test(bad_input_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
