// SPDX-License-Identifier: Apache-2.0
// The settings of the material point method: the one place that knows their names, ranges and
// defaults. Each switch between the paper's print and a better reading names both;
// docs/theory-mpm.md argues for the defaults.
#include <stdio.h>

#include "solver/mpm/mpm.h"

#define AT(member) FIRN_SCHEMA_AT(firn_mpm_def, member)
#define SWITCH(key_, initial_, doc_)                                                               \
  { .key = #key_, .type = FIRN_TYPE_BOOL, .initial = initial_, AT(key_), .doc = doc_ }
#define CHOICE(key_, member_, choices_, initial_, doc_)                                            \
  {                                                                                                \
    .key = key_, .type = FIRN_TYPE_ENUM, .choices = choices_, .initial = initial_, AT(member_),    \
    .doc = doc_                                                                                    \
  }
#define NUMBER(key_, type_, dimension_, range_, initial_, keyed_, doc_)                            \
  {                                                                                                \
    .key = #key_, .type = FIRN_TYPE_##type_, .dimension = FIRN_DIM_##dimension_, .range = range_,  \
    .initial = initial_, .keyed = keyed_, AT(key_), .doc = doc_                                    \
  }
enum { FIXED, KEYED };

static const firn_schema_row rows[] = {
    CHOICE("basis", basis, "cubic|quadratic", "cubic",
           "B-splines between particles and grid; cubic is the paper's"),
    CHOICE("transfer", transfer, "flip|apic", "flip",
           "flip is the paper's PIC/FLIP blend; apic keeps angular momentum"),
    NUMBER(flip, REAL, NONE, "[0, 1]", "0.95", KEYED, "alpha of the blend: 0 is PIC, 1 is FLIP"),
    SWITCH(flip_rescale, "true",
           "alpha belongs to a step of 0.5 ms: uses alpha^(dt/0.5 ms); false: as printed"),
    CHOICE("advect", advect_pic, "blend|pic", "blend",
           "which velocity moves particles; blend is the paper's"),
    CHOICE("volume", volume_nominal, "density|nominal", "density",
           "rest volumes from the grid's density, as printed, or mass/density"),
    CHOICE("contact_projection", contact_node, "normal|node", "normal",
           "what the solve holds at slipping contacts: the normal, or the node as printed"),
    CHOICE("collider_time", collider_begin, "end|begin", "end",
           "when in the step colliders are sampled"),
    SWITCH(particle_contact, "true", "collides particle velocities too, as printed"),
    NUMBER(push_out, REAL, NONE, "(-inf, 4]", "-1", KEYED,
           "moves particles out that are deeper than this many cells; below 0: never"),
    CHOICE("integrator", integrator, "auto|explicit|implicit", "auto",
           "auto takes the cheaper by its own count, step by step"),
    NUMBER(beta, REAL, NONE, "[0, 1]", "1", KEYED,
           "implicitness: 1 is backward Euler, 1/2 the paper's other choice"),
    CHOICE("krylov", krylov, "cr|minres|cg", "cr", "linear solver; cg needs hessian: psd"),
    CHOICE("hessian", hessian, "exact|psd", "exact",
           "psd clamps each particle's stiffness to be positive"),
    CHOICE("preconditioner", preconditioner, "mass|block", "mass",
           "mass is the paper's; block inverts each node's 3x3 block"),
    NUMBER(tolerance, REAL, NONE, "[1e-14, 0.5]", "1e-4", KEYED,
           "relative residual at which the solve stops"),
    NUMBER(max_iterations, INT, NONE, "[1, 1000000]", "100", KEYED, "of one solve"),
    NUMBER(dt, REAL, TIME, "[0, 1]", "0", KEYED, "fixed time step; 0: chosen step by step"),
    NUMBER(dt_max, REAL, TIME, "[1e-12, 1]", "0.5 ms", KEYED, "longest step"),
    NUMBER(dt_min, REAL, TIME, "[1e-15, 1]", "1e-9 s", FIXED,
           "a run that would need a shorter step fails"),
    NUMBER(cfl, REAL, NONE, "[0.001, 0.9]", "0.6", KEYED, "cells a particle may cross in a step"),
    NUMBER(elastic_cfl, REAL, NONE, "[0.001, 1]", "0.5", KEYED,
           "of h/(c + |v|), the longest explicit step; auto solves for what needs less"),
    NUMBER(min_det, REAL, NONE, "[0.001, 0.9]", "0.2", KEYED,
           "redoes a step that would bring det(I + dt grad v) below this"),
    SWITCH(sleep, "true", "leaves blocks of settled snow out of steps until something moves them"),
    NUMBER(sleep_speed, REAL, RATE, "[0, 1e6]", "10", FIXED,
           "cells a second that the quickest particle of a settled block may do"),
    NUMBER(sleep_drift, REAL, NONE, "[0, 1]", "0.005", FIXED,
           "cells that the mean of a settled block may wander in sleep_time"),
    NUMBER(sleep_time, REAL, TIME, "[0, 1e6]", "0.1 s", FIXED,
           "for which a block must have settled"),
};

const firn_schema_record firn_mpm_settings = {"the mpm section", FIRN_SCHEMA_ROWS(rows),
                                              .doc = "the material point method"};

firn_mpm_def firn_default_mpm_def(void) {
  firn_mpm_def def = {0};
  firn_schema_defaults(&firn_mpm_settings, &def);
  return def;
}

void mpm_conflicts(const void *settings, firn_conflict_fn tell, void *user) {
  const firn_mpm_def *def = settings;
  char why[100];
  if (def->krylov == FIRN_KRYLOV_CG && def->hessian != FIRN_HESSIAN_PSD) {
    tell(user, "krylov", "hessian",
         "cg needs hessian: psd; the exact one is indefinite in packed snow");
  }
  if (def->dt_min > def->dt_max && !(def->dt > 0)) {
    snprintf(why, sizeof why, "%g s is longer than dt_max, %g s", def->dt_min, def->dt_max);
    tell(user, "dt_min", "dt_max", why);
  }
  if (def->dt > 0 && def->dt < def->dt_min) {
    snprintf(why, sizeof why, "%g s is shorter than dt_min, %g s", def->dt, def->dt_min);
    tell(user, "dt", "dt_min", why);
  }
}
