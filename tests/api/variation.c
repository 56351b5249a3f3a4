// SPDX-License-Identifier: Apache-2.0
// Materials that differ from particle to particle: by table, by arrays, by law, and all of these in
// one block, which the vector kernels take in groups.
#include "api/setup.h"

#include "base/isa.h"
#include "base/random.h"

static const struct scheme {
  const char *name;
  firn_basis basis;
  firn_transfer transfer;
} schemes[] = {
    {"cubic flip", FIRN_BASIS_CUBIC, FIRN_TRANSFER_FLIP},
    {"cubic apic", FIRN_BASIS_CUBIC, FIRN_TRANSFER_APIC},
    {"quadratic flip", FIRN_BASIS_QUADRATIC, FIRN_TRANSFER_FLIP},
    {"quadratic apic", FIRN_BASIS_QUADRATIC, FIRN_TRANSFER_APIC},
};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

static firn_sim_def def_of(const struct scheme *s, bool implicit) {
  firn_sim_def def = firn_default_sim_def();
  def.mpm.basis = s->basis;
  def.mpm.transfer = s->transfer;
  def.mpm.integrator = implicit ? FIRN_INTEGRATOR_IMPLICIT : FIRN_INTEGRATOR_EXPLICIT;
  def.mpm.volume_nominal = true;
  def.mpm.dt = implicit ? 5e-4 : 5e-5;
  // Iterate to rounding, so that paths differ by rounding and not by when they stop.
  def.mpm.tolerance = sizeof(firn_real) == 4 ? 1e-6 : 1e-13;
  def.mpm.max_iterations = 300;
  return def;
}

static double uniform(uint64_t seed, uint64_t i, double lo, double hi) {
  return lo + (hi - lo) * firn_uniform(firn_philox4x32(seed, i, 0, 0).v[0]);
}

// The second material of the table: every number differs from Table 2.
static firn_material_def other_snow(void) {
  firn_material_def m = firn_default_material_def();
  m.young = 2.7e5;
  m.poisson = 0.3;
  m.theta_c = 0.015;
  m.theta_s = 0.004;
  m.hardening = 6;
  return m;
}

static firn_material_def rubber(void) {
  firn_material_def m = firn_default_material_def();
  m.law = "elastic";
  m.young = 0.9e5;
  return m;
}

// One particle at a time, so that materials interleave as their numbers do.
typedef struct particle {
  double x[3], v[3];
  int material;
  const firn_material_def *own; // numbers given by arrays; NULL: those of the table
} particle;

static void add(firn_context *context, firn_sim *sim, const particle *p) {
  firn_particles_def def = firn_default_particles_def();
  def.count = 1;
  def.position = p->x;
  def.velocity = p->v;
  def.material = p->material;
  if (p->own) {
    def.young = &p->own->young;
    def.poisson = &p->own->poisson;
    def.theta_c = &p->own->theta_c;
    def.theta_s = &p->own->theta_s;
    def.hardening = &p->own->hardening;
  }
  MUST(context, firn_sim_add_particles(sim, &def));
}

// Table: 0 snow, 1 the other snow, 2 rubber.
static firn_sim *make_mixed(firn_context *context, const firn_sim_def *def) {
  firn_sim *sim = make_sim(context, def);
  firn_material_def second = other_snow(), third = rubber();
  MUST(context, firn_sim_add_material(sim, &second, NULL));
  MUST(context, firn_sim_add_material(sim, &third, NULL));
  return sim;
}

// Random strains, some of them beyond what snow holds.
static void strain_all(firn_context *context, firn_sim *sim) {
  size_t n = firn_sim_count(sim);
  double *e = malloc(6 * n * sizeof *e);
  assert_non_null(e);
  for (size_t i = 0; i < 6 * n; i++) e[i] = uniform(7, i, -0.04, 0.02);
  MUST(context, firn_sim_write(sim, "strain", e));
  free(e);
}

// -------------------------------------------------------------------------- one block, all kinds

enum { CELLS = 6, PARTICLES = CELLS * CELLS * CELLS * 8, STEPS = 8 };

// A cube of 6 cells across blocks' borders; materials change from each particle to the next.
static firn_sim *make_cube(firn_context *context, const firn_sim_def *def) {
  firn_material_def own[5];
  firn_sim *sim = make_mixed(context, def);
  for (int k = 0; k < 5; k++) {
    own[k] = k % 2 ? rubber() : firn_default_material_def();
    own[k].young *= 0.5 + 0.4 * k;
    own[k].hardening = 2 * k;
    own[k].theta_c = 0.01 + 0.005 * k;
  }
  for (int i = 0; i < PARTICLES; i++) {
    particle p = {.material = i % 3};
    int place[3] = {i / (4 * CELLS * CELLS), i / (2 * CELLS) % (2 * CELLS), i % (2 * CELLS)};
    for (int a = 0; a < 3; a++) {
      uint64_t k = 3 * (uint64_t)i + (uint64_t)a;
      p.x[a] = (0.5 * (place[a] + uniform(1, k, 0.2, 0.8)) - 3) * def->h;
      p.v[a] = uniform(2, k, -0.5, 0.5);
    }
    if (i % 7 == 3) p.own = &own[i % 5];
    add(context, sim, &p);
  }
  strain_all(context, sim);
  return sim;
}

typedef struct outcome {
  double *v, *e, *jp;
} outcome;

static outcome run_cube(firn_isa isa, const struct scheme *s, bool implicit) {
  firn_context *context = make_context(1, isa);
  firn_sim_def def = def_of(s, implicit);
  firn_sim *sim = make_cube(context, &def);
  for (int i = 0; i < STEPS; i++) MUST(context, firn_sim_step(sim, 0, NULL));
  outcome out = {read_field(context, sim, "velocity", 3), read_field(context, sim, "strain", 6),
                 read_field(context, sim, "jp", 1)};
  firn_sim_destroy(sim);
  drop_context(context);
  return out;
}

static void drop_outcome(outcome *o) {
  free(o->v);
  free(o->e);
  free(o->jp);
}

static double apart(const double *a, const double *b, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    double d = fabs(a[i] - b[i]);
    if (!(d <= most)) most = d;
  }
  return most;
}

// Velocities are of order 1 m/s, strains and J_P of order 1 (b - I, but b itself is pushed): each
// step rounds them a few times on either path, a node's sum of some 300 particles by no more than
// its largest parts, and the solve is iterated to rounding. Eight steps walk to 3 times that, some
// 10 eps m/s; strains see dt/h = 1/20 s/m of it and their own rounding. Two to three times on top.
static void kinds_mix_in_one_group(void **state) {
  (void)state;
  double eps = (double)FIRN_REAL_EPS;
  for (int s = 0; s < SCHEMES; s++) {
    for (int implicit = 0; implicit < 2; implicit++) {
      outcome oracle = run_cube(FIRN_ISA_SCALAR, &schemes[s], implicit);
      double yielded = 0;
      for (size_t i = 0; i < PARTICLES; i++) {
        // Rubber never yields, whoever its neighbours in the group are.
        if (i % 3 == 2) assert_true(oracle.jp[i] == 1);
        yielded += oracle.jp[i] != 1;
      }
      assert_true(4 * yielded > PARTICLES);
      for (int isa = FIRN_ISA_AVX2; isa <= FIRN_ISA_AVX512; isa++) {
        if (!firn_isa_available((firn_isa)isa)) {
          print_message("%s: not run, this CPU lacks it\n", firn_isa_name((firn_isa)isa));
          continue;
        }
        outcome fast = run_cube((firn_isa)isa, &schemes[s], implicit);
        double dv = apart(oracle.v, fast.v, 3 * PARTICLES),
               de = apart(oracle.e, fast.e, 6 * PARTICLES),
               dj = apart(oracle.jp, fast.jp, PARTICLES);
        if (!(dv < 30 * eps && de < 10 * eps && dj < 10 * eps)) {
          fail_msg("%s %s %s: velocities differ by %g eps m/s, strains by %g, J_P by %g eps",
                   schemes[s].name, implicit ? "implicit" : "explicit",
                   firn_isa_name((firn_isa)isa), dv / eps, de / eps, dj / eps);
        }
        for (size_t i = 2; i < PARTICLES; i += 3) assert_true(fast.jp[i] == 1);
        drop_outcome(&fast);
      }
      drop_outcome(&oracle);
    }
  }
}

// ------------------------------------------------------------------------- arrays and the table

// Numbers given by arrays do what the same numbers do in the table. They take a way through Young's
// modulus and Poisson's ratio, so they may differ by rounding, a few eps; so may all that follows.
static void arrays_mean_what_the_table_means(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  double eps = (double)FIRN_REAL_EPS;
  firn_material_def own = other_snow();
  for (int implicit = 0; implicit < 2; implicit++) {
    firn_sim_def def = def_of(&schemes[0], implicit);
    firn_sim *sim[2] = {make_mixed(context, &def), make_mixed(context, &def)};
    for (int i = 0; i < 512; i++) {
      particle p = {.material = 1};
      int place[3] = {i / 64, i / 8 % 8, i % 8};
      for (int a = 0; a < 3; a++) {
        p.x[a] = 0.5 * (place[a] + 0.5) * def.h;
        p.v[a] = uniform(3, 3 * (uint64_t)i + (uint64_t)a, -0.5, 0.5);
      }
      add(context, sim[0], &p);
      p.material = 0;
      p.own = &own;
      add(context, sim[1], &p);
    }
    for (int k = 0; k < 2; k++) {
      strain_all(context, sim[k]);
      for (int i = 0; i < STEPS; i++) MUST(context, firn_sim_step(sim[k], 0, NULL));
    }
    static const struct field {
      const char *name;
      int components;
      double scale;
    } fields[] = {{"velocity", 3, 1}, {"strain", 6, 1}, {"jp", 1, 1}, {"stress", 6, 2.7e5}};
    for (int f = 0; f < 4; f++) {
      double *a = read_field(context, sim[0], fields[f].name, fields[f].components);
      double *b = read_field(context, sim[1], fields[f].name, fields[f].components);
      double d = apart(a, b, 512 * (size_t)fields[f].components) / fields[f].scale;
      if (!(d < 30 * eps)) {
        fail_msg("%s: %s differs by %g eps", implicit ? "implicit" : "explicit", fields[f].name,
                 d / eps);
      }
      free(a);
      free(b);
    }
    // Material 0 without its own numbers would be something else.
    double yielded = 0;
    MUST(context, firn_sim_stat(sim[0], "yielded", &yielded));
    assert_true(yielded > 0.5);
    firn_sim_destroy(sim[0]);
    firn_sim_destroy(sim[1]);
  }
  drop_context(context);
}

// Particles that ask for nothing are not touched by others that do: the same bytes as without.
static void those_who_vary_leave_the_others_alone(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim_def def = def_of(&schemes[0], false);
  firn_sim *without = make_mixed(context, &def), *with = make_mixed(context, &def);
  firn_material_def own = other_snow();
  for (int i = 0; i < 512; i++) {
    particle p = {.material = i % 3};
    int place[3] = {i / 64, i / 8 % 8, i % 8};
    for (int a = 0; a < 3; a++) {
      p.x[a] = 0.5 * (place[a] + 0.5) * def.h;
      p.v[a] = uniform(4, 3 * (uint64_t)i + (uint64_t)a, -0.5, 0.5);
    }
    add(context, without, &p);
    add(context, with, &p);
  }
  for (int i = 0; i < 3; i++) MUST(context, firn_sim_step(without, 0, NULL));
  for (int i = 0; i < 3; i++) MUST(context, firn_sim_step(with, 0, NULL));
  particle far_away = {.x = {1, 1, 1}, .own = &own};
  add(context, with, &far_away);
  for (int i = 0; i < STEPS; i++) MUST(context, firn_sim_step(without, 0, NULL));
  for (int i = 0; i < STEPS; i++) MUST(context, firn_sim_step(with, 0, NULL));
  double *a = read_field(context, without, "velocity", 3);
  double *b = read_field(context, with, "velocity", 3);
  assert_memory_equal(a, b, 3 * 512 * sizeof *a);
  free(a);
  free(b);
  firn_sim_destroy(without);
  firn_sim_destroy(with);
  drop_context(context);
}

// ---------------------------------------------------------------------------------------- spray

// Particles out of each other's reach, in groups of every mixture: each must do exactly what it
// does among its own kind.
static void a_particle_does_not_know_who_shares_its_group(void **state) {
  (void)state;
  enum { COUNT = 240 };
  for (int isa = FIRN_ISA_SCALAR; isa <= FIRN_ISA_AVX512; isa++) {
    if (!firn_isa_available((firn_isa)isa)) continue;
    for (int s = 0; s < SCHEMES; s++) {
      firn_context *context = make_context(1, (firn_isa)isa);
      firn_sim_def def = def_of(&schemes[s], false);
      for (int a = 0; a < 3; a++) def.gravity[a] = 0;
      def.mpm.flight = false; // alone they would not be in groups
      firn_sim *sim[4];       // all of one kind, three times; and mixed
      double *v[4], *e[4];
      for (int k = 0; k < 4; k++) {
        sim[k] = make_mixed(context, &def);
        for (int i = 0; i < COUNT; i++) {
          particle p = {.material = k < 3 ? k : i % 3};
          int place[3] = {i / 40, i / 8 % 5, i % 8};
          for (int a = 0; a < 3; a++) {
            p.x[a] = (8 * place[a] + uniform(5, 3 * (uint64_t)i + (uint64_t)a, 0.1, 0.9)) * def.h;
          }
          add(context, sim[k], &p);
        }
        strain_all(context, sim[k]);
        for (int i = 0; i < 4; i++) MUST(context, firn_sim_step(sim[k], 0, NULL));
        v[k] = read_field(context, sim[k], "velocity", 3);
        e[k] = read_field(context, sim[k], "strain", 6);
      }
      for (int i = 0; i < COUNT; i++) {
        assert_memory_equal(v[3] + 3 * i, v[i % 3] + 3 * i, 3 * sizeof **v);
        assert_memory_equal(e[3] + 6 * i, e[i % 3] + 6 * i, 6 * sizeof **e);
      }
      // The three kinds do differ.
      assert_true(apart(e[0], e[1], 6 * COUNT) > 1e-3 && apart(e[0], e[2], 6 * COUNT) > 1e-3);
      for (int k = 0; k < 4; k++) {
        free(v[k]);
        free(e[k]);
        firn_sim_destroy(sim[k]);
      }
      drop_context(context);
    }
  }
}

// -------------------------------------------------------------------------------------- reading

static void fields_tell_what_each_particle_is_made_of(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim_def def = def_of(&schemes[0], false);
  firn_sim *sim = make_mixed(context, &def);
  firn_material_def own = other_snow(), sand;
  int id;
  MUST(context, firn_material_preset(context, "sand", &sand));
  sand.cohesion = 20;
  MUST(context, firn_sim_add_material(sim, &sand, &id));
  own.young *= 1.25;
  own.theta_c = 0.02;
  const firn_material_def *const all[] = {&own, &sand};
  particle p[2] = {{.material = 1, .own = &own}, {.x = {1, 1, 1}, .material = id}};
  for (int i = 0; i < 2; i++) add(context, sim, &p[i]);
  MUST(context, firn_sim_write(sim, "jp", (double[]){0.9, 1}));
  // Lame's parameters, and the slope of the cone, in between.
  double allowed = 100 * (double)FIRN_REAL_EPS;
  static const struct {
    const char *name;
    size_t at;
    int law; // snow 0, sand 1, both 2
  } number[] = {
      {"young", offsetof(firn_material_def, young), 2},
      {"poisson", offsetof(firn_material_def, poisson), 2},
      {"theta_c", offsetof(firn_material_def, theta_c), 0},
      {"theta_s", offsetof(firn_material_def, theta_s), 0},
      {"hardening", offsetof(firn_material_def, hardening), 0},
      {"friction_angle", offsetof(firn_material_def, friction_angle), 1},
      {"cohesion", offsetof(firn_material_def, cohesion), 1},
  };
  for (size_t n = 0; n < sizeof number / sizeof *number; n++) {
    double *read = read_field(context, sim, number[n].name, 1);
    for (int i = 0; i < 2; i++) {
      bool has = number[n].law == 2 || number[n].law == i;
      double expected = has ? *(const double *)((const char *)all[i] + number[n].at) : 0;
      if (!(fabs(read[i] - expected) <= allowed * expected))
        fail_msg("%s of particle %d is %g, not %g", number[n].name, i, read[i], expected);
    }
    free(read);
  }
  double *stiffening = read_field(context, sim, "stiffening", 1);
  assert_true(fabs(stiffening[0] / exp(own.hardening * 0.1) - 1) < allowed && stiffening[1] == 1);
  free(stiffening);
  firn_sim_destroy(sim);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinds_mix_in_one_group),
      cmocka_unit_test(arrays_mean_what_the_table_means),
      cmocka_unit_test(those_who_vary_leave_the_others_alone),
      cmocka_unit_test(a_particle_does_not_know_who_shares_its_group),
      cmocka_unit_test(fields_tell_what_each_particle_is_made_of),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
