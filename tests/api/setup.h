// SPDX-License-Identifier: Apache-2.0
// What the tests of the public interface share: contexts, a small snowball, and messages.
#ifndef FIRN_TESTS_API_SETUP_H
#define FIRN_TESTS_API_SETUP_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <firn/firn.h>

#include "math/real.h"

static inline firn_context *make_context(int threads, firn_isa isa) {
  firn_context_def def = firn_default_context_def();
  def.threads = threads;
  def.isa = isa;
  firn_context *context = NULL;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  return context;
}

// Nothing may be held by the time a context goes.
static inline void drop_context(firn_context *context) {
  assert_int_equal(firn_context_bytes(context), 0);
  firn_context_destroy(context);
}

static inline void must(const firn_context *context, firn_status status, const char *call,
                        int line) {
  if (status == FIRN_OK) return;
  fail_msg("line %d: %s returned %s: %s", line, call, firn_status_name(status),
           firn_context_message(context));
}
#define MUST(context, call) must((context), (call), #call, __LINE__)

// The call fails with this status, and its message holds each of the words.
static inline void must_fail(const firn_context *context, firn_status status, firn_status expected,
                             const char *call, int line, const char *const *words) {
  const char *message = firn_context_message(context);
  if (status != expected) {
    fail_msg("line %d: %s returned %s, not %s: %s", line, call, firn_status_name(status),
             firn_status_name(expected), message);
  }
  for (; *words; words++) {
    if (!strstr(message, *words)) {
      fail_msg("line %d: %s: the message does not name '%s': %s", line, call, *words, message);
    }
  }
}
#define MUST_FAIL(context, call, expected, ...)                                                    \
  must_fail((context), (call), (expected), #call, __LINE__,                                        \
            (const char *const[]){__VA_ARGS__, NULL})

// A simulation with Table 2 as material 0 and nothing else.
static inline firn_sim *make_sim(firn_context *context, const firn_sim_def *def) {
  firn_sim_def usual = firn_default_sim_def();
  firn_material_def snow = firn_default_material_def();
  firn_sim *sim = NULL;
  MUST(context, firn_sim_create(context, def ? def : &usual, &sim));
  MUST(context, firn_sim_add_material(sim, &snow, NULL));
  return sim;
}

static inline firn_status add_one(firn_sim *sim, double x, double y, double z) {
  const double position[3] = {x, y, z};
  firn_particles_def def = firn_default_particles_def();
  def.count = 1;
  def.position = position;
  return firn_sim_add_particles(sim, &def);
}

// A ball of radius 4 h around (0, 6 h, 0) that falls at 3 m/s on a floor with friction.
static inline void add_ball(firn_context *context, firn_sim *sim) {
  double h = firn_sim_h(sim);
  firn_fill_def ball = firn_default_fill_def();
  ball.shape = firn_sphere((double[]){0, 6 * h, 0}, 4 * h);
  ball.velocity[1] = -3;
  ball.spin[2] = 4;
  MUST(context, firn_sim_fill(sim, &ball));
  firn_collider_def floor_def = firn_default_collider_def();
  floor_def.name = "floor";
  MUST(context, firn_sim_add_collider(sim, &floor_def, NULL));
}

static inline double *read_field(firn_context *context, firn_sim *sim, const char *field,
                                 int components) {
  double *out = malloc((firn_sim_count(sim) * (size_t)components + 1) * sizeof *out);
  assert_non_null(out);
  MUST(context, firn_sim_read(sim, field, out));
  return out;
}

#endif
