// SPDX-License-Identifier: Apache-2.0
// labels: slow
// timeout: 60
// long in double
// Under `auto`, a semi-implicit step solves for those blocks alone that an explicit step of its
// length would not suit, and of their particles for the stiff ones.
#include "support/mpm_case.h"

static const double H = 0.01, DT = 2e-4; // m, s: below the explicit limit of Table 2's snow

// A soft cube at the origin and, unless far off, one ten times as stiff beside it: in one piece or
// 40 cells away. Both are stretched along x and let go.
typedef struct setup {
  firn_integrator integrator;
  double dt;
  bool soft, stiff;
  int gap; // cells
} setup;

static void stretched(void *user, const double x[3], double d[9]) {
  (void)user;
  memset(d, 0, 9 * sizeof *d);
  d[0] = 2e-3 * sin(20 * x[0]);
}

static mpm_case open_cubes(const mpm_variant *v, const setup *s) {
  firn_sim_def def = mpm_elastic_def(v, H);
  def.mpm.integrator = s->integrator;
  def.mpm.dt = s->dt;
  def.mpm.tolerance = by_precision(1e-5, 1e-9);
  firn_material_def elastic = mpm_elastic_material();
  mpm_case c = mpm_case_open(v, &def, &elastic);
  for (int k = 0; k < 2; k++) {
    if (!(k ? s->stiff : s->soft)) continue;
    enum { SIDE = 8, COUNT = 8 * SIDE * SIDE * SIDE };
    static double x[COUNT][3], young[COUNT];
    for (int i = 0; i < COUNT; i++) {
      int at[3] = {i / (4 * SIDE * SIDE), i / (2 * SIDE) % (2 * SIDE), i % (2 * SIDE)};
      // Whole blocks, whose particles lie half a cell off the corner with quadratic splines: small
      // ones would be taken together with others, soft or not.
      for (int a = 0; a < 3; a++) x[i][a] = (0.25 + 0.5 * at[a] + (is_cubic(v) ? 0 : 0.5)) * H;
      x[i][0] += k * (SIDE + s->gap) * H;
      young[i] = k ? 10 * YOUNG : YOUNG;
    }
    firn_particles_def cube = firn_default_particles_def();
    cube.count = COUNT;
    cube.position = x[0];
    cube.young = young;
    must(&c, firn_sim_add_particles(c.sim, &cube));
  }
  mpm_case_set_gradient(&c, stretched, NULL);
  return c;
}

static double *run(const mpm_variant *v, const setup *s, int steps, const char *field, bool *part) {
  mpm_case c = open_cubes(v, s);
  for (int i = 0; i < steps; i++) must(&c, firn_sim_step(c.sim, 0, NULL));
  if (part) *part = mpm_case_solver(&c)->partial;
  double *out = mpm_case_read(&c, field);
  mpm_case_close(&c);
  return out;
}

static double difference(const double *a, const double *b, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) worst(&most, a[i] - b[i]);
  return most;
}

enum { CUBE = 8 * 8 * 8 * 8, STEPS = 12 };

// Far apart, each is taken as if it were alone: one explicitly, one semi-implicitly.
static void each_is_taken_its_own_way(void **state) {
  (void)state;
  for_each_variant(v) {
    bool part;
    double *both = run(v, &(setup){FIRN_INTEGRATOR_AUTO, DT, true, true, 40}, STEPS, "velocity",
                       &part);
    assert_true(part);
    double *soft = run(v, &(setup){FIRN_INTEGRATOR_EXPLICIT, DT, true, false, 40}, STEPS,
                       "velocity", NULL);
    double *stiff = run(v, &(setup){FIRN_INTEGRATOR_IMPLICIT, DT, false, true, 40}, STEPS,
                        "velocity", NULL);
    double other = difference(soft, both + 3 * CUBE, 3 * CUBE), speed = 0;
    for (size_t i = 0; i < 3 * CUBE; i++) worst(&speed, soft[i]);
    double off_soft = difference(both, soft, 3 * CUBE);
    double off_stiff = difference(both + 3 * CUBE, stiff, 3 * CUBE);
    mpm_report(v, "speed %.3g m/s; soft off by %.2g, stiff by %.2g", speed, off_soft, off_stiff);
    // Rounding of a dozen steps; and the tolerance of as many solves, of velocities ten times less
    // known where the spring is ten times stiffer.
    assert_below(v, "soft", off_soft, 2 * STEPS * EPS * speed + 1e-9 * EPS);
    assert_below(v, "stiff", off_stiff, by_precision(1e-3, 1e-7) * speed);
    assert_true(other > 0.1 * speed);
    free(both);
    free(soft);
    free(stiff);
  }
}

// In one piece, they move as an explicit run of much shorter steps says, no worse than when all is
// solved for, and nothing grows that should not.
static void one_piece_moves_as_one(void **state) {
  (void)state;
  for_each_variant(v) {
    if (v->isa == FIRN_ISA_SCALAR && is_cubic(v)) continue; // takes long
    bool part;
    double *truth = run(v, &(setup){FIRN_INTEGRATOR_EXPLICIT, DT / 8, true, true, 0}, 8 * STEPS,
                        "position", NULL);
    double *partly = run(v, &(setup){FIRN_INTEGRATOR_AUTO, DT, true, true, 0}, STEPS, "position",
                         &part);
    double *wholly = run(v, &(setup){FIRN_INTEGRATOR_IMPLICIT, DT, true, true, 0}, STEPS,
                         "position", NULL);
    assert_true(part);
    double a = difference(partly, truth, 6 * CUBE), b = difference(wholly, truth, 6 * CUBE);
    mpm_report(v, "off by %.3g cells; solved as a whole by %.3g", a / H, b / H);
    assert_true(a < b && b > 1e-5 * H);
    free(truth);
    free(partly);
    free(wholly);
  }
}

// One cube in which every third particle is of a second material, ten times as stiff, and each has a number of its
// own as Young's modulus; beside it are a few more, in blocks that are thin. Or those are stiff that lie on one side
// of a plane: of its first blocks, so that they have one layer of nodes of the second; or of its second blocks.
enum { RIM = 40, CRUMBS = CUBE + RIM };
static enum { ANYWHERE, BELOW, ABOVE } where;

static bool is_hard(int i) {
  if (where == BELOW) return i < CUBE / 16 * 5;
  if (where == ABOVE) return i >= CUBE / 16 * 11 && i < CUBE;
  return i % 3 == 0;
}

static double young_of(int i) {
  return (is_hard(i) ? 10 : 1) * YOUNG * (1 + 1e-5 * i);
}

static void place_of(const mpm_variant *v, int i, double x[3]) {
  enum { SIDE = 8 };
  int at[3] = {i / (4 * SIDE * SIDE), i / (2 * SIDE) % (2 * SIDE), i % (2 * SIDE)};
  for (int a = 0; a < 3; a++) {
    double cell = 0.25 + 0.5 * at[a];
    if (i >= CUBE)
      cell = mpm_random(31, 3 * (uint64_t)i + (uint64_t)a, a ? 0 : SIDE, a ? SIDE : SIDE + 2);
    x[a] = (cell + (is_cubic(v) ? 0 : 0.5)) * H;
  }
}

static mpm_case open_crumbs(const mpm_variant *v, firn_integrator integrator, double dt) {
  firn_sim_def def = mpm_elastic_def(v, H);
  def.mpm.integrator = integrator;
  def.mpm.dt = dt;
  def.mpm.tolerance = by_precision(1e-5, 1e-9);
  firn_material_def elastic = mpm_elastic_material();
  mpm_case c = mpm_case_open(v, &def, &elastic);
  int hard;
  must(&c, firn_sim_add_material(c.sim, &elastic, &hard));
  static double x[CRUMBS][3], young[CRUMBS];
  for (int k = 0; k < 2; k++) {
    size_t count = 0;
    for (int i = 0; i < CRUMBS; i++) {
      if (is_hard(i) != (k == 1)) continue;
      place_of(v, i, x[count]);
      young[count++] = young_of(i);
    }
    firn_particles_def some = firn_default_particles_def();
    some.count = count;
    some.position = x[0];
    some.young = young;
    some.material = k ? hard : 0;
    must(&c, firn_sim_add_particles(c.sim, &some));
  }
  mpm_case_set_gradient(&c, stretched, NULL);
  return c;
}

// All that K may take of particles, by slots.
typedef struct taken {
  firn_real *s[6], *stiff[2];
} taken;

static taken take(const mpm *m) {
  size_t bytes = m->world->particles.slots * sizeof(firn_real);
  taken t;
  for (int i = 0; i < 6; i++) t.s[i] = memcpy(malloc(bytes), m->view.s[i], bytes);
  for (int i = 0; i < 2; i++) t.stiff[i] = memcpy(malloc(bytes), m->view.stiff[i], bytes);
  return t;
}

static void drop(taken *t) {
  for (int i = 0; i < 6; i++) free(t->s[i]);
  for (int i = 0; i < 2; i++) free(t->stiff[i]);
}

// That the packed slot `at` is the particle i.
static void assert_same(const mpm *m, const mpm_view *packed, const taken *t, uint32_t at,
                        uint32_t i) {
  bool hard = m->view.material[i] != 0;
  assert_int_equal(packed->material[at], m->view.material[i]);
  assert_true(packed->vary[FIRN_VARY_MU][at] == m->view.vary[FIRN_VARY_MU][i]);
  for (int a = 0; a < 3; a++) assert_true(packed->x[a][at] == m->view.x[a][i]);
  for (int k = 0; k < 6; k++) assert_true(packed->s[k][at] == t->s[k][i]);
  for (int k = 0; k < 2; k++) assert_true(packed->stiff[k][at] == (hard ? t->stiff[k][i] : 0));
}

// Particles that a block has packed: all that are stiff; all of a thin one with some; and no others.
static uint32_t assert_packed(const mpm *m, const mpm_view *packed, const taken *t, size_t b) {
  const firn_block *block = &m->world->particles.block[b];
  uint32_t at = packed->block[b].first, end = block->first + block->count;
  bool stiff = false;
  for (uint32_t i = block->first; i < end; i++) stiff = stiff || m->view.material[i];
  for (uint32_t i = block->first; i < end && stiff; i++) {
    if (m->view.material[i] || m->box[b].thin) assert_same(m, packed, t, at++, i);
  }
  assert_int_equal(packed->block[b].count, at - packed->block[b].first);
  return packed->block[b].count;
}

static void stiff_particles_are_packed(void **state) {
  (void)state;
  for_each_variant(v) {
    mpm_case c = open_crumbs(v, FIRN_INTEGRATOR_AUTO, DT);
    must(&c, firn_sim_step(c.sim, 0, NULL));
    // Once more, from where that has come to.
    mpm *m = mpm_case_solver(&c);
    mpm_tally unused;
    must(&c, mpm_place_arenas(m, mpm_channels(m, true)));
    mpm_for_units(m, m->kernels->scatter, &unused);
    taken t = take(m);
    mpm_choose_stiff(m);
    const mpm_view packed = mpm_stiff_view(m);
    const uint32_t *units = m->stiff_units.data;
    size_t all = 0, grains = 0;
    assert_true(m->packed.is);
    for (size_t k = 0; k < m->stiff_count; k++) {
      const firn_unit *unit = &packed.unit[units[k]];
      uint32_t count = 0;
      for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
        count += assert_packed(m, &packed, &t, b);
        grains += m->box[b].thin ? packed.block[b].count : 0;
      }
      assert_int_equal(unit->count, count);
      all += count;
    }
    assert_true(all - grains >= CUBE / 3 && all - grains < CRUMBS / 2);
    if (v->isa != FIRN_ISA_SCALAR) assert_true(grains > 0);
    drop(&t);
    mpm_case_close(&c);
  }
}

// Where a particle's stencil begins, in cells from its block's corner.
static int first_of(const mpm_view *view, int a, uint32_t slot) {
  return (int)floor((double)view->x[a][slot] - view->stencil.shift) + view->stencil.first;
}

// Boxes of stiff blocks are tight around stiff particles, and node blocks that these have no node of are left alone.
static void nodes_of_soft_particles_are_left_alone(void **state) {
  (void)state;
  for_each_variant(v) for (where = BELOW; where <= ABOVE; where++) {
    mpm_case c = open_crumbs(v, FIRN_INTEGRATOR_AUTO, DT);
    must(&c, firn_sim_step(c.sim, 0, NULL)); // whose choice is still there
    const mpm *m = mpm_case_solver(&c);
    const mpm_view packed = mpm_stiff_view(m);
    int width = m->view.stencil.width, smaller = 0;
    uint8_t *met = calloc(m->grid.count, 1);
    for (size_t b = 0; b < m->world->particles.block_count; b++) {
      const mpm_box *box = &packed.box[b];
      int lo[3] = {99, 99, 99}, end[3] = {-99, -99, -99};
      for (uint32_t i = 0; !box->soft && !box->thin && i < packed.block[b].count; i++) {
        int first[3];
        for (int a = 0; a < 3; a++) {
          first[a] = first_of(&packed, a, packed.block[b].first + i);
          lo[a] = first[a] < lo[a] ? first[a] : lo[a];
          end[a] = first[a] + width > end[a] ? first[a] + width : end[a];
        }
        for (int n = 0; n < width * width * width; n++) {
          int at[3] = {n / (width * width), n / width % width, n % width}, o = 0;
          for (int a = 0; a < 3; a++) o = 3 * o + 1 + ((first[a] + at[a] + 4) / 4 - 1);
          met[m->grid.target[b][o]] = 1;
        }
      }
      for (int a = 0; a < 3 && lo[0] < 99; a++) {
        assert_int_equal(box->lo[a], lo[a]);
        assert_int_equal(box->n[a], end[a] - lo[a]);
        smaller += box->n[a] < m->next_box[b].n[a]; // of this step, since boxes have been swapped
      }
    }
    size_t left = 0;
    for (size_t g = 0; g < m->grid.count; g++) {
      assert_int_equal(m->view.node_soft[g], !met[g]);
      left += !met[g];
    }
    mpm_report(v, "%d boxes are smaller, %zu of %zu node blocks are left alone", smaller, left,
               m->grid.count);
    assert_true(smaller == 4 && left > 0);
    free(met);
    mpm_case_close(&c);
  }
  where = ANYWHERE;
}

// Leaves the boxes of what is packed as wide as their blocks'.
static struct {
  const mpm_kernels *kernels;
  const mpm *m;
  int left;
} wide;

static bool leave_wide(const mpm_view *view, size_t b) {
  if (view->next_box != wide.m->packed.box) return wide.kernels->bound(view, b);
#pragma omp atomic
  wide.left++;
  return true;
}

static double *run_boxes(const mpm_variant *v, bool tight) {
  mpm_case c = open_crumbs(v, FIRN_INTEGRATOR_AUTO, DT);
  mpm *m = mpm_case_solver(&c);
  mpm_kernels kernels = *m->kernels;
  wide.kernels = m->kernels;
  wide.m = m;
  wide.left = 0;
  kernels.bound = leave_wide;
  if (!tight) m->kernels = &kernels;
  for (int i = 0; i < STEPS; i++) must(&c, firn_sim_step(c.sim, 0, NULL));
  m->kernels = wide.kernels;
  assert_int_equal(wide.left > 0, !tight);
  double *out = mpm_case_read(&c, "velocity");
  mpm_case_close(&c);
  return out;
}

static void tight_boxes_change_nothing(void **state) {
  (void)state;
  for_each_variant(v) for (where = BELOW; where <= ABOVE; where++) {
    double *tight = run_boxes(v, true), *other = run_boxes(v, false), speed = 0;
    for (size_t i = 0; i < 3 * CRUMBS; i++) worst(&speed, other[i]);
    double off = difference(tight, other, 3 * CRUMBS);
    mpm_report(v, "off by %.3g of %.3g m/s", off, speed);
    assert_below(v, "off", off, 8 * STEPS * EPS * speed);
    free(tight);
    free(other);
  }
  where = ANYWHERE;
}

// What share of the snow is stiffer than three times the loose snow, by itself and by blocks.
static void auto_knows_how_many_are_stiff(void **state) {
  (void)state;
  for_each_variant(v) {
    mpm_case c = open_crumbs(v, FIRN_INTEGRATOR_AUTO, 0);
    must(&c, firn_sim_step(c.sim, 0, NULL));
    const mpm *m = mpm_case_solver(&c);
    double loose = INFINITY, particles = 0, blocks = 0;
    for (size_t i = 0; i < m->world->particles.slots; i++) {
      if (m->view.mass[i] > 0) loose = fmin(loose, mpm_sound2(m, i));
    }
    for (int k = mpm_stiffness_class(m, 3 * loose); k < MPM_SHARES; k++) {
      particles += (double)m->memory.hard[k];
      blocks += (double)m->memory.share[k];
    }
    mpm_report(v, "%.3f of the particles, in blocks with %.3f", particles, blocks);
    assert_true(fabs(particles - 1.0 / 3) < 0.01);
    assert_true(blocks > 0.99);
    mpm_case_close(&c);
  }
}

// What was once counted is counted again, for snow hardens.
static void auto_looks_again(void **state) {
  (void)state;
  for_each_scheme(v, FIRN_ISA_SCALAR) {
    mpm_case c = open_crumbs(v, FIRN_INTEGRATOR_AUTO, 0);
    must(&c, firn_sim_step(c.sim, 0, NULL));
    mpm *m = mpm_case_solver(&c);
    float known[MPM_SHARES];
    memcpy(known, m->memory.hard, sizeof known);
    memset(m->memory.hard, 0, sizeof known);
    m->memory.hard[MPM_SHARES - 1] = 1;
    for (int i = 0; i < 33 && m->memory.hard[MPM_SHARES - 1] == 1; i++) {
      must(&c, firn_sim_step(c.sim, 0, NULL));
    }
    for (int k = 0; k < MPM_SHARES; k++)
      assert_true(fabs((double)(m->memory.hard[k] - known[k])) < 0.01);
    mpm_case_close(&c);
  }
}

// Solves for a few particles pay where solves for all of their blocks would not; and where all is stiff and
// counts go with the step, the longest is the cheapest.
static void auto_weighs_particles(void **state) {
  (void)state;
  for_each_scheme(v, FIRN_ISA_SCALAR) {
    mpm_case c = open_crumbs(v, FIRN_INTEGRATOR_AUTO, 0);
    must(&c, firn_sim_step(c.sim, 0, NULL));
    mpm *m = mpm_case_solver(&c);
    mpm_memory *memory = &m->memory;
    double longest = m->def.dt_max;
    memory->sound2_max = 100 * mpm_stiff_sound2(m, longest); // explicit steps: a tenth
    memory->iterations = 20;
    memory->courant = sqrt(memory->sound2_max) * longest / H;
    memory->implicit = false;
    for (int few = 0; few < 2; few++) {
      memset(memory->share, 0, sizeof memory->share);
      memset(memory->hard, 0, sizeof memory->hard);
      memory->share[7] = 1; // 2^6 to 2^7 times what the longest step suits
      memory->hard[7] = few ? 0.05F : 1;
      memory->hard[0] = few ? 0.95F : 0;
      memory->solved = few ? 0.15 : 1;
      mpm_choice choice = mpm_choose(m, 0);
      mpm_report(v, "%s are stiff: %g of dt_max, %d", few ? "few" : "all", choice.dt / longest,
                 choice.implicit);
      assert_int_equal(choice.implicit, few);
      if (few) assert_true(choice.dt == longest);
    }
    memory->share[7] = memory->hard[7] = 1;
    memory->hard[0] = 0;
    memory->solved = 1;
    memory->sound2_max *= 100;
    memory->courant *= 10;
    mpm_choice choice = mpm_choose(m, 0);
    assert_true(choice.implicit && choice.dt == longest);
    mpm_case_close(&c);
  }
}

// Nodes of the first two products of a solve are all left at 0, which conjugate residuals cannot go on from.
static struct {
  const mpm_kernels *kernels;
  size_t left;
} broken;

static void break_down(const mpm_view *view, size_t g) {
  broken.kernels->hessian_nodes(view, g);
  if (!broken.left) return;
  broken.left--;
  memset(view->product + g * FIRN_NODE_BLOCK_REALS, 0, FIRN_NODE_BLOCK_REALS * sizeof(firn_real));
}

static double *run_breakdown(const mpm_variant *v, firn_krylov krylov, bool breaks) {
  mpm_case c = open_crumbs(v, FIRN_INTEGRATOR_AUTO, DT);
  mpm *m = mpm_case_solver(&c);
  mpm_kernels kernels = *m->kernels;
  broken.kernels = m->kernels;
  must(&c, firn_sim_step(c.sim, 0, NULL));
  m->def.krylov = krylov;
  broken.left = breaks ? 2 * m->solved_count : 0;
  kernels.hessian_nodes = break_down;
  m->kernels = &kernels;
  must(&c, firn_sim_step(c.sim, 0, NULL));
  assert_int_equal(broken.left, 0);
  m->kernels = broken.kernels;
  double *out = mpm_case_read(&c, "velocity");
  mpm_case_close(&c);
  return out;
}

static void breakdown_is_solved_for_by_minres(void **state) {
  (void)state;
  for_each_variant(v) {
    double *out = run_breakdown(v, FIRN_KRYLOV_CR, true), speed = 0;
    double *way = run_breakdown(v, FIRN_KRYLOV_MINRES, false);
    for (size_t i = 0; i < 3 * CRUMBS; i++) worst(&speed, way[i]);
    double off = difference(out, way, 3 * CRUMBS);
    mpm_report(v, "off by %.3g of %.3g m/s", off, speed);
    assert_below(v, "off", off, by_precision(1e-5, 1e-11) * speed);
    free(out);
    free(way);
  }
}

static double *run_crumbs(const mpm_variant *v, firn_integrator integrator, double dt, int steps) {
  mpm_case c = open_crumbs(v, integrator, dt);
  for (int i = 0; i < steps; i++) must(&c, firn_sim_step(c.sim, 0, NULL));
  double *out = mpm_case_read(&c, "position");
  mpm_case_close(&c);
  return out;
}

static void crumbs_move_as_one_piece(void **state) {
  (void)state;
  for_each_variant(v) {
    if (v->isa == FIRN_ISA_SCALAR && is_cubic(v)) continue; // takes long
    double *truth = run_crumbs(v, FIRN_INTEGRATOR_EXPLICIT, DT / 8, 8 * STEPS);
    double *partly = run_crumbs(v, FIRN_INTEGRATOR_AUTO, DT, STEPS);
    double *wholly = run_crumbs(v, FIRN_INTEGRATOR_IMPLICIT, DT, STEPS);
    double a = difference(partly, truth, 3 * CRUMBS), b = difference(wholly, truth, 3 * CRUMBS);
    mpm_report(v, "off by %.3g cells; solved as a whole by %.3g", a / H, b / H);
    assert_true(a < b && b > 1e-5 * H);
    free(truth);
    free(partly);
    free(wholly);
  }
}

// Grains of thin blocks give to nodes by other ways; the scalar kernels know none of them.
static void crumbs_move_as_scalar_ones(void **state) {
  (void)state;
  for_each_variant(v) {
    if (v->isa == FIRN_ISA_SCALAR) continue;
    mpm_variant scalar = *v;
    scalar.isa = FIRN_ISA_SCALAR;
    double *x = run_crumbs(v, FIRN_INTEGRATOR_AUTO, DT, 4);
    double *oracle = run_crumbs(&scalar, FIRN_INTEGRATOR_AUTO, DT, 4);
    double *still = run_crumbs(&scalar, FIRN_INTEGRATOR_AUTO, DT, 0), way = 0;
    for (size_t i = 0; i < 3 * CRUMBS; i++) worst(&way, oracle[i] - still[i]);
    double off = difference(x, oracle, 3 * CRUMBS);
    mpm_report(v, "off by %.3g of a way of %.3g cells", off / way, way / H);
    assert_below(v, "off", off, by_precision(1e-3, 1e-7) * way);
    free(x);
    free(oracle);
    free(still);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_is_taken_its_own_way),
      cmocka_unit_test(one_piece_moves_as_one),
      cmocka_unit_test(stiff_particles_are_packed),
      cmocka_unit_test(nodes_of_soft_particles_are_left_alone),
      cmocka_unit_test(tight_boxes_change_nothing),
      cmocka_unit_test(auto_knows_how_many_are_stiff),
      cmocka_unit_test(auto_looks_again),
      cmocka_unit_test(auto_weighs_particles),
      cmocka_unit_test(breakdown_is_solved_for_by_minres),
      cmocka_unit_test(crumbs_move_as_one_piece),
      cmocka_unit_test(crumbs_move_as_scalar_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
