// SPDX-License-Identifier: Apache-2.0
// labels: slow
// timeout: 120
// long in double
// Memory that runs out, at every allocation of a run in turn: the call that meets it says so and
// changes nothing; the same call, made again with memory at hand, goes on to the same bytes as a
// run that never failed; and what was allocated is given back, whenever the run ends.
#define _GNU_SOURCE // mkdtemp

#include "api/setup.h"

#include <stdio.h>
#include <unistd.h>

#include "support/books.h"
#include "support/checker.h"

// ----------------------------------------------------------------------------------------- runs

// How a run is set up: a solver of every kind, so that every buffer is met.
typedef struct setup {
  const char *name;
  firn_isa isa;
  firn_basis basis;
  firn_transfer transfer;
  firn_integrator integrator;
  firn_krylov krylov;
  firn_hessian hessian;
  firn_preconditioner preconditioner;
  double dt;          // s; 0: chosen
  const char *solver; // NULL: mpm
  bool warm;          // with temperatures
} setup;

static const setup setups[] = {
    {.name = "explicit cubic flip",
     .basis = FIRN_BASIS_CUBIC,
     .transfer = FIRN_TRANSFER_FLIP,
     .integrator = FIRN_INTEGRATOR_EXPLICIT},
    {.name = "explicit quadratic apic",
     .isa = FIRN_ISA_SCALAR,
     .basis = FIRN_BASIS_QUADRATIC,
     .transfer = FIRN_TRANSFER_APIC,
     .integrator = FIRN_INTEGRATOR_EXPLICIT},
    {.name = "implicit cubic flip, cr",
     .basis = FIRN_BASIS_CUBIC,
     .transfer = FIRN_TRANSFER_FLIP,
     .integrator = FIRN_INTEGRATOR_IMPLICIT,
     .krylov = FIRN_KRYLOV_CR},
    {.name = "implicit quadratic apic, minres, block",
     .basis = FIRN_BASIS_QUADRATIC,
     .transfer = FIRN_TRANSFER_APIC,
     .integrator = FIRN_INTEGRATOR_IMPLICIT,
     .krylov = FIRN_KRYLOV_MINRES,
     .preconditioner = FIRN_PRECONDITIONER_BLOCK},
    {.name = "implicit cubic apic, cg, psd",
     .isa = FIRN_ISA_SCALAR,
     .basis = FIRN_BASIS_CUBIC,
     .transfer = FIRN_TRANSFER_APIC,
     .integrator = FIRN_INTEGRATOR_IMPLICIT,
     .krylov = FIRN_KRYLOV_CG,
     .hessian = FIRN_HESSIAN_PSD,
     .preconditioner = FIRN_PRECONDITIONER_BLOCK},
    // Explicit as long as the snow is soft: the grid is built anew when the solve takes over.
    {.name = "auto cubic flip",
     .basis = FIRN_BASIS_CUBIC,
     .transfer = FIRN_TRANSFER_FLIP,
     .integrator = FIRN_INTEGRATOR_AUTO,
     .dt = 5e-5,
     .warm = true},
    {.name = "sph", .integrator = FIRN_INTEGRATOR_IMPLICIT, .solver = "sph", .warm = true},
    {.name = "flip", .integrator = FIRN_INTEGRATOR_IMPLICIT, .solver = "flip"},
};
enum { SETUPS = sizeof setups / sizeof *setups };

enum { SPRAY = 24, LATE = 16, STEPS = 3 };

// What a run ends with: every field of every particle, and the sums.
typedef struct result {
  size_t values;
  double *value;
  firn_sums sums;
  double time;
} result;

typedef struct run {
  const setup *setup;
  books books;
  bool give_up; // at the first failure, instead of trying again
  size_t failures;
  firn_context *context;
  firn_sim *sim;
  const char *file; // to begin from; NULL: from nothing
  const char *save; // where to save halfway; NULL: nowhere
  bool implicit;    // the last step was
  result *out;
} run;

// The call, once more if memory ran out. False if the run is to end here.
static bool attempt(run *r, firn_status status, bool again, int line) {
  if (status == FIRN_OK) return true;
  const char *message = r->context ? firn_context_message(r->context) : "out of memory";
  if (status != FIRN_ERROR_MEMORY || again || !strstr(message, "out of memory")) {
    fail_msg("line %d: %s: allocation %zu of %zu: %s: %s", line, r->setup->name, r->books.refuse_at,
             r->books.calls, firn_status_name(status), message);
  }
  r->failures++;
  if (r->sim) {
    // What there is can still be looked at.
    firn_sums sums;
    firn_status seen = firn_sim_sums(r->sim, &sums); // volumes may have to be found for it
    if (seen != FIRN_ERROR_MEMORY) MUST(r->context, seen);
    double *x = read_field(r->context, r->sim, "position", 3);
    for (size_t i = 0; i < 3 * firn_sim_count(r->sim); i++) assert_true(isfinite(x[i]));
    free(x);
  }
  return false;
}

#define ATTEMPT(r, call)                                                                           \
  do {                                                                                             \
    if (!attempt((r), (call), false, __LINE__)) {                                                  \
      if ((r)->give_up) goto end;                                                                  \
      (r)->books.refuse_at = 0;                                                                    \
      attempt((r), (call), true, __LINE__);                                                        \
    }                                                                                              \
  } while (0)

// Particles of many kinds, that fly apart: new blocks, new node blocks, larger buffers.
static firn_status add_spray(firn_sim *sim, bool late) {
  double position[SPRAY][3], velocity[SPRAY][3], young[SPRAY], hardening[SPRAY];
  firn_particles_def def = firn_default_particles_def();
  double h = firn_sim_h(sim);
  def.count = late ? LATE : SPRAY;
  def.position = &position[0][0];
  def.velocity = &velocity[0][0];
  for (size_t i = 0; i < def.count; i++) {
    for (int a = 0; a < 3; a++) {
      double u = (double)((i * 7 + (size_t)a * 5 + late * 3) % 13) / 6 - 1;
      position[i][a] = (8 + 3 * u) * h;
      velocity[i][a] = 40 * u;
    }
    young[i] = 1e5 + 1e3 * (double)i;
    hardening[i] = (double)(i % 10);
  }
  if (late) {
    def.young = young;
    def.hardening = hardening;
  }
  return firn_sim_add_particles(sim, &def);
}

// Packs all of it, so that sound is seven times as fast.
static firn_status pack(firn_sim *sim) {
  size_t count = firn_sim_count(sim);
  double *jp = malloc(count * sizeof *jp);
  assert_non_null(jp);
  for (size_t i = 0; i < count; i++) jp[i] = 0.6;
  firn_status status = firn_sim_write(sim, "jp", jp);
  free(jp);
  return status;
}

static firn_status advance(run *r) {
  firn_sim *sim = r->sim;
  double before = firn_sim_time(sim);
  size_t count = firn_sim_count(sim);
  firn_step step;
  firn_status status = firn_sim_step(sim, 0, &step);
  if (status != FIRN_OK) assert_true(firn_sim_time(sim) == before);
  assert_int_equal(firn_sim_count(sim), count);
  r->implicit = step.implicit;
  return status;
}

static firn_context_def context_def(run *r) {
  firn_context_def def = firn_default_context_def();
  def.threads = 1;
  def.isa = r->setup->isa;
  def.resize = books_resize;
  def.resize_user = &r->books;
  return def;
}

// Stiffness by temperature, and conduction where there is one.
static firn_status warm(const run *r) {
  firn_heat_def heat = firn_default_heat_def();
  heat.conductivity = r->setup->solver ? 1e3 : 0;
  heat.points = 1;
  heat.temperature[0] = 273.15;
  heat.young[0] = 1e5;
  return firn_sim_set_heat(r->sim, 0, &heat);
}

static firn_sim_def sim_def(const setup *s) {
  firn_sim_def def = firn_default_sim_def();
  def.mpm.basis = s->basis;
  def.mpm.transfer = s->transfer;
  def.mpm.integrator = s->integrator;
  def.mpm.krylov = s->krylov;
  def.mpm.hessian = s->hessian;
  def.mpm.preconditioner = s->preconditioner;
  def.mpm.dt = s->dt;
  def.mpm.dt_max = 1e-4;
  def.mpm.max_iterations = 4; // a solve is a solve
  if (s->solver) def.solver = s->solver;
  return def;
}

// Reading needs memory as well: of particles' numbers, and of what a field is computed from.
static firn_status take_result(run *r) {
  result *out = r->out;
  size_t count = firn_sim_count(r->sim), components = 0, at = 0;
  firn_field_info info;
  for (int i = 0; firn_sim_field(r->sim, i, &info) == FIRN_OK; i++) {
    components += (size_t)info.components;
  }
  free(out->value); // of an attempt that failed
  out->values = components * count;
  out->value = malloc(out->values * sizeof *out->value);
  assert_non_null(out->value);
  for (int i = 0; firn_sim_field(r->sim, i, &info) == FIRN_OK; i++) {
    firn_status status = firn_sim_read(r->sim, info.name, out->value + at);
    if (status != FIRN_OK) return status;
    at += (size_t)info.components * count;
  }
  out->time = firn_sim_time(r->sim);
  return FIRN_OK;
}

// From an empty context to an empty context.
static void go(run *r) {
  firn_context_def context = context_def(r);
  firn_sim_def def = sim_def(r->setup);
  firn_material_def snow = firn_default_material_def(), rubber = snow;
  rubber.law = "elastic";
  firn_collider_def floor_def = firn_default_collider_def(), ball = floor_def;
  ball.shape = firn_sphere((double[]){0.02, 0, 0.02}, 0.03);
  firn_fill_def fill = firn_default_fill_def();
  fill.shape = firn_sphere((double[]){0, 0.035, 0}, 0.016);
  fill.per_cell = 4;
  fill.velocity[1] = -20;

  ATTEMPT(r, firn_context_create(&context, &r->context));
  ATTEMPT(r, firn_sim_create(r->context, &def, &r->sim));
  ATTEMPT(r, firn_sim_add_material(r->sim, &snow, NULL));
  ATTEMPT(r, firn_sim_add_material(r->sim, &rubber, &fill.material));
  if (r->setup->warm) ATTEMPT(r, warm(r));
  ATTEMPT(r, firn_sim_add_collider(r->sim, &floor_def, NULL));
  ATTEMPT(r, firn_sim_add_collider(r->sim, &ball, NULL));
  if (r->file) {
    ATTEMPT(r, firn_sim_load(r->sim, r->file));
  } else {
    ATTEMPT(r, firn_sim_fill(r->sim, &fill));
    ATTEMPT(r, add_spray(r->sim, false));
    for (int i = 0; i < STEPS; i++) ATTEMPT(r, advance(r));
    if (r->save) MUST(r->context, firn_sim_save(r->sim, r->save));
  }
  ATTEMPT(r, advance(r));
  ATTEMPT(r, add_spray(r->sim, true));
  if (!r->setup->solver)
    ATTEMPT(r, pack(r->sim)); // elsewhere J_P follows from positions, or is not there
  for (int i = 1; i < STEPS; i++) ATTEMPT(r, advance(r));
  ATTEMPT(r, take_result(r));
  MUST(r->context, firn_sim_sums(r->sim, &r->out->sums));
  assert_true(r->implicit == (r->setup->integrator != FIRN_INTEGRATOR_EXPLICIT));

end:
  firn_sim_destroy(r->sim);
  if (r->context) assert_int_equal(firn_context_bytes(r->context), 0);
  firn_context_destroy(r->context);
  assert_int_equal(r->books.bytes, 0);
  assert_int_equal(r->books.blocks, 0);
  assert_int_equal(r->books.wrong, 0);
}

static bool equal_sums(const firn_sums *a, const firn_sums *b) {
  // Doubles, all of them.
  const void *from[2] = {a, b};
  const double *x = from[0], *y = from[1];
  for (size_t i = 0; i < sizeof *a / sizeof *x; i++) {
    if (x[i] != y[i] && !(isnan(x[i]) && isnan(y[i]))) return false; // nan: there is none
  }
  return true;
}

static void same(const setup *s, size_t at, const result *a, const result *b) {
  bool equal = a->values == b->values && a->time == b->time && equal_sums(&a->sums, &b->sums) &&
               memcmp(a->value, b->value, a->values * sizeof *a->value) == 0;
  if (!equal) fail_msg("%s: a failure of allocation %zu changed the outcome", s->name, at);
}

// Every allocation fails once, or every so many where that would take an hour.
static size_t stride(void) {
  return is_slow() ? 17 : 1;
}

static void each_allocation(bool stubborn, bool give_up) {
  // A lasting lack differs from a passing one only in what a failing call tries to make up for.
  for (int i = stubborn ? 3 : 0; i < SETUPS; i += stubborn ? 2 : 1) {
    result expected = {0};
    run undisturbed = {.setup = &setups[i], .out = &expected};
    go(&undisturbed);
    size_t calls = undisturbed.books.calls;
    assert_int_equal(undisturbed.failures, 0);
    assert_true(calls > 60); // a run that hardly allocates would prove little
    for (size_t n = 1; n <= calls; n += stride()) {
      result found = {0};
      run r = {.setup = &setups[i], .give_up = give_up, .out = &found};
      r.books.refuse_at = n;
      r.books.stubborn = stubborn;
      go(&r);
      if (r.failures != 1) {
        fail_msg("%s: nobody told of the failure of allocation %zu", setups[i].name, n);
      }
      if (!give_up) same(&setups[i], n, &expected, &found);
      free(found.value);
    }
    free(expected.value);
    print_message("%s: %zu allocations\n", setups[i].name, calls);
  }
}

// The same from a file: loading, and the first steps in buffers that are made anew.
static void a_loaded_run_survives_failed_allocations_too(void **state) {
  (void)state;
  char folder[] = "/tmp/firn-memory-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/state.hdf", folder);
  for (int i = 0; i < SETUPS; i++) {
    result expected = {0}, straight = {0};
    run whole = {.setup = &setups[i], .save = path, .out = &expected};
    run resumed = {.setup = &setups[i], .file = path, .out = &straight};
    go(&whole);
    go(&resumed);
    same(&setups[i], 0, &expected, &straight);
    for (size_t n = 1; n <= resumed.books.calls; n += stride()) {
      result found = {0};
      run r = {.setup = &setups[i], .file = path, .out = &found};
      r.books.refuse_at = n;
      go(&r);
      assert_int_equal(r.failures, 1);
      same(&setups[i], n, &expected, &found);
      free(found.value);
    }
    free(straight.value);
    free(expected.value);
    print_message("%s: %zu allocations\n", setups[i].name, resumed.books.calls);
  }
  unlink(path);
  rmdir(folder);
}

static void a_failed_allocation_can_be_tried_again_to_the_same_bytes(void **state) {
  (void)state;
  each_allocation(false, false);
}

static void a_lasting_lack_of_memory_can_be_waited_out(void **state) {
  (void)state;
  each_allocation(true, false);
}

static void a_run_that_ends_on_a_failure_leaks_nothing(void **state) {
  (void)state;
  each_allocation(false, true);
}

// -------------------------------------------------------------------------------------- account

static void the_context_knows_what_is_held(void **state) {
  (void)state;
  run r = {.setup = &setups[2]};
  firn_context_def context = context_def(&r);
  MUST(NULL, firn_context_create(&context, &r.context));
  size_t own = r.books.bytes; // the context itself, which it does not count
  size_t peak = 0;
  for (int round = 0; round < 2; round++) {
    firn_sim *sim = make_sim(r.context, NULL);
    add_ball(r.context, sim);
    for (int i = 0; i < 20; i++) {
      MUST(r.context, firn_sim_step(sim, 0, NULL));
      assert_int_equal(firn_context_bytes(r.context), r.books.bytes - own);
      assert_true(firn_context_peak_bytes(r.context) >= firn_context_bytes(r.context));
    }
    peak = firn_context_peak_bytes(r.context);
    firn_sim_destroy(sim);
    assert_int_equal(firn_context_bytes(r.context), 0);
    assert_int_equal(r.books.bytes, own);
    assert_int_equal(firn_context_peak_bytes(r.context), peak); // the peak stays
  }
  firn_context_destroy(r.context);
  assert_int_equal(r.books.bytes, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_failed_allocation_can_be_tried_again_to_the_same_bytes),
      cmocka_unit_test(a_lasting_lack_of_memory_can_be_waited_out),
      cmocka_unit_test(a_run_that_ends_on_a_failure_leaks_nothing),
      cmocka_unit_test(a_loaded_run_survives_failed_allocations_too),
      cmocka_unit_test(the_context_knows_what_is_held),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
