// SPDX-License-Identifier: Apache-2.0
// labels: simd
// processors: 2
// Clumps on patches of their own: against the same clumps on the grid, at any number of threads, and
// through a checkpoint.
#include "cache/scratch.h"

#include "mpm/snapshot.h"
#include "solver/mpm/clump.h"

static const double H = 0.01; // m
enum { CLUMPS = 40, MOST = 32, PARTICLES = CLUMPS * MOST };

// Clumps of 2 to 32 particles, each a few cells wide at most and far from all others. Every third is
// loose. The last quarter is elastic; of the others every second is packed, five times as stiff.
static bool is_elastic(size_t clump) {
  return clump >= CLUMPS * 3 / 4;
}
static bool is_packed(size_t clump) {
  return clump % 2 && !is_elastic(clump);
}

typedef struct cloud {
  double x[3 * PARTICLES], v[3 * PARTICLES], jp[PARTICLES], volume[PARTICLES], young[PARTICLES];
  size_t clump[PARTICLES], count;
} cloud;

// closing: 1/s, at which a loose clump falls in on itself; most: particles of a clump.
static void make_cloud(cloud *c, double closing, size_t most) {
  c->count = 0;
  for (size_t i = 0; i < CLUMPS; i++) {
    const size_t corner[3] = {i / 16, i / 4 % 4, i % 4};
    size_t count = 2 + i * 7 % (most - 1);
    double half = i % 3 ? 0.25 * cbrt((double)count) : 1.6;
    if (most < MOST && i % 8 == 1) half = 1e-6; // all but in one place
    for (size_t k = 0; k < count; k++, c->count++) {
      for (size_t a = 0; a < 3; a++) {
        size_t n = 3 * c->count + a;
        double off = mpm_random(1, n, -half, half); // cells
        c->x[n] = (20 * (double)corner[a] - 30 + 0.3 * (double)i + off) * H;
        c->v[n] = (double)(i % 5) - 2 + mpm_random(2, n, -0.5, 0.5);
        if (i % 3 == 0) c->v[n] -= closing * off * H;
      }
      c->jp[c->count] = is_packed(i) ? 0.84 : 1;
      c->volume[c->count] = H * H * H / 8; // or they would stay on the grid until it is known
      c->young[c->count] = mpm_random(3, c->count, 1.2e5, 1.6e5);
      c->clump[c->count] = i;
    }
  }
}

static void squeeze(void *user, const double x[3], double d[9]) {
  (void)user;
  for (int i = 0; i < 9; i++) d[i] = 6e-3 * sin(300 * x[i % 3] + i) - (i % 4 ? 0 : 4e-3);
}

typedef struct stepping {
  firn_integrator integrator;
  double dt;
  int steps;
  firn_krylov krylov;
  firn_hessian hessian;
  double closing;
  size_t most;        // particles of a clump; 0: 32
  int max_iterations; // 0: as many as it takes
} stepping;

static double tolerance(void) {
  return by_precision(1e-6, 1e-12);
}

static mpm_case open_empty(const mpm_variant *v, const stepping *how, bool flight, int threads) {
  firn_sim_def def = mpm_printed_def(v, H);
  def.gravity[1] = -9.81;
  def.mpm.volume_nominal = true;
  def.mpm.dt = how->dt;
  def.mpm.integrator = how->integrator;
  def.mpm.krylov = how->krylov;
  def.mpm.hessian = how->hessian;
  def.mpm.tolerance = tolerance();
  if (how->max_iterations) def.mpm.max_iterations = how->max_iterations;
  def.mpm.flight = flight;
  firn_material_def snow = firn_default_material_def(), elastic = mpm_elastic_material();
  mpm_case c = mpm_case_open_threads(v, &def, &snow, threads);
  must(&c, firn_sim_add_material(c.sim, &elastic, NULL));
  return c;
}

static void add(const mpm_case *to, const cloud *c, size_t first, size_t end, int material) {
  firn_particles_def def = firn_default_particles_def();
  def.count = end - first;
  def.position = c->x + 3 * first;
  def.velocity = c->v + 3 * first;
  def.volume = c->volume + first;
  def.young = c->young + first;
  def.material = material;
  must(to, firn_sim_add_particles(to->sim, &def));
}

static mpm_case open_cloud(const mpm_variant *v, const stepping *how, bool flight, int threads) {
  static cloud c;
  mpm_case out = open_empty(v, how, flight, threads);
  size_t snow = 0;
  make_cloud(&c, how->closing, how->most ? how->most : MOST);
  while (!is_elastic(c.clump[snow])) snow++;
  add(&out, &c, 0, snow, 0);
  add(&out, &c, snow, c.count, 1);
  mpm_case_write(&out, "jp", c.jp);
  mpm_case_set_gradient(&out, squeeze, NULL);
  return out;
}

// Returns iterations a step.
static double go(const mpm_case *c, int steps) {
  int iterations = 0;
  for (int i = 0; i < steps; i++) {
    firn_step step;
    const mpm *m = mpm_case_solver(c);
    must(c, firn_sim_step(c->sim, 0, &step));
    assert_true(step.dt == m->def.dt);
    iterations += step.iterations;
    assert_int_equal(m->piece_count, m->def.flight ? CLUMPS : 0);
  }
  return (double)iterations / steps;
}

enum { FIELDS = 4 };
static const struct {
  const char *name;
  size_t components;
} fields[FIELDS] = {{"position", 3}, {"velocity", 3}, {"strain", 6}, {"jp", 1}};

// The worst difference in each field of each clump.
typedef struct difference {
  double off[CLUMPS][FIELDS];
} difference;

static difference differ(const mpm_case *a, const mpm_case *b) {
  static cloud c;
  difference d = {{{0}}};
  make_cloud(&c, 0, MOST);
  for (int f = 0; f < FIELDS; f++) {
    double *in_a = mpm_case_read(a, fields[f].name), *in_b = mpm_case_read(b, fields[f].name);
    size_t n = fields[f].components;
    for (size_t i = 0; i < n * c.count; i++) {
      worst(&d.off[c.clump[i / n]][f], in_a[i] - in_b[i]);
    }
    free(in_a);
    free(in_b);
  }
  return d;
}

// As vector kernels differ from scalar ones (simd.c): here it is positions that are rounded
// elsewhere. A solve leaves its tolerance of 3 m/s, twice, since the grid is solved as a whole.
static void allow(const stepping *how, double allowed[FIELDS]) {
  double n = how->steps, solve = 0;
  if (how->integrator == FIRN_INTEGRATOR_IMPLICIT) solve = n * tolerance() * 6; // m/s
  double bent = 4 * n * how->dt / H * solve;
  // Users read metres: in double these are rounded themselves, 60 cells from the origin.
  allowed[0] = (4 * n * EPS + n * how->dt / H * solve + by_precision(0, 60 * EPS)) * H;
  allowed[1] = 10 * n * EPS + solve;
  allowed[2] = allowed[3] = n * EPS + bent;
}

static void assert_close(const mpm_variant *v, const char *what, const mpm_case *a,
                         const mpm_case *b, const stepping *how) {
  double allowed[FIELDS], off[FIELDS] = {0};
  difference d = differ(a, b);
  allow(how, allowed);
  for (int i = 0; i < CLUMPS; i++) {
    for (int f = 0; f < FIELDS; f++) worst(&off[f], d.off[i][f]);
  }
  mpm_report(v, "%s: x %.2g eps cells, v %.2g eps m/s, strain %.2g eps, J_P %.2g eps", what,
             off[0] / H / EPS, off[1] / EPS, off[2] / EPS, off[3] / EPS);
  for (int f = 0; f < FIELDS; f++) assert_below(v, fields[f].name, off[f], allowed[f]);
}

static void compare(const mpm_variant *v, const char *what, const stepping *how) {
  mpm_case grid = open_cloud(v, how, false, 1), clump = open_cloud(v, how, true, 1);
  double on_grid = go(&grid, how->steps), iterations = go(&clump, how->steps);
  assert_close(v, what, &grid, &clump, how);
  double spent = mpm_case_stat(&grid, "energy_plastic");
  assert_true(spent > 0);
  assert_relative(v, "plastic energy", mpm_case_stat(&clump, "energy_plastic"), spent,
                  1e4 * EPS + 100 * tolerance() * (how->integrator == FIRN_INTEGRATOR_IMPLICIT));
  // Each by itself converges in fewer iterations than all of them together, but not in none.
  if (on_grid > 0) assert_true(iterations > 5 && iterations < on_grid);
  mpm_case_close(&grid);
  mpm_case_close(&clump);
}

static const stepping EXPLICIT = {.integrator = FIRN_INTEGRATOR_EXPLICIT, .dt = 4e-5, .steps = 10},
                      IMPLICIT = {.integrator = FIRN_INTEGRATOR_IMPLICIT, .dt = 5e-4, .steps = 4};

static void clumps_move_as_on_the_grid(void **state) {
  (void)state;
  for_each_variant(v) compare(v, "explicit", &EXPLICIT);
}

static void clumps_are_solved_for_as_on_the_grid(void **state) {
  (void)state;
  stepping minres = IMPLICIT, cg = IMPLICIT;
  minres.krylov = FIRN_KRYLOV_MINRES;
  cg.krylov = FIRN_KRYLOV_CG;
  cg.hessian = FIRN_HESSIAN_PSD;
  for_each_variant(v) {
    compare(v, "implicit", &IMPLICIT);
    if (is_apic(v) || !is_cubic(v) || v->isa == FIRN_ISA_SCALAR) continue;
    compare(v, "minres", &minres);
    compare(v, "cg", &cg);
  }
}

// The kernels of a case but for few_solve, which is none or one that counts.
static mpm_kernels others;
static void (*few_solve)(const mpm_view *view, const mpm_patch_vectors *vectors,
                         mpm_patch_system *system);
static size_t few_tried, few_solved;

static void count_few(const mpm_view *view, const mpm_patch_vectors *vectors,
                      mpm_patch_system *system) {
  few_solve(view, vectors, system);
  for (uint32_t b = 0; b < view->unit[0].block_count; b++) {
    few_tried += view->block[b].count <= MPM_FEW;
    few_solved += system[b].solved;
    assert_true(view->block[b].count <= MPM_FEW || !system[b].solved);
  }
}

static void set_few(const mpm_case *c, bool nodes) {
  mpm *m = mpm_case_solver(c);
  few_solve = m->kernels->few_solve;
  others = *m->kernels;
  others.few_solve = nodes ? NULL : count_few;
  m->kernels = &others;
}

// The worst difference between all clumps solved for as they are and all on nodes, and iterations
// of both.
static void differ_by_nodes(const mpm_variant *v, const stepping *how, double off[FIELDS],
                            double iterations[2]) {
  mpm_case c[2];
  few_tried = few_solved = 0;
  for (int nodes = 0; nodes < 2; nodes++) {
    c[nodes] = open_cloud(v, how, true, 1);
    set_few(&c[nodes], nodes);
    iterations[nodes] = go(&c[nodes], how->steps);
  }
  for (int f = 0; f < FIELDS; f++) {
    double *of[2] = {mpm_case_read(&c[0], fields[f].name), mpm_case_read(&c[1], fields[f].name)};
    size_t n = fields[f].components * firn_sim_count(c[0].sim);
    off[f] = 0;
    for (size_t i = 0; i < n; i++) worst(&off[f], of[0][i] - of[1][i]);
    free(of[0]);
    free(of[1]);
  }
  for (int i = 0; i < 2; i++) mpm_case_close(&c[i]);
}

// Clumps of 2 to 7, of which those up to 4 have a solve without nodes: against that on nodes, which
// takes as many iterations. It is the same method, so a fourth of what the grid is allowed will do.
static void few_are_solved_for_as_on_nodes(void **state) {
  (void)state;
  stepping how = IMPLICIT;
  how.most = 7;
  double allowed[FIELDS], off[FIELDS], iterations[2];
  allow(&how, allowed);
  for_each_variant(v) {
    if (v->isa == FIRN_ISA_SCALAR) continue; // knows no other than that on nodes
    differ_by_nodes(v, &how, off, iterations);
    mpm_report(v, "%zu of %zu solved; v %.2g of what is allowed, strain %.2g; %g iterations, %g",
               few_solved, few_tried, off[1] / allowed[1], off[2] / allowed[2], iterations[0],
               iterations[1]);
    for (int f = 0; f < FIELDS; f++) assert_below(v, fields[f].name, off[f], allowed[f] / 4);
    assert_true(few_tried >= (size_t)how.steps * CLUMPS / 2 && few_solved == few_tried);
    assert_true(fabs(iterations[0] - iterations[1]) <= 1);
  }
}

// Where that does not get there, nodes begin from the beginning.
static void few_that_do_not_converge_are_left_to_nodes(void **state) {
  (void)state;
  stepping how = IMPLICIT;
  how.most = 7;
  how.max_iterations = 1;
  double off[FIELDS], iterations[2];
  for_each_variant(v) {
    if (v->isa == FIRN_ISA_SCALAR) continue;
    differ_by_nodes(v, &how, off, iterations);
    for (int f = 0; f < FIELDS; f++) assert_below(v, fields[f].name, off[f], 0);
    assert_true(few_tried > 0 && few_solved == 0 && iterations[0] == 1);
  }
}

// Where the step is too long for packed snow alone, other snow is stepped as in an explicit step and
// packed snow as in a semi-implicit one, to the bit.
static void only_stiff_clumps_are_solved_for(void **state) {
  (void)state;
  static const firn_integrator integrator[] = {FIRN_INTEGRATOR_AUTO, FIRN_INTEGRATOR_EXPLICIT,
                                               FIRN_INTEGRATOR_IMPLICIT};
  for_each_variant(v) {
    mpm_case c[3];
    for (int i = 0; i < 3; i++) {
      stepping how = {.integrator = integrator[i], .dt = 1.5e-4};
      c[i] = open_cloud(v, &how, true, 1);
      go(&c[i], 1);
    }
    difference apart = differ(&c[0], &c[1]), with = differ(&c[0], &c[2]);
    for (size_t i = 0; i < CLUMPS; i++) {
      for (int f = 0; f < FIELDS; f++) {
        assert_below(v, fields[f].name, (is_packed(i) ? with : apart).off[i][f], 0);
      }
      assert_true((is_packed(i) ? apart : with).off[i][1] > 1e-4); // m/s: it matters which
    }
    for (int i = 0; i < 3; i++) mpm_case_close(&c[i]);
  }
}

// A clump that would be turned inside out takes the step in halves, with others of its bundle; the grid,
// where that is guarded against, has all of the snow do so. Here it is not guarded: the grid takes the
// step whole, or in halves.
static void clumps_that_fall_in_take_halves(void **state) {
  (void)state;
  const stepping whole = {.integrator = FIRN_INTEGRATOR_EXPLICIT, .dt = 1.2e-4, .closing = 2500};
  stepping half = whole;
  half.dt = whole.dt / 2;
  half.steps = 2;
  double allowed[FIELDS];
  allow(&half, allowed);
  for (int f = 1; f < FIELDS; f++) allowed[f] *= 15; // velocities of 50 m/s
  for_each_variant(v) {
    mpm_case c[3]; // the grid whole, in halves, and clumps
    for (int i = 0; i < 3; i++) {
      c[i] = open_cloud(v, i == 1 ? &half : &whole, i == 2, 1);
      firn_mpm_def def = mpm_case_solver(&c[i])->def;
      def.min_det = i == 2 ? 0.6 : 0.001;
      must(&c[i], firn_sim_set_mpm(c[i].sim, &def));
      go(&c[i], i == 1 ? 2 : 1);
    }
    difference of_whole = differ(&c[0], &c[2]), of_half = differ(&c[1], &c[2]);
    int count[2] = {0};
    for (int i = 0; i < CLUMPS; i++) {
      bool is_whole = true, is_half = true;
      for (int f = 0; f < FIELDS; f++) {
        is_whole = is_whole && of_whole.off[i][f] <= allowed[f];
        is_half = is_half && of_half.off[i][f] <= allowed[f];
      }
      assert_true(is_whole != is_half);
      count[is_half]++;
    }
    mpm_report(v, "%d clumps whole, %d in halves", count[0], count[1]);
    assert_true(count[0] > 2 && count[1] > 2);
    for (int i = 0; i < 3; i++) mpm_case_close(&c[i]);
  }
}

static void compare_bytes(scratch *s, const mpm_variant *v, const stepping *how) {
  static const int threads[] = {1, 2, 7, 16};
  snapshot first = {0};
  for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
    mpm_case c = open_cloud(v, how, true, threads[t]);
    go(&c, how->steps);
    snapshot now = snapshot_take(&c);
    const char *field = t ? snapshot_difference(&c, &first, &now) : NULL;
    if (field) fail_msg("%s: %d threads change '%s'", v->name, threads[t], field);
    if (t) snapshot_drop(&now);
    if (!t) first = now;
    mpm_case_close(&c);
  }
  // Saved halfway.
  mpm_case c = open_cloud(v, how, true, 1), fresh = open_empty(v, how, true, 2);
  go(&c, how->steps / 2);
  must(&c, firn_sim_save(c.sim, scratch_path(s, "half.hdf")));
  must(&fresh, firn_sim_load(fresh.sim, scratch_path(s, "half.hdf")));
  assert_int_equal(mpm_case_solver(&fresh)->piece_count, CLUMPS);
  mpm_case_steps(&fresh, how->steps - how->steps / 2);
  snapshot resumed = snapshot_take(&fresh);
  const char *field = snapshot_difference(&fresh, &first, &resumed);
  if (field) fail_msg("%s: a checkpoint changes '%s'", v->name, field);
  snapshot_drop(&resumed);
  snapshot_drop(&first);
  mpm_case_close(&c);
  mpm_case_close(&fresh);
}

static void threads_and_checkpoints_change_nothing(void **state) {
  for_each_variant(v) {
    if (v->isa == FIRN_ISA_SCALAR || is_cubic(v) == is_apic(v)) continue;
    compare_bytes(*state, v, &EXPLICIT);
    compare_bytes(*state, v, &IMPLICIT);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clumps_move_as_on_the_grid),
      cmocka_unit_test(clumps_are_solved_for_as_on_the_grid),
      cmocka_unit_test(few_are_solved_for_as_on_nodes),
      cmocka_unit_test(few_that_do_not_converge_are_left_to_nodes),
      cmocka_unit_test(only_stiff_clumps_are_solved_for),
      cmocka_unit_test(clumps_that_fall_in_take_halves),
      cmocka_unit_test_setup_teardown(threads_and_checkpoints_change_nothing, scratch_open,
                                      scratch_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
