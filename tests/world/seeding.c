// SPDX-License-Identifier: Apache-2.0
// Where particles are placed: how many, how far apart, and that patterns never meet.
#include "api/setup.h"

#include "world/seed.h"

static const double H = 0.01; // m

// Sorted by x, for finding neighbours.
static int by_x(const void *a, const void *b) {
  const double *p = a, *q = b;
  return (p[0] > q[0]) - (p[0] < q[0]);
}

// The least distance between any two of n points; x is sorted along the way.
static double least_distance(double *x, size_t n) {
  double best = INFINITY;
  qsort(x, n, 3 * sizeof *x, by_x);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = i + 1; j < n && x[3 * j] - x[3 * i] < best; j++) {
      double d = 0;
      for (size_t a = 0; a < 3; a++) {
        d += (x[3 * j + a] - x[3 * i + a]) * (x[3 * j + a] - x[3 * i + a]);
      }
      best = fmin(best, sqrt(d));
    }
  }
  return best;
}

static firn_sim *open_sim(firn_context *context) {
  firn_sim_def def = firn_default_sim_def();
  def.h = H;
  def.seed = 5;
  return make_sim(context, &def);
}

// A box of n cells an edge, with its corner at whole cells.
static firn_fill_def box_of(const int corner[3], int n, firn_seeding seeding, double per_cell) {
  firn_fill_def def = firn_default_fill_def();
  double center[3], half[3];
  for (int a = 0; a < 3; a++) {
    center[a] = (corner[a] + 0.5 * n) * H;
    half[a] = 0.5 * n * H;
  }
  def.shape = firn_box(center, half);
  def.seeding = seeding;
  def.per_cell = per_cell;
  return def;
}

// The spheres of diameter `distance` fill at least 0.28 of space: 0.384 is where random packing
// jams, 0.5236 that of a cubic lattice of as many particles touching.
static void poisson_keeps_its_distance_and_its_density(void **state) {
  (void)state;
  static const double per_cell[] = {8, 5.5, 1, 27};
  for (size_t c = 0; c < sizeof per_cell / sizeof *per_cell; c++) {
    firn_context *context = make_context(1, FIRN_ISA_AUTO);
    firn_sim *sim = open_sim(context);
    // Wider than a tile, and across the origin, so that seams count.
    firn_fill_def def = box_of((int[]){-9, -3, -10}, 13, FIRN_SEEDING_POISSON, per_cell[c]);
    MUST(context, firn_sim_fill(sim, &def));
    size_t n = firn_sim_count(sim);
    double *x = read_field(context, sim, "position", 3);
    firn_seeder seeder;
    MUST(context, firn_seeder_make(context, FIRN_SEEDING_POISSON, per_cell[c], 5, 0, "s", &seeder));
    double wanted = 13 * 13 * 13 * per_cell[c], distance = least_distance(x, n) / H;
    // Rounding of positions in cells of a block: 4 eps.
    assert_true(distance >= seeder.distance - 8 * (double)FIRN_REAL_EPS);
    double share = 3.14159265358979323846 / 6 * pow(seeder.distance, 3) * per_cell[c];
    if (share < 0.28) fail_msg("per_cell %g: a share of only %g", per_cell[c], share);
    // A tile holds its number exactly; what a box cuts of tiles varies less than at random.
    if (!(fabs((double)n / wanted - 1) < 3 / sqrt(wanted))) fail_msg("%zu of %g", n, wanted);
    firn_seeder_free(&seeder, context);
    free(x);
    firn_sim_destroy(sim);
    drop_context(context);
  }
}

// 4096 cells of a mean of 5.5: a cell holds 5 or 6, so the sum has a deviation of 32.
static void random_seeding_meets_a_fraction_on_average(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = open_sim(context);
  firn_fill_def def = box_of((int[]){0, 0, 0}, 16, FIRN_SEEDING_RANDOM, 5.5);
  MUST(context, firn_sim_fill(sim, &def));
  double n = (double)firn_sim_count(sim);
  assert_true(fabs(n - 4096 * 5.5) < 4 * 32);
  firn_sim_destroy(sim);
  drop_context(context);
}

// Two fills of one place: 8192 particles each at random come as close as some 1e-3 cells by chance,
// never to 1e-5 (odds of 1e-7); the same pattern twice would be at 0.
static void overlapping_fills_do_not_coincide(void **state) {
  (void)state;
  static const firn_seeding kinds[] = {FIRN_SEEDING_RANDOM, FIRN_SEEDING_JITTERED,
                                       FIRN_SEEDING_POISSON};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    firn_context *context = make_context(2, FIRN_ISA_AUTO);
    firn_sim *sim = open_sim(context);
    firn_fill_def def = box_of((int[]){0, 0, 0}, 8, kinds[k], 8);
    MUST(context, firn_sim_fill(sim, &def));
    MUST(context, firn_sim_fill(sim, &def));
    double *x = read_field(context, sim, "position", 3);
    assert_true(least_distance(x, firn_sim_count(sim)) > 1e-5 * H);
    free(x);
    firn_sim_destroy(sim);
    drop_context(context);
  }
}

// 2^21 and 2^22 cells away a key of 21 bits an axis would have come round.
static void far_places_have_patterns_of_their_own(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_seeder s;
  MUST(context, firn_seeder_make(context, FIRN_SEEDING_RANDOM, 8, 5, 0, "s", &s));
  for (int a = 0; a < 3; a++) {
    for (int shift = 16; shift < 31; shift++) {
      int32_t near[3] = {3, 4, 5}, far[3] = {3, 4, 5};
      far[a] += 1 << shift;
      double x[3], y[3];
      assert_true(firn_seeder_particle(&s, near, 0, x, NULL));
      assert_true(firn_seeder_particle(&s, far, 0, y, NULL));
      double difference = 0;
      for (int b = 0; b < 3; b++) difference += fabs((y[b] - far[b]) - (x[b] - near[b]));
      assert_true(difference > 1e-6);
    }
  }
  firn_seeder_free(&s, context);
  drop_context(context);
}

static double mass_of(firn_sim *sim) {
  firn_sums sums;
  assert_int_equal(firn_sim_sums(sim, &sums), FIRN_OK);
  return sums.mass;
}

// A quarter of a cell aside, points of a lattice of 8 a cell lie on both of two opposite faces: 8 cells hold
// as many as anywhere else.
static void lattice_counts_one_of_two_faces(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  for (int aside = 0; aside < 4; aside++) {
    firn_sim *sim = open_sim(context);
    double middle = (1 + aside / 4.0) * H;
    firn_fill_def def = box_of((int[]){0, 0, 0}, 2, FIRN_SEEDING_LATTICE, 8);
    def.shape = firn_box((const double[3]){middle, middle, middle}, (const double[3]){H, H, H});
    MUST(context, firn_sim_fill(sim, &def));
    assert_int_equal(firn_sim_count(sim), 64);
    firn_sim_destroy(sim);
  }
  drop_context(context);
}

static void bounds_of(const double *x, size_t n, double lo[3], double hi[3]) {
  for (size_t a = 0; a < 3; a++) {
    lo[a] = INFINITY, hi[a] = -INFINITY;
    for (size_t i = 0; i < n; i++) {
      lo[a] = fmin(lo[a], x[3 * i + a]);
      hi[a] = fmax(hi[a], x[3 * i + a]);
    }
  }
}

// A lattice is cut alike at opposite faces, wherever the box lies. 25 layers of 4 cm in 1 m have one in the
// middle; the others show every remainder. Particles that press on each other keep half a spacing from
// the faces at their sides, and stand on the lower face; those of other solvers keep a quarter.
static void a_lattice_lies_symmetrically_in_its_shape(void **state) {
  (void)state;
  static const struct {
    double center[3], half[3]; // cells
    int layers[3][2];          // in the box; rounded, and as they fit
  } cases[] = {
      {{0, 0, 0}, {12.5, 12.5, 12.5}, {{25, 25}, {25, 25}, {25, 25}}},
      {{0.37, -8.11, 103.9}, {3, 2.5, 0.3}, {{6, 6}, {5, 5}, {1, 1}}},
      {{-17.77, 0.5, 0.25}, {1.3, 2.4, 3.85}, {{3, 2}, {5, 5}, {8, 7}}},
  };
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    for (int fit = 0; fit < 2; fit++) {
      firn_sim_def sim_def = firn_default_sim_def();
      sim_def.h = H;
      if (fit) sim_def.solver = "sph";
      firn_sim *sim = make_sim(context, &sim_def);
      double center[3], half[3], lo[3], hi[3], count = 1;
      for (int a = 0; a < 3; a++) {
        center[a] = cases[c].center[a] * H;
        half[a] = cases[c].half[a] * H;
        count *= cases[c].layers[a][fit];
      }
      firn_fill_def def = firn_default_fill_def();
      def.shape = firn_box(center, half);
      def.seeding = FIRN_SEEDING_LATTICE;
      def.per_cell = 1;
      MUST(context, firn_sim_fill(sim, &def));
      assert_int_equal(firn_sim_count(sim), (int)count);
      double *x = read_field(context, sim, "position", 3);
      bounds_of(x, firn_sim_count(sim), lo, hi);
      for (int a = 0; a < 3; a++) {
        // 2^-21 of a cell by the rounding of the lattice, and that of positions in a block.
        bool stands = fit && a == 1;
        double error = stands ? fabs(lo[a] - (center[a] - half[a]) - 0.5 * H) / H
                              : fabs(0.5 * (lo[a] + hi[a]) - center[a]) / H;
        if (error > 5e-7 + 8 * (double)FIRN_REAL_EPS) fail_msg("case %zu: %g cells", c, error);
        assert_true(fabs((hi[a] - lo[a]) / H - (cases[c].layers[a][fit] - 1)) < 1e-5);
      }
      free(x);
      firn_sim_destroy(sim);
    }
  }
  drop_context(context);
}

// Layers of snow whose faces are no multiples of the spacing keep one lattice, and lie on each other.
static void fills_that_touch_share_a_lattice(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = open_sim(context);
  double y = 0;
  for (int i = 0; i < 5; i++) {
    double thick = (1.3 + 0.7 * i) * H;
    firn_fill_def def = firn_default_fill_def();
    def.shape = firn_box((const double[3]){0, y + 0.5 * thick, 0},
                         (const double[3]){2 * H, 0.5 * thick, 2 * H});
    def.seeding = FIRN_SEEDING_LATTICE;
    def.per_cell = 8;
    MUST(context, firn_sim_fill(sim, &def));
    y += thick;
  }
  size_t n = firn_sim_count(sim);
  double *x = read_field(context, sim, "position", 3);
  assert_true(fabs(least_distance(x, n) / (0.5 * H) - 1) < 1e-4);
  assert_int_equal(n, 64 * (size_t)round(2 * y / H));
  free(x);
  firn_sim_destroy(sim);
  drop_context(context);
}

// By density: half as many particles in the upper half (packing), or half as heavy ones (density).
// 8192 lots of 1/2 deviate by 45.
static void density_varies_by_count_or_by_mass(void **state) {
  (void)state;
  for (int by_mass = 0; by_mass < 2; by_mass++) {
    firn_context *context = make_context(1, FIRN_ISA_AUTO);
    firn_sim *sim = open_sim(context);
    firn_variation_def thin = firn_default_variation_def();
    thin.of = by_mass ? FIRN_PROPERTY_DENSITY : FIRN_PROPERTY_PACKING;
    thin.by = FIRN_VARIATION_HEIGHT;
    thin.range[0] = 8 * H;
    thin.factor = 0.5;
    firn_fill_def def = box_of((int[]){0, 0, 0}, 16, FIRN_SEEDING_LATTICE, 8);
    def.variation = &thin;
    def.variation_count = 1;
    MUST(context, firn_sim_fill(sim, &def));
    double n = (double)firn_sim_count(sim), whole = 400 * pow(16 * H, 3);
    if (by_mass) {
      assert_true(n == 32768);
      assert_true(fabs(mass_of(sim) / whole - 0.75) < 1e-6);
    } else {
      assert_true(fabs(n - 0.75 * 32768) < 4 * 64);
      assert_true(fabs(mass_of(sim) / whole - n / 32768) < 1e-6);
    }
    firn_sim_destroy(sim);
    drop_context(context);
  }
}

static void threads_do_not_matter(void **state) {
  (void)state;
  double *x[2];
  size_t n[2];
  for (int i = 0; i < 2; i++) {
    firn_context *context = make_context(i ? 3 : 1, FIRN_ISA_AUTO);
    firn_sim *sim = open_sim(context);
    firn_fill_def def = box_of((int[]){-5, 2, 1}, 14, FIRN_SEEDING_POISSON, 6);
    MUST(context, firn_sim_fill(sim, &def));
    n[i] = firn_sim_count(sim);
    x[i] = read_field(context, sim, "position", 3);
    firn_sim_destroy(sim);
    drop_context(context);
  }
  assert_int_equal(n[0], n[1]);
  assert_memory_equal(x[0], x[1], 3 * n[0] * sizeof(double));
  free(x[0]);
  free(x[1]);
}

static void bad_fills_are_refused_by_name(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = open_sim(context);
  firn_fill_def def = box_of((int[]){0, 0, 0}, 2, FIRN_SEEDING_JITTERED, 8);
  def.name = "bank";
  def.per_cell = 5.5;
  MUST_FAIL(context, firn_sim_fill(sim, &def), FIRN_ERROR_ARGUMENT, "fill 'bank'", "5.5");
  def.per_cell = 0;
  def.seeding = FIRN_SEEDING_POISSON;
  MUST_FAIL(context, firn_sim_fill(sim, &def), FIRN_ERROR_ARGUMENT, "per_cell = 0");
  def.per_cell = 1e-4; // its tile cannot hold so few
  MUST_FAIL(context, firn_sim_fill(sim, &def), FIRN_ERROR_ARGUMENT, "per_cell = 0.0001", "poisson");
  def.per_cell = 8;
  def.seeding = (firn_seeding)9;
  MUST_FAIL(context, firn_sim_fill(sim, &def), FIRN_ERROR_ARGUMENT, "seeding 9");
  def.seeding = FIRN_SEEDING_LATTICE;
  firn_variation_def bad = firn_default_variation_def();
  def.variation = &bad;
  def.variation_count = 1;
  MUST_FAIL(context, firn_sim_fill(sim, &def), FIRN_ERROR_ARGUMENT, "variation 0", "properties");
  bad.of = FIRN_PROPERTY_YOUNG;
  bad.factor = -1; // a negative modulus is found where it would be used
  MUST_FAIL(context, firn_sim_fill(sim, &def), FIRN_ERROR_ARGUMENT, "young = -140000");
  bad.factor = 1;
  bad.range[0] = 2;
  bad.range[1] = 1;
  MUST_FAIL(context, firn_sim_fill(sim, &def), FIRN_ERROR_ARGUMENT, "range 2 to 1 m");
  assert_int_equal(firn_sim_count(sim), 0);
  firn_sim_destroy(sim);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(poisson_keeps_its_distance_and_its_density),
      cmocka_unit_test(random_seeding_meets_a_fraction_on_average),
      cmocka_unit_test(overlapping_fills_do_not_coincide),
      cmocka_unit_test(far_places_have_patterns_of_their_own),
      cmocka_unit_test(lattice_counts_one_of_two_faces),
      cmocka_unit_test(a_lattice_lies_symmetrically_in_its_shape),
      cmocka_unit_test(fills_that_touch_share_a_lattice),
      cmocka_unit_test(density_varies_by_count_or_by_mass),
      cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test(bad_fills_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
