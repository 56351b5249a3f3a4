// SPDX-License-Identifier: Apache-2.0
// Runs that break: a status, a message with particle, field and value, and a library that stays
// usable. What was saved before can be loaded and goes on as if nothing had happened.
#define _GNU_SOURCE // mkdtemp

#include "api/setup.h"

#include <stdio.h>
#include <unistd.h>

#include "base/isa.h"

// The four kinds of step that look for trouble each in its own loops.
static const struct kind {
  const char *name;
  firn_basis basis;
  firn_transfer transfer;
  firn_integrator integrator;
} kinds[] = {
    {"cubic flip explicit", FIRN_BASIS_CUBIC, FIRN_TRANSFER_FLIP, FIRN_INTEGRATOR_EXPLICIT},
    {"quadratic apic explicit", FIRN_BASIS_QUADRATIC, FIRN_TRANSFER_APIC, FIRN_INTEGRATOR_EXPLICIT},
    {"cubic flip implicit", FIRN_BASIS_CUBIC, FIRN_TRANSFER_FLIP, FIRN_INTEGRATOR_IMPLICIT},
    {"quadratic apic implicit", FIRN_BASIS_QUADRATIC, FIRN_TRANSFER_APIC, FIRN_INTEGRATOR_IMPLICIT},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static firn_sim_def def_of(const struct kind *kind) {
  firn_sim_def def = firn_default_sim_def();
  def.mpm.basis = kind->basis;
  def.mpm.transfer = kind->transfer;
  def.mpm.integrator = kind->integrator;
  return def;
}

// An elastic ball (snow would yield and shrug), 0.5 h apart in a lattice.
static firn_sim *make_ball(firn_context *context, const firn_sim_def *def) {
  firn_material_def rubber = firn_default_material_def();
  rubber.law = "elastic";
  firn_fill_def ball = firn_default_fill_def();
  ball.shape = firn_sphere((double[]){0, 0.1, 0}, 0.025);
  ball.seeding = FIRN_SEEDING_LATTICE;
  firn_sim *sim = make_sim(context, def);
  MUST(context, firn_sim_add_material(sim, &rubber, &ball.material));
  MUST(context, firn_sim_fill(sim, &ball));
  return sim;
}

// Sets one component of one particle's field and leaves the rest.
static void poke(firn_context *context, firn_sim *sim, const char *field, int components,
                 size_t particle, double value) {
  double *all = read_field(context, sim, field, components);
  all[particle * (size_t)components] = value;
  MUST(context, firn_sim_write(sim, field, all));
  free(all);
}

// A broken simulation refuses to go on, and can be looked at and thrown away.
static void stays_broken(firn_context *context, firn_sim *sim) {
  firn_sums sums;
  double time = firn_sim_time(sim);
  MUST_FAIL(context, firn_sim_step(sim, 0, NULL), FIRN_ERROR_STATE, "earlier step failed",
            "checkpoint");
  MUST_FAIL(context, firn_sim_advance(sim, 1, NULL, NULL), FIRN_ERROR_STATE, "earlier step failed");
  MUST_FAIL(context, firn_sim_save(sim, "/nonexistent/state.hdf"), FIRN_ERROR_STATE, "failed");
  assert_true(firn_sim_time(sim) == time);
  MUST(context, firn_sim_sums(sim, &sums));
  free(read_field(context, sim, "position", 3));
  free(read_field(context, sim, "stress", 6));
}

// Steps until something breaks, but not for ever.
static firn_status step_until_broken(firn_sim *sim, int steps) {
  for (int i = 0; i < steps; i++) {
    firn_status status = firn_sim_step(sim, 0, NULL);
    if (status != FIRN_OK) return status;
  }
  return FIRN_OK;
}

typedef void (*fault_fn)(firn_context *context, const struct kind *kind);

static void on_every_path(fault_fn fault) {
  for (int isa = FIRN_ISA_SCALAR; isa <= FIRN_ISA_AVX512; isa++) {
    if (!firn_isa_available((firn_isa)isa)) {
      print_message("%s: not run, this CPU lacks it\n", firn_isa_name((firn_isa)isa));
      continue;
    }
    for (int k = 0; k < KINDS; k++) {
      firn_context *context = make_context(1, (firn_isa)isa);
      fault(context, &kinds[k]);
      drop_context(context);
    }
  }
}

// --------------------------------------------------------------------------------------- faults

// A strain whose stress no number can hold.
static void overflow(firn_context *context, const struct kind *kind) {
  firn_sim_def def = def_of(kind);
  firn_sim *sim = make_ball(context, &def);
  MUST(context, firn_sim_step(sim, 0, NULL));
  poke(context, sim, "strain", 6, 11, sizeof(firn_real) == 4 ? 1e37 : 1e305);
  MUST_FAIL(context, step_until_broken(sim, 3), FIRN_ERROR_NONFINITE, "step ", "at time ",
            "is not finite");
  const char *message = firn_context_message(context);
  if (!strstr(message, "particle ") && !strstr(message, "node at ")) {
    fail_msg("%s: the message names nobody: %s", kind->name, message);
  }
  if (!strstr(message, "nan") && !strstr(message, "inf")) {
    fail_msg("%s: the message has no value: %s", kind->name, message);
  }
  stays_broken(context, sim);
  firn_sim_destroy(sim);
}

static void a_run_that_is_no_longer_finite_names_a_particle(void **state) {
  (void)state;
  on_every_path(overflow);
}

// A velocity that only steps too short to get anywhere could follow.
static void hurry(firn_context *context, const struct kind *kind) {
  firn_sim_def def = def_of(kind);
  firn_sim *sim = make_ball(context, &def);
  poke(context, sim, "velocity", 3, 5, 1e12);
  // An endless run of tiny steps would be the other way to fail.
  MUST_FAIL(context, firn_sim_advance(sim, 1, NULL, NULL), FIRN_ERROR_STEP, "1e+12 m/s",
            "dt_min = 1e-09 s");
  stays_broken(context, sim);
  firn_sim_destroy(sim);
}

static void a_step_that_would_be_too_short_is_given_up(void **state) {
  (void)state;
  on_every_path(hurry);
}

// A given step, far too long for the material: the guard halves it until dt_min, or the ball flies
// apart beyond all bounds. Whichever it is, it is said.
static void too_long(firn_context *context, const struct kind *kind) {
  if (kind->integrator != FIRN_INTEGRATOR_EXPLICIT) return; // which is what that one is for
  firn_sim_def def = def_of(kind);
  def.mpm.dt = 0.1;
  def.mpm.dt_min = 0.09;
  firn_sim *sim = make_ball(context, &def);
  poke(context, sim, "strain", 6, 0, 0.5);
  firn_status status = step_until_broken(sim, 50);
  if (status != FIRN_ERROR_STEP) {
    fail_msg("%s: %s: %s", kind->name, firn_status_name(status), firn_context_message(context));
  }
  MUST_FAIL(context, status, FIRN_ERROR_STEP, "step of 0.1 s", "near (",
            "det = ", "dt_min is 0.09 s");
  stays_broken(context, sim);
  firn_sim_destroy(sim);
}

static void a_given_step_that_is_too_long_is_given_up(void **state) {
  (void)state;
  on_every_path(too_long);
}

// Out of the addressable domain, 41.92 km with cells of 1 cm.
static void leave(firn_context *context, const struct kind *kind) {
  firn_sim_def def = def_of(kind);
  for (int a = 0; a < 3; a++) def.gravity[a] = 0;
  firn_sim *sim = make_sim(context, &def);
  MUST(context, add_one(sim, 0, 0, 0));
  MUST(context, add_one(sim, 41919.9, 0, 0));
  poke(context, sim, "velocity", 3, 1, 10);
  MUST_FAIL(context, firn_sim_advance(sim, 1, NULL, NULL), FIRN_ERROR_DOMAIN, "particle 1",
            "position", "velocity", "10");
  stays_broken(context, sim);
  firn_sim_destroy(sim);
}

static void a_particle_that_leaves_the_domain_is_named(void **state) {
  (void)state;
  on_every_path(leave);
}

// ----------------------------------------------------------------------------------- and onwards

static void an_earlier_state_can_be_loaded_after_a_fault(void **state) {
  (void)state;
  char folder[] = "/tmp/firn-faults-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/state.hdf", folder);
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  for (int k = 0; k < KINDS; k++) {
    firn_sim_def def = def_of(&kinds[k]);
    firn_sim *straight = make_ball(context, &def), *broken = make_ball(context, &def);
    for (int i = 0; i < 20; i++) MUST(context, firn_sim_step(straight, 0, NULL));
    for (int i = 0; i < 10; i++) MUST(context, firn_sim_step(broken, 0, NULL));
    MUST(context, firn_sim_save(broken, path));
    poke(context, broken, "strain", 6, 7, sizeof(firn_real) == 4 ? 1e37 : 1e305);
    assert_int_equal(step_until_broken(broken, 5), FIRN_ERROR_NONFINITE);
    // Saving what is broken is refused, and the good file stays.
    MUST_FAIL(context, firn_sim_save(broken, path), FIRN_ERROR_STATE, "state.hdf");
    firn_sim_destroy(broken);

    firn_material_def rubber = firn_default_material_def();
    rubber.law = "elastic";
    firn_sim *again = make_sim(context, &def);
    MUST(context, firn_sim_add_material(again, &rubber, NULL));
    MUST(context, firn_sim_load(again, path));
    for (int i = 0; i < 10; i++) MUST(context, firn_sim_step(again, 0, NULL));
    assert_true(firn_sim_time(again) == firn_sim_time(straight));
    double *a = read_field(context, straight, "position", 3);
    double *b = read_field(context, again, "position", 3);
    assert_memory_equal(a, b, 3 * firn_sim_count(straight) * sizeof *a);
    free(a);
    free(b);
    firn_sim_destroy(straight);
    firn_sim_destroy(again);
  }
  drop_context(context);
  unlink(path);
  rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_that_is_no_longer_finite_names_a_particle),
      cmocka_unit_test(a_step_that_would_be_too_short_is_given_up),
      cmocka_unit_test(a_given_step_that_is_too_long_is_given_up),
      cmocka_unit_test(a_particle_that_leaves_the_domain_is_named),
      cmocka_unit_test(an_earlier_state_can_be_loaded_after_a_fault),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
