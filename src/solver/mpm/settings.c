// SPDX-License-Identifier: Apache-2.0
// The settings of the material point method: the one place that knows their names, ranges and
// defaults. Each switch between the paper's print and a better reading names both;
// docs/theory-mpm.md argues for the defaults.
#include <math.h>

#include "base/def.h"
#include "base/schema_rows.h"
#include "solver/mpm/mpm.h"

#define AT(member) FIRN_SCHEMA_AT(firn_mpm_def, member)

static const firn_schema_row rows[] = {
    ENUM("basis", "cubic|quadratic", "cubic",
         "B-splines between particles and grid; cubic is the paper's", AT(basis)),
    ENUM("transfer", "flip|apic", "flip",
         "flip is the paper's PIC/FLIP blend; apic keeps angular momentum", AT(transfer)),
    REAL("flip", NONE, "[0, 1]", "0.95", "alpha of the blend: 0 is PIC, 1 is FLIP", .keyed = true,
         AT(flip)),
    BOOL("flip_rescale", "true",
         "alpha belongs to a step of 0.5 ms: uses alpha^(dt/0.5 ms); false: as printed",
         .keyed = true, AT(flip_rescale)),
    REAL("viscosity", VISCOSITY, "[-1, 1e6]", "-1",
         "of the transfer, whatever h and dt, at most D h^2/dt; below 0: what flip makes of it",
         .keyed = true, AT(viscosity)),
    REAL("reference_h", LENGTH, "[0, 1e6]", "0",
         "h where flip and softening are as printed: in a scene at quality 1; 0: here",
         AT(reference_h)),
    ENUM("advect", "blend|pic", "blend", "which velocity moves particles; blend is the paper's",
         .keyed = true, AT(advect_pic)),
    ENUM("volume", "density|nominal", "density",
         "rest volumes by the grid's density, as printed, or mass/density (default: with emitters)",
         AT(volume_nominal)),
    ENUM("hardening", "jp|density", "jp",
         "J_P by plastic flow, as printed, or by density on the grid (default: with emitters)",
         AT(hardening_density)),
    ENUM("contact", "nodes|surface", "nodes",
         "what colliders hold: nodes within them, as printed, or velocity at the surface itself",
         AT(contact_surface)),
    ENUM("contact_projection", "normal|node", "normal",
         "what the solve holds at slipping contacts: the normal, or the node as printed",
         AT(contact_node)),
    ENUM("sticky_transfer", "pic|blend", "pic",
         "flip: what nodes held by sticky colliders give to particles; blend is the paper's",
         AT(sticky_blend)),
    ENUM("collider_time", "end|begin", "end", "when in the step colliders are sampled",
         AT(collider_begin)),
    BOOL("particle_contact", "true", "collides particle velocities too, as printed", .keyed = true,
         AT(particle_contact)),
    REAL("push_out", NONE, "(-inf, 4]", "-1",
         "moves particles out that are deeper than this many cells; below 0: never", .keyed = true,
         AT(push_out)),
    ENUM("integrator", "auto|explicit|implicit", "auto",
         "auto takes the cheaper by its own count, step by step", .keyed = true, AT(integrator)),
    REAL("beta", NONE, "[0, 1]", "1",
         "implicitness: 1 is backward Euler, 1/2 the paper's other choice", .keyed = true,
         AT(beta)),
    ENUM("krylov", "cr|minres|cg", "cr", "linear solver; cg needs hessian: psd", AT(krylov)),
    ENUM("hessian", "exact|psd", "exact", "psd clamps each particle's stiffness to be positive",
         AT(hessian)),
    ENUM("preconditioner", "mass|block|stiffness|auto", "mass",
         "mass keeps momentum to rounding; stiffness may need fewer iterations, auto takes that",
         AT(preconditioner)),
    REAL("tolerance", NONE, "[1e-14, 0.5]", "1e-4", "relative residual at which the solve stops",
         .keyed = true, AT(tolerance)),
    INT("max_iterations", "[1, 1000000]", "100", "of one solve", .keyed = true, AT(max_iterations)),
    REAL("dt", TIME, "[0, 1]", "0", "fixed time step; 0: chosen step by step", .keyed = true,
         AT(dt)),
    REAL("dt_max", TIME, "[0, 1]", "0",
         "longest step; 0: the paper's 0.5 ms from 5 to 10 mm of h, less below, 0.05 ms a mm above",
         .keyed = true, AT(dt_max)),
    REAL("dt_min", TIME, "[1e-15, 1]", "1e-9 s", "a run that would need a shorter step fails",
         AT(dt_min)),
    REAL("cfl", NONE, "[0.001, 0.9]", "0.6", "cells a particle may cross in a step", .keyed = true,
         AT(cfl)),
    REAL("elastic_cfl", NONE, "[0.001, 1]", "0.5",
         "of h/(c + |v|), the longest explicit step; auto solves for what needs less",
         .keyed = true, AT(elastic_cfl)),
    REAL("min_det", NONE, "[0.001, 0.9]", "0.2",
         "redoes a step that would bring det(I + dt grad v) below this", .keyed = true,
         AT(min_det)),
    BOOL("flight", "true", "moves particles that touch nothing without the grid; false: as printed",
         AT(flight)),
    BOOL("sleep", "true", "leaves blocks of settled snow out of steps until something moves them",
         AT(sleep)),
    REAL("sleep_speed", RATE, "[0, 1e6]", "10",
         "cells a second that the quickest particle of a settled block may do", AT(sleep_speed)),
    REAL("sleep_drift", NONE, "[0, 1]", "0.005",
         "cells that the mean of a settled block may wander in sleep_time", AT(sleep_drift)),
    REAL("sleep_time", TIME, "[0, 1e6]", "0.1 s", "for which a block must have settled",
         AT(sleep_time)),
};

const firn_schema_record firn_mpm_settings = {"the mpm section", ROWS(rows),
                                              .doc = "the material point method"};

FIRN_DEFAULTS(mpm_def) {
  firn_mpm_def def = {0};
  firn_schema_defaults(&firn_mpm_settings, &def);
  return def;
}

void mpm_conflicts(const void *settings, firn_conflict_fn tell, void *user) {
  const firn_mpm_def *def = settings;
  if (def->krylov == FIRN_KRYLOV_CG && def->hessian != FIRN_HESSIAN_PSD) {
    tell(user, "krylov", "hessian",
         "cg needs hessian: psd; the exact one is indefinite in packed snow");
  }
  // That of a dt_max by the cells is known with them (mpm.c).
  double longest = def->dt_max > 0 ? def->dt_max : (double)INFINITY;
  firn_solver_step_conflicts(def->dt, def->dt_min, longest, tell, user);
}
